//! Where the records of a stream come from: one request after the other, many at once, or several
//! listings merged.

use std::task::{Context, Poll};

use super::position::{PageOffset, TimeOrder};
use crate::Error;

/// Records in the order of their listing.
pub(crate) trait RecordSource<T>: Send {
    /// The next record. Begins a request only if it may.
    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>>;

    /// Polls the requests in flight.
    fn poll_in_flight(&mut self, cx: &mut Context<'_>);

    /// Whether a request is in flight.
    fn is_in_flight(&self) -> bool;

    /// Whether the times of the records so far tell their order.
    fn time_order(&self) -> TimeOrder;

    /// The place of the last record in a listing that is read one page after the other.
    fn place(&self) -> Option<PageOffset<'_>> {
        None
    }
}
