//! The pauses after token fetches that failed or were abandoned.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    Error,
    retry::{MAX_RETRY_AFTER, doubled},
};

/// A series of consecutive token fetches that returned no token.
#[derive(Default)]
pub(super) struct Backoff {
    fetches: u32,
    /// The start of the latest fetch.
    began: Option<Instant>,
    /// The error from the latest fetch, and the time at which the pause after that error ends.
    /// `None` while the fetch is in progress, or if no call waited until the fetch finished.
    failure: Option<(Error, Instant)>,
}

/// The first and the longest pause between two attempts to renew a token that is still usable.
const RENEWAL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// The first and the longest pause after a failed fetch.
const FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// The pause after the token endpoint rejects a request. A program that makes calls in a loop would
/// otherwise repeat the request at once, but many endpoints allow only one request per second.
const REFUSAL: Duration = Duration::from_secs(5);
/// The number of consecutive fetches that may be abandoned without a pause.
const ABANDONED: u32 = 2;

impl Backoff {
    /// Returns the series with one more fetch, which starts at `now`.
    pub(super) fn with_fetch(&self, now: Instant) -> Self {
        let fetches = self.fetches.saturating_add(1);
        Self { fetches, began: Some(now), failure: None }
    }

    pub(super) fn failed(&mut self, error: &Error, now: Instant) {
        let pause = if error.is_permanent() { REFUSAL } else { doubled(FAILURE, self.fetches) };
        let asked_for = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        self.failure = Some((error.clone(), now + pause.max(asked_for)));
    }

    /// The end of the pause after the latest fetch. No fetch starts before that time. `None` if
    /// there was no fetch.
    pub(super) fn end(&self) -> Option<Instant> {
        match &self.failure {
            Some((_, end)) => Some(*end),
            None => Some(self.began? + doubled(FAILURE, self.fetches.saturating_sub(ABANDONED))),
        }
    }

    /// The error from the latest fetch, with the rest of the pause as its `retry_after`. `None` if
    /// the fetch hasn't failed.
    pub(super) fn error(&self, now: Instant) -> Option<Error> {
        let (error, end) = self.failure.as_ref()?;
        Some(error.clone().retry_in(Some(end.saturating_duration_since(now))))
    }

    pub(super) fn allows_renewal(&self, now: Instant) -> bool {
        let renewal = self.began.map(|began| began + doubled(RENEWAL, self.fetches));
        self.end().max(renewal).is_none_or(|end| end <= now)
    }
}
