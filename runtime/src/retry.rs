//! Which failures are retried, and when they are retried.

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::{Error, ErrorKind, transport::http_date};

/// The longest time for which a `Retry-After` holds back later calls, so that one wrong header
/// can't stop a program for a day.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(5 * 60);

/// How often the client retries a failed request, and how long it waits before each retry.
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::Retry;
/// let patient = Retry::default().max_attempts(6).base_delay(Duration::from_millis(250));
/// let never = Retry::none();
/// ```
///
/// A GET is retried on connect errors, resets, attempt timeouts, truncated responses, 408, 429 and
/// 5xx.
///
/// - If a request isn't a GET, it is retried only on connect errors and 429, because then it
///   certainly had no effect.
/// - If a request may be repeated ([`CallOptions::idempotent`](crate::CallOptions::idempotent)), it
///   is retried like a GET.
///
/// Each wait is a random time between zero and a delay that doubles with each retry (full jitter).
/// If `Retry-After` is longer, the wait is as long as `Retry-After` says. No retry starts after
/// `call_timeout`.
///
/// After a 429, every call of the same operation is held back for at least half of that delay. The
/// delay doubles with each hold in a row, up to 1.6 s. If `Retry-After` is longer, the hold is as
/// long as `Retry-After` says, up to 5 minutes.
///
/// All clones of a client share a retry budget, so that retries don't make an outage worse. The
/// budget works as in the AWS SDKs: a bucket of 500 tokens, from which a retry takes 5, or 10 after
/// a timeout. A successful call puts back the tokens that its retries took, or 1 token if it had no
/// retries. While the bucket is empty, the client doesn't retry.
///
/// Two repetitions aren't retries. They cost no budget, and `Retry::none` doesn't remove them. Each
/// happens at most once per call:
///
/// - If the service says that it didn't process a request (RFC 9113, section 8.7), the client sends
///   the request again at once. If the service says so again, this is a failure like any other. If
///   the service says that it requires HTTP/1.1, the client's own HTTP clients speak only HTTP/1.1
///   from then on.
/// - If the service responds with 401, the client sends the request again with a new token. If the
///   token can't be replaced ([`bearer_token`](crate::ClientBuilder::bearer_token)), or was
///   replaced a few seconds ago and hasn't been accepted since, the client returns the 401.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Retry {
    attempts: u32,
    base: Duration,
    most: Duration,
}

impl Default for Retry {
    /// Three attempts, with delays that double from 100 ms up to 20 s.
    fn default() -> Self {
        Self { attempts: 3, base: Duration::from_millis(100), most: Duration::from_secs(20) }
    }
}

impl Retry {
    /// No retries: each call makes one attempt.
    pub fn none() -> Self {
        Self::default().max_attempts(1)
    }

    /// The number of attempts, including the first one. The default is 3, and 0 means 1.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The longest wait before the first retry. This limit doubles with each further retry. The
    /// default is 100 ms.
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base = delay;
        self
    }

    /// The longest wait, unless `Retry-After` is longer. The default is 20 s.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.most = delay;
        self
    }

    /// The waits of one call, one per retry.
    pub(crate) fn schedule(&self) -> Schedule {
        Schedule { retries: 1..self.attempts, bounds: (self.base, self.most) }
    }

    /// The minimum hold after a 429. The hold is a random time between half of the delay and the
    /// whole delay, so that programs don't continue in step.
    pub(crate) fn hold(&self, in_a_row: u32) -> Duration {
        let longest = self.most.min(MAX_OWN_HOLD);
        doubled((self.base, longest), in_a_row.max(1)).mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

/// The waits of one call, one per retry.
pub(crate) struct Schedule {
    retries: Range<u32>,
    bounds: (Duration, Duration),
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let retry = self.retries.next()?;
        Some(doubled(self.bounds, retry).mul_f64(fastrand::f64()))
    }
}

/// The delay after a number of `times`: `first`, doubled with each further time, up to `longest`.
/// Zero if `times` is zero.
pub(crate) fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    match times.checked_sub(1) {
        Some(more) => first.saturating_mul(2_u32.saturating_pow(more)).min(longest),
        None => Duration::ZERO,
    }
}

/// The longest hold after a 429 without `Retry-After`.
const MAX_OWN_HOLD: Duration = Duration::from_millis(1_600);

/// The tokens that a client and its clones have spent on retries.
#[derive(Default)]
pub(crate) struct Budget(AtomicU32);

const FULL: u32 = 500;
const COST: u32 = 5;
const COST_AFTER_TIMEOUT: u32 = 10;
const REWARD: u32 = 1;

impl Budget {
    /// Takes the cost of a retry after this failure from the budget. `None` if the budget is too
    /// low.
    pub(crate) fn spend(&self, failure: &Error) -> Option<u32> {
        let cost = if failure.kind() == ErrorKind::Timeout { COST_AFTER_TIMEOUT } else { COST };
        let take = |spent: u32| Some(spent + cost).filter(|spent| *spent <= FULL);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok().map(|_| cost)
    }

    /// Puts back the cost of a successful call's retries, and at least the reward for a success.
    pub(crate) fn refund(&self, spent: u32) {
        let give = |all: u32| Some(all.saturating_sub(spent.max(REWARD)));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give);
    }
}

/// `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), as a duration from now.
/// Fractions of a second are rounded up. If there are several values, the longest counts.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    // Uses the service's own clock if it sends one, so that a wrong local clock does no harm.
    let date = headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(http_date);
    let now = date.unwrap_or_else(|| SystemTime::now().into());
    let until = |time: DateTime<Utc>| (time - now).to_std().unwrap_or_default();
    let values = headers.get_all(RETRY_AFTER).into_iter().filter_map(|value| value.to_str().ok());
    let waits =
        values.flat_map(|value| {
            let date = http_date(value).map(until);
            // In a list of dates, the names of the days are skipped.
            let parts = value.split(',').filter(move |_| date.is_none());
            date.into_iter().chain(parts.filter_map(move |part| {
                seconds(part.trim()).or_else(|| http_date(part).map(until))
            }))
        });
    waits.max()
}

/// A number of seconds. If the number is too large, the largest duration that can be represented.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let more = u64::from(fraction.bytes().any(|digit| digit != b'0'));
    (is_number(whole) && is_number(fraction)).then(|| {
        Duration::from_secs(whole.parse().map_or(u64::MAX, |whole: u64| whole.saturating_add(more)))
    })
}
