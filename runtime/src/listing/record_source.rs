//! The source of a stream's records: sequential requests, concurrent ones, or several merged
//! listings.

use std::task::{Context, Poll};

use super::position::{PageOffset, TimeOrder};
use crate::Error;

/// Records in the order of their listing.
pub(crate) trait RecordSource<T>: Send {
    /// Polls the next record. Starts a request only if that is allowed.
    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>>;

    /// Polls the requests in flight.
    fn poll_in_flight(&mut self, cx: &mut Context<'_>);

    /// Whether a request is in flight.
    fn is_in_flight(&self) -> bool;

    /// Whether the records so far are in order of their times.
    fn time_order(&self) -> TimeOrder;

    /// The place of the last record in a listing that is read sequentially.
    fn place(&self) -> Option<PageOffset<'_>> {
        None
    }
}
