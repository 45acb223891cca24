//! Limits the rate of token requests, for all scopes together, after the endpoint has returned 429.

use std::{sync::Mutex, time::Duration};

use tokio::time::{Instant, sleep_until};

use crate::{Error, lock::lock, retry::MAX_RETRY_AFTER};

/// A rate limit on token requests. The limit starts when the token endpoint returns 429, and then
/// allows one request per interval.
#[derive(Default)]
pub(super) struct Throttle(Mutex<Option<Throttled>>);

struct Throttled {
    /// The time at which the next request may be sent.
    turn: Instant,
    /// The minimum time between two requests.
    gap: Duration,
    /// The time at which the limit ends.
    end: Instant,
    error: Error,
}

/// The minimum time between two requests, even if `Retry-After` is shorter. Many endpoints allow
/// one request per second.
const DEFAULT_GAP: Duration = Duration::from_secs(1);
/// The longest time that a request may have to wait. If the wait would be longer, the request fails
/// at once, because the calls that need the token would time out.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);
/// How long the limit lasts after a 429. Endpoints usually measure request rates over minutes.
const THROTTLE_DURATION: Duration = Duration::from_secs(60);

impl Throttle {
    /// Waits until a request may be sent.
    ///
    /// # Errors
    ///
    /// The error from the 429, if the wait would be too long. The error's `retry_after` is the rest
    /// of the wait.
    pub(super) async fn turn(&self) -> Result<(), Error> {
        while let Some(turn) = self.wait()? {
            sleep_until(turn).await;
        }
        Ok(())
    }

    fn wait(&self) -> Result<Option<Instant>, Error> {
        let (mut state, now) = (lock(&self.0), Instant::now());
        let Some(throttled) = state.as_mut().filter(|throttled| throttled.end > now) else {
            return Ok(None);
        };
        let wait = throttled.turn.saturating_duration_since(now);
        if wait > MAX_WAIT {
            return Err(throttled.error.clone().retry_in(Some(wait)));
        }
        if wait.is_zero() {
            throttled.turn = now + throttled.gap;
            return Ok(None);
        }
        Ok(Some(throttled.turn))
    }

    /// Starts or extends the limit. `error` is the error from a 429.
    pub(super) fn limit(&self, error: &Error) {
        let (mut state, now) = (lock(&self.0), Instant::now());
        let asked_for = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        let turn = now + asked_for.max(DEFAULT_GAP);
        if state.as_ref().is_none_or(|throttled| throttled.turn < turn) {
            // A `Retry-After` longer than `MAX_WAIT` delays only the next request, and not the
            // requests after it.
            let gap = if asked_for > MAX_WAIT { DEFAULT_GAP } else { asked_for.max(DEFAULT_GAP) };
            *state =
                Some(Throttled { turn, gap, end: turn + THROTTLE_DURATION, error: error.clone() });
        }
    }
}
