//! A followed listing, and its position.

use std::{fmt, future::poll_fn, pin::Pin};

use tokio::time::{Instant, Sleep};

use super::{
    Follow, FollowCheckpoint,
    recheck::Sweep,
    round::{Margin, Round},
    seen::Seen,
};
use crate::{
    Change, Error,
    listing::{Timed, batch::next_batch, checkpoint::Listed, plan::Plan},
};

/// A followed listing, from [`Items::follow`](crate::Items::follow).
///
/// - It returns the existing records and then the new ones, oldest first. A round starts at once,
///   also after [`resume`](Self::resume), and then once per interval.
/// - Each round requests the records again from the [`overlap`](Follow::overlap) before the newest
///   record so far.
/// - If a record becomes visible within the overlap of its `created_at`, it is returned once as
///   [`New`](Change::New), and once as [`Changed`](Change::Changed) for each round that finds
///   different content. The content is the part that was decoded, so a field that this version
///   doesn't know isn't compared.
/// - If a record becomes visible later than that, it may be missed. The removal of a record isn't
///   reported.
/// - Between rounds, open records ([`is_open`](crate::Record::is_open)) are requested again,
///   however old they are. If an open record has changed, it is returned as `Changed`.
///   [`Follow::recheck`] sets how often this happens.
/// - The current time is taken from the service's `Date` headers, with the `Age` that a cache adds.
///   If there are none, the newest record's time counts as now, and a `tracing` event reports this.
/// - If a record's `created_at` is in the future, it is returned when it becomes visible, and
///   doesn't change the start of the next round. If it appears among older records of a split
///   filter, the next poll returns a `Decode` error, because the parts can't be merged in order.
/// - If a checkpoint is later than the current time, the next poll returns `StaleCheckpoint`.
/// - If an error occurs, it is returned, and the next poll continues. That poll first waits for one
///   second, and twice as long after each further error in a row. If the error's
///   [`retry_after`](Error::retry_after) is longer, the poll waits that long. The wait is at most
///   one interval.
/// - If the error is a `RepeatedCursor`, or a 4xx other than 401, 403, 408 and 429, the current
///   round ends, because the cursor may have expired. The next round starts on schedule, and a
///   recheck repeats its request for the records that it hasn't found.
/// - If the error is `InvalidRequest`, `Configuration` or `StaleCheckpoint`, the listing has ended.
/// - [`checkpoint`](Self::checkpoint) returns the position, from which another process can resume.
///   The points above also hold across restarts, from the last checkpoint that was stored. If a
///   round of a split filter is interrupted, it starts over.
/// - Between rounds, the listing sleeps on tokio's clock. No task is spawned. Dropping the future
///   of [`next`](Self::next) loses nothing.
///
/// A table of parcels that stays up to date:
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
    /// `None` if the builder rejected the call.
    pub(super) plan: Option<Plan<T>>,
    pub(super) follow: Follow,
    pub(super) listed: Listed,
    pub(super) seen: Seen,
    pub(super) state: State<T>,
    /// The recheck in progress, which requests open records again.
    pub(super) sweep: Option<Sweep<T>>,
    /// The time of the next recheck. `None` means never.
    pub(super) recheck: Option<Instant>,
    pub(super) margin: Margin,
    /// The number of errors in a row.
    pub(super) failures: u32,
    /// Whether an event has reported that the service sends no `Date`.
    pub(super) told_clock: bool,
    /// Whether the checkpoint from which the listing resumed still has to be compared with the
    /// service's current time.
    pub(super) unchecked: bool,
    /// The error that the next poll returns: the error from a rejected call, or an error that
    /// followed a batch.
    pub(super) kept: Option<Error>,
}

pub(super) enum State<T> {
    /// The next poll starts a round.
    Due,
    Reading(Box<Round<T>>),
    /// A pause until the next round or, after an error, until the round continues.
    Paused(Pause, Option<Box<Round<T>>>),
    /// The only round has finished. If the recheck after that round fails, it continues when the
    /// pause is over.
    Over(Option<Pause>),
    /// An error has ended the listing.
    Ended,
    /// The call or the checkpoint was rejected.
    Refused(Option<FollowCheckpoint>),
}

pub(super) type Pause = Pin<Box<Sleep>>;

impl<T: Timed> Following<T> {
    pub(in crate::listing) fn new(plan: Result<Plan<T>, Error>, follow: Follow) -> Self {
        let (plan, state, kept) = match plan {
            Ok(plan) => (Some(plan), State::Due, None),
            Err(error) => (None, State::Refused(None), Some(error)),
        };
        Self {
            follow,
            listed: plan.as_ref().map(|plan| plan.listed().clone()).unwrap_or_default(),
            plan,
            seen: Seen::default(),
            state,
            sweep: None,
            recheck: follow.recheck_interval().map(|_| Instant::now()),
            margin: Margin::default(),
            failures: 0,
            told_clock: false,
            unchecked: false,
            kept,
        }
    }

    /// Continues from a checkpoint. Call this before the first poll. The page size, the order of a
    /// filter's entries, the interval and the overlap may differ. A longer overlap applies only to
    /// later records.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll, before any request, if the listing has started, or if
    /// the checkpoint has another operation, other filters or another base URL
    /// ([`for_moved_service`](FollowCheckpoint::for_moved_service)).
    pub fn resume(mut self, checkpoint: FollowCheckpoint) -> Self {
        let FollowCheckpoint { service, operation, filters, .. } = &checkpoint;
        let refusal = match &self.state {
            State::Due => self.listed.check(service, operation, filters).err(),
            State::Refused(_) => self.kept.take(),
            _ => {
                self.state = State::Ended;
                self.refuse(Error::invalid("a listing that has started can't be resumed"));
                return self;
            }
        };
        if let Some(refusal) = refusal {
            self.state = State::Refused(Some(checkpoint));
            self.refuse(refusal);
        } else {
            (self.seen, self.unchecked) = (Seen::of(checkpoint), true);
        }
        self
    }

    fn refuse(&mut self, refusal: Error) {
        self.kept = Some(match &self.plan {
            Some(plan) => refusal.with_operation(plan.start.call.operation),
            None => refusal,
        });
    }

    /// The position after the last change that was returned. The checkpoint's size grows with the
    /// number of open records and of records within the overlap. In the first round of a split
    /// filter, the size grows with the number of all records. So call this once per batch, or from
    /// time to time. If the listing couldn't [`resume`](Self::resume) from a checkpoint, this
    /// returns that checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> FollowCheckpoint {
        if let State::Refused(Some(refused)) = &self.state {
            return refused.clone();
        }
        let (from, missing) = (self.seen.from(), self.seen.absent());
        let (closed, open) = self.seen.marks();
        let Listed { service, operation, filters } = self.listed.clone();
        FollowCheckpoint { service, operation, filters, from, closed, open, missing }
    }

    /// Waits for the next change. `None` after the round of [`Follow::once`], and after an error
    /// that ends the listing.
    ///
    /// # Errors
    ///
    /// The errors of the calls that request pages, `RepeatedCursor`, and `Decode` if the parts of a
    /// split filter can't be merged. `InvalidRequest`, `Configuration` and `StaleCheckpoint` end
    /// the listing.
    pub async fn next(&mut self) -> Option<Result<Change<T>, Error>> {
        poll_fn(|cx| self.poll_change(cx)).await
    }

    /// Waits for the next change, and returns it together with the other changes that are ready, at
    /// most `max` in all. A `max` of 0 means 1.
    ///
    /// For programs that insert in bulk: store one [`checkpoint`](Self::checkpoint) with each
    /// batch. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`next`](Self::next), after the changes before the error have been returned.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<Change<T>>, Error>> {
        next_batch(self, max, Self::poll_change, |following, error| following.kept = error).await
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("follow", &self.follow).finish_non_exhaustive()
    }
}
