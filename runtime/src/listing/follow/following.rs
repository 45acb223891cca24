//! Round after round of a listing, and the changes between them.

use std::{
    fmt,
    future::{Future, poll_fn},
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    Change, Follow, FollowCheckpoint,
    recheck::Sweep,
    round::{Margin, Round},
    seen::Seen,
};
use crate::{
    Error, ErrorKind,
    call::deadline_in,
    listing::{Timed, batch::next_batch, checkpoint::Listed, plan::Plan},
    retry::doubled,
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
    plan: Result<Plan<T>, Option<Error>>,
    follow: Follow,
    listed: Listed,
    seen: Seen,
    /// The round under way.
    round: Option<Round<T>>,
    margin: Margin,
    /// Until the next one, or until the next try after an error.
    pause: Option<Pin<Box<Sleep>>>,
    /// The errors in a row.
    failures: u32,
    /// Whether an event has told that the service doesn't say what is now.
    told_clock: bool,
    /// Whether the only round has come to its end.
    is_over: bool,
    /// The open records that are asked for again, between rounds.
    sweep: Option<Sweep<T>>,
    /// When the next sweep begins; `None` is never.
    recheck: Option<Instant>,
    /// Whether the checkpoint that it resumed from is still to be compared with the service's time.
    unchecked: bool,
    /// The error that came after a batch.
    error: Option<Error>,
    /// The checkpoint that it was given and can't continue from.
    refused: Option<FollowCheckpoint>,
}

impl<T: Timed> Following<T> {
    pub(in crate::listing) fn new(plan: Result<Plan<T>, Error>, follow: Follow) -> Self {
        let listed = plan.as_ref().map_or_else(|_| Listed::default(), |plan| plan.listed().clone());
        Self {
            plan: plan.map_err(Some),
            follow,
            listed,
            seen: Seen::default(),
            round: None,
            margin: Margin::default(),
            pause: None,
            failures: 0,
            told_clock: false,
            is_over: false,
            sweep: None,
            recheck: follow.recheck_interval().map(|_| Instant::now()),
            unchecked: false,
            error: None,
            refused: None,
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
        let has_begun = self.round.is_some() || self.pause.is_some() || self.is_over;
        let FollowCheckpoint { service, operation, filters, .. } = &checkpoint;
        let checked = if has_begun {
            Err(Error::invalid("a listing that has begun can't be resumed"))
        } else {
            self.listed.check(service, operation, filters)
        };
        match checked {
            Ok(()) => (self.seen, self.unchecked) = (Seen::of(checkpoint), true),
            Err(refusal) => {
                if let Ok(plan) = &self.plan {
                    self.plan = Err(Some(refusal.with_operation(plan.start.call.operation)));
                }
                self.refused = (!has_begun).then_some(checkpoint);
            }
        }
        self
    }

    /// Where it stands: after the last change that was handed out. Its time and memory grow with the
    /// records within the overlap and the open ones, and in the first round of a filter that is split with
    /// all records: call it once per batch, or now and then. A listing that can't [`resume`](Self::resume) from its checkpoint returns that checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> FollowCheckpoint {
        if let Some(refused) = &self.refused {
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
        next_batch(self, max, Self::poll_change, |following, error| following.error = error).await
    }

    fn poll_change(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Change<T>, Error>>> {
        if let Some(error) = self.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            if let Err(error) = &mut self.plan {
                return Poll::Ready(error.take().map(Err));
            }
            let pause = self.pause.as_mut();
            let is_pausing = pause.is_some_and(|pause| pause.as_mut().poll(cx).is_pending());
            if self.is_over && !is_pausing {
                let Some(sweep) = &mut self.sweep else { return Poll::Ready(None) };
                sweep.begin_step();
            }
            let may_step = is_pausing && !self.is_over;
            let sweep = self.sweep.as_mut().filter(|sweep| sweep.has_step(may_step));
            let change = if let Some(sweep) = sweep {
                let found = match ready!(sweep.poll_record(cx)) {
                    Ok(found) => found,
                    Err(error) => {
                        if self.is_over {
                            let wait = self.wait_after(&error);
                            self.pause = Some(Box::pin(sleep_until(deadline_in(wait))));
                        }
                        return Poll::Ready(Some(Err(error)));
                    }
                };
                self.failures = 0;
                if found.is_none() {
                    self.seen.miss(sweep.gone(), &self.listed.operation);
                    self.sweep = None;
                }
                found.and_then(|record| self.seen.change_of(record, self.seen.from()))
            } else if is_pausing {
                return Poll::Pending;
            } else {
                self.pause = None;
                ready!(self.poll_round(cx))?
            };
            if let Some(change) = change {
                return Poll::Ready(Some(Ok(change)));
            }
        }
    }

    /// The next record of a round: its change, if it has one.
    fn poll_round(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change<T>>, Error>> {
        let Ok(plan) = &self.plan else { return Poll::Ready(Ok(None)) };
        let begin = || Round::begin(plan, self.follow, &self.seen, self.margin);
        let round = self.round.get_or_insert_with(begin);
        let mut polled = ready!(round.items.poll_item(cx)).transpose();
        if polled.is_ok() && mem::take(&mut self.unchecked) && round.begins_ahead() {
            let error = Error::new(ErrorKind::StaleCheckpoint, AHEAD);
            polled = Err(error.with_operation(plan.start.call.operation));
        }
        let record = match polled {
            Ok(Some(record)) => record,
            Ok(None) => return Poll::Ready(self.end_round().map(|()| None)),
            Err(error) => {
                // A cursor that is refused may have expired.
                let is_lost = round.items.has_ended() || error.is_refusal();
                let next_begins = is_lost.then(|| round.next_begins());
                if is_lost {
                    self.round = None;
                }
                let due = Some(deadline_in(self.wait_after(&error))).max(next_begins);
                if matches!(
                    error.kind(),
                    ErrorKind::InvalidRequest
                        | ErrorKind::Configuration
                        | ErrorKind::StaleCheckpoint
                ) {
                    self.plan = Err(None);
                }
                self.pause = due.map(|due| Box::pin(sleep_until(due)));
                return Poll::Ready(Err(error));
            }
        };
        self.failures = 0;
        round.listed(&record);
        let change = self.seen.change_of(record, round.from);
        self.seen.forget_before(round.surely_passed(&self.seen));
        Poll::Ready(Ok(change))
    }

    /// How long to wait after an error: a second, which doubles with each error in a row, up to the
    /// interval, or for as long as the service asks.
    fn wait_after(&mut self, error: &Error) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let longest = self.follow.interval();
        let own = doubled((PAUSE, longest), self.failures);
        own.max(error.retry_after().unwrap_or_default()).min(longest)
    }

    fn end_round(&mut self) -> Result<(), Error> {
        self.failures = 0;
        if self.round.as_ref().is_some_and(|round| !round.knows_now()) && !self.told_clock {
            self.told_clock = true;
            let operation = &*self.listed.operation;
            tracing::info!(
                operation,
                "the service sends no `Date`: the newest record counts as now"
            );
        }
        let (Some(round), Ok(plan)) = (self.round.take(), &self.plan) else { return Ok(()) };
        if self.margin.widen(&round) {
            return Ok(());
        }
        self.seen.forget_before(round.next_from(&self.seen));
        self.is_over = self.follow.is_once();
        if !self.is_over {
            self.pause = Some(Box::pin(sleep_until(round.next_begins())));
        }
        if let Some(sweep) = &mut self.sweep {
            sweep.begin_step();
        } else if self.recheck.is_some_and(|due| due <= Instant::now()) {
            let interval = self.follow.recheck_interval();
            self.recheck = interval.and_then(|interval| round.began.checked_add(interval));
            self.sweep = Sweep::new(plan, self.seen.old_and_open(), self.follow.overlap)?;
        }
        Ok(())
    }
}

/// After the first error.
const PAUSE: Duration = Duration::from_secs(1);

const AHEAD: &str = "the checkpoint lies ahead of the service's time; follow the listing anew";

impl<T: Timed> Stream for Following<T> {
    type Item = Result<Change<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_change(cx)
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("follow", &self.follow).finish_non_exhaustive()
    }
}
