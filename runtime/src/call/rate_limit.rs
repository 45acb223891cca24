//! Limits the rate at which an operation is called, and holds back its calls after a 429.

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

use super::trial_call::TrialCall;
use crate::{
    Error, ErrorKind, Operation, Retry, call::deadline_in, lock::lock, retry::MAX_RETRY_AFTER,
};

/// The rate limits of a client and all its clones.
pub(crate) struct Limits {
    groups: Arc<[Group]>,
    /// A limit for each operation that has been called or has a configured rate.
    limits: Mutex<BTreeMap<Operation, Arc<Limit>>>,
}

/// Operations that share a rate, and the time between two of their calls.
struct Group {
    operations: Vec<Operation>,
    period: Duration,
}

#[derive(Default)]
pub(crate) struct Limit {
    /// The rate, which other operations may share. `None` if no rate is configured.
    rate: Option<Arc<Rate>>,
    state: Mutex<RateState>,
    /// Wakes the waiting calls when holds are released, and whenever the first call after a hold
    /// completes or is dropped.
    freed: Notify,
}

struct Rate {
    /// The time between two calls.
    period: Duration,
    /// The earliest instant at which the rate allows the next call.
    next_turn: Mutex<Option<Instant>>,
}

/// The holds after a 429.
#[derive(Default)]
struct RateState {
    /// The end of the hold after a 429. Even after this instant has passed, the field stays set
    /// until the first call after the hold completes without another 429.
    held_until: Option<Instant>,
    /// The number of consecutive holds, which determines the length of the next hold.
    consecutive_holds: u32,
    /// The state of the first call after a hold, while this call is in progress and the other calls
    /// wait for its response.
    trial: Option<Arc<TrialCall>>,
}

/// The longest delay that doesn't postpone later turns. If a waiting call wakes up late for its
/// turn, but within this delay, the next turn is still scheduled from the time at which the late
/// turn was due.
const MAX_TIMER_DELAY: Duration = Duration::from_millis(50);
/// Like `MAX_TIMER_DELAY`, but for a call that didn't wait. This delay is shorter, so that the call
/// doesn't overtake waiting calls that are still waking up.
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
    /// The state of the first call after a hold. `None` if the turn belongs to any other call.
    trial: Option<Arc<TrialCall>>,
}

impl Limits {
    /// Creates the limits from the configured rates, in calls per second.
    ///
    /// # Errors
    ///
    /// `Configuration` if a rate isn't positive, or if the time between two calls at this rate
    /// can't be represented as a [`Duration`] of at least 1 ns.
    pub(crate) fn new(rates: Vec<(Vec<Operation>, f64)>) -> Result<Self, Error> {
        let group = |(operations, rate): (Vec<Operation>, f64)| {
            let period = period(&operations, rate)?;
            Ok(Group { operations, period })
        };
        Ok(Self::of_groups(rates.into_iter().map(group).collect::<Result<_, Error>>()?))
    }

    fn of_groups(groups: Arc<[Group]>) -> Self {
        let mut limits = BTreeMap::new();
        for Group { operations, period } in &*groups {
            let rate = Arc::new(Rate { period: *period, next_turn: Mutex::default() });
            for operation in operations {
                let rate = Some(Arc::clone(&rate));
                limits.insert(*operation, Arc::new(Limit { rate, ..Limit::default() }));
            }
        }
        Self { groups, limits: Mutex::new(limits) }
    }

    /// Returns limits with the same rates, but without the current turns and holds.
    pub(crate) fn with_fresh_state(&self) -> Self {
        Self::of_groups(Arc::clone(&self.groups))
    }

    pub(crate) fn of(&self, operation: Operation) -> Arc<Limit> {
        Arc::clone(lock(&self.limits).entry(operation).or_default())
    }

    /// Ends all holds that were caused by a 429, so that the waiting calls can continue.
    pub(crate) fn release(&self) {
        for limit in lock(&self.limits).values() {
            let mut state = lock(&limit.state);
            (state.held_until, state.trial, state.consecutive_holds) = (None, None, 0);
            drop(state);
            limit.freed.notify_waiters();
        }
    }
}

impl Limit {
    /// Waits until the operation may be called, but doesn't take the turn yet. Returns true if the
    /// call had to wait because of the operation's rate.
    ///
    /// # Errors
    ///
    /// Fails if the call's turn doesn't come before the deadline. The error is `Status` if the call
    /// waits because of a 429, or `Timeout` if the call waits because of the rate. Either error has
    /// a `retry_after`. If the time of the turn is known, the error is returned immediately.
    /// Otherwise, the error is returned at the deadline.
    pub(crate) async fn ready(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<bool, Error> {
        let mut waited = false;
        loop {
            // This future is created before the state is read, so that it misses no notification.
            let freed = self.freed.notified();
            let now = Instant::now();
            let turn = self.rate.as_ref().and_then(|rate| *lock(&rate.next_turn));
            let Some((wait, end)) = lock(&self.state).wait(now, turn) else { return Ok(waited) };
            waited |= matches!(wait, Wait::Rate);
            // If this call waits for the first call after a hold, `end` is only the latest time to
            // check again. The first call usually completes long before `end`.
            let is_known = !matches!(wait, Wait::First);
            if end >= deadline && (is_known || now >= deadline) {
                return Err(wait.refusal(end - now));
            }
            tracing::debug!(operation = operation.id(), wait = ?(end - now), "waiting for a turn");
            // After a notification or a timeout, the loop checks the state again.
            let _ = timeout_at(end.min(deadline), freed).await;
        }
    }

    /// Takes the operation's next turn. Returns `None` if the operation can't be called now.
    ///
    /// - If this is the first call after a hold, the other calls wait for its response, but no
    ///   longer than `attempt_timeout`, and only while the first call is polled.
    /// - If the call waited for its turn (`waited`), or came soon after its turn was due, the next
    ///   turn is scheduled from the time at which this turn was due. This way, late timers don't
    ///   lower the rate.
    ///
    /// Turns aren't reserved in advance. If they were, a stream that isn't polled would block other
    /// calls, or would use up several turns at once when it continues.
    pub(crate) fn take(self: &Arc<Self>, attempt_timeout: Duration, waited: bool) -> Option<Turn> {
        let mut state = lock(&self.state);
        let mut turn = self.rate.as_ref().map(|rate| (rate.period, lock(&rate.next_turn)));
        let now = Instant::now();
        if state.wait(now, turn.as_ref().and_then(|(_, next)| **next)).is_some() {
            return None;
        }
        let is_first = state.held_until.is_some();
        let trial = is_first.then(|| TrialCall::new(deadline_in(attempt_timeout)));
        state.trial.clone_from(&trial);
        if let Some((period, next)) = &mut turn {
            let due = if waited {
                next.max(now.checked_sub(MAX_TIMER_DELAY))
            } else {
                next.filter(|due| now.duration_since(*due) <= TIMER_GRANULARITY)
            };
            let due = due.unwrap_or(now);
            **next = Some(due.checked_add(*period).unwrap_or_else(|| deadline_in(*period)));
        }
        drop((state, turn));
        Some(Turn { limit: Arc::clone(self), trial })
    }
}

impl RateState {
    /// Returns the reason why a call has to wait, and the end of the wait. `None` if the call
    /// doesn't have to wait. `turn` is the earliest instant that the rate allows.
    fn wait(&self, now: Instant, turn: Option<Instant>) -> Option<(Wait, Instant)> {
        let waits = [
            (Wait::Hold, self.held_until),
            (Wait::First, self.trial.as_ref().map(|trial| trial.wait(now))),
            (Wait::Rate, turn),
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
                "the request was not sent: the rate limit allows it only after the deadline",
            ),
            Self::Hold => held(
                "the request was not sent: the operation is on hold after an earlier response:",
            ),
            Self::First => held(
                "the request was not sent: another call has to finish first after an earlier \
                 response:",
            ),
        };
        error.retry_in(Some(left))
    }
}

impl Turn {
    /// Runs the attempt for which the turn was taken.
    pub(crate) async fn attempt<T>(&self, attempt: Pin<&mut impl Future<Output = T>>) -> T {
        match &self.trial {
            Some(trial) => trial.watch(attempt).await,
            None => attempt.await,
        }
    }

    /// Completes the turn of a call that didn't get a 429. If this was the first call after a hold,
    /// the hold is over, and the other calls continue.
    pub(crate) fn complete(self) {
        if self.trial.is_some() {
            let now = Instant::now();
            let mut state = lock(&self.limit.state);
            state.held_until = state.held_until.filter(|until| *until > now);
            (state.trial, state.consecutive_holds) = (None, 0);
        }
    }

    /// Holds back every call of the operation after a 429, and returns the length of the hold. The
    /// length is the longest of these three times, but at most `MAX_RETRY_AFTER`:
    ///
    /// - the client's own hold time, which grows with each consecutive hold
    /// - `asked`, the time from the response's `Retry-After`
    /// - `wait`, the time before this call's next retry
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
        tracing::debug!(operation = operation.id(), ?hold, "holding back calls after a 429");
        hold
    }
}

impl Drop for Turn {
    /// If the first call after a hold is dropped without a result, lets the next call take its
    /// place, because it isn't known yet whether the service accepts calls again.
    fn drop(&mut self) {
        let Some(trial) = &self.trial else { return };
        let mut state = lock(&self.limit.state);
        // Another call may have become the first call in the meantime. Its state is kept.
        state.trial = state.trial.take().filter(|it| !Arc::ptr_eq(it, trial));
        drop(state);
        self.limit.freed.notify_waiters();
    }
}

fn period(operations: &[Operation], rate: f64) -> Result<Duration, Error> {
    let period = Duration::try_from_secs_f64(rate.recip()).ok().filter(|period| !period.is_zero());
    period.ok_or_else(|| {
        let names: Vec<&str> = operations.iter().map(|operation| operation.id()).collect();
        Error::configuration(format!(
            "`rate_limit` of {} is {rate}: it must be above 0 and at most 1000000000",
            names.join(", ")
        ))
    })
}
