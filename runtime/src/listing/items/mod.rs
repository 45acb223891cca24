//! Every record of a listing, as a stream.

mod at_scale;
mod place;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::Stream;
use tokio::time::Instant;

use super::{
    Checkpoint, Listing, Page, Record,
    batch::next_batch,
    pager::fetch_records,
    plan::Plan,
    position::{Position, Resume, Tracker, Verdict, out_of_order},
    record_source::RecordSource,
};
use crate::{Error, ErrorKind, call::PreparedCall};

/// How long after its time a record may arrive that isn't lost where listings are merged, of which one may
/// have been read to its end.
const ARRIVES_WITHIN: TimeDelta = TimeDelta::minutes(5);

/// Of a call that the builder refused, after it has said why.
const REFUSED: &str = "the call was refused";

/// Every record of a listing, from `items()` of a builder.
///
/// ```no_run
/// # async fn example(client: second::Client) -> Result<(), oas_client::Error> {
/// # use second::types::{Order, ParcelState};
/// let list = client.list_parcels().state(ParcelState::Delivered).order(Order::Asc);
/// let mut parcels = list.items().concurrency(8);
/// while let Some(parcel) = parcels.next().await {
///     let parcel = parcel?;
///     println!("{} {}", parcel.created_at, parcel.id);
/// }
/// # Ok(())
/// # }
/// ```
///
/// It is a [`Stream`] of `Result`s, so the crates `futures` and `tokio-stream` add their methods to it:
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
/// After an error, `try_collect` loses the records before it, and `try_next` can continue.
///
/// - `limit` is the size of a page: `.limit(10).items()` hands out all records, ten per request.
/// - It goes from page to page as [`Pages`](crate::Pages) does. From the second record of a page on,
///   the stream itself fetches the next page: no task is spawned, and dropping the stream stops
///   everything.
/// - A filter array with more entries than one request may carry is split over several requests,
///   without duplicates, and so that no URL is longer than 7,000 bytes (500 of them are left for the
///   cursor and the times), unless a single entry is. The records that match any of the entries are
///   merged in the order that was asked for; at most two pages per sub-request are held in memory. A
///   filter that needs more than 10,000 requests is an `InvalidRequest` at the first poll; several
///   long filters need the product of what each needs. Listed oldest first, one sub-request may come to its
///   end before the others: what arrives in it since then, within five minutes of its `created_at`, comes to
///   who [resumes](Self::resume). The time is that of the service's `Date` headers, or else the local one.
/// - A record that comes again is dropped if it was on the page before, or has the time of the last
///   record. So records come once where a service's cursors count records, and others arrive.
/// - Nothing happens while nobody polls it. If its consumer pauses for longer than `call_timeout`, the
///   page under way may come back as a `Timeout`, and the next poll asks for it again.
/// - After an error, poll again: the stream retries the page that failed. If the error has a
///   `retry_after`, wait that long first: until then, each poll is the same error at once.
///   `RepeatedCursor`, `StaleCheckpoint`, `InvalidRequest`, and the `Decode` of a listing whose order can't
///   be relied on, end the stream: the `None` behind them isn't the end of the listing.
/// - [`checkpoint`](Self::checkpoint) says where it stands, and another process can
///   [`resume`](Self::resume) there.
#[must_use = "streams do nothing unless polled"]
pub struct Items<T> {
    /// `None` if the builder refused the call.
    plan: Option<Plan<T>>,
    /// Where it stands before the first record, if it was resumed; after an error that ended it, where
    /// it stood.
    resumed: Option<Position>,
    /// `None` before the first poll, and after an error that ends the stream.
    source: Option<Box<dyn RecordSource<T>>>,
    resume: Option<Resume>,
    /// What it has handed out.
    tracker: Tracker,
    /// What the next poll returns: a refusal, or the error that came after a batch.
    error: Option<Error>,
    progress: Progress,
    /// The checkpoint that it was given and can't continue from.
    refused: Option<Checkpoint>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotBegun,
    /// When its requests began.
    Begun(Instant),
    /// It has come to the end of its listing, and the next poll says so.
    AtItsEnd,
    /// It has said that its listing is over.
    Finished,
    /// An error has ended it.
    Ended,
}

impl<T: Record> Items<T> {
    /// Of a listing that begins with this call.
    pub(crate) fn new<P: Page<Item = T>>(
        listing: &'static Listing,
        start: Result<PreparedCall, Error>,
    ) -> Self {
        Self::of(start.map(|start| Plan::new(listing, start, fetch_records::<P>)))
    }

    pub(super) fn of(plan: Result<Plan<T>, Error>) -> Self {
        let (plan, error) = match plan {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(error)),
        };
        Self {
            plan,
            resumed: None,
            source: None,
            resume: None,
            tracker: Tracker::default(),
            error,
            progress: Progress::NotBegun,
            refused: None,
        }
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// Those of the calls that ask for pages; and `RepeatedCursor`, `StaleCheckpoint`, `InvalidRequest`, and
    /// the `Decode` of a listing whose order can't be relied on, with which the stream ends.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| self.poll_item(cx)).await
    }

    /// The next records: those that are there without another wait, at least one and at most `max`.
    /// 0 means 1.
    ///
    /// For those who insert in bulk. A [`checkpoint`](Self::checkpoint) between two batches stands
    /// after the last record of the first. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next), after the records before the error have been handed out.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<T>, Error>> {
        next_batch(self, max, Self::poll_item, |items, error| match error {
            Some(error) => items.error = Some(error),
            None => items.progress = Progress::AtItsEnd,
        })
        .await
    }

    pub(super) fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        if let Some(error) = self.error.take() {
            return self.fail(error);
        }
        if self.progress == Progress::AtItsEnd {
            self.progress = Progress::Finished;
        }
        if self.has_ended() {
            return Poll::Ready(None);
        }
        loop {
            let Some(source) = &mut self.source else {
                match self.begin() {
                    Ok(()) => continue,
                    Err(error) => return self.end(error),
                }
            };
            let polled = source.poll_record(cx, true);
            let time_order = source.time_order();
            self.tracker.position.time_order.add(time_order);
            let record = match ready!(polled).transpose() {
                Ok(record) => record,
                Err(error) => return self.fail(error),
            };
            let verdict = self.resume.as_mut().map_or(Verdict::HandOut, |resume| {
                resume.classify(record.as_ref(), !time_order.is_violated)
            });
            match verdict {
                Verdict::Skip => continue,
                Verdict::Farther if self.tracker.has_begun => return self.end(out_of_order()),
                Verdict::Farther => {
                    self.source = None;
                    continue;
                }
                Verdict::Refuse(error) => return self.end(error),
                Verdict::Finished => self.resume = None,
                Verdict::HandOut => {}
            }
            if self.tracker.may_miss_records() {
                return self.end(out_of_order());
            }
            let Some(record) = record else { return self.finish() };
            self.tracker.arrivals_from =
                self.tracker.arrivals_from.or_else(|| self.arrivals_from());
            if !self.tracker.accept(&record) {
                continue;
            }
            return Poll::Ready(Some(Ok(record)));
        }
    }

    fn begin(&mut self) -> Result<(), Error> {
        let Some(plan) = &self.plan else { return Err(Error::invalid(REFUSED)) };
        self.progress = Progress::Begun(Instant::now());
        let ascending = plan.is_ascending();
        self.tracker.position.started_at_cursor = plan.start.call.cursor().is_some();
        if let Some(position) = &self.resumed {
            self.tracker = Tracker::at(position.clone());
            self.resume.get_or_insert_with(|| Resume::new(position.clone(), ascending));
        }
        let (source, parts) = plan.source(self.resume.as_mut())?;
        self.source = Some(source);
        (self.tracker.ordered, self.tracker.position.merged_listings) =
            (ascending.is_some(), parts);
        if let Some(resume) = &self.resume {
            self.tracker.position.time_order = resume.time_order();
        }
        Ok(())
    }

    /// From when on records may have arrived since its requests began.
    fn arrivals_from(&self) -> Option<DateTime<Utc>> {
        let is_oldest_first = |plan: &&Plan<T>| plan.is_ascending() == Some(true);
        let plan = self.plan.as_ref().filter(|_| self.is_merged()).filter(is_oldest_first)?;
        let Progress::Begun(began) = self.progress else { return None };
        let read_for = TimeDelta::from_std(began.elapsed()).ok()?;
        let now = plan.start.sender.shared.clock.now();
        let from = now.checked_sub_signed(read_for)?.checked_sub_signed(ARRIVES_WITHIN);
        // An answer that comes late tells a time that is past. Nothing earlier is remembered.
        from.max(self.resumed.as_ref().and_then(|resumed| resumed.created_at))
    }

    fn finish(&mut self) -> Poll<Option<Result<T, Error>>> {
        self.progress = Progress::Finished;
        Poll::Ready(None)
    }

    /// Returns an error. After one that ends the stream, the stream still knows its place.
    fn fail(&mut self, error: Error) -> Poll<Option<Result<T, Error>>> {
        match error.kind() {
            ErrorKind::RepeatedCursor
            | ErrorKind::InvalidRequest
            | ErrorKind::Configuration
            | ErrorKind::StaleCheckpoint => self.end(error),
            _ => Poll::Ready(Some(Err(error))),
        }
    }

    fn end(&mut self, error: Error) -> Poll<Option<Result<T, Error>>> {
        self.resumed = self.position();
        (self.source, self.resume) = (None, None);
        self.progress = Progress::Ended;
        Poll::Ready(Some(Err(match &self.plan {
            Some(plan) => error.with_operation(plan.start.call.operation),
            None => error,
        })))
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.progress, Progress::Finished | Progress::Ended)
    }

    /// Whether its records come from several listings.
    pub(super) fn is_merged(&self) -> bool {
        self.tracker.position.merged_listings > 1
    }

    /// Whether all records so far came in the first page of one listing. Not known of one that an
    /// error has ended.
    pub(super) fn is_one_page(&self) -> bool {
        let place = self.source.as_ref().and_then(|source| source.place());
        place.is_some_and(|place| place.cursor.is_none())
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
