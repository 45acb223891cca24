//! Limits the requests to a token endpoint after a 429, over all scopes.

use std::{sync::Mutex, time::Duration};

use tokio::time::{Instant, sleep_until};

use crate::{Error, lock::lock, retry::MAX_RETRY_AFTER};

/// The limit on token requests. The limit starts when the endpoint returns 429, and allows one
/// request at a time.
#[derive(Default)]
pub(super) struct Throttle(Mutex<Option<Throttled>>);

struct Throttled {
    /// The time of the next request.
    turn: Instant,
    /// The time between two requests.
    gap: Duration,
    /// The end of the limit.
    end: Instant,
    error: Error,
}

/// The shortest time between two requests. Many endpoints allow one per second.
const DEFAULT_GAP: Duration = Duration::from_secs(1);
/// The longest wait. A call would time out during a longer wait.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);
/// How long the limit lasts after a 429. Such rates are averages over minutes.
const THROTTLE_DURATION: Duration = Duration::from_secs(60);

impl Throttle {
    /// Waits until a request may be sent.
    ///
    /// # Errors
    ///
    /// The error from the 429, with the remaining time, if the wait would be too long.
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

    /// Starts or extends the limit after a 429.
    pub(super) fn limit(&self, error: &Error) {
        let (mut state, now) = (lock(&self.0), Instant::now());
        let asked_for = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        let turn = now + asked_for.max(DEFAULT_GAP);
        if state.as_ref().is_none_or(|throttled| throttled.turn < turn) {
            // A longer wait is a pause, and doesn't limit the rate after it.
            let gap = if asked_for > MAX_WAIT { DEFAULT_GAP } else { asked_for.max(DEFAULT_GAP) };
            *state =
                Some(Throttled { turn, gap, end: turn + THROTTLE_DURATION, error: error.clone() });
        }
    }
}
