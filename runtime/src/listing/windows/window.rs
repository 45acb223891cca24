//! A window of time: the listing from the window's start on, until the next window takes over.

use std::{collections::VecDeque, iter};

use super::density::Density;
use crate::{
    Id, Record,
    listing::{
        record_pages::RecordPages,
        time_key::{TimeKey, key_of},
    },
};

pub(super) struct Window<T> {
    /// The key of the window's start, which is sent as a time bound. `TimeKey::MIN` for the first
    /// window.
    pub(super) start: TimeKey,
    pub(super) state: WindowState<T>,
    /// The records that have arrived but haven't been returned yet.
    pub(super) records: VecDeque<T>,
    /// The key of the first record that arrived.
    pub(super) first: Option<TimeKey>,
    /// The last record that arrived.
    pub(super) last: Option<RecordKey>,
    /// The keys and identifiers of the records on the last page that wasn't empty. An additional
    /// entry at the start has the key that the window had reached before that page.
    last_page: Vec<(TimeKey, Option<Id>)>,
    pub(super) density: Option<Density>,
}

pub(super) enum WindowState<T> {
    /// The next page can be requested.
    Idle(Box<Reader<T>>),
    /// The request with this number is in flight.
    InFlight(u64),
    /// The next window has taken over, or the listing has ended.
    Done,
}

/// The pages of a window, and how far they have been read.
pub(super) struct Reader<T> {
    pub(super) pages: RecordPages<T>,
    /// The latest key that was listed before the page that is being read.
    pub(super) last_key: Option<TimeKey>,
    /// Whether the window has listed the record at the listing's end.
    pub(super) lists_end: bool,
}

/// The key and the identifier of a record that several requests may list.
#[derive(Clone)]
pub(in crate::listing) struct RecordKey {
    pub(super) key: TimeKey,
    id: Id,
}

impl<T: Record> Window<T> {
    pub(super) fn new(start: TimeKey, pages: RecordPages<T>) -> Self {
        Self {
            start,
            state: WindowState::Idle(Box::new(Reader::new(pages))),
            records: VecDeque::new(),
            first: None,
            last: None,
            last_page: Vec::new(),
            density: None,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, WindowState::Done)
    }

    /// The key up to which the window's records are known.
    pub(super) fn reached(&self) -> TimeKey {
        self.last.as_ref().map_or(self.start, |last| last.key)
    }

    pub(super) fn extend(&mut self, records: Vec<T>, ascending: bool, nearby: Option<Density>) {
        let keys: Vec<TimeKey> = records.iter().filter_map(|r| key_of(r, ascending)).collect();
        if !keys.is_empty() {
            let page = records.iter().filter_map(|r| Some((key_of(r, ascending)?, r.id())));
            self.last_page = iter::once((self.reached(), None)).chain(page).collect();
        }
        let before = Some(self.reached()).filter(|before| *before > TimeKey::MIN);
        if let Some(density) = Density::of(&keys, before) {
            self.density = Some(density.after(self.density.or(nearby)));
        }
        self.first = self.first.or_else(|| keys.first().copied());
        if let Some(last) = records.last() {
            self.last = RecordKey::of(last, ascending);
        }
        if self.records.is_empty() {
            self.records = records.into();
        } else {
            // Reserves only the capacity that is needed, because spare capacity takes memory too.
            self.records.reserve_exact(records.len());
            self.records.extend(records);
        }
    }

    /// Whether the next window lists a record that, according to its time, belongs on this window's
    /// last page but isn't there. Either the record arrived after this window's page was read, or
    /// the service doesn't sort by time.
    pub(super) fn leaves_out_one_of(&self, next: &Self, ascending: bool) -> bool {
        let (Some((first, _)), Some((last, _))) = (self.last_page.first(), self.last_page.last())
        else {
            return false;
        };
        let is_listed = |key: TimeKey, record: &T| {
            let begin = self.last_page.partition_point(|(listed, _)| *listed < key);
            let mut ties = self.last_page[begin..].iter().take_while(|(listed, _)| *listed == key);
            ties.any(|(_, id)| *id == record.id())
        };
        next.records.iter().any(|record| {
            let key = key_of(record, ascending).filter(|key| first < key && key < last);
            key.is_some_and(|key| !is_listed(key, record))
        })
    }

    /// Returns the index in `records` of the record with this mark, or `None` if the record isn't
    /// there.
    pub(super) fn index_of(&self, mark: &RecordKey, ascending: bool) -> Option<usize> {
        self.records.iter().position(|record| mark.is(record, ascending))
    }
}

impl<T> Reader<T> {
    pub(super) fn new(pages: RecordPages<T>) -> Self {
        Self { pages, last_key: None, lists_end: false }
    }
}

impl RecordKey {
    /// Returns the record's mark, or `None` if the record has no time or no identifier.
    pub(super) fn of<T: Record>(record: &T, ascending: bool) -> Option<Self> {
        Some(Self { key: key_of(record, ascending)?, id: record.id()? })
    }

    pub(super) fn is<T: Record>(&self, record: &T, ascending: bool) -> bool {
        key_of(record, ascending) == Some(self.key) && record.id().as_ref() == Some(&self.id)
    }
}
