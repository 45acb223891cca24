//! The records, of which none is stored: each is a pure function of the seed and its index.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    random::{Random, Topic},
    times::{Timeline, Times},
};

/// How many profiles, customers and identities the records are spread over.
pub(super) const PROFILES: u64 = 40;
pub(super) const CUSTOMERS: u64 = 400;
pub(super) const IDENTITIES: u64 = 250;

#[derive(Debug)]
pub(super) struct Data {
    pub(super) seed: u64,
    pub(super) executions: Shelf,
    pub(super) monitoring_addresses: Shelf,
    pub(super) deposit_addresses: Shelf,
}

/// The records of one kind: how many there are, the oldest first, and when each was created.
#[derive(Debug)]
pub(super) struct Shelf {
    timeline: Timeline,
    count: AtomicU64,
}

/// A span of creation times in nanoseconds since 1970, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Data {
    pub(super) fn profile(&self, index: u64) -> Uuid {
        self.id(Topic::Profile, index)
    }

    pub(super) fn has_profile(&self, id: Uuid) -> bool {
        (0..PROFILES).any(|index| self.profile(index) == id)
    }

    pub(super) fn institution(&self) -> Uuid {
        self.id(Topic::Institution, 0)
    }

    pub(super) fn id(&self, topic: Topic, index: u64) -> Uuid {
        self.random(topic, index).uuid()
    }

    pub(super) fn random(&self, topic: Topic, index: u64) -> Random {
        Random::new(self.seed, topic, index)
    }
}

impl Shelf {
    pub(super) fn new(seed: u64, times: Times, count: u64) -> Self {
        Self { timeline: Timeline::new(seed, times, count), count: count.into() }
    }

    pub(super) fn add(&self, count: u64) {
        self.count.fetch_add(count, Ordering::AcqRel);
    }

    pub(super) fn all(&self) -> Range<u64> {
        0..self.count.load(Ordering::Acquire)
    }

    pub(super) fn within(&self, span: Span) -> Range<u64> {
        let count = self.all().end;
        let start = self.timeline.partition(count, |time| time < span.first);
        start..self.timeline.partition(count, |time| time <= span.last)
    }

    pub(super) fn created_at(&self, index: u64) -> DateTime<Utc> {
        DateTime::from_timestamp_nanos(self.timeline.at(index))
    }
}

impl Span {
    pub(super) const ALL: Self = Self { first: i64::MIN, last: i64::MAX };

    pub(super) fn from(&mut self, time: Option<i64>) {
        self.first = self.first.max(time.unwrap_or(i64::MIN));
    }

    pub(super) fn to(&mut self, time: Option<i64>) {
        self.last = self.last.min(time.unwrap_or(i64::MAX));
    }

    pub(super) fn after(&mut self, time: Option<i64>) {
        self.from(time.map(|time| time.saturating_add(1)));
    }

    pub(super) fn before(&mut self, time: Option<i64>) {
        self.to(time.map(|time| time.saturating_sub(1)));
    }
}
