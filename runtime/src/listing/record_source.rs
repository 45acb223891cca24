//! The source of a stream's records: sequential requests, concurrent requests, or a merge of
//! several listings.

use std::task::{Context, Poll};

use super::position::{PageOffset, TimeOrder};
use crate::Error;

/// A source of records, in the order of the listing.
pub(crate) trait RecordSource<T>: Send {
    /// Polls for the next record. Starts a request only if `may_ask` is true.
    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>>;

    /// Polls the requests in flight.
    fn poll_in_flight(&mut self, cx: &mut Context<'_>);

    /// Whether a request is in flight.
    fn is_in_flight(&self) -> bool;

    /// Whether the records so far are sorted by time, and whether the source depends on that order.
    fn time_order(&self) -> TimeOrder;

    /// The place of the last record that was returned. `None` unless the source reads a single
    /// listing sequentially.
    fn place(&self) -> Option<PageOffset<'_>> {
        None
    }
}
