//! One listing read by many requests at once, each of them for a window of time.
//!
//! A window has a start and no end: its pages are those of the listing from there on. Where it
//! reaches the start of the next window, both list the same records, and the next one takes over
//! behind a record that both list. A window that doesn't list that record is dropped, and the one
//! before it continues. The result is exactly what a sequential listing returns, even if the service
//! rounds or ignores the bound.
//!
//! - A bound may cut a time that is told more coarsely than it is kept: a window's first time joins none,
//!   unless times are told in microseconds.
//! - New windows start past the requests in flight, spaced by the density just seen. The farthest
//!   shows where the records continue after a burst.
//! - Records fetched twice are counted, which limits speculative windows.
//! - The end is the last record that there is when the listing starts.
//! - A page out of the order of the times ends windows: one request after the other goes on. If windows
//!   were joined before, the listing ends with an error, since they were joined by times.
//! - A record that one window lists, and the one before it doesn't, although it has read past it, ends
//!   windows too: it has arrived since, or a page to come is out of order.

mod density;
mod probe;
#[cfg(test)]
mod tests;
mod time_key;
mod window;
mod window_set;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use futures_util::{StreamExt, stream::FuturesUnordered};

use self::{
    probe::{Probe, Probed},
    window_set::{Next, WindowSet},
};
use super::{
    LIMIT, Listing, ORDER, Order, TimeRange,
    pager::{Fetch, PageRecords, Pager},
    position::TimeOrder,
    record_source::RecordSource,
};
use crate::{BoxFuture, Error, ErrorKind, Record, call::PreparedCall};

pub(crate) struct Windows<T> {
    start: PreparedCall,
    fetch: Fetch<PageRecords<T>>,
    range: &'static TimeRange,
    ascending: bool,
    most: usize,
    /// The first page and the end probe, until both arrive.
    first_calls: Option<BoxFuture<'static, Probed<T>>>,
    /// Whether the first page isn't in the order of its times.
    begins_out_of_order: Arc<AtomicBool>,
    window_set: Option<WindowSet<T>>,
    calls: FuturesUnordered<BoxFuture<'static, Answer<T>>>,
    /// No request starts until this error is returned: an outage is one error.
    failed: Option<Error>,
    /// The error with which the listing ends.
    repeated_cursor: Option<Error>,
}

/// A page, and the number of the request that asked for it.
struct Answer<T> {
    number: u64,
    pager: Pager<PageRecords<T>>,
    page: Option<Result<PageRecords<T>, Error>>,
}

impl<T: Record> Windows<T> {
    pub(crate) fn new(
        start: PreparedCall,
        fetch: Fetch<PageRecords<T>>,
        listing: &'static Listing,
        order: &'static Order,
        range: &'static TimeRange,
        most: usize,
    ) -> Self {
        let ascending = listing.is_ascending(&start.call.query) == Some(true);
        let mut reverse = start.clone();
        reverse.call.query.set(ORDER, order.word(!ascending));
        if let Some(smallest) = listing.smallest_page {
            reverse.call.query.set(LIMIT, smallest);
        }
        let first = Pager::new(start.clone(), fetch);
        let reverse = Pager::new(reverse, fetch);
        let probe = Probe::new(first, reverse, ascending);
        Self {
            start,
            fetch,
            range,
            ascending,
            most,
            begins_out_of_order: probe.is_out_of_order(),
            first_calls: Some(Box::pin(probe.ask())),
            window_set: None,
            calls: FuturesUnordered::new(),
            failed: None,
            repeated_cursor: None,
        }
    }

    /// Waits for the first page and the end probe, and sends them again after an error.
    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Some(first_calls) = &mut self.first_calls else { return Poll::Ready(Ok(())) };
        let (probe, result) = ready!(first_calls.as_mut().poll(cx));
        if result.is_ok() {
            self.window_set = Some(probe.into_window_set(self.most));
            self.first_calls = None;
        } else {
            *first_calls = Box::pin(probe.ask());
        }
        Poll::Ready(result)
    }

    /// Returns whether an answer has arrived.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> bool {
        let mut came = false;
        while let Poll::Ready(Some(answer)) = self.calls.poll_next_unpin(cx) {
            self.take_in(answer);
            came = true;
        }
        came
    }

    fn take_in(&mut self, answer: Answer<T>) {
        let Answer { number, pager, page } = answer;
        let Some(window_set) = &mut self.window_set else { return };
        match page {
            Some(Ok(batch)) => {
                window_set.take_in(number, pager, batch.records);
            }
            None => window_set.take_in(number, pager, Vec::new()),
            Some(Err(error)) if error.kind() == ErrorKind::RepeatedCursor => {
                if window_set.end_with(number) {
                    self.repeated_cursor = Some(error);
                }
            }
            Some(Err(error)) => {
                if window_set.put_back(number, pager) {
                    self.failed.get_or_insert(error);
                }
            }
        }
    }

    /// Sends as many requests as may be in flight.
    fn ask(&mut self) {
        let Some(window_set) = &mut self.window_set else { return };
        while self.failed.is_none()
            && let Some((number, next)) = window_set.next()
        {
            let mut pager = match next {
                Next::Page(pager) => *pager,
                Next::Window(time) => {
                    let mut start = self.start.clone();
                    if self.ascending {
                        self.range.set_from(&mut start.call.query, time);
                    } else {
                        self.range.set_until(&mut start.call.query, time);
                    }
                    Pager::new(start, self.fetch)
                }
            };
            self.calls.push(Box::pin(async move {
                let page = pager.page().await;
                Answer { number, pager, page }
            }));
        }
    }
}

impl<T: Record> RecordSource<T> for Windows<T> {
    fn poll_record(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<Option<Result<T, Error>>> {
        ready!(self.poll_open(cx))?;
        loop {
            // Also while records wait: unpolled requests would time out.
            let came = self.poll_answers(cx);
            let Some(window_set) = &mut self.window_set else { return Poll::Ready(None) };
            let record = window_set.pop();
            if came || record.is_none() || window_set.has_given_a_page() {
                self.ask();
            }
            if let Some(record) = record {
                return Poll::Ready(Some(Ok(record)));
            }
            let Some(answer) = ready!(self.calls.poll_next_unpin(cx)) else {
                let error = self.failed.take().or_else(|| self.repeated_cursor.take());
                return Poll::Ready(error.map(Err));
            };
            self.take_in(answer);
        }
    }

    fn poll_in_flight(&mut self, cx: &mut Context<'_>) {
        while self.poll_answers(cx) {
            self.ask();
        }
    }

    fn repeats(&self) -> bool {
        true
    }

    fn time_order(&self) -> TimeOrder {
        let mut time_order =
            self.window_set.as_ref().map(|window_set| window_set.time_order).unwrap_or_default();
        time_order.broken |= self.begins_out_of_order.load(Ordering::Relaxed);
        time_order
    }

    fn is_in_flight(&self) -> bool {
        self.first_calls.is_some() || !self.calls.is_empty()
    }
}
