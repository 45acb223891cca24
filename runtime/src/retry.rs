//! The retry policy, the retry budget and the header `Retry-After`.

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::{Error, ErrorKind, transport::http_date};

/// The longest time for which a `Retry-After` header can hold back later calls. Without this limit,
/// one wrong header could stop a program for a day.
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
/// A GET request is retried on connect errors, resets, attempt timeouts, truncated responses, 408,
/// 429 and 5xx. Any request that may be repeated
/// ([`CallOptions::idempotent`](crate::CallOptions::idempotent)) is retried in the same cases. Any
/// other request is retried only on connect errors and 429, because these failures guarantee that
/// the request had no effect.
///
/// The client waits before each retry, for a random time between zero and a delay that doubles with
/// each retry (full jitter). If `Retry-After` is longer, the client waits for as long as
/// `Retry-After` says. No retry starts after `call_timeout`.
///
/// After a 429, the client holds back all calls of the same operation. The hold lasts for at least
/// half of a delay that doubles with each consecutive hold, up to 1.6 s. If `Retry-After` is
/// longer, the hold lasts for as long as `Retry-After` says, up to 5 minutes.
///
/// All clones of a client share a retry budget, so that retries don't make an outage worse. The
/// budget works as in the AWS SDKs: a bucket holds 500 tokens, and each retry takes 5 tokens, or 10
/// after a timeout. A successful call puts back the tokens that its retries took, or 1 token if it
/// had no retries. While the bucket has too few tokens, the client doesn't retry.
///
/// In two cases, the client repeats a request without counting the repetition as a retry. Such
/// repetitions use no budget, and `Retry::none` doesn't prevent them. Each case occurs at most once
/// per call. If you pass your own HTTP client, that client may repeat requests too, by its own rules:
///
/// - If the service says that it didn't process a request (RFC 9113, section 8.7), the client sends
///   the request again at once. If the service says so a second time, the attempt counts as a
///   normal failure. If the service says that it requires HTTP/1.1, the client's own HTTP clients
///   speak only HTTP/1.1 from then on.
/// - If the service responds with 401, the client sends the request again with a new token. If a
///   renewal of the token was already in progress, its token doesn't count as new. If the
///   token can't be replaced ([`bearer_token`](crate::ClientBuilder::bearer_token)), or if the
///   token was replaced a few seconds ago and hasn't been accepted since, the client returns the
///   error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Retry {
    attempts: u32,
    base: Duration,
    most: Duration,
}

impl Default for Retry {
    /// Three attempts, with a delay that starts at 100 ms and doubles with each retry, up to 20 s.
    fn default() -> Self {
        Self { attempts: 3, base: Duration::from_millis(100), most: Duration::from_secs(20) }
    }
}

impl Retry {
    /// No retries: each call makes one attempt.
    pub fn none() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets the maximum number of attempts, including the first attempt. The default is 3. The
    /// value 0 has the same meaning as 1.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the longest wait before the first retry. This limit doubles with each further retry.
    /// The default is 100 ms.
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base = delay;
        self
    }

    /// Sets the longest wait before any retry, unless `Retry-After` is longer. The default is 20 s.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.most = delay;
        self
    }

    /// The waits before the retries of one call.
    pub(crate) fn schedule(&self) -> Schedule {
        Schedule { retries: 1..self.attempts, bounds: (self.base, self.most) }
    }

    /// Returns the minimum hold after a 429: a random duration between half of a delay and the full
    /// delay, so that programs don't all resume at the same time. The delay doubles with each
    /// consecutive hold.
    pub(crate) fn hold(&self, in_a_row: u32) -> Duration {
        let longest = self.most.min(MAX_OWN_HOLD);
        doubled((self.base, longest), in_a_row.max(1)).mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

/// The waits before the retries of one call.
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

/// Returns an exponential delay: `first` doubled `times - 1` times, but at most `longest`. Returns
/// zero if `times` is 0.
pub(crate) fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    match times.checked_sub(1) {
        Some(more) => first.saturating_mul(2_u32.saturating_pow(more)).min(longest),
        None => Duration::ZERO,
    }
}

/// The longest hold after a 429 that has no `Retry-After`.
const MAX_OWN_HOLD: Duration = Duration::from_millis(1_600);

/// The number of budget tokens that a client and its clones have spent on retries.
#[derive(Default)]
pub(crate) struct Budget(AtomicU32);

const FULL: u32 = 500;
const COST: u32 = 5;
const COST_AFTER_TIMEOUT: u32 = 10;
const REWARD: u32 = 1;

impl Budget {
    /// Takes the cost of a retry after `failure` from the budget, and returns the cost in tokens.
    /// Returns `None` if the budget has too few tokens.
    pub(crate) fn spend(&self, failure: &Error) -> Option<u32> {
        let cost = if failure.kind() == ErrorKind::Timeout { COST_AFTER_TIMEOUT } else { COST };
        let take = |spent: u32| Some(spent + cost).filter(|spent| *spent <= FULL);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok().map(|_| cost)
    }

    /// Puts back the tokens that a successful call spent on retries, but at least `REWARD` tokens.
    pub(crate) fn refund(&self, spent: u32) {
        let give = |all: u32| Some(all.saturating_sub(spent.max(REWARD)));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give);
    }
}

/// Returns the wait that the `Retry-After` header specifies, as a number of seconds or as a date
/// (RFC 9110, section 10.2.3). Fractional seconds are rounded up. If the header has several values,
/// returns the longest wait.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    // Uses the response's `Date` as the current time, if it has one, so that a wrong local clock
    // does no harm.
    let date = headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(http_date);
    let now = date.unwrap_or_else(|| SystemTime::now().into());
    let until = |time: DateTime<Utc>| (time - now).to_std().unwrap_or_default();
    let values = headers.get_all(RETRY_AFTER).into_iter().filter_map(|value| value.to_str().ok());
    let waits =
        values.flat_map(|value| {
            let date = http_date(value).map(until);
            // An HTTP date has a comma after its weekday, so splitting a list of dates also splits
            // off the weekdays. A part that contains only a weekday is skipped.
            let parts = value.split(',').filter(move |_| date.is_none());
            date.into_iter().chain(parts.filter_map(move |part| {
                seconds(part.trim()).or_else(|| http_date(part).map(until))
            }))
        });
    waits.max()
}

/// Parses a number of seconds and rounds it up to whole seconds. A number that is too large for a
/// `u64` becomes `u64::MAX` seconds.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let more = u64::from(fraction.bytes().any(|digit| digit != b'0'));
    (is_number(whole) && is_number(fraction)).then(|| {
        Duration::from_secs(whole.parse().map_or(u64::MAX, |whole: u64| whole.saturating_add(more)))
    })
}
