//! What the service says is now, by the `Date` of its answers (RFC 9110, section 6.6.1).

use std::{
    sync::Mutex,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap};
use tokio::time::Instant;

use crate::lock::lock;

/// The clocks of a service's nodes may differ: the one that is most behind counts, of those that answered
/// in this period and the one before it.
const PERIOD: Duration = Duration::from_secs(600);
/// How far the local clock may be ahead, which counts if the service doesn't say.
const SLACK: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(crate) struct ServiceClock(Mutex<Said>);

/// What the node that is most behind said, and when.
#[derive(Clone, Copy, Default)]
struct Said {
    /// When this period began.
    began: Option<Instant>,
    now: Option<(Instant, DateTime<Utc>)>,
    before: Option<(Instant, DateTime<Utc>)>,
}

impl ServiceClock {
    pub(crate) fn read(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|date| date.to_str().ok());
        let Some(date) = date.and_then(|date| httpdate::parse_http_date(date).ok()) else { return };
        let date = DateTime::<Utc>::from(date);
        let mut said = lock(&self.0);
        if said.began.is_none_or(|began| began.elapsed() > PERIOD) {
            *said = Said { began: Some(Instant::now()), now: None, before: said.now };
        }
        if said.now.is_none_or(|(at, said)| date < said + at.elapsed()) {
            said.now = Some((Instant::now(), date));
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        let said = *lock(&self.0);
        let said = [said.now, said.before].into_iter().flatten();
        let now = said.map(|(at, date)| date + at.elapsed()).min();
        now.unwrap_or_else(|| DateTime::from(SystemTime::now()) - SLACK)
    }
}
