//! Starts a windowed listing: requests its first page and, in the opposite order, its last record.

use std::{
    mem,
    task::{Context, Poll, ready},
};

use super::{window::Mark, window_set::WindowSet};
use crate::{
    Error, Operation, Record,
    listing::{record_pages::RecordPages, time_key::key_of},
};

pub(super) struct Probe<T> {
    ascending: bool,
    first: RecordPages<T>,
    /// The records of the first page.
    page: Poll<Result<Vec<T>, Error>>,
    /// The pager for the listing in the opposite order.
    reverse: RecordPages<T>,
    /// The last record of the listing. `None` if that record is unknown.
    end: Poll<Result<Option<Mark>, Error>>,
}

impl<T: Record> Probe<T> {
    pub(super) fn new(first: RecordPages<T>, reverse: RecordPages<T>, ascending: bool) -> Self {
        Self { ascending, first, page: Poll::Pending, reverse, end: Poll::Pending }
    }

    /// Polls the requests for the first page and the last record. After an error, the next poll
    /// repeats the requests that failed.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.page.is_pending() {
            let page = self.first.poll_page(cx).map(Option::transpose);
            self.page = page.map_ok(Option::unwrap_or_default);
        }
        let is_whole = matches!(self.page, Poll::Ready(Ok(_))) && !self.first.pager.has_more();
        if is_whole {
            // The first page is the whole listing, so the last record isn't needed.
            return Poll::Ready(Ok(()));
        }
        if self.end.is_pending() {
            self.end = self.poll_end(cx);
        }
        // Waits until both requests have finished, so that an outage causes a single error.
        if self.page.is_pending() || self.end.is_pending() {
            return Poll::Pending;
        }
        let end = take_error(&mut self.end);
        Poll::Ready(take_error(&mut self.page).or(end).map_or(Ok(()), Err))
    }

    /// Polls the request for the last record. Returns `None` if the listing is empty, if the record
    /// has no time or no identifier, or if the request fails with an error that isn't retryable.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Mark>, Error>> {
        while let Some(page) = ready!(self.reverse.poll_page(cx)) {
            match page {
                Ok(records) => {
                    if let Some(last) = records.first() {
                        return Poll::Ready(Ok(Mark::of(last, self.ascending)));
                    }
                }
                Err(error) if error.is_retryable() => return Poll::Ready(Err(error)),
                Err(error) => {
                    let operation = error.operation().map(Operation::id);
                    tracing::warn!(
                        operation,
                        %error,
                        "failed to list the last record; reading sequentially"
                    );
                    break;
                }
            }
        }
        Poll::Ready(Ok(None))
    }

    /// Whether the first page has arrived and isn't sorted by time.
    pub(super) fn is_out_of_order(&self) -> bool {
        !self.first.is_in_order
    }

    pub(super) fn begin(self, window_set: &mut WindowSet<T>) {
        let records = if let Poll::Ready(Ok(records)) = self.page { records } else { Vec::new() };
        // If the first page is the whole listing, the last record may not have arrived.
        let end = if let Poll::Ready(Ok(end)) = self.end { end } else { None };
        // If the first page continues after the record that should be the last one, the service
        // doesn't list in the requested order.
        let last = records.last().and_then(|last| key_of(last, self.ascending));
        let goes_on = |end: &Mark| {
            last > Some(end.key) && records.iter().any(|record| end.is(record, self.ascending))
        };
        let end = end.filter(|end| !goes_on(end));
        window_set.begin(self.first, records, end);
    }
}

/// Removes and returns the error from a response, so that the next poll sends the request again.
fn take_error<T>(answer: &mut Poll<Result<T, Error>>) -> Option<Error> {
    match mem::replace(answer, Poll::Pending) {
        Poll::Ready(Err(error)) => Some(error),
        other => {
            *answer = other;
            None
        }
    }
}
