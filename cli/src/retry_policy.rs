//! Decides whether and when a command retries a request that still fails after the client's own
//! retries.

use std::{mem, time::Duration};

use digital_assets::Error;

/// Counts consecutive failures, and decides whether to retry.
#[derive(Debug, Default)]
pub(crate) struct RetryPolicy {
    failures: u32,
    /// Whether the number of retries is unlimited. If true, the command gives up only after an
    /// error that a retry can't fix.
    is_endless: bool,
}

/// The number of consecutive failures after which the command gives up.
const MOST: u32 = 5;
/// The maximum wait before a retry. If `Retry-After` is longer, a command with unlimited retries
/// waits for the maximum, and any other command gives up.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

impl RetryPolicy {
    /// A policy with unlimited retries. The command gives up only after an error that a retry can't
    /// fix.
    pub(crate) fn endless() -> Self {
        Self { is_endless: true, ..Self::default() }
    }

    /// Records a successful attempt. Returns whether the previous attempt failed.
    pub(crate) fn succeeded(&mut self) -> bool {
        mem::take(&mut self.failures) > 0
    }

    /// Records a failed attempt. Returns the wait before the next attempt, or `None` if the command
    /// has to give up.
    pub(crate) fn failed(&mut self, error: &Error) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let own = Duration::from_secs(1 << self.failures.min(MOST));
        let asked = error.retry_after().map_or(own, |asked| asked.max(own));
        let wait = asked.min(LONGEST_WAIT);
        let is_bearable = self.is_endless || (self.failures < MOST && wait == asked);
        (is_bearable && error.is_retryable()).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use digital_assets::{
        CallOptions, Retry, operation,
        sandbox::{Fault, Sandbox},
    };

    use super::{LONGEST_WAIT, RetryPolicy};

    #[tokio::test]
    async fn a_wait_of_hours_is_cut_where_retries_are_endless_and_refused_elsewhere() {
        let sandbox = Sandbox::start().await.unwrap();
        let retry_after = Some(Duration::from_secs(7_200));
        sandbox.fault(operation::LIST_DEPOSIT_ADDRESSES, Fault::TooManyRequests { retry_after });
        let once = CallOptions::new().retry(Retry::default().max_attempts(1));
        let client = sandbox.client().unwrap().with_options(once);

        let error = client.list_deposit_addresses().send().await.unwrap_err();

        assert_eq!(RetryPolicy::endless().failed(&error), Some(LONGEST_WAIT));
        assert_eq!(RetryPolicy::default().failed(&error), None);
    }
}
