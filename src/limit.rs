//! When an operation may be called: its own rate, and what a 429 asked for.

use std::{
    fmt,
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{DefaultDirectRateLimiter, Quota, clock::Clock};
use tokio::time::Instant;

use crate::{Error, ErrorKind, Operation, call::A_YEAR};

/// The limits of a client and all its clones, one of each operation.
pub(crate) struct Limits(Vec<Limit>);

#[derive(Default)]
struct Limit {
    rate: Option<DefaultDirectRateLimiter>,
    held: Mutex<Option<Held>>,
}

struct Held {
    until: Instant,
    by: Error,
}

impl Limits {
    /// # Errors
    ///
    /// `Configuration` for a rate that isn't a positive number.
    pub(crate) fn new(rates: &[(Operation, f64)]) -> Result<Self, Error> {
        let mut limits: Vec<Limit> = Operation::ALL.iter().map(|_| Limit::default()).collect();
        for (operation, rate) in rates {
            limits[*operation as usize].rate = Some(limiter(*operation, *rate)?);
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
        let now = Instant::now();
        let until = now.checked_add(wait).unwrap_or(now + A_YEAR);
        let mut held = self.0[operation as usize].held();
        if held.as_ref().is_none_or(|held| held.until < until) {
            tracing::debug!(operation = operation.id(), ?wait, "holding back after a 429");
            *held = Some(Held { until, by: by.share() });
        }
    }

    pub(crate) fn is_held(&self, operation: Operation) -> bool {
        let now = Instant::now();
        self.0[operation as usize].held().as_ref().is_some_and(|held| held.until > now)
    }
}

impl Limit {
    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long is still to be waited; none takes the operation's turn.
    fn wait(&self) -> Option<Duration> {
        let mut held = self.held();
        if let Some(Held { until, .. }) = &*held {
            let now = Instant::now();
            if *until > now {
                return Some(*until - now);
            }
            *held = None;
        }
        drop(held);
        let rate = self.rate.as_ref()?;
        let too_early = rate.check().err()?;
        Some(too_early.wait_time_from(rate.clock().now()))
    }

    fn refusal(&self, operation: Operation, wait: Duration) -> Error {
        let error = match &*self.held() {
            Some(held) => held.by.share(),
            None => {
                Error::new(ErrorKind::Timeout, "the rate limit leaves no time before the deadline")
            }
        };
        error.of(operation).after(0).retry_in(Some(wait))
    }
}

/// One call at a time, evenly spaced.
fn limiter(operation: Operation, rate: f64) -> Result<DefaultDirectRateLimiter, Error> {
    let period = Duration::try_from_secs_f64(rate.recip()).ok().filter(|_| rate > 0.0);
    let quota = period.and_then(Quota::with_period);
    let quota = quota.ok_or_else(|| {
        Error::configuration(format!("rate_limit of {operation} is {rate}, not a positive number"))
    })?;
    Ok(DefaultDirectRateLimiter::direct(quota.allow_burst(NonZeroU32::MIN)))
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").finish_non_exhaustive()
    }
}
