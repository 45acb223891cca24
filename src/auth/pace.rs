//! How fast a token endpoint may be asked that has answered 429, whatever the scopes.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use crate::Error;

/// No bound until the endpoint answers 429; after that, one request at a time.
#[derive(Default)]
pub(super) struct Pace(Mutex<Option<Throttled>>);

struct Throttled {
    /// Not before then is the next request's turn.
    turn: Instant,
    /// Between two requests.
    gap: Duration,
    /// The endpoint is asked at any rate again.
    end: Instant,
    error: Error,
}

/// Between two requests, if the endpoint doesn't say: many allow one a second.
const GAP: Duration = Duration::from_secs(1);
/// Longer waits are the caller's to make: its call would be over.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// What an endpoint may ask for at most.
const LONGEST_GAP: Duration = Duration::from_secs(5 * 60);
/// How long the pace is kept after a 429. Such rates are averages over minutes.
const MEMORY: Duration = Duration::from_secs(60);

impl Pace {
    /// Waits until a request may be sent.
    ///
    /// # Errors
    ///
    /// The 429, with the time that is left, if that is too long to wait.
    pub(super) async fn turn(&self) -> Result<(), Error> {
        while let Some(turn) = self.wait()? {
            sleep_until(turn).await;
        }
        Ok(())
    }

    fn wait(&self) -> Result<Option<Instant>, Error> {
        let (mut state, now) = (self.state(), Instant::now());
        let Some(throttled) = state.as_mut().filter(|throttled| throttled.end > now) else {
            return Ok(None);
        };
        let wait = throttled.turn.saturating_duration_since(now);
        if wait > LONGEST_WAIT {
            return Err(throttled.error.share().retry_in(Some(wait)));
        }
        if wait.is_zero() {
            throttled.turn = now + throttled.gap;
            return Ok(None);
        }
        Ok(Some(throttled.turn))
    }

    /// Notes a 429.
    pub(super) fn throttle(&self, error: &Error) {
        let (mut state, now) = (self.state(), Instant::now());
        let asked_for = error.retry_after().unwrap_or_default().min(LONGEST_GAP);
        let turn = now + asked_for.max(GAP);
        if state.as_ref().is_none_or(|throttled| throttled.turn < turn) {
            // A wait of minutes is a pause, and says nothing about the rate after it.
            let gap = if asked_for > LONGEST_WAIT { GAP } else { asked_for.max(GAP) };
            *state = Some(Throttled { turn, gap, end: turn + MEMORY, error: error.share() });
        }
    }

    fn state(&self) -> MutexGuard<'_, Option<Throttled>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
