//! A collection of records of one kind, in order of creation time. Generated records are computed
//! from their index; only inserted records are stored.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::{Range, RangeInclusive},
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    settings::Settings,
    times::{Nanoseconds, Timeline},
};
use crate::lock::lock;

/// All records of one kind, in order of creation time.
#[allow(missing_debug_implementations, reason = "`Debug` would print every record")]
pub struct Collection<R> {
    pub(super) timeline: Timeline,
    content: Mutex<Content<R>>,
}

/// A record's position in the order of creation times. No two records have the same position. A
/// replacement for a record can have a different time, but keeps the record's `rank`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) struct Position {
    pub(super) time: Nanoseconds,
    /// The sort key among records with the same time. For a generated record or its replacement,
    /// the rank is the record's index. For any other record, the rank is larger than every index.
    pub(super) rank: u64,
}

/// A record: either generated from its index, or inserted at a position.
pub(super) enum Slot<R> {
    /// The record that is generated from this index.
    Made(u64),
    Inserted(Position, Arc<R>),
}

struct Content<R> {
    /// The number of generated records, including records that have since been replaced.
    count: u64,
    /// The inserted records, by position.
    inserted: BTreeMap<Position, Arc<R>>,
    positions: HashMap<Uuid, Position>,
    next_rank: u64,
}

/// The number after which the ranks of newly inserted records start. It is larger than the index of
/// any generated record.
const FIRST_RANK: u64 = 1 << 63;

/// The maximum number of records that a collection starts with. More records can be added later.
const MAX_COUNT: u64 = 1 << 40;

impl<R> Collection<R> {
    /// Creates a collection with `count` generated records, but at most 2^40. All their creation
    /// times are before the sandbox's "now".
    #[must_use]
    pub fn new(settings: &Settings, count: u64) -> Self {
        let count = count.min(MAX_COUNT);
        let timeline = Timeline::new(settings.seed, settings.times, count, settings.now);
        let content = Content {
            count,
            inserted: BTreeMap::new(),
            positions: HashMap::new(),
            next_rank: FIRST_RANK,
        };
        Self { timeline, content: Mutex::new(content) }
    }

    /// Adds `count` generated records. They are newer than all records generated so far.
    pub fn add(&self, count: u64) {
        let mut content = lock(&self.content);
        content.count = content.count.saturating_add(count).min(self.timeline.most());
    }

    /// Returns the record with this identifier, if it exists. `made` is the index from which the
    /// identifier was generated, or `None` if the identifier wasn't generated from an index.
    pub(super) fn find(&self, id: Uuid, made: Option<u64>) -> Option<Slot<R>> {
        let content = lock(&self.content);
        let Some(position) = content.positions.get(&id) else {
            return made.filter(|index| *index < content.count).map(Slot::Made);
        };
        let record = content.inserted.get(position)?;
        Some(Slot::Inserted(*position, Arc::clone(record)))
    }

    /// Returns whether any inserted record satisfies the predicate.
    pub fn any_inserted(&self, test: impl Fn(&R) -> bool) -> bool {
        lock(&self.content).inserted.values().any(|record| test(record))
    }

    /// Inserts a record, or replaces the record with the same identifier. `made` is the index from
    /// which the identifier was generated, or `None` if the identifier wasn't generated from an
    /// index.
    pub(super) fn insert(&self, id: Uuid, time: Nanoseconds, made: Option<u64>, record: R) {
        let mut content = lock(&self.content);
        let replaced = content.positions.get(&id).copied();
        if let Some(position) = replaced {
            content.inserted.remove(&position);
        }
        let rank = replaced.map(|position| position.rank).or(made).unwrap_or_else(|| {
            content.next_rank += 1;
            content.next_rank
        });
        let position = Position { time, rank };
        content.positions.insert(id, position);
        content.inserted.insert(position, Arc::new(record));
    }

    /// Returns the records in a time range, oldest first. If `after` is set, returns only the
    /// records after that position or, if `descending` is true, only the records before it.
    pub(super) fn slice(
        &self,
        span: &RangeInclusive<Nanoseconds>,
        after: Option<Position>,
        descending: bool,
    ) -> impl DoubleEndedIterator<Item = Slot<R>> + use<R> {
        let content = lock(&self.content);
        let (above, below) = if descending { (None, after) } else { (after, None) };
        let is_before = |position: Position| {
            position.time < *span.start() || above.is_some_and(|above| position <= above)
        };
        let is_within = |position: Position| {
            position.time <= *span.end() && below.is_none_or(|below| position < below)
        };
        // An inserted record that replaces a generated record has the index of that record as its
        // rank. The last line of this function uses these ranks to leave out replaced records.
        let ranks: HashSet<u64> = content.inserted.keys().map(|position| position.rank).collect();
        let mut first = first_not(0..content.count, |index| is_before(self.position(index)));
        let end = first_not(first..content.count, |index| is_within(self.position(index)));
        let inserted = content.inserted.iter().skip_while(|(position, _)| is_before(**position));
        // Each part is a range of generated records, together with the inserted record that follows
        // the range.
        let mut parts = Vec::new();
        for (position, record) in inserted.take_while(|(position, _)| is_within(**position)) {
            let next = first_not(first..end, |index| self.position(index) < *position);
            parts.push((first..next, Some(Slot::Inserted(*position, Arc::clone(record)))));
            first = next;
        }
        parts.push((first..end, None));
        let slots = parts.into_iter().flat_map(|(made, slot)| made.map(Slot::Made).chain(slot));
        slots.filter(move |slot| !matches!(slot, Slot::Made(index) if ranks.contains(index)))
    }

    pub(super) fn position_of(&self, slot: &Slot<R>) -> Position {
        match slot {
            Slot::Made(index) => self.position(*index),
            Slot::Inserted(position, _) => *position,
        }
    }

    fn position(&self, index: u64) -> Position {
        Position { time: self.timeline.at(index), rank: index }
    }
}

/// Returns the first index in the range for which `is_so` is false, or the end of the range if
/// there is no such index. Once `is_so` is false for an index, it must be false for all later
/// indexes.
fn first_not(range: Range<u64>, is_so: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
