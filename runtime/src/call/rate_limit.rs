//! The rate limit of an operation, and the waits after a 429.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::StatusCode;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use super::probe::Probe;
use crate::{
    Error, ErrorKind, Operation, Retry, call::deadline_in, lock::lock, retry::MAX_RETRY_AFTER,
};

/// The limits of a client and all its clones: one limit per operation that was called or has a
/// rate.
pub(crate) struct Limits(Mutex<BTreeMap<Operation, Arc<Limit>>>);

#[derive(Default)]
pub(crate) struct Limit {
    /// The time between two calls.
    period: Option<Duration>,
    state: Mutex<RateState>,
    /// Notified when a turn becomes free early.
    freed: Notify,
}

#[derive(Default)]
struct RateState {
    /// The earliest time of the next call.
    next_turn: Option<Instant>,
    /// The end of the hold after a 429. It stays set until a first call shows that the hold is
    /// over.
    held_until: Option<Instant>,
    /// The number of holds in a row.
    consecutive_holds: u32,
    /// The first call after a hold, for which the other calls wait.
    probe: Option<Arc<Probe>>,
}

/// How late a timer may fire and still keep its place in the schedule.
const MAX_TIMER_DELAY: Duration = Duration::from_millis(50);
/// The same limit for a call that didn't wait. This limit is smaller, so that the call doesn't
/// overtake waiting calls that are still waking up.
const TIMER_GRANULARITY: Duration = Duration::from_millis(2);

/// The reason why a call has to wait.
enum Wait {
    Rate,
    Hold,
    First,
}

/// A call's turn to send its request.
#[must_use]
pub(crate) struct Turn {
    limit: Arc<Limit>,
    /// The state of the first call after a hold. `None` for any other call.
    probe: Option<Arc<Probe>>,
}

impl Limits {
    /// # Errors
    ///
    /// `Configuration` if no clock can measure the period of one of the rates.
    pub(crate) fn new(rates: &[(Operation, f64)]) -> Result<Self, Error> {
        let mut limits = BTreeMap::new();
        for (operation, rate) in rates {
            let period = Some(period(*operation, *rate)?);
            limits.insert(*operation, Arc::new(Limit { period, ..Limit::default() }));
        }
        Ok(Self(Mutex::new(limits)))
    }

    /// Copies the rates into limits that have their own turns and holds.
    pub(crate) fn with_fresh_state(&self) -> Self {
        let fresh = |limit: &Arc<Limit>| Limit { period: limit.period, ..Limit::default() }.into();
        let all = lock(&self.0);
        Self(Mutex::new(all.iter().map(|(operation, limit)| (*operation, fresh(limit))).collect()))
    }

    pub(crate) fn of(&self, operation: Operation) -> Arc<Limit> {
        Arc::clone(lock(&self.0).entry(operation).or_default())
    }

    /// Releases every call that a 429 holds back.
    pub(crate) fn release(&self) {
        for limit in lock(&self.0).values() {
            let mut state = lock(&limit.state);
            (state.held_until, state.probe, state.consecutive_holds) = (None, None, 0);
            drop(state);
            limit.freed.notify_waiters();
        }
    }
}

impl Limit {
    /// Waits until the operation may be called, without taking the turn. Returns whether the call
    /// had to wait because of the rate.
    ///
    /// # Errors
    ///
    /// `Status` if a 429 is the reason for the wait, and `Timeout` if the rate is the reason. Both
    /// errors have a `retry_after`. If the turn is known to come after the deadline, the call fails
    /// at once. If not, it fails at the deadline.
    pub(crate) async fn ready(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<bool, Error> {
        let mut waited = false;
        loop {
            // Created before the state is read, so that no `notify_waiters` is missed.
            let freed = self.freed.notified();
            let now = Instant::now();
            let Some((wait, end)) = lock(&self.state).wait(now) else { return Ok(waited) };
            waited |= matches!(wait, Wait::Rate);
            // For the first call, `end` is only a time limit, and the call usually returns long
            // before that.
            let is_known = !matches!(wait, Wait::First);
            if end >= deadline && (is_known || now >= deadline) {
                return Err(wait.refusal(end - now));
            }
            tracing::debug!(operation = operation.id(), wait = ?(end - now), "waiting for a turn");
            // In either case, the loop checks again.
            let _ = timeout_at(end.min(deadline), freed).await;
        }
    }

    /// Takes the operation's turn if the operation may be called now. If this is the first call
    /// after a hold, the other calls wait for it no longer than `attempt_timeout`, and only while
    /// it is polled.
    ///
    /// Turns aren't reserved, because a stream that isn't polled would hold other calls back, or
    /// use up several turns at once when it continues. Timers fire late. So if the call `waited`
    /// for the rate, or came soon after its turn was due, the next turn counts from the time at
    /// which this turn was due.
    pub(crate) fn take(self: &Arc<Self>, attempt_timeout: Duration, waited: bool) -> Option<Turn> {
        let mut state = lock(&self.state);
        let now = Instant::now();
        if state.wait(now).is_some() {
            return None;
        }
        let is_first = state.held_until.is_some();
        let probe = is_first.then(|| Probe::new(deadline_in(attempt_timeout)));
        state.probe.clone_from(&probe);
        let due = if waited {
            state.next_turn.max(now.checked_sub(MAX_TIMER_DELAY))
        } else {
            state.next_turn.filter(|due| now.duration_since(*due) <= TIMER_GRANULARITY)
        };
        let due = due.unwrap_or(now);
        state.next_turn = self
            .period
            .map(|period| due.checked_add(period).unwrap_or_else(|| deadline_in(period)));
        drop(state);
        Some(Turn { limit: Arc::clone(self), probe })
    }
}

impl RateState {
    /// The reason why a call has to wait, and the end of the wait.
    fn wait(&self, now: Instant) -> Option<(Wait, Instant)> {
        let waits = [
            (Wait::Hold, self.held_until),
            (Wait::First, self.probe.as_ref().map(|probe| probe.wait(now))),
            (Wait::Rate, self.next_turn),
        ];
        waits.into_iter().find_map(|(wait, end)| Some((wait, end.filter(|end| *end > now)?)))
    }
}

impl Wait {
    fn refusal(self, left: Duration) -> Error {
        let held =
            |why| Error::new(ErrorKind::Status, why).with_status(StatusCode::TOO_MANY_REQUESTS);
        let error = match self {
            Self::Rate => Error::new(
                ErrorKind::Timeout,
                "the request was not sent: its turn in the rate limit comes after the deadline",
            ),
            Self::Hold => held("the request was not sent: another call of this operation got"),
            Self::First => held(
                "the request was not sent: another call goes first, because this operation got",
            ),
        };
        error.retry_in(Some(left))
    }
}

impl Turn {
    /// Makes the attempt for which the turn was taken.
    pub(crate) async fn attempt<T>(&self, attempt: Pin<&mut impl Future<Output = T>>) -> T {
        match &self.probe {
            Some(probe) => probe.watch(attempt).await,
            None => attempt.await,
        }
    }

    /// Completes a turn without a 429. If this was the first call after a hold, the other calls
    /// follow.
    pub(crate) fn complete(self) {
        if self.probe.is_some() {
            let now = Instant::now();
            let mut state = lock(&self.limit.state);
            state.held_until = state.held_until.filter(|until| *until > now);
            (state.probe, state.consecutive_holds) = (None, 0);
        }
    }

    /// Holds back every call of the operation after a 429. Returns the length of the hold: the
    /// client's own hold, which grows with each hold in a row. If the time that the response
    /// `asked` for or `wait` is longer, the longest of the three applies.
    pub(crate) fn hold(
        self,
        operation: Operation,
        asked: Option<Duration>,
        wait: Option<Duration>,
        retry: &Retry,
    ) -> Duration {
        let mut state = lock(&self.limit.state);
        if state.held_until.is_none_or(|held| held <= Instant::now()) {
            state.consecutive_holds = state.consecutive_holds.saturating_add(1);
        }
        let own = retry.hold(state.consecutive_holds);
        let hold = own.max(wait.max(asked).unwrap_or_default()).min(MAX_RETRY_AFTER);
        state.held_until = state.held_until.max(Some(deadline_in(hold)));
        drop(state);
        tracing::debug!(operation = operation.id(), ?hold, "holding back after a 429");
        hold
    }
}

impl Drop for Turn {
    /// If a first call ends without a result, it is unknown whether the hold is over, so the next
    /// call becomes the first call.
    fn drop(&mut self) {
        let Some(probe) = &self.probe else { return };
        let mut state = lock(&self.limit.state);
        // Another call may have become the first in the meantime.
        state.probe = state.probe.take().filter(|it| !Arc::ptr_eq(it, probe));
        drop(state);
        self.limit.freed.notify_waiters();
    }
}

fn period(operation: Operation, rate: f64) -> Result<Duration, Error> {
    let period = Duration::try_from_secs_f64(rate.recip()).ok().filter(|period| !period.is_zero());
    period.ok_or_else(|| {
        Error::configuration(format!(
            "`rate_limit` of {operation} is {rate}: it must be above 0 and at most 1000000000"
        ))
    })
}
