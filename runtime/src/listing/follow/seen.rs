//! The records that a followed listing has returned and will request again.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    mem,
};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{
    change::Change,
    checkpoint::{FollowCheckpoint, SavedRecord},
};
use crate::{
    Error, ErrorKind,
    listing::{Id, Timed, fingerprint::Fingerprint, json_hash::json_hash},
};

/// The times and identifiers of records, sorted by time.
pub(super) type ByTime = BTreeSet<(DateTime<Utc>, Id)>;

#[derive(Default)]
pub(super) struct Seen {
    /// The time before which records are forgotten and not requested again, unless they are open.
    from: Option<DateTime<Utc>>,
    known: HashMap<Id, Known>,
    by_time: ByTime,
    /// The open records that the last recheck didn't find.
    absent: HashSet<Id>,
}

struct Known {
    time: DateTime<Utc>,
    content: u64,
    is_open: bool,
}

/// The maximum length of an identifier in bytes. A longer identifier is replaced by its first
/// characters and a hash.
const LONGEST_ID: usize = 100;

const UNTIMED: &str = "a record has no creation time, so the client can't tell whether it is new";

impl Seen {
    pub(super) fn of(checkpoint: FollowCheckpoint) -> Self {
        let FollowCheckpoint { from, closed, open, missing, .. } = checkpoint;
        let absent = missing.into_iter().map(Id::from).collect();
        let mut seen = Self { from, absent, ..Self::default() };
        for (marks, is_open) in [(closed, false), (open, true)] {
            for SavedRecord(time, id, content) in marks {
                let content = u64::from_str_radix(&content, 16).unwrap_or_default();
                seen.keep(Id::from(id), Known { time, content, is_open });
            }
        }
        seen
    }

    pub(super) fn from(&self) -> Option<DateTime<Utc>> {
        self.from
    }

    /// The records created at `from` or later, which every round requests again.
    fn recent(&self) -> impl DoubleEndedIterator<Item = &(DateTime<Utc>, Id)> {
        self.by_time.range(first_at(self.from.unwrap_or(DateTime::<Utc>::MIN_UTC))..)
    }

    /// The newest record's time, or `now` if that is earlier.
    pub(super) fn newest(&self, now: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        let (newest, _) = self.recent().next_back()?;
        Some(now.map_or(*newest, |now| now.min(*newest)))
    }

    fn is_open(&self, id: &Id) -> bool {
        self.known.get(id).is_some_and(|known| known.is_open)
    }

    /// The open records that the next round might not list: those created before the time from
    /// which the round requests records.
    ///
    /// If several records have exactly that time, the open records among them are included too.
    /// Their actual creation times may be earlier than the service reports, so the round might list
    /// only some of the records. The client wouldn't notice, because each record with that time
    /// seems to prove that the round started early enough.
    pub(super) fn old_and_open(&self) -> ByTime {
        let begins_at = |(time, _): &&(DateTime<Utc>, Id)| Some(*time) == self.from;
        let proves_others = self.recent().take_while(begins_at).nth(1).is_some();
        let is_old =
            |it: &&(DateTime<Utc>, Id)| Some(it.0) < self.from || proves_others && begins_at(it);
        let old = self.by_time.iter().take_while(is_old);
        old.filter(|(_, id)| self.is_open(id)).cloned().collect()
    }

    /// Remembers a listed record. Returns the record as a change if it is new or has changed.
    /// `asked` is the time from which records were requested.
    ///
    /// # Errors
    ///
    /// `Decode` if the record has no time.
    pub(super) fn change_of<T: Timed>(
        &mut self,
        record: T,
        asked: Option<DateTime<Utc>>,
    ) -> Result<Option<Change<T>>, Error> {
        let time = record.created_at().ok_or_else(|| Error::new(ErrorKind::Decode, UNTIMED))?;
        let content = json_hash(&record);
        let known = Known { time, content, is_open: record.is_open() };
        let id = id_of(&record).unwrap_or_else(|| Id::from(hex(content).as_str()));
        self.absent.remove(&id);
        let change = match self.known.get(&id) {
            Some(known) if known.content == content => return Ok(None),
            Some(_) => Change::Changed(record),
            // A service that rounds bounds down also lists older records, which were returned and
            // forgotten.
            None if asked.is_some_and(|asked| time < asked) => return Ok(None),
            None => Change::New(record),
        };
        self.keep(id, known);
        Ok(Some(change))
    }

    fn keep(&mut self, id: Id, known: Known) {
        self.forget(&id);
        if known.is_open || Some(known.time) >= self.from {
            self.by_time.insert((known.time, id.clone()));
            self.known.insert(id, known);
        }
    }

    /// Forgets the record with this identifier.
    fn forget(&mut self, id: &Id) {
        if let Some(known) = self.known.remove(id) {
            self.by_time.remove(&(known.time, id.clone()));
        }
    }

    /// Processes the open `records` that a recheck didn't find. A record is forgotten if the
    /// previous recheck didn't find it either, and if it is too old for the rounds to request. A
    /// `tracing` event reports the number of forgotten records.
    pub(super) fn miss(&mut self, records: ByTime, operation: &str) {
        let missed_before = mem::take(&mut self.absent);
        let is_gone = |(time, id): &(DateTime<Utc>, Id)| {
            Some(*time) < self.from && missed_before.contains(id)
        };
        let (gone, absent): (ByTime, ByTime) = records.into_iter().partition(is_gone);
        for (_, id) in &gone {
            self.forget(id);
        }
        self.absent.extend(absent.into_iter().map(|(_, id)| id));
        if !gone.is_empty() {
            tracing::warn!(operation, records = gone.len(), "open records are no longer listed");
        }
    }

    /// The identifiers of the open records that the last recheck didn't find.
    pub(super) fn absent(&self) -> Vec<String> {
        let mut absent: Vec<String> = self.absent.iter().map(ToString::to_string).collect();
        absent.sort_unstable();
        absent
    }

    /// The time of the newest known record at or before `time`. A request from that time on lists
    /// that record, unless the service rounds bounds up.
    fn known_by(&self, time: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        let behind = first_at(time?.checked_add_signed(TimeDelta::nanoseconds(1))?);
        self.by_time.range(..behind).next_back().map(|(time, _)| *time)
    }

    /// Advances `from` to the time of the newest known record at or before `time`, and forgets all
    /// older records that aren't open.
    pub(super) fn forget_before(&mut self, time: Option<DateTime<Utc>>) {
        let Some(from) = self.from.max(self.known_by(time)) else { return };
        let passed = self.recent().take_while(|(time, _)| *time < from);
        let closed = passed.filter(|(_, id)| !self.is_open(id));
        for (_, id) in closed.cloned().collect::<Vec<_>>() {
            self.forget(&id);
        }
        self.from = Some(from);
    }

    /// Returns the known records in the form in which a checkpoint stores them. The first list has
    /// the records that aren't open, and the second has the open records.
    pub(super) fn marks(&self) -> (Vec<SavedRecord>, Vec<SavedRecord>) {
        let marks = |is_open| {
            let marks = self.by_time.iter().filter_map(|(time, id)| {
                let known = self.known.get(id).filter(|known| known.is_open == is_open)?;
                Some(SavedRecord(*time, id.to_string(), hex(known.content)))
            });
            marks.collect()
        };
        (marks(false), marks(true))
    }
}

/// The smallest possible entry of a [`ByTime`] for this time.
fn first_at(time: DateTime<Utc>) -> (DateTime<Utc>, Id) {
    (time, Id::from(Uuid::nil()))
}

/// The identifier under which a record is remembered.
pub(super) fn id_of<T: Timed>(record: &T) -> Option<Id> {
    record.id().map(remembered)
}

/// The identifier under which a record with the identifier `id` is remembered.
pub(super) fn remembered(id: Id) -> Id {
    let text = id.to_string();
    if text.len() <= LONGEST_ID {
        return id;
    }
    let mut hash = Fingerprint::default();
    hash.add(&text);
    let (start, first) = (text.chars().take(LONGEST_ID / 4).collect::<String>(), hash.to_string());
    hash.add(&text);
    Id::from(format!("{start}…{first}{hash}"))
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}
