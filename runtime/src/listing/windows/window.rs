//! A window of time: the listing from its start on, up to where the next one takes over.

use std::{collections::VecDeque, iter};

use super::{
    density::Density,
    time_key::{TimeKey, key_of},
};
use crate::{Id, Record, listing::pager::Pager};

pub(super) struct Window<T> {
    /// The bound that was sent.
    pub(super) start: TimeKey,
    pub(super) state: WindowState<T>,
    /// The records that have arrived and weren't handed out.
    pub(super) records: VecDeque<T>,
    /// The key of the first record that arrived.
    pub(super) first: Option<TimeKey>,
    /// The last record that arrived.
    pub(super) last: Option<Mark>,
    /// The last page that had records: their keys and identifiers, and before them the key of what it comes
    /// behind.
    last_page: Vec<(TimeKey, Option<Id>)>,
    pub(super) density: Option<Density>,
}

pub(super) enum WindowState<T> {
    /// The next page can be requested.
    Idle(Box<Reader<T>>),
    /// Its request's number.
    InFlight(u64),
    /// The next one takes over, or the listing has ended.
    Done,
}

/// The pages of a window, and what the next one comes behind.
pub(super) struct Reader<T> {
    pub(super) pager: Pager<Vec<T>>,
    /// The key of the last record that was listed, also of one that comes behind the end.
    pub(super) came_to: Option<TimeKey>,
    /// Whether the end was among those that were listed.
    pub(super) lists_end: bool,
}

/// A record that more than one request may list.
pub(super) struct Mark {
    pub(super) key: TimeKey,
    id: Id,
}

impl<T: Record> Window<T> {
    pub(super) fn new(start: TimeKey, pager: Pager<Vec<T>>) -> Self {
        Self {
            start,
            state: WindowState::Idle(Box::new(Reader { pager, came_to: None, lists_end: false })),
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

    /// How far its records are known.
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
            self.last = Mark::of(last, ascending);
        }
        if self.records.is_empty() {
            self.records = records.into();
        } else {
            // Room for half as many again would count as memory, too.
            self.records.reserve_exact(records.len());
            self.records.extend(records);
        }
    }

    /// Whether the next window lists a record that stands, by its time, between two of the last page
    /// here, which doesn't list it. It has arrived since, or times don't tell the order.
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

    /// The place of a record among those that wait.
    pub(super) fn place_of(&self, mark: &Mark, ascending: bool) -> Option<usize> {
        self.records.iter().position(|record| mark.is(record, ascending))
    }
}

impl Mark {
    /// `None` for a record without a time or an identifier.
    pub(super) fn of<T: Record>(record: &T, ascending: bool) -> Option<Self> {
        Some(Self { key: key_of(record, ascending)?, id: record.id()? })
    }

    pub(super) fn is<T: Record>(&self, record: &T, ascending: bool) -> bool {
        key_of(record, ascending) == Some(self.key) && record.id().as_ref() == Some(&self.id)
    }
}
