//! The records of one kind, in order: those made from their index, and those inserted between them.

use std::{
    collections::{HashMap, HashSet},
    iter::FusedIterator,
    ops::Range,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use uuid::Uuid;

use super::{
    span::Span,
    times::{Nanoseconds, Timeline},
};

/// How many records there are, when each was made, and what was inserted.
#[derive(Debug)]
pub(super) struct Shelf<R> {
    timeline: Timeline,
    count: AtomicU64,
    /// Shared with the slices that are being read, and copied if it changes meanwhile.
    inserted: RwLock<Arc<Inserted<R>>>,
}

/// A record's position: no two records have the same one, and a record keeps its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) time: Nanoseconds,
    /// Among records of the same time: the index of one that is made, or more than any index.
    pub(super) rank: u64,
}

/// A record in its place.
#[derive(Debug)]
pub(super) enum Slot<R> {
    /// The one that is made from this index.
    Made(u64),
    Inserted(Place, Arc<R>),
}

#[derive(Clone, Debug)]
struct Inserted<R> {
    /// In the order of their places.
    entries: Vec<Entry<R>>,
    places: HashMap<Uuid, Place>,
    /// Indexes whose record was replaced.
    replaced: HashSet<u64>,
    next_rank: u64,
}

#[derive(Clone, Debug)]
struct Entry<R> {
    place: Place,
    /// The number of indexes before it.
    before: u64,
    record: Arc<R>,
}

/// More than any index.
const FIRST_RANK: u64 = 1 << 63;

impl<R: Clone> Shelf<R> {
    pub(super) fn new(timeline: Timeline, count: u64) -> Self {
        let inserted = Inserted {
            entries: Vec::new(),
            places: HashMap::new(),
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
        let place = inserted.places.get(&id)?;
        let at = inserted.position(*place).ok()?;
        inserted.entries.get(at).map(|entry| Arc::clone(&entry.record))
    }

    pub(super) fn any_inserted(&self, test: impl Fn(&R) -> bool) -> bool {
        self.snapshot().entries.iter().any(|entry| test(&entry.record))
    }

    /// Whether the record of this index is there, and wasn't replaced.
    pub(super) fn is_made(&self, index: u64) -> bool {
        index < self.count.load(Ordering::Acquire) && !self.snapshot().replaced.contains(&index)
    }

    /// Inserts a record, in place of the one that has its identifier: `made` is that one's index.
    pub(super) fn insert(&self, id: Uuid, time: Nanoseconds, made: Option<u64>, record: R) {
        let mut inserted = self.inserted.write().unwrap_or_else(PoisonError::into_inner);
        let inserted = Arc::make_mut(&mut inserted);
        let rank = match (inserted.places.get(&id).copied(), made) {
            (Some(place), _) => {
                if let Ok(at) = inserted.position(place) {
                    inserted.entries.remove(at);
                }
                place.rank
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
        let place = Place { time, rank };
        let before = first_not(0..FIRST_RANK, |index| self.place(index) < place);
        let entry = Entry { place, before, record: Arc::new(record) };
        inserted.places.insert(id, place);
        let (Ok(at) | Err(at)) = inserted.position(place);
        inserted.entries.insert(at, entry);
    }

    /// The records of this span of time that come after a place in this direction.
    pub(super) fn slice(&self, span: Span, after: Option<Place>, descending: bool) -> Slice<R> {
        let inserted = self.snapshot();
        let (above, below) = if descending { (None, after) } else { (after, None) };
        let is_before =
            |place: Place| place.time < span.first || above.is_some_and(|above| place <= above);
        let is_within =
            |place: Place| place.time <= span.last && below.is_none_or(|below| place < below);
        let count = self.count.load(Ordering::Acquire);
        let first = first_not(0..count, |index| is_before(self.place(index)));
        let made = first..first_not(first..count, |index| is_within(self.place(index)));
        let first = inserted.entries.partition_point(|entry| is_before(entry.place));
        let end = inserted.entries.partition_point(|entry| is_within(entry.place));
        Slice { made, entries: first..end.max(first), inserted }
    }

    pub(super) fn all(&self) -> Slice<R> {
        self.slice(Span::ALL, None, false)
    }

    pub(super) fn place_of(&self, slot: &Slot<R>) -> Place {
        match slot {
            Slot::Made(index) => self.place(*index),
            Slot::Inserted(place, _) => *place,
        }
    }

    fn place(&self, index: u64) -> Place {
        Place { time: self.timeline.at(index), rank: index }
    }

    fn snapshot(&self) -> Arc<Inserted<R>> {
        Arc::clone(&self.inserted.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R> Inserted<R> {
    fn position(&self, place: Place) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&place, |entry| entry.place)
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
                let slot = Slot::Inserted(entry.place, Arc::clone(&entry.record));
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

impl<R> FusedIterator for Slice<R> {}
