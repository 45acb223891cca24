//! The rounds of a followed listing, and the rechecks between them.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    Change, Follow, FollowCheckpoint,
    recheck::Recheck,
    round::{Margin, Round},
    seen::Seen,
};
use crate::{
    Error, ErrorKind,
    call::deadline_in,
    listing::{Timed, checkpoint::Listed, plan::Plan},
    retry::doubled,
};

/// The pause after the first error.
const PAUSE: Duration = Duration::from_secs(1);

const AHEAD: &str = "the checkpoint is later than the service's clock; start following again \
                     without the checkpoint";

/// A followed listing between two polls.
pub(super) struct Polling<T> {
    /// The plan for the requests. `None` if the request builder rejected the call.
    pub(super) plan: Option<Plan<T>>,
    pub(super) follow: Follow,
    pub(super) listed: Listed,
    pub(super) seen: Seen,
    pub(super) state: FollowState<T>,
    /// The recheck in progress, which requests open records again.
    recheck: Option<Recheck<T>>,
    /// The time of the next recheck. `None` means never.
    next_recheck: Option<Instant>,
    pub(super) margin: Margin,
    /// The number of consecutive errors.
    pub(super) failures: u32,
    /// Whether a `tracing` event has already reported that the service sends no `Date` header.
    pub(super) told_clock: bool,
    /// Whether the checkpoint from which the listing resumed still has to be compared with the
    /// service's current time.
    pub(super) unchecked: bool,
    /// The error that the next poll returns. Set if the call or the checkpoint was rejected, or if
    /// an error followed the changes in a batch.
    pub(super) kept: Option<Error>,
}

pub(super) enum FollowState<T> {
    /// The next poll starts a round.
    Due,
    Reading(Box<Round<T>>),
    /// A pause. After the pause, the interrupted round continues or, if there is none, the next
    /// round starts.
    Paused(Pause, Option<Box<Round<T>>>),
    /// The single round of [`Follow::once`] has finished, but a recheck may still be in progress.
    /// Contains a pause if the recheck returned an error.
    Over(Option<Pause>),
    /// An error has ended the listing.
    Ended,
    /// The call or the checkpoint was rejected. Contains the checkpoint that was passed to
    /// `resume`, if any.
    Refused(Option<FollowCheckpoint>),
}

pub(super) type Pause = Pin<Box<Sleep>>;

impl<T: Timed> Polling<T> {
    pub(super) fn new(plan: Result<Plan<T>, Error>, follow: Follow) -> Self {
        let (plan, state, kept) = match plan {
            Ok(plan) => (Some(plan), FollowState::Due, None),
            Err(error) => (None, FollowState::Refused(None), Some(error)),
        };
        Self {
            follow,
            listed: plan.as_ref().map(|plan| plan.listed().clone()).unwrap_or_default(),
            plan,
            seen: Seen::default(),
            state,
            recheck: None,
            next_recheck: follow.recheck_interval().map(|_| Instant::now()),
            margin: Margin::default(),
            failures: 0,
            told_clock: false,
            unchecked: false,
            kept,
        }
    }

    pub(super) fn refuse(&mut self, refusal: Error) {
        self.kept = Some(match &self.plan {
            Some(plan) => refusal.with_operation(plan.start.call.operation),
            None => refusal,
        });
    }

    pub(super) fn poll_change(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Change<T>, Error>>> {
        if let Some(error) = self.kept.take() {
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            let is_between_rounds = match &mut self.state {
                FollowState::Ended | FollowState::Refused(_) => return Poll::Ready(None),
                FollowState::Paused(pause, round) => {
                    if pause.as_mut().poll(cx).is_ready() {
                        self.state = round.take().map_or(FollowState::Due, FollowState::Reading);
                        continue;
                    }
                    true
                }
                FollowState::Over(Some(pause)) => {
                    if pause.as_mut().poll(cx).is_ready() {
                        self.state = FollowState::Over(None);
                        continue;
                    }
                    false
                }
                FollowState::Over(None) => {
                    let Some(recheck) = &mut self.recheck else { return Poll::Ready(None) };
                    recheck.begin_step();
                    false
                }
                FollowState::Due | FollowState::Reading(_) => false,
            };
            let change = if self.recheck.as_ref().is_some_and(|it| it.has_step(is_between_rounds)) {
                ready!(self.poll_recheck(cx))?
            } else if matches!(self.state, FollowState::Paused(..) | FollowState::Over(_)) {
                return Poll::Pending;
            } else {
                ready!(self.poll_round(cx))?
            };
            if let Some(change) = change {
                return Poll::Ready(Some(Ok(change)));
            }
        }
    }

    /// Polls for the next record of a round. Returns the record as a change if it is new or has
    /// changed.
    fn poll_round(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change<T>>, Error>> {
        let Some(plan) = &self.plan else { return Poll::Ready(Ok(None)) };
        if matches!(self.state, FollowState::Due) {
            let round = Round::begin(plan, self.follow, &self.seen, self.margin);
            self.state = FollowState::Reading(Box::new(round));
        }
        let FollowState::Reading(round) = &mut self.state else { return Poll::Ready(Ok(None)) };
        let mut polled = ready!(round.items.poll_item(cx)).transpose();
        if polled.is_ok() && mem::take(&mut self.unchecked) && round.begins_ahead() {
            let error = Error::new(ErrorKind::StaleCheckpoint, AHEAD);
            polled = Err(error.with_operation(plan.start.call.operation));
        }
        Poll::Ready(match polled {
            Ok(Some(record)) => {
                self.failures = 0;
                round.listed(&record);
                let change = self.seen.change_of(record, round.from);
                self.seen.forget_before(round.surely_passed(&self.seen));
                change.map_err(|error| error.with_operation(plan.start.call.operation))
            }
            Ok(None) => self.end_round().map(|()| None),
            Err(error) => {
                self.interrupt_round(&error);
                Err(error)
            }
        })
    }

    /// Pauses after an error, unless the error ends the listing.
    fn interrupt_round(&mut self, error: &Error) {
        let due = self.due_after(error);
        let FollowState::Reading(round) = mem::replace(&mut self.state, FollowState::Ended) else {
            return;
        };
        if !matches!(
            error.kind(),
            ErrorKind::InvalidRequest | ErrorKind::Configuration | ErrorKind::StaleCheckpoint
        ) {
            // If the service rejects a cursor, the cursor may have expired, so the round can't
            // continue.
            let is_lost = round.items.has_ended() || error.is_refusal();
            let due = if is_lost { due.max(round.next_begins()) } else { due };
            self.state = FollowState::Paused(pause_until(due), (!is_lost).then_some(round));
        }
    }

    /// Counts an error, and returns the time at which polling continues. The pause is one second
    /// after the first error, and doubles with each further consecutive error. If the error's
    /// `Retry-After` is longer, the pause has that length instead. The pause is never longer than
    /// one interval.
    fn due_after(&mut self, error: &Error) -> Instant {
        self.failures = self.failures.saturating_add(1);
        let longest = self.follow.interval();
        let own = doubled((PAUSE, longest), self.failures);
        deadline_in(own.max(error.retry_after().unwrap_or_default()).min(longest))
    }

    fn end_round(&mut self) -> Result<(), Error> {
        self.failures = 0;
        let FollowState::Reading(round) = mem::replace(&mut self.state, FollowState::Due) else {
            return Ok(());
        };
        if !round.knows_now() && !mem::replace(&mut self.told_clock, true) {
            let operation = &*self.listed.operation;
            tracing::info!(
                operation,
                "the service sends no `Date` header; using the newest record's time as the current \
                 time"
            );
        }
        if self.margin.widen(&round) {
            return Ok(());
        }
        self.seen.forget_before(round.next_from(&self.seen));
        self.state = if self.follow.is_once() {
            FollowState::Over(None)
        } else {
            FollowState::Paused(pause_until(round.next_begins()), None)
        };
        if let Some(recheck) = &mut self.recheck {
            recheck.begin_step();
        } else if let Some(plan) = &self.plan
            && self.next_recheck.is_some_and(|due| due <= Instant::now())
        {
            let interval = self.follow.recheck_interval();
            self.next_recheck = interval.and_then(|interval| round.began.checked_add(interval));
            self.recheck = Recheck::new(plan, self.seen.old_and_open(), self.follow.overlap)?;
        }
        Ok(())
    }

    /// Polls for the next record of a recheck. Returns the record as a change if it is new or has
    /// changed.
    fn poll_recheck(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change<T>>, Error>> {
        let Some(recheck) = &mut self.recheck else { return Poll::Ready(Ok(None)) };
        let found = match ready!(recheck.poll_record(cx)) {
            Ok(found) => found,
            Err(error) => {
                if matches!(self.state, FollowState::Over(_)) {
                    let due = self.due_after(&error);
                    self.state = FollowState::Over(Some(pause_until(due)));
                }
                return Poll::Ready(Err(error));
            }
        };
        self.failures = 0;
        let Some(record) = found else {
            self.seen.miss(recheck.gone(), &self.listed.operation);
            self.recheck = None;
            return Poll::Ready(Ok(None));
        };
        let operation = self.plan.as_ref().map(|plan| plan.start.call.operation);
        let change = self.seen.change_of(record, self.seen.from());
        Poll::Ready(change.map_err(|error| match operation {
            Some(operation) => error.with_operation(operation),
            None => error,
        }))
    }
}

fn pause_until(due: Instant) -> Pause {
    Box::pin(sleep_until(due))
}
