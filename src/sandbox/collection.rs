//! The records of one kind, in order: those made from their index, and those inserted between them.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    span::Span,
    times::{Nanoseconds, Timeline, Times},
};

/// How many records there are, when each was made, and what was inserted.
#[derive(Debug)]
pub(super) struct Collection<R> {
    timeline: Timeline,
    count: AtomicU64,
    /// Shared with the slices that are being read, and copied if it changes meanwhile.
    inserted: RwLock<Arc<Inserted<R>>>,
}

/// A record's position: no two records have the same one, and a record keeps its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) struct Position {
    pub(super) time: Nanoseconds,
    /// Among records of the same time: the index of one that is made, or more than any index.
    pub(super) rank: u64,
}

/// A record in its position.
#[derive(Debug)]
pub(super) enum Slot<R> {
    /// The one that is made from this index.
    Made(u64),
    Inserted(Position, Arc<R>),
}

#[derive(Clone, Debug)]
struct Inserted<R> {
    /// In the order of their positions.
    entries: Vec<Entry<R>>,
    positions: HashMap<Uuid, Position>,
    /// Indexes whose record was replaced.
    replaced: HashSet<u64>,
    next_rank: u64,
}

#[derive(Clone, Debug)]
struct Entry<R> {
    position: Position,
    /// The number of indexes before it.
    before: u64,
    record: Arc<R>,
}

/// More than any index.
const FIRST_RANK: u64 = 1 << 63;

/// As many as have identifiers of their own: the numbers of those that are added follow.
const MOST: u64 = 1 << 40;

impl<R: Clone> Collection<R> {
    /// Records that end at `now`.
    pub(super) fn new(seed: u64, times: Times, count: u64, now: DateTime<Utc>) -> Self {
        let count = count.min(MOST);
        let timeline = Timeline::new(seed, times, count, now);
        let inserted = Inserted {
            entries: Vec::new(),
            positions: HashMap::new(),
            replaced: HashSet::new(),
            next_rank: FIRST_RANK,
        };
        Self { timeline, count: count.into(), inserted: RwLock::new(Arc::new(inserted)) }
    }

    pub(super) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Adds records that are newer than all that are made.
    pub(super) fn add(&self, count: u64) {
        let most = self.timeline.most();
        let _ = self.count.fetch_update(Ordering::AcqRel, Ordering::Acquire, |known| {
            Some(known.saturating_add(count).min(most))
        });
    }

    /// The record that was inserted with this identifier.
    pub(super) fn inserted(&self, id: Uuid) -> Option<Arc<R>> {
        let inserted = self.snapshot();
        let position = inserted.positions.get(&id)?;
        let at = inserted.search(*position).ok()?;
        inserted.entries.get(at).map(|entry| Arc::clone(&entry.record))
    }

    pub(super) fn any_inserted(&self, test: impl Fn(&R) -> bool) -> bool {
        self.snapshot().entries.iter().any(|entry| test(&entry.record))
    }

    /// Whether the record of this index is there, and wasn't replaced.
    pub(super) fn is_made(&self, index: u64) -> bool {
        index < self.count.load(Ordering::Acquire) && !self.snapshot().replaced.contains(&index)
    }

    /// Inserts a record, instead of the one that has its identifier: `made` is that one's index.
    pub(super) fn insert(&self, id: Uuid, time: Nanoseconds, made: Option<u64>, record: R) {
        let mut inserted = self.inserted.write().unwrap_or_else(PoisonError::into_inner);
        let inserted = Arc::make_mut(&mut inserted);
        let rank = match (inserted.positions.get(&id).copied(), made) {
            (Some(position), _) => {
                if let Ok(at) = inserted.search(position) {
                    inserted.entries.remove(at);
                }
                position.rank
            }
            (None, Some(index)) => {
                inserted.replaced.insert(index);
                index
            }
            (None, None) => {
                inserted.next_rank += 1;
                inserted.next_rank
            }
        };
        let position = Position { time, rank };
        let before = first_not(0..FIRST_RANK, |index| self.position(index) < position);
        let entry = Entry { position, before, record: Arc::new(record) };
        inserted.positions.insert(id, position);
        let (Ok(at) | Err(at)) = inserted.search(position);
        inserted.entries.insert(at, entry);
    }

    /// The records of this span of time that come after a position in this direction.
    pub(super) fn slice(&self, span: Span, after: Option<Position>, descending: bool) -> Slice<R> {
        let inserted = self.snapshot();
        let (above, below) = if descending { (None, after) } else { (after, None) };
        let is_before = |position: Position| {
            position.time < span.first || above.is_some_and(|above| position <= above)
        };
        let is_within = |position: Position| {
            position.time <= span.last && below.is_none_or(|below| position < below)
        };
        let count = self.count.load(Ordering::Acquire);
        let first = first_not(0..count, |index| is_before(self.position(index)));
        let made = first..first_not(first..count, |index| is_within(self.position(index)));
        let first = inserted.entries.partition_point(|entry| is_before(entry.position));
        let end = inserted.entries.partition_point(|entry| is_within(entry.position));
        Slice { made, entries: first..end.max(first), inserted }
    }

    pub(super) fn all(&self) -> Slice<R> {
        self.slice(Span::ALL, None, false)
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

    fn snapshot(&self) -> Arc<Inserted<R>> {
        Arc::clone(&self.inserted.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R> Inserted<R> {
    fn search(&self, position: Position) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&position, |entry| entry.position)
    }
}

/// The first index of the range that fails the predicate, if all that satisfy it come first.
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

/// Consecutive records, as they were when the slice was taken.
#[derive(Clone, Debug)]
pub(super) struct Slice<R> {
    made: Range<u64>,
    entries: Range<usize>,
    inserted: Arc<Inserted<R>>,
}

impl<R> Slice<R> {
    /// The next record from this end.
    fn take(&mut self, from_back: bool) -> Option<Slot<R>> {
        loop {
            let entries = &self.inserted.entries[self.entries.clone()];
            let entry = if from_back { entries.last() } else { entries.first() };
            let is_next = |entry: &&Entry<R>| match from_back {
                _ if self.made.is_empty() => true,
                true => entry.before >= self.made.end,
                false => entry.before <= self.made.start,
            };
            if let Some(entry) = entry.filter(is_next) {
                let slot = Slot::Inserted(entry.position, Arc::clone(&entry.record));
                if from_back {
                    self.entries.next_back()
                } else {
                    self.entries.next()
                };
                return Some(slot);
            }
            let index = if from_back { self.made.next_back() } else { self.made.next() }?;
            if !self.inserted.replaced.contains(&index) {
                return Some(Slot::Made(index));
            }
        }
    }
}

impl<R> Iterator for Slice<R> {
    type Item = Slot<R>;

    fn next(&mut self) -> Option<Slot<R>> {
        self.take(false)
    }
}

impl<R> DoubleEndedIterator for Slice<R> {
    fn next_back(&mut self) -> Option<Slot<R>> {
        self.take(true)
    }
}
