//! When to ask a source again after fetches that brought no token.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    Error,
    retry::{MAX_RETRY_AFTER, doubled},
};

/// A series of fetches, none of which has brought a token.
#[derive(Default)]
pub(super) struct Backoff {
    fetches: u32,
    /// When the latest one began.
    began: Option<Instant>,
    /// Why it failed, and until when that is remembered. `None` while it is under way, and if nobody
    /// waited for its end.
    failure: Option<(Error, Instant)>,
}

/// Between renewals, while the old token is usable.
const RENEWAL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// After a failure.
const FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// After the token endpoint refused. A hot loop would repeat the request, and many endpoints allow
/// one per second.
const REFUSAL: Duration = Duration::from_secs(5);
/// The number of fetches in a row that may be abandoned before the next one has to pause.
const ABANDONED: u32 = 2;

impl Backoff {
    /// The series with a fetch that begins now.
    pub(super) fn with_fetch(&self, now: Instant) -> Self {
        let fetches = self.fetches.saturating_add(1);
        Self { fetches, began: Some(now), failure: None }
    }

    pub(super) fn failed(&mut self, error: &Error, now: Instant) {
        let pause = if error.is_permanent() { REFUSAL } else { doubled(FAILURE, self.fetches) };
        let asked_for = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        self.failure = Some((error.clone(), now + pause.max(asked_for)));
    }

    /// The source isn't asked again before then.
    pub(super) fn end(&self) -> Option<Instant> {
        match &self.failure {
            Some((_, end)) => Some(*end),
            None => Some(self.began? + doubled(FAILURE, self.fetches.saturating_sub(ABANDONED))),
        }
    }

    /// Why the latest fetch failed, with the remaining time.
    pub(super) fn error(&self, now: Instant) -> Option<Error> {
        let (error, end) = self.failure.as_ref()?;
        Some(error.clone().retry_in(Some(end.saturating_duration_since(now))))
    }

    pub(super) fn allows_renewal(&self, now: Instant) -> bool {
        let renewal = self.began.map(|began| began + doubled(RENEWAL, self.fetches));
        self.end().max(renewal).is_none_or(|end| end <= now)
    }
}
