//! The source of a stream's records: sequential requests, concurrent requests, or a merge of
//! several listings.

use std::task::{Context, Poll};

use super::position::{PageOffset, TimeOrder};
use crate::Error;

/// A source of records, in the order of the listing. The next record is examined where it is, and
/// moved only when it is taken.
pub(crate) trait RecordSource<T>: Send {
    /// Polls until the next record is in `front`. Returns false at the end of the listing. Starts a
    /// request only if `may_ask` is true.
    fn poll_front(&mut self, cx: &mut Context<'_>, may_ask: bool) -> Poll<Result<bool, Error>>;

    /// The next record. `None` unless `poll_front` has returned true since the last record was
    /// taken.
    fn front(&self) -> Option<&T>;

    /// Takes the record in `front`.
    fn take_front(&mut self) -> Option<T>;

    /// Polls the requests in flight.
    fn poll_in_flight(&mut self, cx: &mut Context<'_>);

    /// Whether a request is in flight.
    fn is_in_flight(&self) -> bool;

    /// Whether the records so far are sorted by time, and whether the source depends on that order.
    fn time_order(&self) -> TimeOrder;

    /// The place of the last record that was taken. `None` unless the source reads a single
    /// listing sequentially.
    fn place(&self) -> Option<PageOffset<'_>> {
        None
    }
}
