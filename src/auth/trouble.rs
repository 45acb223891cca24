//! When to ask a source again after requests that brought no token.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Error, call::retry::LONGEST_RETRY_AFTER};

/// A series of requests for a token, none of which has brought one.
pub(super) struct Trouble {
    requests: u32,
    /// When the latest request was made.
    asked: Instant,
    /// Why it failed, and until when that is remembered. `None` while it is under way, and if nobody
    /// waited for its end.
    failure: Option<(Error, Instant)>,
}

/// Between refreshes, while the old token is usable.
const RENEWAL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// After a failure.
const FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// After a rejection. A hot loop would repeat it to an endpoint that allows one request per second.
const REFUSAL: Duration = Duration::from_secs(5);
/// The number of requests in a row that may be abandoned before the next one has to pause.
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
        let asked_for = error.retry_after().unwrap_or_default().min(LONGEST_RETRY_AFTER);
        self.failure = Some((error.share(), now + pause.max(asked_for)));
    }

    /// The source isn't asked again before then.
    pub(super) fn end(&self) -> Instant {
        match &self.failure {
            Some((_, end)) => *end,
            None => self.asked + doubled(FAILURE, self.requests.saturating_sub(GIVEN_UP)),
        }
    }

    /// Why the latest request failed, with the remaining time.
    pub(super) fn error(&self, now: Instant) -> Option<Error> {
        let (error, end) = self.failure.as_ref()?;
        Some(error.share().retry_in(Some(end.saturating_duration_since(now))))
    }

    pub(super) fn allows_renewal(&self, now: Instant) -> bool {
        now >= self.end() && now >= self.asked + doubled(RENEWAL, self.requests)
    }
}

/// Doubles with each request after the first. Zero before the first.
fn doubled((first, longest): (Duration, Duration), requests: u32) -> Duration {
    match requests.checked_sub(1) {
        Some(times) => first.saturating_mul(2_u32.saturating_pow(times)).min(longest),
        None => Duration::ZERO,
    }
}
