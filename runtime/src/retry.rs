//! Which failures are retried, and when.

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::{Error, ErrorKind, transport::http_date};

/// The longest time for which a `Retry-After` holds back later calls, so that one wrong header can't
/// stop a program for a day.
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
/// A GET is retried on connect errors, resets, attempt timeouts, truncated answers, 408, 429 and 5xx;
/// any other request only if it certainly had no effect, which is on connect errors and 429. Each wait
/// is a random time between zero and a delay that doubles (full jitter), or what `Retry-After` says if
/// that is longer. No retry starts after `call_timeout`.
///
/// A 429 holds its operation back for at least half of that delay, which doubles with each hold in a
/// row, up to 1.6 s. If its `Retry-After` is longer, that applies.
///
/// All clones of a client share a retry budget, so that retries don't make an outage worse. Its
/// numbers are those of the AWS SDKs: a bucket of 500 tokens, from which a retry takes 5, or 10 after
/// a timeout. A success returns what its own retries took, or 1. When the bucket is empty, the client
/// returns failures at once.
///
/// A request that the service says it didn't process (RFC 9113, section 8.7) is sent again at once, once
/// per call. That isn't a retry either: it costs no budget, and `Retry::none` doesn't remove it. If the
/// service says so again, that is a failure like any other. If the service says that it requires HTTP/1.1,
/// the client's own HTTP clients speak only HTTP/1.1 from then on.
///
/// The one replay after a 401, with a fresh token, isn't a retry and doesn't depend on these settings. There
/// is none if the token can't be replaced ([`bearer_token`](crate::ClientBuilder::bearer_token)), or was
/// replaced a few seconds ago and hasn't been accepted since.
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
    /// One attempt: never retries.
    pub fn none() -> Self {
        Self::default().max_attempts(1)
    }

    /// The number of attempts, the first included. 3 by default; 0 means 1.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The longest wait before the first retry. It doubles with each further retry. 100 ms by default.
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base = delay;
        self
    }

    /// The longest wait, unless `Retry-After` asks for a longer one. 20 s by default.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.most = delay;
        self
    }

    /// The waits of one call, one per retry.
    pub(crate) fn schedule(&self) -> Schedule {
        Schedule { retries: 1..self.attempts, bounds: (self.base, self.most) }
    }

    /// How long a 429 holds an operation back at least. Between a half and the whole of
    /// the delay, so that programs don't go on in step.
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

/// The first delay, doubled with each time after the first. Zero before the first.
pub(crate) fn doubled((first, longest): (Duration, Duration), times: u32) -> Duration {
    match times.checked_sub(1) {
        Some(more) => first.saturating_mul(2_u32.saturating_pow(more)).min(longest),
        None => Duration::ZERO,
    }
}

/// Of a hold that no answer asks for.
const MAX_OWN_HOLD: Duration = Duration::from_millis(1_600);

/// What a client and its clones have spent on retries.
#[derive(Default)]
pub(crate) struct Budget(AtomicU32);

const FULL: u32 = 500;
const COST: u32 = 5;
const COST_AFTER_TIMEOUT: u32 = 10;
const REWARD: u32 = 1;

impl Budget {
    /// Takes the cost of a retry after this failure, if the budget has it.
    pub(crate) fn spend(&self, failure: &Error) -> Option<u32> {
        let cost = if failure.kind() == ErrorKind::Timeout { COST_AFTER_TIMEOUT } else { COST };
        let take = |spent: u32| Some(spent + cost).filter(|spent| *spent <= FULL);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok().map(|_| cost)
    }

    /// Returns what the retries of a successful call took.
    pub(crate) fn refund(&self, spent: u32) {
        let give = |all: u32| Some(all.saturating_sub(spent.max(REWARD)));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give);
    }
}

/// `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), as time from now. Fractions of a
/// second are rounded up. If there are several values, the longest counts.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    // Uses the service's own clock if it sends one, so that a wrong local clock does no harm.
    let date = headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(http_date);
    let now = date.unwrap_or_else(|| SystemTime::now().into());
    let until = |time: DateTime<Utc>| (time - now).to_std().unwrap_or_default();
    let values = headers.get_all(RETRY_AFTER).into_iter().filter_map(|value| value.to_str().ok());
    let waits =
        values.flat_map(|value| {
            let date = http_date(value).map(until);
            // Of a list of dates, the names of the days are passed over.
            let parts = value.split(',').filter(move |_| date.is_none());
            date.into_iter().chain(parts.filter_map(move |part| {
                seconds(part.trim()).or_else(|| http_date(part).map(until))
            }))
        });
    waits.max()
}

/// A number of seconds. One that is too large for a number is the largest.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let more = u64::from(fraction.bytes().any(|digit| digit != b'0'));
    (is_number(whole) && is_number(fraction)).then(|| {
        Duration::from_secs(whole.parse().map_or(u64::MAX, |whole: u64| whole.saturating_add(more)))
    })
}
