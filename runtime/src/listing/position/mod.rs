//! A position in a listing: the last returned record, its page, and the data with which a resumed
//! listing verifies that it continues at the right place.

mod resume;
pub(crate) use resume::{Resume, Verdict};

use std::{collections::HashMap, iter, mem};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Id, Record};
use crate::{Error, ErrorKind};

/// The position after the last returned record, as stored in a checkpoint. All fields are always
/// serialized, because some formats have no field names.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub created_at: Option<DateTime<Utc>>,
    /// The time just before `created_at` among the times of the returned records, in the listing's
    /// order. If a resumed listing contains a record with that time, the listing has started early
    /// enough.
    previous_time: Option<DateTime<Utc>>,
    /// The identifiers of the returned records that have the last record's time. The last record's
    /// own identifier is at the end. If the listing isn't sorted by time, `ids` contains only the
    /// last record's identifier or, in a merge, the identifiers of all records.
    ids: Vec<String>,
    /// The number of returned records with the last record's time.
    records_at_time: usize,
    /// The cursor of the last record's page. `None` for the first page, and for a listing that can
    /// be filtered by time and is sorted by time.
    page_cursor: Option<String>,
    /// The last record's place on its page, counted from 1.
    page_offset: usize,
    /// The number of merged listings.
    pub merged_listings: usize,
    /// The times of the records in `ids`, if `ids` contains all returned records that were created
    /// at `created_at` or later. Otherwise empty.
    times: Vec<DateTime<Utc>>,
    /// Whether the listing started at a cursor that the caller set.
    pub started_at_cursor: bool,
    pub finished: bool,
    pub time_order: TimeOrder,
}

/// Whether the records of a listing are sorted by time, and whether the result depends on that
/// order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimeOrder {
    /// Whether any page wasn't sorted by time.
    pub is_violated: bool,
    /// Whether the result depends on the order by time, because windows were joined, or because the
    /// listing was resumed at a checkpoint's time.
    pub is_relied_on: bool,
}

/// The place of the last record that a source returned.
#[derive(Default)]
pub(crate) struct PageOffset<'a> {
    /// The cursor of the record's page. `None` for the first page, and if the source doesn't read a
    /// single listing sequentially.
    pub cursor: Option<&'a str>,
    /// The record's place on the page, counted from 1.
    pub offset: usize,
}

/// Tracks the records that a stream has returned.
#[derive(Default)]
pub(crate) struct Tracker {
    /// The position, without the identifiers of the records and the place of the last record.
    pub position: Position,
    /// Whether the listing is sorted by time.
    pub ordered: bool,
    /// All returned records that were created at this time or later are remembered. New records may
    /// still appear among them, because one of the merged listings may have finished before the
    /// others.
    pub arrivals_from: Option<DateTime<Utc>>,
    /// For a resumed listing: the `arrivals_from` of the earlier listing, and the time of the
    /// newest record that the earlier listing returned.
    resumed: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// The remembered records except the last one, with their times. In most listings, each record
    /// has a different time, so the map stays empty and no identifier is hashed.
    ids: HashMap<Id, Option<DateTime<Utc>>>,
    last: Option<(Id, Option<DateTime<Utc>>)>,
    /// Whether a record has been returned since the listing was started or resumed.
    pub has_begun: bool,
}

impl TimeOrder {
    /// Combines this time order with that of another source.
    pub(crate) fn add(&mut self, other: Self) {
        self.is_violated |= other.is_violated;
        self.is_relied_on |= other.is_relied_on;
    }
}

impl Position {
    /// The time of the newest returned record. `None` if `times` is empty, because `ids` doesn't
    /// contain all of the returned records that were created since `created_at`.
    fn arrivals_until(&self) -> Option<DateTime<Utc>> {
        self.times.iter().copied().max()
    }
}

impl Tracker {
    pub(crate) fn at(mut position: Position) -> Self {
        let resumed = position.created_at.zip(position.arrivals_until());
        let rest = iter::repeat(position.created_at);
        let times = mem::take(&mut position.times).into_iter().map(Some).chain(rest);
        let ids = mem::take(&mut position.ids).into_iter().map(Id::from).zip(times).collect();
        let position = Position { finished: false, ..position };
        Self { position, resumed, ids, ..Self::default() }
    }

    /// The time under which a record is remembered: its own time, or `arrivals_from` if that is
    /// earlier.
    fn time_of(&self, time: Option<DateTime<Utc>>, id: Option<&Id>) -> Option<DateTime<Utc>> {
        let resumed = self.resumed.filter(|(_, until)| time <= Some(*until)).map(|(from, _)| from);
        let from = resumed.or(self.arrivals_from).filter(|_| id.is_some());
        from.map_or(time, |from| time.min(Some(from)))
    }

    /// Remembers a listed record. Returns false if the record was remembered already.
    pub(crate) fn accept<T: Record>(&mut self, record: &T) -> bool {
        let (created_at, id) = (record.created_at(), record.id());
        let time = self.time_of(created_at, id.as_ref());
        if self.ordered && time != self.position.created_at {
            self.go_on_to(time, created_at > time);
        }
        self.position.created_at = time;
        let keeps_all =
            if self.ordered { time.is_some() } else { self.position.merged_listings > 1 };
        if !keeps_all {
            self.ids.clear();
            self.last = None;
            self.position.records_at_time = 0;
        }
        let is_new = id.as_ref().is_none_or(|id| !self.remembers(id));
        if is_new {
            self.ids.extend(self.last.take());
            self.last = id.map(|id| (id, created_at));
            let records = &mut self.position.records_at_time;
            *records = records.saturating_add(1);
            self.has_begun = true;
        }
        is_new
    }

    fn remembers(&self, id: &Id) -> bool {
        let is_last = self.last.as_ref().is_some_and(|(last, _)| last == id);
        is_last || (!self.ids.is_empty() && self.ids.contains_key(id))
    }

    /// Moves on to another time and forgets the remembered records. If `is_open` is true, only
    /// records created before the new time are forgotten.
    fn go_on_to(&mut self, time: Option<DateTime<Utc>>, is_open: bool) {
        let is_named = self.last.is_some() || !self.ids.is_empty();
        let is_passed = |at: Option<DateTime<Utc>>| !is_open || at < time;
        let last = self.last.take_if(|(_, at)| is_passed(*at));
        let passed = self.ids.extract_if(|_, at| is_passed(*at)).chain(last);
        let passed = passed.filter_map(|(_, at)| at).max();
        let Position { created_at, previous_time, records_at_time, .. } = &mut self.position;
        if *records_at_time > 0 {
            *previous_time = passed.or(if is_named { *previous_time } else { *created_at });
        }
        *records_at_time = self.ids.len() + usize::from(self.last.is_some());
    }

    /// Whether records may be missing, because the result depends on an order by time that the
    /// service violates.
    pub(crate) fn may_miss_records(&self) -> bool {
        let Position { time_order, merged_listings, .. } = &self.position;
        let is_relied_on = time_order.is_relied_on || *merged_listings > 1;
        self.ordered && time_order.is_violated && is_relied_on
    }

    /// Returns the whole position, including the last record's place.
    pub(crate) fn position(&self, place: &PageOffset<'_>, has_bounds: bool) -> Position {
        let mut ids: Vec<_> = self.ids.iter().map(|(id, time)| (id, *time)).collect();
        ids.sort_unstable_by_key(|(id, _)| *id);
        ids.extend(self.last.as_ref().map(|(id, time)| (id, *time)));
        let times = || ids.iter().filter_map(|(_, time)| *time);
        let is_open = self.ordered && times().any(|time| Some(time) > self.position.created_at);
        let times = if is_open { times().collect() } else { Vec::new() };
        let cursor = place.cursor.filter(|_| !(has_bounds && self.ordered));
        Position {
            ids: ids.iter().map(|(id, _)| id.to_string()).collect(),
            times,
            page_cursor: cursor.map(str::to_owned),
            page_offset: place.offset,
            ..self.position.clone()
        }
    }
}

pub(crate) const NOT_LISTED: &str =
    "the checkpoint's record is no longer listed; start a new listing at that record's created_at";

const LATE: &str = "records have been added before the last record of the finished listing; start \
                    a new listing at an earlier time, or follow the listing";

pub(crate) fn stale(why: &'static str) -> Error {
    Error::new(ErrorKind::StaleCheckpoint, why)
}

pub(crate) fn out_of_order() -> Error {
    Error::new(
        ErrorKind::Decode,
        "the service doesn't list in order of time, so records may be missing or \
         repeated; list again without `concurrency` and with few enough filter entries for one request",
    )
}
