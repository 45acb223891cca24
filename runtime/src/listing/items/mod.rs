//! Every record of a listing, as a stream.

mod at_scale;
mod place;
mod reading;
#[cfg(test)]
mod tests;

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
    Checkpoint, Listing, Page, Record, batch::next_batch, pager::fetch_records, plan::Plan,
    position::Position,
};
use crate::{Error, call::PreparedCall};

/// The error message for a call that the builder rejected, after the builder's own error has been
/// returned.
const REFUSED: &str = "the call is invalid: see the first error of this stream";

/// Every record of a listing, from `items()` of a builder.
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
/// `Items` is a [`Stream`] of `Result`s, so the crates `futures` and `tokio-stream` add their
/// methods to it:
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
/// After an error, `try_collect` loses the records before the error, but `try_next` can continue.
///
/// - The size of a page doesn't limit the listing: `.per_page(10).items()` returns all records, ten
///   per request.
/// - The stream reads page after page, like [`Pages`](crate::Pages). When it returns the second
///   record of a page, it starts to fetch the next page. No task is spawned, and dropping the
///   stream stops all requests.
/// - If a filter array has more entries than one request may have, or makes a URL of more than
///   7,000 bytes (500 of them are reserved for the page size, the cursor and the time bounds), it
///   is split over several requests, without duplicates. The records that match any of the entries
///   are merged in the requested order. At most two pages per sub-request are in memory.
/// - If a filter needs more than 10,000 requests, the first poll returns `InvalidRequest`. With
///   several long filters, their numbers of requests multiply.
/// - In ascending order, one sub-request can finish before the others. If a record appears in the
///   finished listing within five minutes of its `created_at`, that record is returned when you
///   [resume](Self::resume). The current time is taken from the service's `Date` headers, or from
///   the local clock if there are none.
/// - If a record is listed again, it is dropped if it was on the previous page, or has the same
///   time as the last record. So if a service's cursors are offsets, each record is still returned
///   once while new records arrive.
/// - The stream does nothing unless it is polled. If its consumer pauses for longer than
///   `call_timeout`, the request in progress may return `Timeout`, and the next poll repeats it.
/// - After an error, poll again: the stream retries the page that failed.
/// - If the error has a `retry_after`, wait that long first. Until then, each poll returns the same
///   error immediately.
/// - If the error is `RepeatedCursor`, `StaleCheckpoint`, `InvalidRequest`, or a `Decode` about the
///   order, the stream ends. The `None` after such an error doesn't mean that the listing is
///   complete.
/// - If the service refuses a cursor, with a 4xx other than 401, 403, 408 and 429, the listing is
///   read again from before its last record, and a `tracing` event reports this. Each record is
///   still returned once. If the service refuses the request again before another record arrives,
///   that error is returned. If the last record has neither an identifier nor a time to continue
///   by, the error is a `StaleCheckpoint`.
/// - [`checkpoint`](Self::checkpoint) returns the stream's position, from which another process can
///   [`resume`](Self::resume).
#[must_use = "streams do nothing unless polled"]
pub struct Items<T> {
    /// `None` if the builder rejected the call.
    plan: Option<Plan<T>>,
    state: State<T>,
    /// The item that the next poll returns, before anything else.
    kept: Option<Kept>,
}

enum State<T> {
    /// Nothing was requested yet. If there is a position, the stream continues after it.
    NotBegun(Option<Position>),
    Reading(Box<Reading<T>>),
    /// All records were returned.
    Finished(Box<Reading<T>>),
    /// An error ended the stream at this position.
    Ended(Option<Position>),
    /// The checkpoint belongs to another listing.
    Refused(Checkpoint),
}

enum Kept {
    /// An error that followed a batch, or the error from a rejected call or method.
    Error(Error),
    /// The end of the listing, which followed a batch.
    End,
}

impl<T: Record> Items<T> {
    /// Creates the stream of a listing that starts with this call.
    pub(crate) fn new<P: Page<Item = T>>(
        listing: &'static Listing,
        start: Result<PreparedCall, Error>,
    ) -> Self {
        Self::of(start.map(|start| Plan::new(listing, start, fetch_records::<P>)))
    }

    pub(super) fn of(plan: Result<Plan<T>, Error>) -> Self {
        let (plan, kept) = match plan {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(Kept::Error(error))),
        };
        Self { plan, state: State::NotBegun(None), kept }
    }

    /// Waits for the next record.
    ///
    /// # Errors
    ///
    /// The errors of the calls that request pages. `RepeatedCursor`, `StaleCheckpoint`,
    /// `InvalidRequest`, and a `Decode` about the order end the stream.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| self.poll_item(cx)).await
    }

    /// Waits for the next record, and returns it together with the other records that are ready, at
    /// most `max` in all. A `max` of 0 means 1.
    ///
    /// For programs that insert in bulk. A [`checkpoint`](Self::checkpoint) taken between two
    /// batches is the position after the last record of the first batch. Dropping the future loses
    /// nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`next`](Self::next), after the records before the error have been returned.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<T>, Error>> {
        next_batch(self, max, Self::poll_item, |items, error| {
            items.kept = Some(error.map_or(Kept::End, Kept::Error));
        })
        .await
    }

    pub(super) fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        match self.kept.take() {
            Some(Kept::Error(error)) => return Poll::Ready(Some(Err(self.fail(error.into())))),
            Some(Kept::End) => return Poll::Ready(None),
            None => {}
        }
        if let State::NotBegun(from) = &self.state {
            let from = from.clone();
            let plan = self.plan.as_ref().ok_or_else(|| Error::invalid(REFUSED));
            match plan.and_then(|plan| Reading::begin(plan, from)) {
                Ok(reading) => self.state = State::Reading(Box::new(reading)),
                Err(error) => return Poll::Ready(Some(Err(self.fail(error.into())))),
            }
        }
        let (State::Reading(reading), Some(plan)) = (&mut self.state, &self.plan) else {
            return Poll::Ready(None);
        };
        Poll::Ready(match ready!(reading.poll_record(plan, cx)) {
            Ok(Some(record)) => Some(Ok(record)),
            Ok(None) => {
                self.finish();
                None
            }
            Err(failure) => Some(Err(self.fail(failure))),
        })
    }

    fn finish(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Ended(None)) {
            State::Reading(reading) => State::Finished(reading),
            other => other,
        };
    }

    /// Returns the error. If the stream ends with it, the stream keeps its position.
    fn fail(&mut self, Failure { error, is_final }: Failure) -> Error {
        if !is_final {
            return error;
        }
        if !matches!(self.state, State::Refused(_)) {
            self.state = State::Ended(self.position());
        }
        match &self.plan {
            Some(plan) => error.with_operation(plan.start.call.operation),
            None => error,
        }
    }

    /// Makes the next poll return an error, because a method was called that the stream's state
    /// doesn't allow.
    fn refuse(&mut self, error: Error) {
        self.kept = Some(Kept::Error(error));
    }

    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.state, State::NotBegun(_) | State::Reading(_))
    }

    fn reading(&self) -> Option<&Reading<T>> {
        match &self.state {
            State::Reading(reading) | State::Finished(reading) => Some(reading),
            _ => None,
        }
    }

    /// Whether the stream's records come from several listings.
    pub(super) fn is_merged(&self) -> bool {
        self.reading().is_some_and(Reading::is_merged)
    }

    /// Whether all records so far are from the first page of one listing. If an error has ended the
    /// stream, this is unknown, so false is returned.
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
