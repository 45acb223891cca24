//! When an operation may be called: its own rate, and what a 429 asked for.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{Error, ErrorKind, Operation, call::after};

/// The limits of a client and all its clones, one of each operation.
pub(crate) struct Limits(Vec<Limit>);

#[derive(Default)]
struct Limit {
    /// The time between two calls.
    period: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Not before then is the next call's turn.
    turn: Option<Instant>,
    held: Option<Held>,
}

struct Held {
    until: Instant,
    by: Error,
}

impl Limits {
    /// # Errors
    ///
    /// `Configuration` for a rate of which a call has no time, or none that a clock can measure.
    pub(crate) fn new(rates: &[(Operation, f64)]) -> Result<Self, Error> {
        let mut limits: Vec<Limit> = Operation::ALL.iter().map(|_| Limit::default()).collect();
        for (operation, rate) in rates {
            limits[*operation as usize].period = Some(period(*operation, *rate)?);
        }
        Ok(Self(limits))
    }

    /// Waits until the operation may be called.
    ///
    /// # Errors
    ///
    /// At once, with `retry_after`, when that is not before the deadline: the 429 that holds the
    /// operation back, or `Timeout` where it is the rate.
    pub(crate) async fn ready(&self, operation: Operation, deadline: Instant) -> Result<(), Error> {
        let limit = &self.0[operation as usize];
        while let Some(wait) = limit.wait() {
            if Instant::now().checked_add(wait).is_none_or(|end| end >= deadline) {
                return Err(limit.refusal(operation, wait));
            }
            tracing::debug!(operation = operation.id(), ?wait, "held back");
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// Holds back every call of the operation after a 429.
    pub(crate) fn hold(&self, operation: Operation, wait: Duration, by: &Error) {
        let until = after(wait);
        let mut state = self.0[operation as usize].state();
        if state.held.as_ref().is_none_or(|held| held.until < until) {
            tracing::debug!(operation = operation.id(), ?wait, "holding back after a 429");
            state.held = Some(Held { until, by: by.share() });
        }
    }

    pub(crate) fn is_held(&self, operation: Operation) -> bool {
        let now = Instant::now();
        self.0[operation as usize].state().held.as_ref().is_some_and(|held| held.until > now)
    }
}

impl Limit {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long is still to be waited; none takes the operation's turn.
    ///
    /// Nobody has a turn that isn't at once, or a stream that nobody polls would keep the others
    /// from theirs, or use up many at a time when it goes on.
    fn wait(&self) -> Option<Duration> {
        let (mut state, now) = (self.state(), Instant::now());
        let held = state.held.as_ref().map(|held| held.until);
        if let Some(until) = held.max(state.turn).filter(|until| *until > now) {
            return Some(until - now);
        }
        *state = State { turn: self.period.map(after), held: None };
        None
    }

    fn refusal(&self, operation: Operation, wait: Duration) -> Error {
        let now = Instant::now();
        let error = match &self.state().held {
            Some(held) if held.until > now => held.by.share(),
            _ => {
                Error::new(ErrorKind::Timeout, "the rate limit leaves no time before the deadline")
            }
        };
        error.of(operation).after(0).retry_in(Some(wait))
    }
}

fn period(operation: Operation, rate: f64) -> Result<Duration, Error> {
    let period = Duration::try_from_secs_f64(rate.recip()).ok().filter(|period| !period.is_zero());
    period.ok_or_else(|| {
        Error::configuration(format!("rate_limit of {operation} is {rate}, which can't be kept"))
    })
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").finish_non_exhaustive()
    }
}
