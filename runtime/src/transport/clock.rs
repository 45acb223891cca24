//! The service's current time, from the `Date` headers of its responses (RFC 9110, section 6.6.1).

use std::{
    sync::Mutex,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::{AGE, DATE, HeaderMap};
use tokio::time::Instant;

use super::date::{http_date, is_http_date};
use crate::lock::lock;

/// The length of an observation period. The clocks of a service's nodes may differ. The crate uses
/// the slowest clock (the one furthest behind) that it saw in the current or the previous period.
const PERIOD: Duration = Duration::from_secs(600);
/// The amount subtracted from the local clock, which may be ahead of the service's clock. The local
/// clock is used only if the service sends no `Date` header.
const SLACK: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(crate) struct ServiceClock(Mutex<Observed>);

/// The slowest clocks seen in the current and in the previous period. Each clock is stored as the
/// local instant of the observation and the time that the clock showed.
#[derive(Clone, Copy, Default)]
struct Observed {
    /// The start of the current period.
    period_start: Option<Instant>,
    slowest: Option<(Instant, DateTime<Utc>)>,
    previous: Option<(Instant, DateTime<Utc>)>,
}

impl ServiceClock {
    pub(crate) fn observe(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|date| date.to_str().ok());
        let Some(date) = date.and_then(http_date) else { return };
        // A cache sends the `Date` of the stored response, and the response's age in `Age` (RFC
        // 9111, section 5.1).
        let age = headers.get(AGE).and_then(|age| age.to_str().ok()?.trim().parse().ok());
        let age: i64 = age.unwrap_or_default();
        let date = TimeDelta::try_seconds(age.max(0)).and_then(|age| date.checked_add_signed(age));
        let Some(date) = date.filter(is_http_date) else { return };
        let mut observed = lock(&self.0);
        if observed.period_start.is_none_or(|start| start.elapsed() > PERIOD) {
            let previous = observed.slowest;
            *observed = Observed { period_start: Some(Instant::now()), slowest: None, previous };
        }
        if observed.slowest.is_none_or(|(at, slowest)| date < slowest + at.elapsed()) {
            observed.slowest = Some((Instant::now(), date));
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.observed().unwrap_or_else(|| DateTime::from(SystemTime::now()) - SLACK)
    }

    /// The service's current time, if the service has sent a `Date`.
    pub(crate) fn observed(&self) -> Option<DateTime<Utc>> {
        let Observed { slowest, previous, .. } = *lock(&self.0);
        let dates = [slowest, previous].into_iter().flatten();
        dates.map(|(at, date)| date + at.elapsed()).min()
    }
}
