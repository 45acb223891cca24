//! When a source may be asked again that hasn't brought a token since it was last asked.

use std::time::Duration;

use tokio::time::Instant;

use crate::Error;

/// Requests for a token, the latest of a row that brought none.
pub(super) struct Trouble {
    requests: u32,
    /// When the latest was made.
    asked: Instant,
    /// Why it failed, and until when that is remembered. None while it is under way, and if nobody
    /// has waited for its end.
    failure: Option<(Error, Instant)>,
}

/// Between renewals, while the old token serves.
const RENEWAL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// After a failure.
const FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// After a refusal, which a hot loop would repeat to an endpoint that allows one request a second.
const REFUSAL: Duration = Duration::from_secs(5);
/// As long as the source itself may ask for, so that one answer can't stop a client for a day.
const LONGEST_HOLD: Duration = Duration::from_secs(5 * 60);
/// So many requests in a row may be given up by all who waited before the next one waits.
const GIVEN_UP: u32 = 2;

impl Trouble {
    /// A request made now.
    pub(super) fn after(before: Option<&Self>, now: Instant) -> Self {
        let requests = before.map_or(0, |before| before.requests).saturating_add(1);
        Self { requests, asked: now, failure: None }
    }

    pub(super) fn failed(&mut self, error: &Error, now: Instant) {
        let pause =
            if error.is_refused_token() { REFUSAL } else { doubled(FAILURE, self.requests) };
        let asked_for = error.retry_after().unwrap_or_default().min(LONGEST_HOLD);
        self.failure = Some((error.share(), now + pause.max(asked_for)));
    }

    /// Not before then is the source asked again.
    pub(super) fn end(&self) -> Instant {
        match &self.failure {
            Some((_, end)) => *end,
            None => self.asked + doubled(FAILURE, self.requests.saturating_sub(GIVEN_UP)),
        }
    }

    /// Why the latest request failed, with the time that is left.
    pub(super) fn error(&self, now: Instant) -> Option<Error> {
        let (error, end) = self.failure.as_ref()?;
        Some(error.share().retry_in(Some(end.saturating_duration_since(now))))
    }

    pub(super) fn allows_renewal(&self, now: Instant) -> bool {
        now >= self.end() && now >= self.asked + doubled(RENEWAL, self.requests)
    }
}

/// Doubled with each request after the first; none before it.
fn doubled((first, longest): (Duration, Duration), requests: u32) -> Duration {
    match requests.checked_sub(1) {
        Some(times) => first.saturating_mul(2_u32.saturating_pow(times)).min(longest),
        None => Duration::ZERO,
    }
}
