//! Starts a windowed listing: requests its first page and, in the opposite order, its last record.

use std::{
    mem,
    task::{Context, Poll, ready},
};

use super::{window::RecordKey, window_set::WindowSet};
use crate::{
    Error, Operation, Record,
    listing::{record_pages::RecordPages, time_key::key_of},
};

pub(super) struct Opening<T> {
    ascending: bool,
    first: RecordPages<T>,
    /// The records of the first page.
    page: Poll<Result<Vec<T>, Error>>,
    /// The pages of the listing in the opposite order.
    reverse: RecordPages<T>,
    /// The last record of the listing. `None` if that record is unknown.
    end: Poll<Result<Option<RecordKey>, Error>>,
}

impl<T: Record> Opening<T> {
    /// If `end` is the last record, no request for it is sent.
    pub(super) fn new(
        first: RecordPages<T>,
        reverse: RecordPages<T>,
        ascending: bool,
        end: Option<RecordKey>,
    ) -> Self {
        let end = end.map_or(Poll::Pending, |end| Poll::Ready(Ok(Some(end))));
        Self { ascending, first, page: Poll::Pending, reverse, end }
    }

    /// Polls the requests for the first page and the last record. If the request for the first page
    /// fails, returns its error, and the next poll repeats the requests that failed.
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
        if let Some(error) = take_error(&mut self.page) {
            take_error(&mut self.end);
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(()))
    }

    /// Polls the request for the last record. Returns `None` if the listing is empty, or if the
    /// record has no time or no identifier.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<RecordKey>, Error>> {
        while let Some(records) = ready!(self.reverse.poll_page(cx)).transpose()? {
            if let Some(last) = records.first() {
                return Poll::Ready(Ok(RecordKey::of(last, self.ascending)));
            }
        }
        Poll::Ready(Ok(None))
    }

    /// Whether the first page has arrived and isn't sorted by time.
    pub(super) fn is_out_of_order(&self) -> bool {
        !self.first.is_in_order
    }

    /// Starts the windows. Returns the listing's end, if it is known.
    ///
    /// If the request for the last record has failed, the listing is read sequentially: its records
    /// are there, and only their end is unknown.
    pub(super) fn begin(self, window_set: &mut WindowSet<T>) -> Option<RecordKey> {
        let records = if let Poll::Ready(Ok(records)) = self.page { records } else { Vec::new() };
        let end = match self.end {
            Poll::Ready(Ok(end)) => end,
            Poll::Ready(Err(error)) => {
                let operation = error.operation().map(Operation::id);
                tracing::warn!(
                    operation,
                    %error,
                    "failed to list the last record; reading sequentially"
                );
                None
            }
            // If the first page is the whole listing, the last record may not have arrived.
            Poll::Pending => None,
        };
        // If the first page continues after the record that should be the last one, the service
        // doesn't list in the requested order.
        let last = records.last().and_then(|last| key_of(last, self.ascending));
        let goes_on = |end: &RecordKey| {
            last > Some(end.key) && records.iter().any(|record| end.is(record, self.ascending))
        };
        let end = end.filter(|end| !goes_on(end));
        window_set.begin(self.first, records, end.clone());
        end
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
