//! Reads one listing with concurrent requests, each for a window of time.
//!
//! A window has a start but no end: its pages are the pages of the listing from that start on. When
//! a window has read past the start of the next window, both windows list the same records. If the
//! next window contains the last record that the earlier window has read, the two windows are
//! joined at that record, and the next window takes over. If not, the next window is dropped, and
//! the earlier window continues. The result is exactly that of a sequential listing, even if the
//! service rounds or ignores the time bound at a window's start.
//!
//! - If the service reports times in a coarser unit than it stores them in, a bound may fall
//!   between records with the same reported time. So windows aren't joined at the first reported
//!   time in the next window, unless times are reported in microseconds or a finer unit.
//! - New windows are placed after the windows whose requests are in flight, at distances calculated
//!   from the last known density. If a burst of records ends, the first record in the farthest
//!   window shows where the records continue.
//! - While too many records have been fetched twice, no new windows are started.
//! - The listing's end is the record that was last when the listing started. If a page passes it
//!   without listing it, the client asks for the last records again. If the record is still among
//!   them, the service doesn't sort by time. If not, the record has left the listing: the listing
//!   continues to its actual end, and a warning is logged.
//! - If a page isn't sorted by time, the windows are dropped, and sequential requests continue. If
//!   windows were already joined, the listing ends with an error, because joining relies on the
//!   order by time.
//! - If a window lists a record that the previous window has passed without listing, the windows
//!   are dropped too. Either the record has arrived since, or the service doesn't sort by time.

mod density;
mod opening;
#[cfg(test)]
mod tests;
mod window;
mod window_set;

use std::{
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};

use futures_util::{StreamExt, stream::FuturesUnordered};

use self::{
    opening::Opening,
    window::RecordKey,
    window_set::{Request, WindowSet},
};
use super::{
    Listing, Order, TimeRange, pager::Fetch, position::TimeOrder, record_pages::RecordPages,
    record_source::RecordSource,
};
use crate::{BoxFuture, Error, ErrorKind, Record, call::PreparedCall};

/// The listing's end: the record that was last when the listing started. It stays the same if the
/// listing is read again.
pub(super) type ListingEnd = Arc<OnceLock<RecordKey>>;

pub(crate) struct Windows<T> {
    end: ListingEnd,
    /// The requests for the first page and for the last record, until both responses have arrived.
    opening: Option<Opening<T>>,
    window_set: WindowSet<T>,
    front: Option<T>,
    calls: FuturesUnordered<BoxFuture<'static, PageAnswer<T>>>,
    /// An error that hasn't been returned yet. No request starts until this error has been
    /// returned, so that an outage causes a single error.
    failed: Option<Error>,
    /// The `RepeatedCursor` error with which the listing ends.
    repeated_cursor: Option<Error>,
}

/// A request, and the page from its response.
type PageAnswer<T> = (Request<T>, Option<Result<Vec<T>, Error>>);

impl<T: Record> Windows<T> {
    pub(crate) fn new(
        start: PreparedCall,
        fetch: Fetch<Vec<T>>,
        listing: &'static Listing,
        order: &'static Order,
        range: &'static TimeRange,
        max_in_flight: usize,
        end: ListingEnd,
    ) -> Self {
        let ascending = listing.is_ascending(&start.call.query) == Some(true);
        let mut reverse = start.clone();
        reverse.call.query.set(order.parameter, order.word(!ascending));
        let end_check = reverse.clone();
        if let Some(size) = &listing.size
            && let Some(smallest) = size.smallest
        {
            reverse.call.query.set(size.parameter, smallest);
        }
        let first = RecordPages::new(start.clone(), fetch, Some(ascending));
        let reverse = RecordPages::new(reverse, fetch, Some(!ascending));
        Self {
            opening: Some(Opening::new(first, reverse, ascending, end.get().cloned())),
            end,
            window_set: WindowSet::new(start, end_check, fetch, range, ascending, max_in_flight),
            front: None,
            calls: FuturesUnordered::new(),
            failed: None,
            repeated_cursor: None,
        }
    }

    /// Polls the requests for the first page and for the last record. When both have finished,
    /// starts the windows.
    fn poll_opening(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let Some(opening) = &mut self.opening {
            ready!(opening.poll(cx))?;
        }
        if let Some(opening) = self.opening.take()
            && let Some(end) = opening.begin(&mut self.window_set)
        {
            self.end.get_or_init(|| end);
        }
        Poll::Ready(Ok(()))
    }

    /// Polls the requests in flight. Returns whether a response has arrived.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_arrived = false;
        while let Poll::Ready(Some(answer)) = self.calls.poll_next_unpin(cx) {
            self.add_answer(answer);
            has_arrived = true;
        }
        has_arrived
    }

    fn add_answer(&mut self, (request, page): PageAnswer<T>) {
        match page.transpose() {
            Ok(records) => self.window_set.add_page(request, records.unwrap_or_default()),
            Err(error) => {
                let is_end = error.kind() == ErrorKind::RepeatedCursor;
                let kept = if is_end { &mut self.repeated_cursor } else { &mut self.failed };
                if self.window_set.put_back(request) {
                    kept.get_or_insert(error);
                }
            }
        }
    }

    /// Sends requests as long as the window set has another one to send and no error is waiting to
    /// be returned.
    fn ask(&mut self) {
        while self.failed.is_none()
            && let Some(mut request) = self.window_set.next()
        {
            self.calls.push(Box::pin(async move {
                let page = request.reader.pages.page().await;
                (request, page)
            }));
        }
    }
}

impl<T: Record> RecordSource<T> for Windows<T> {
    fn poll_front(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<Result<bool, Error>> {
        ready!(self.poll_opening(cx))?;
        while self.front.is_none() {
            // Polls the requests in flight even if records are ready, because a request that isn't
            // polled times out.
            let has_arrived = self.poll_answers(cx);
            self.front = self.window_set.pop();
            if has_arrived || self.front.is_none() || self.window_set.has_returned_a_page() {
                self.ask();
            }
            if self.front.is_some() {
                break;
            }
            let Some(answer) = ready!(self.calls.poll_next_unpin(cx)) else {
                let error = self.failed.take().or_else(|| self.repeated_cursor.take());
                if error.is_none() {
                    self.window_set.warn_if_end_is_missing();
                }
                return Poll::Ready(error.map_or(Ok(false), Err));
            };
            self.add_answer(answer);
        }
        Poll::Ready(Ok(true))
    }

    fn front(&self) -> Option<&T> {
        self.front.as_ref()
    }

    fn take_front(&mut self) -> Option<T> {
        self.front.take()
    }

    fn poll_in_flight(&mut self, cx: &mut Context<'_>) {
        while self.poll_answers(cx) {
            self.ask();
        }
    }

    fn time_order(&self) -> TimeOrder {
        let mut time_order = self.window_set.time_order;
        time_order.is_violated |= self.opening.as_ref().is_some_and(Opening::is_out_of_order);
        time_order
    }

    fn is_in_flight(&self) -> bool {
        self.opening.is_some() || !self.calls.is_empty()
    }
}
