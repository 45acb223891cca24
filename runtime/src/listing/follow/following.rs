//! A followed listing and its position.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};
use futures_util::Stream;

use super::{
    Follow, FollowCheckpoint,
    checkpoint::SavedRecord,
    polling::{FollowState, Polling},
    seen::{Seen, remembered},
};
use crate::{
    Change, Error, Id,
    listing::{Timed, batch::next_batch, checkpoint::Listed, plan::Plan},
};

/// A followed listing: a stream of the existing records, followed by new and changed records.
/// Created by [`Items::follow`](crate::Items::follow).
///
/// - The records are returned oldest first. The first round of requests starts with the first poll,
///   even after [`resume`](Self::resume). After that, one round starts per interval.
/// - Each round requests all records created after the newest known record, and those created
///   within the [`overlap`](Follow::overlap) before that record.
/// - A record may become visible some time after its `created_at`. If this delay is no longer than
///   the overlap, the record is returned once as [`New`](Change::New). If the delay is longer, the
///   record may be missed.
/// - If a round finds that a record's content has changed, the record is returned as
///   [`Changed`](Change::Changed). Only the decoded content is compared, so a change in a field
///   that this version of the crate doesn't know isn't noticed. The removal of a record isn't
///   reported.
/// - Between rounds, open records ([`is_open`](crate::Record::is_open)) are requested again,
///   however old they are. If an open record has changed, it is returned as `Changed`.
///   [`Follow::recheck`] sets how often this happens.
/// - The current time is taken from the `Date` header of the service's responses, plus the `Age`
///   header if a cache adds one. If there is no `Date` header, the newest record's time is used as
///   the current time, and a `tracing` event reports this.
/// - If a record's `created_at` is in the future, the record is returned when it is first listed,
///   and doesn't affect the start of the next round. If a filter is split over several requests,
///   and the response to one of them lists such a record before older records, polling returns a
///   `Decode` error, because the responses can't be merged in order.
/// - If the listing resumes from a checkpoint that is later than the current time, the listing ends
///   with `StaleCheckpoint`.
/// - `InvalidRequest`, `Configuration` and `StaleCheckpoint` end the listing. After any other
///   error, the listing continues after a pause of one second. The pause doubles with each further
///   consecutive error. If the error's [`retry_after`](Error::retry_after) is longer, the pause has
///   that length instead. The pause is never longer than one interval.
/// - A `RepeatedCursor`, or a 4xx other than 401, 403, 408 and 429, ends the current round, because
///   the cursor may have expired. The next round starts on schedule. If such an error occurs in a
///   recheck, the recheck continues with a new request for the records that it hasn't found yet.
/// - [`checkpoint`](Self::checkpoint) returns the position, from which another process can resume.
///   The guarantees above also hold across restarts, except that changes returned after the last
///   stored checkpoint may be returned again. If a filter is split over several requests and a
///   round is interrupted, the resumed listing repeats that round from the start.
/// - Between rounds, the stream waits on a tokio timer, without spawning a task. If you drop the
///   future that [`next`](Self::next) returns, no changes are lost.
///
/// This example keeps a table of the parcels of an example service up to date:
///
/// ```no_run
/// use std::{collections::HashMap, time::Duration};
///
/// # use oas_client::{Change, Follow, FollowCheckpoint};
/// # use second::Client;
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3600));
/// let mut changes = client.list_parcels().items().follow(follow);
/// if let Ok(kept) = std::fs::read("parcels.checkpoint") {
///     changes = changes.resume(serde_json::from_slice(&kept)?);
/// }
/// let mut table = HashMap::new();
/// while let Some(change) = changes.next().await {
///     match change {
///         Ok(Change::New(parcel) | Change::Changed(parcel)) => {
///             table.insert(parcel.id, parcel);
///             std::fs::write("parcels.checkpoint", serde_json::to_vec(&changes.checkpoint())?)?;
///         }
///         Err(error) if error.is_retryable() => eprintln!("{error}"),
///         Err(error) => return Err(error.into()),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct Following<T> {
    polling: Polling<T>,
}

impl<T: Timed> Following<T> {
    pub(in crate::listing) fn new(plan: Result<Plan<T>, Error>, follow: Follow) -> Self {
        Self { polling: Polling::new(plan, follow) }
    }

    /// Continues from a checkpoint. Call this function before the first poll.
    ///
    /// The page size, the order of a filter's entries, the interval and the overlap may differ from
    /// those of the earlier listing. A longer overlap doesn't add records that were already older
    /// than the earlier overlap.
    ///
    /// # Errors
    ///
    /// The next poll returns `InvalidRequest`, without sending a request, if the listing has
    /// already started, or if the checkpoint belongs to another operation, other filters or another
    /// base URL (see [`for_moved_service`](FollowCheckpoint::for_moved_service)).
    pub fn resume(mut self, checkpoint: FollowCheckpoint) -> Self {
        let FollowCheckpoint { service, operation, filters, .. } = &checkpoint;
        let polling = &mut self.polling;
        let refusal = match &polling.state {
            FollowState::Due => polling.listed.check(service, operation, filters).err(),
            FollowState::Refused(_) => polling.kept.take(),
            _ => {
                polling.state = FollowState::Ended;
                polling.refuse(Error::invalid("a listing that has started can't be resumed"));
                return self;
            }
        };
        if let Some(refusal) = refusal {
            polling.state = FollowState::Refused(Some(checkpoint));
            polling.refuse(refusal);
        } else {
            (polling.seen, polling.unchecked) = (Seen::of(checkpoint), true);
        }
        self
    }

    /// Continues from a time, if there is no checkpoint: for example after the records were read
    /// with [`Items`](crate::Items), or if the listing's filters have changed. Call this function
    /// before the first poll.
    ///
    /// `from` is the time up to which the records are known, minus the overlap. The listing returns
    /// all records created at `from` or later as [`New`](Change::New), and no older ones. `open`
    /// contains the creation time and the identifier of each known record that is open. The next
    /// recheck requests these records, and returns each of them as [`Changed`](Change::Changed).
    ///
    /// The service in this example delivers parcels:
    ///
    /// ```no_run
    /// # use oas_client::{Error, Follow, Record};
    /// # use second::{Client, types::Parcel};
    /// # async fn example(client: Client, known: Vec<Parcel>) -> Result<(), Error> {
    /// let newest = known.iter().filter_map(Record::created_at).max();
    /// let open = known.iter().filter(|parcel| parcel.is_open());
    /// let open = open.filter_map(|parcel| Some((parcel.created_at()?, Record::id(parcel)?)));
    /// let mut changes = client.list_parcels().items().follow(Follow::once());
    /// if let Some(newest) = newest {
    ///     changes = changes.resume_at(newest - chrono::TimeDelta::minutes(5), open);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The next poll returns `InvalidRequest`, without sending a request, if the listing has
    /// already started.
    pub fn resume_at(
        self,
        from: DateTime<Utc>,
        open: impl IntoIterator<Item = (DateTime<Utc>, Id)>,
    ) -> Self {
        let Listed { service, operation, filters } = self.polling.listed.clone();
        // The content of these records isn't known, so the hash is empty.
        let mark = |(time, id)| SavedRecord(time, remembered(id).to_string(), String::new());
        self.resume(FollowCheckpoint {
            service,
            operation,
            filters,
            from: Some(from),
            closed: Vec::new(),
            open: open.into_iter().map(mark).collect(),
            missing: Vec::new(),
        })
    }

    /// Returns the position after the last change that was returned.
    ///
    /// The checkpoint's size is proportional to the number of open records plus the number of
    /// records within the overlap. During the first round of a listing whose filter is split over
    /// several requests, the size is proportional to the number of all records returned so far. So
    /// call this function once per batch or at intervals, instead of after each change. If
    /// [`resume`](Self::resume) rejected a checkpoint, this function returns that checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> FollowCheckpoint {
        let Polling { state, seen, listed, .. } = &self.polling;
        if let FollowState::Refused(Some(refused)) = state {
            return refused.clone();
        }
        let (from, missing) = (seen.from(), seen.absent());
        let (closed, open) = seen.marks();
        let Listed { service, operation, filters } = listed.clone();
        FollowCheckpoint { service, operation, filters, from, closed, open, missing }
    }

    /// Waits for the next change. Returns `None` after the single round of [`Follow::once`], and
    /// after an error that ends the listing.
    ///
    /// # Errors
    ///
    /// Any error from a page request, `RepeatedCursor` if a cursor is repeated, and `Decode` if a
    /// record has no time, or if a filter is split over several requests and the records from these
    /// requests can't be merged in order. `InvalidRequest`, `Configuration` and `StaleCheckpoint` end the listing.
    pub async fn next(&mut self) -> Option<Result<Change<T>, Error>> {
        poll_fn(|cx| self.polling.poll_change(cx)).await
    }

    /// Waits for the next change, and returns it together with any other changes that are ready, up
    /// to `max` in all. A `max` of 0 counts as 1.
    ///
    /// Use this function to insert records in bulk, and store one [`checkpoint`](Self::checkpoint)
    /// with each batch. If you drop the returned future, no changes are lost.
    ///
    /// # Errors
    ///
    /// The errors of [`next`](Self::next). Changes that precede an error are returned first.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<Change<T>>, Error>> {
        next_batch(&mut self.polling, max, Polling::poll_change, |polling, error| {
            polling.kept = error;
        })
        .await
    }
}

impl<T: Timed> Stream for Following<T> {
    type Item = Result<Change<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().polling.poll_change(cx)
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("follow", &self.polling.follow).finish_non_exhaustive()
    }
}
