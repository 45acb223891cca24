//! A service whose records are created, become visible late, change and go, in paused time.

use std::{cell::RefCell, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use tokio::time::Instant;

use crate::{
    BoxFuture, Client, Error, ErrorKind, Id, Record, Timed,
    call::Call,
    listing::{CURSOR, pager::Batch, sealed},
};

/// Times are milliseconds after the beginning of a test.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) created: u64,
    /// How much later it becomes visible.
    pub(super) late: u64,
    /// When its content changes, to what.
    pub(super) changes: Vec<(u64, u64)>,
    pub(super) removed: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) lives: Vec<Life>,
    pub(super) page: usize,
    pub(super) latency: u64,
    /// One in so many requests fails.
    pub(super) failing: usize,
    /// The unit in which bounds are read: they are cut short to it.
    pub(super) unit: u64,
    pub(super) requests: usize,
    pub(super) asked: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) time: DateTime<Utc>,
    pub(super) content: u64,
}

thread_local! {
    pub(super) static SERVICE: RefCell<Option<(Service, Instant)>> = const { RefCell::new(None) };
}

impl sealed::Record for Entry {}

impl Record for Entry {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(self.time)
    }

    fn id(&self) -> Option<Id> {
        Some(self.number.to_string().as_str().into())
    }
}

impl Timed for Entry {}

fn time(millis: u64) -> DateTime<Utc> {
    let begin = DateTime::from_timestamp(1_735_689_600, 0).unwrap();
    begin + TimeDelta::milliseconds(i64::try_from(millis).unwrap())
}

pub(super) fn life(created: u64) -> Life {
    Life { created, late: 0, changes: Vec::new(), removed: None }
}

impl Life {
    pub(super) fn content(&self, now: u64) -> u64 {
        self.changes.iter().rev().find(|(at, _)| *at <= now).map_or(0, |(_, content)| *content)
    }

    fn is_visible(&self, now: u64) -> bool {
        self.created + self.late <= now && self.removed.is_none_or(|removed| now < removed)
    }
}

impl Service {
    pub(super) fn of(lives: Vec<Life>) -> Self {
        Self { lives, page: 3, latency: 0, failing: 0, unit: 1, requests: 0, asked: Vec::new() }
    }

    pub(super) fn begin(self) {
        SERVICE.set(Some((self, Instant::now())));
    }

    fn answer(&mut self, call: &Call, now: u64) -> Result<Batch<Entry>, Error> {
        self.requests += 1;
        if self.failing > 0 && self.requests.is_multiple_of(self.failing) {
            return Err(Error::new(ErrorKind::Transport, "on demand"));
        }
        assert_eq!(call.query.get("order"), Some("ASC"));
        let from = call.query.get("created_at.begin");
        self.asked.push(from.unwrap_or("the beginning").to_owned());
        let from: Option<DateTime<Utc>> = from.map(|from| from.parse().unwrap());
        let at = call.query.get(CURSOR).map(str::to_owned);
        let behind: Option<(u64, usize)> = at.as_deref().map(|at| {
            let (created, number) = at.split_once('-').unwrap();
            (created.parse().unwrap(), number.parse().unwrap())
        });
        let mut listed: Vec<(u64, usize)> = (0..self.lives.len())
            .filter(|number| self.lives[*number].is_visible(now))
            .map(|number| (self.lives[number].created, number))
            .filter(|(created, _)| {
                from.is_none_or(|from| from <= time(created + self.unit - 1 - created % self.unit))
            })
            .filter(|key| Some(*key) > behind)
            .collect();
        listed.sort_unstable();
        let more = listed.len() > self.page;
        listed.truncate(self.page);
        let next = listed.last().filter(|_| more).map(|(created, n)| format!("{created}-{n}"));
        let records = listed.into_iter().map(|(created, number)| Entry {
            number: number as u64,
            time: time(created),
            content: self.lives[number].content(now),
        });
        Ok(Batch { at, records: records.collect(), next })
    }
}

pub(super) fn fetch(_: Client, call: Call) -> BoxFuture<'static, Result<Batch<Entry>, Error>> {
    Box::pin(async move {
        let latency = SERVICE.with_borrow(|service| service.as_ref().unwrap().0.latency);
        tokio::time::sleep(Duration::from_millis(latency)).await;
        SERVICE.with_borrow_mut(|service| {
            let (service, begin) = service.as_mut().unwrap();
            service.answer(&call, u64::try_from(begin.elapsed().as_millis()).unwrap())
        })
    })
}
