//! A listing that is followed, and where it stands.

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

/// A listing that is followed, from [`Items::follow`](crate::Items::follow).
///
/// - It hands out what is there, then what arrives, oldest first. A round begins at once, also after
///   [`resume`](Self::resume), and then once per interval.
/// - Each round asks again from the [`overlap`](Follow::overlap) before the newest record so far.
///   Every record that becomes visible within the overlap of its `created_at` is handed out once as
///   [`New`](Change::New), and once as [`Changed`](Change::Changed) for each round that finds other
///   content in it. What becomes visible later than that may be missed; a record that is removed is
///   not reported. The content is what was decoded: a field that this version doesn't know changes
///   nothing.
/// - Records that the description calls open ([`is_open`](crate::Record::is_open)) are asked for again
///   however old they are, between rounds, and are `Changed` when they differ. [`Follow::recheck`] says
///   how often.
/// - The current time is that of the service's `Date` headers, with the `Age` that a cache adds. If there
///   are none, the newest record's time counts as now, and a `tracing` event says so. A record whose `created_at` is later is
///   returned when it becomes visible, and doesn't change where the next round begins. Amid older ones of a
///   filter that is split, it is a `Decode` error: the listings can't be merged. A checkpoint that lies ahead
///   of the current time is a `StaleCheckpoint`.
/// - Errors are returned; the next poll continues. It first waits for a
///   second, which doubles with each error in a row, or for the error's
///   [`retry_after`](Error::retry_after) if that is longer, but at most for one interval. After a `RepeatedCursor`, and after a
///   4xx other than 401, 403, 408 and 429, since the cursor may have expired, the next round begins at its
///   usual time, and a recheck asks again for what it hasn't found. After an `InvalidRequest` or a
///   `StaleCheckpoint` it has ended.
/// - [`checkpoint`](Self::checkpoint) says where it stands, for another process to resume: the same
///   promise holds across restarts, as of the last checkpoint that was kept. A round of a filter that is
///   split begins anew if it doesn't come to its end.
/// - Between rounds it sleeps by tokio's clock; no task is spawned. Dropping the future of
///   [`next`](Self::next) loses nothing.
///
/// A table of parcels that is kept up to date:
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
    /// `None` if the builder refused the call.
    pub(super) plan: Option<Plan<T>>,
    pub(super) follow: Follow,
    pub(super) listed: Listed,
    pub(super) seen: Seen,
    pub(super) state: State<T>,
    /// The open records that are requested again.
    pub(super) sweep: Option<Sweep<T>>,
    /// When the next sweep begins; `None` is never.
    pub(super) recheck: Option<Instant>,
    pub(super) margin: Margin,
    /// The errors in a row.
    pub(super) failures: u32,
    /// Whether an event has told that the service doesn't say what is now.
    pub(super) told_clock: bool,
    /// Whether the checkpoint that it resumed from is still to be compared with the service's time.
    pub(super) unchecked: bool,
    /// The error that the next poll returns: of a refusal, or one that came after a batch.
    pub(super) kept: Option<Error>,
}

pub(super) enum State<T> {
    /// The next poll begins a round.
    Due,
    Reading(Box<Round<T>>),
    /// Until the next round begins or, after an error, until the round continues.
    Paused(Pause, Option<Box<Round<T>>>),
    /// The only round has ended. After an error, the sweep continues when the pause is over.
    Over(Option<Pause>),
    /// An error has ended it.
    Ended,
    /// The call or the checkpoint was refused.
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

    /// Continues where another one stood when its checkpoint was made. Call it before the first
    /// poll. The page size, and the order of a filter's entries, may differ. So may the
    /// interval and the overlap; a longer overlap applies to later records only.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll, before any request, for a checkpoint of another base URL
    /// ([`for_moved_service`](FollowCheckpoint::for_moved_service)), another operation or other
    /// filters, and for a listing that has begun.
    pub fn resume(mut self, checkpoint: FollowCheckpoint) -> Self {
        let FollowCheckpoint { service, operation, filters, .. } = &checkpoint;
        let refusal = match &self.state {
            State::Due => self.listed.check(service, operation, filters).err(),
            State::Refused(_) => self.kept.take(),
            _ => {
                self.state = State::Ended;
                self.refuse(Error::invalid("a listing that has begun can't be resumed"));
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

    /// Where it stands: after the last change that was handed out. Its time and memory grow with the
    /// records within the overlap and the open ones, and in the first round of a filter that is split with
    /// all records: call it once per batch, or now and then. A listing that can't [`resume`](Self::resume) from its checkpoint returns that checkpoint.
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

    /// The next change; it waits for one if need be. `None` after the round of
    /// [`Follow::once`], and after an error that ends the listing.
    ///
    /// # Errors
    ///
    /// Those of the calls that ask for pages, `RepeatedCursor`, and the `Decode` of a filter that is split
    /// and can't be merged. `InvalidRequest` and `StaleCheckpoint` end it.
    pub async fn next(&mut self) -> Option<Result<Change<T>, Error>> {
        poll_fn(|cx| self.poll_change(cx)).await
    }

    /// The next changes: those that are there without another wait, at least one and at most `max`.
    /// 0 means 1.
    ///
    /// For those who insert in bulk: keep one [`checkpoint`](Self::checkpoint) with each batch.
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next), after the changes before the error have been handed out.
    pub async fn next_batch(&mut self, max: usize) -> Option<Result<Vec<Change<T>>, Error>> {
        next_batch(self, max, Self::poll_change, |following, error| following.kept = error).await
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("follow", &self.follow).finish_non_exhaustive()
    }
}
