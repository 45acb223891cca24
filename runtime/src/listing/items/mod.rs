//! A stream of all records of a listing.

mod checkpoint;
mod reading;
#[cfg(test)]
mod tests;
mod timed;

use std::{
    fmt,
    future::poll_fn,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::Stream;

use self::reading::{Failure, Reading};
use super::{
    Checkpoint, Listing, Paging, Record, batch::next_batch, pager::fetch_records, plan::Plan,
    position::Position,
};
use crate::{Error, call::PreparedCall};

/// The error message if a stream is used again after it has returned the builder's error about an
/// invalid call.
const REFUSED: &str = "the call is invalid: see the first error of this stream";

/// A stream of all records of a listing, returned by a builder's `items()`.
///
/// The service in this example delivers parcels:
///
/// ```no_run
/// # async fn example(client: second::Client) -> Result<(), oas_client::Error> {
/// # use second::types::{ParcelState, Sort};
/// let list = client.list_parcels().state(ParcelState::Delivered).sort(Sort::OldestFirst);
/// let mut parcels = list.items().concurrency(8);
/// while let Some(parcel) = parcels.next().await {
///     let parcel = parcel?;
///     println!("{} {}", parcel.booked_at, parcel.id);
/// }
/// # Ok(())
/// # }
/// ```
///
/// `Items` is a [`Stream`] of `Result`s, so you can use the extension methods from the `futures`
/// and `tokio-stream` crates.
/// The service in this example delivers parcels:
///
/// ```no_run
/// use futures_util::TryStreamExt; // also `futures::TryStreamExt`
///
/// # async fn example(client: second::Client) -> Result<(), oas_client::Error> {
/// let mut parcels = client.list_parcels().items();
/// while let Some(parcel) = parcels.try_next().await? {
///     println!("{}", parcel.id);
/// }
/// let all: Vec<_> = client.list_parcels().items().try_collect().await?;
/// # Ok(())
/// # }
/// ```
///
/// If an error occurs, `try_collect` discards the records before the error. With `try_next`, you
/// keep these records and can continue.
///
/// Pages and requests:
///
/// - The page size doesn't limit the listing: `.per_page(10).items()` returns all records, ten per
///   request.
/// - The stream reads page after page, like [`Pages`](crate::Pages). When it returns the second
///   record of a page, it starts to fetch the next page. It spawns no task. Dropping the stream
///   cancels all requests.
/// - The stream makes progress only while it is polled. If you pause for longer than
///   `call_timeout`, the request in progress may fail with `Timeout`. The poll after that error
///   sends the request again.
/// - If the service lists a record again, the stream drops the duplicate, provided that the record
///   was on the previous page or has the same time as the last record. So each record is returned
///   once, even if the service's cursors are offsets and new records arrive during the listing.
///   This holds as long as fewer new records than a page has arrive between two requests.
/// - If 100 pages in a row only repeat records from the page before them, the stream ends with
///   `RepeatedCursor`.
///
/// Long filters:
///
/// - If a filter array has more entries than one request may have, the filter is split over several
///   sub-requests. The same applies if the array makes the URL longer than 7,000 bytes, of which
///   500 are reserved for the page size, the cursor and the time bounds.
/// - The records from all sub-requests are merged in the requested order, without duplicates. At
///   most two pages per sub-request are in memory.
/// - If more than 10,000 sub-requests are needed, the first poll returns `InvalidRequest`. With
///   several long filters, the numbers of sub-requests multiply.
/// - In ascending order, one sub-request can finish before the others. If a matching record then
///   appears within five minutes of its `created_at`, that record is returned when you
///   [resume](Self::resume). The five minutes are measured with the service's `Date` headers, or
///   with the local clock if there are none.
///
/// Errors:
///
/// - After an error, you can poll again: the stream retries the page that failed.
/// - If the error has a `retry_after`, wait that long before you poll again. Until then, each poll
///   returns the same error immediately.
/// - If the error is `RepeatedCursor`, `StaleCheckpoint`, `InvalidRequest`, `Configuration`, or a
///   `Decode` error about the order of the records, the stream ends. The `None` after such an error
///   doesn't mean that the listing is complete.
/// - If the service rejects a cursor, with a 4xx other than 401, 403, 408 and 429, the stream lists
///   again from just before the last record. It returns no record twice, and reports the restart in
///   a `tracing` event.
/// - If the listing can be filtered by time, listing again relies on the order by time that the
///   OpenAPI description states. A record that the service lists out of order may then be missed. If
///   a page shows that the listing isn't sorted by time, the stream ends with a `Decode` error.
/// - If the service rejects a request again before the stream has returned another record, the
///   stream returns that error. If the last record has neither an identifier nor a time, the stream
///   can't find its position again, and returns `StaleCheckpoint`. It does the same if the listing
///   can't be filtered by time and the last record has been deleted.
///
/// [`checkpoint`](Self::checkpoint) returns the stream's position, from which another process can
/// [`resume`](Self::resume).
#[must_use = "streams do nothing unless polled"]
pub struct Items<T> {
    /// `None` if the builder rejected the call.
    plan: Option<Plan<T>>,
    state: StreamState<T>,
    /// The error or the end of the stream that the next poll returns, if one is already known.
    kept: Option<Kept>,
}

enum StreamState<T> {
    /// No request has been sent yet. If there is a position, the stream will start after that
    /// position.
    NotBegun(Option<Position>),
    Reading(Box<Reading<T>>),
    /// All records have been returned.
    Finished(Box<Reading<T>>),
    /// An error ended the stream at this position.
    Ended(Option<Position>),
    /// The stream couldn't be resumed from this checkpoint.
    Refused(Checkpoint),
}

enum Kept {
    /// The error that came after the last batch, or the reason why a call or a method was rejected.
    Error(Error),
    /// The end of the listing, which came after the last batch.
    End,
}

impl<T: Record> Items<T> {
    /// Creates the stream for a listing. `start` is the call for the first page.
    pub(crate) fn new<L: Paging<Item = T>>(
        listing: &'static Listing,
        start: Result<PreparedCall, Error>,
    ) -> Self {
        Self::of(start.map(|start| Plan::new(listing, start, fetch_records::<L>)))
    }

    pub(super) fn of(plan: Result<Plan<T>, Error>) -> Self {
        let (plan, kept) = match plan {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(Kept::Error(error))),
        };
        Self { plan, state: StreamState::NotBegun(None), kept }
    }

    /// Waits for the next record. Returns `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Any error from a request for a page. `RepeatedCursor`, `StaleCheckpoint`, `InvalidRequest`,
    /// `Configuration`, and a `Decode` error about the order of the records end the stream.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        let polled = poll_fn(|cx| self.poll_front(cx)).await;
        self.taken(polled)
    }

    /// Waits for the next record, and returns it together with the other records that are ready, at
    /// most `max` in all. A `max` of 0 means 1.
    ///
    /// Use this method to insert records in bulk. A [`checkpoint`](Self::checkpoint) taken after a
    /// batch is the position after the batch's last record. Dropping the future loses no records.
    ///
    /// # Errors
    ///
    /// The same errors as for [`next`](Self::next). If an error follows some records, these records
    /// are returned first, and the next call returns the error.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<T>, Error>> {
        next_batch(self, max, Self::poll_item, |items, error| {
            items.kept = Some(error.map_or(Kept::End, Kept::Error));
        })
        .await
    }

    pub(super) fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        self.poll_front(cx).map(|polled| self.taken(polled))
    }

    /// Takes the record for which `poll_front` has returned true.
    fn taken(&mut self, polled: Result<bool, Error>) -> Option<Result<T, Error>> {
        match (polled, &mut self.state) {
            (Ok(true), StreamState::Reading(reading)) => reading.take_front().map(Ok),
            (Ok(_), _) => None,
            (Err(error), _) => Some(Err(error)),
        }
    }

    /// Polls until the next record can be taken. Returns false at the end of the stream.
    fn poll_front(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Error>> {
        match self.kept.take() {
            Some(Kept::Error(error)) => return Poll::Ready(Err(self.fail(error.into()))),
            Some(Kept::End) => return Poll::Ready(Ok(false)),
            None => {}
        }
        if let StreamState::NotBegun(from) = &self.state {
            let from = from.clone();
            let plan = self.plan.as_ref().ok_or_else(|| Error::invalid(REFUSED));
            match plan.and_then(|plan| Reading::begin(plan, from)) {
                Ok(reading) => self.state = StreamState::Reading(Box::new(reading)),
                Err(error) => return Poll::Ready(Err(self.fail(error.into()))),
            }
        }
        let (StreamState::Reading(reading), Some(plan)) = (&mut self.state, &self.plan) else {
            return Poll::Ready(Ok(false));
        };
        let has_front = match ready!(reading.poll_front(plan, cx)) {
            Ok(has_front) => has_front,
            Err(failure) => return Poll::Ready(Err(self.fail(failure))),
        };
        if !has_front {
            self.finish();
        }
        Poll::Ready(Ok(has_front))
    }

    fn position(&self) -> Option<Position> {
        match (&self.state, &self.plan) {
            (StreamState::NotBegun(position) | StreamState::Ended(position), _) => position.clone(),
            (StreamState::Reading(reading), Some(plan)) => reading.position(plan),
            (StreamState::Finished(reading), Some(plan)) => {
                let mut position = reading.position(plan)?;
                // If the end of the stream is still kept for the next poll, the caller hasn't seen
                // it yet.
                position.finished = self.kept.is_none();
                Some(position)
            }
            _ => None,
        }
    }

    fn finish(&mut self) {
        self.state = match mem::replace(&mut self.state, StreamState::Ended(None)) {
            StreamState::Reading(reading) => StreamState::Finished(reading),
            other => other,
        };
    }

    /// Returns the error. If the error is final, the stream ends, but keeps its position.
    fn fail(&mut self, Failure { error, is_final }: Failure) -> Error {
        if !is_final {
            return error;
        }
        if !matches!(self.state, StreamState::Refused(_)) {
            self.state = StreamState::Ended(self.position());
        }
        match &self.plan {
            Some(plan) => error.with_operation(plan.start.call.operation),
            None => error,
        }
    }

    /// Makes the next poll return an error, because the method that was called isn't allowed in the
    /// stream's current state.
    fn refuse(&mut self, error: Error) {
        self.kept = Some(Kept::Error(error));
    }

    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.state, StreamState::NotBegun(_) | StreamState::Reading(_))
    }

    fn reading(&self) -> Option<&Reading<T>> {
        match &self.state {
            StreamState::Reading(reading) | StreamState::Finished(reading) => Some(reading),
            _ => None,
        }
    }

    /// Whether the stream's records are merged from several listings.
    pub(super) fn is_merged(&self) -> bool {
        self.reading().is_some_and(Reading::is_merged)
    }

    /// Whether all records so far are from the first page of a single listing. Returns false after
    /// an error has ended the stream, because the page is then unknown.
    pub(super) fn is_one_page(&self) -> bool {
        self.reading().is_some_and(Reading::is_one_page)
    }
}

impl<T: Record> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_item(cx)
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
