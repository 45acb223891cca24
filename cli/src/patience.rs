//! How long a command waits for a failing service, beyond the client's own retries.

use std::time::Duration;

use digital_assets::Error;

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    failures: u32,
    endless: bool,
}

/// The failures in a row before the command gives up.
const MOST: u32 = 5;
/// The longest `Retry-After` that the command waits for.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

impl Patience {
    /// Gives up only if the next try would be in vain.
    pub(crate) fn endless() -> Self {
        Self { failures: 0, endless: true }
    }

    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// How long to wait before the next try. `None` if that would be in vain.
    pub(crate) fn failed(&mut self, error: &Error) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let own = Duration::from_secs(1 << self.failures.min(MOST));
        let wait = error.retry_after().map_or(own, |asked| asked.max(own));
        let is_bearable = self.endless || (self.failures < MOST && wait <= LONGEST_WAIT);
        (is_bearable && error.is_retryable()).then_some(wait)
    }
}
