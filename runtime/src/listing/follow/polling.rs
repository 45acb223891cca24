//! The rounds of a followed listing, and the rechecks between them.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::Stream;
use tokio::time::{Instant, sleep_until};

use super::{
    Change, Following,
    following::{Pause, State},
    recheck::Sweep,
    round::Round,
};
use crate::{Error, ErrorKind, call::deadline_in, listing::Timed, retry::doubled};

/// The pause after the first error.
const PAUSE: Duration = Duration::from_secs(1);

const AHEAD: &str = "the checkpoint is later than the service's clock; start following again \
                     without the checkpoint";

impl<T: Timed> Following<T> {
    pub(super) fn poll_change(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Change<T>, Error>>> {
        if let Some(error) = self.kept.take() {
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            let is_between_rounds = match &mut self.state {
                State::Ended | State::Refused(_) => return Poll::Ready(None),
                State::Paused(pause, round) => {
                    if pause.as_mut().poll(cx).is_ready() {
                        self.state = round.take().map_or(State::Due, State::Reading);
                        continue;
                    }
                    true
                }
                State::Over(Some(pause)) => {
                    if pause.as_mut().poll(cx).is_ready() {
                        self.state = State::Over(None);
                        continue;
                    }
                    false
                }
                State::Over(None) => {
                    let Some(sweep) = &mut self.sweep else { return Poll::Ready(None) };
                    sweep.begin_step();
                    false
                }
                State::Due | State::Reading(_) => false,
            };
            let change = if self.sweep.as_ref().is_some_and(|it| it.has_step(is_between_rounds)) {
                ready!(self.poll_sweep(cx))?
            } else if matches!(self.state, State::Paused(..) | State::Over(_)) {
                return Poll::Pending;
            } else {
                ready!(self.poll_round(cx))?
            };
            if let Some(change) = change {
                return Poll::Ready(Some(Ok(change)));
            }
        }
    }

    /// Polls for the next record of a recheck. Returns the record as a change if it is new or has
    /// changed.
    fn poll_sweep(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change<T>>, Error>> {
        let Some(sweep) = &mut self.sweep else { return Poll::Ready(Ok(None)) };
        let found = match ready!(sweep.poll_record(cx)) {
            Ok(found) => found,
            Err(error) => {
                if matches!(self.state, State::Over(_)) {
                    let due = self.due_after(&error);
                    self.state = State::Over(Some(pause_until(due)));
                }
                return Poll::Ready(Err(error));
            }
        };
        self.failures = 0;
        let Some(record) = found else {
            self.seen.miss(sweep.gone(), &self.listed.operation);
            self.sweep = None;
            return Poll::Ready(Ok(None));
        };
        let operation = self.plan.as_ref().map(|plan| plan.start.call.operation);
        let change = self.seen.change_of(record, self.seen.from());
        Poll::Ready(change.map_err(|error| match operation {
            Some(operation) => error.with_operation(operation),
            None => error,
        }))
    }

    /// Polls for the next record of a round. Returns the record as a change if it is new or has
    /// changed.
    fn poll_round(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change<T>>, Error>> {
        let Some(plan) = &self.plan else { return Poll::Ready(Ok(None)) };
        if matches!(self.state, State::Due) {
            let round = Round::begin(plan, self.follow, &self.seen, self.margin);
            self.state = State::Reading(Box::new(round));
        }
        let State::Reading(round) = &mut self.state else { return Poll::Ready(Ok(None)) };
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
        let State::Reading(round) = mem::replace(&mut self.state, State::Ended) else { return };
        if !matches!(
            error.kind(),
            ErrorKind::InvalidRequest | ErrorKind::Configuration | ErrorKind::StaleCheckpoint
        ) {
            // If the service rejects a cursor, the cursor may have expired, so the round can't
            // continue.
            let is_lost = round.items.has_ended() || error.is_refusal();
            let due = if is_lost { due.max(round.next_begins()) } else { due };
            self.state = State::Paused(pause_until(due), (!is_lost).then_some(round));
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
        let State::Reading(round) = mem::replace(&mut self.state, State::Due) else {
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
            State::Over(None)
        } else {
            State::Paused(pause_until(round.next_begins()), None)
        };
        if let Some(sweep) = &mut self.sweep {
            sweep.begin_step();
        } else if let Some(plan) = &self.plan
            && self.recheck.is_some_and(|due| due <= Instant::now())
        {
            let interval = self.follow.recheck_interval();
            self.recheck = interval.and_then(|interval| round.began.checked_add(interval));
            self.sweep = Sweep::new(plan, self.seen.old_and_open(), self.follow.overlap)?;
        }
        Ok(())
    }
}

fn pause_until(due: Instant) -> Pause {
    Box::pin(sleep_until(due))
}

impl<T: Timed> Stream for Following<T> {
    type Item = Result<Change<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_change(cx)
    }
}
