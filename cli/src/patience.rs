//! How long a command waits for a failing service, beyond the client's own retries.

use std::{
    mem,
    time::{Duration, Instant},
};

use digital_assets::Error;

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    failures: u32,
    /// How long a call may take, for a command that gives up only if the next try would be in vain.
    endless: Option<Duration>,
    /// Until when another failure in a row would have come.
    until: Option<Instant>,
}

/// The failures in a row before the command gives up.
const MOST: u32 = 5;
/// The longest wait, whatever `Retry-After` asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// What the tool itself needs between two calls, at most.
const MARGIN: Duration = Duration::from_secs(1);

impl Patience {
    /// Gives up only if the next try would be in vain. A call takes no longer than this.
    pub(crate) fn endless(call: Duration) -> Self {
        Self { endless: Some(call), ..Self::default() }
    }

    /// Whether it had failed before.
    pub(crate) fn succeeded(&mut self) -> bool {
        self.until = None;
        mem::take(&mut self.failures) > 0
    }

    /// How long to wait before the next try. `None` if that would be in vain.
    pub(crate) fn failed(&mut self, error: &Error) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let own = Duration::from_secs(1 << self.failures.min(MOST));
        let asked = error.retry_after().map_or(own, |asked| asked.max(own));
        let wait = asked.min(LONGEST_WAIT);
        if let Some(call) = self.endless {
            self.until =
                Instant::now().checked_add(wait.saturating_add(call).saturating_add(MARGIN));
        }
        let is_bearable = self.endless.is_some() || (self.failures < MOST && wait == asked);
        (is_bearable && error.is_retryable()).then_some(wait)
    }

    /// How long until the service can be taken to answer again, if no other failure comes: it may
    /// have nothing to list.
    pub(crate) fn left(&self) -> Duration {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        self.until.map_or(Duration::MAX, left)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use digital_assets::{
        CallOptions, Operation, Retry,
        sandbox::{Fault, Sandbox},
    };

    use super::{LONGEST_WAIT, Patience};

    #[tokio::test]
    async fn a_wait_of_hours_is_cut_where_the_patience_is_endless_and_refused_elsewhere() {
        let sandbox = Sandbox::start().await.unwrap();
        let retry_after = Some(Duration::from_secs(7_200));
        sandbox.fault(Operation::ListDepositAddresses, Fault::TooManyRequests { retry_after });
        let once = CallOptions::new().retry(Retry::default().max_attempts(1));
        let client = sandbox.client().unwrap().with_options(once);

        let error = client.list_deposit_addresses().send().await.unwrap_err();

        let mut endless = Patience::endless(Duration::from_secs(60));
        assert_eq!(endless.failed(&error), Some(LONGEST_WAIT));
        assert_eq!(Patience::default().failed(&error), None);
        let mut forever = Patience::endless(Duration::MAX);
        assert_eq!(forever.failed(&error), Some(LONGEST_WAIT));
        assert_eq!(forever.left(), Duration::MAX);
    }
}
