//! What the service says is now, by the `Date` of its answers (RFC 9110, section 6.6.1).

use std::{
    sync::Mutex,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::{DATE, HeaderMap};
use tokio::time::Instant;

use crate::lock::lock;

/// The nodes of a service may differ: the one that is latest counts, for as long as this.
const REMEMBERED: Duration = Duration::from_secs(600);
/// How far the local clock may be ahead, which counts if the service doesn't say.
const SLACK: TimeDelta = TimeDelta::seconds(5);

/// When the service said what.
#[derive(Default)]
pub(crate) struct ServiceClock(Mutex<Option<(Instant, DateTime<Utc>)>>);

impl ServiceClock {
    pub(crate) fn read(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|date| date.to_str().ok());
        let Some(date) = date.and_then(|date| httpdate::parse_http_date(date).ok()) else { return };
        let date = DateTime::<Utc>::from(date);
        let mut said = lock(&self.0);
        let is_latest = |(at, before): (Instant, _)| {
            at.elapsed() > REMEMBERED || date < later(before, at.elapsed())
        };
        if said.is_none_or(is_latest) {
            *said = Some((Instant::now(), date));
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        let said = *lock(&self.0);
        said.map_or_else(
            || DateTime::from(SystemTime::now()) - SLACK,
            |(at, date)| later(date, at.elapsed()),
        )
    }
}

fn later(time: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
    time.checked_add_signed(by).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
