//! The windows of a listing, and how they are joined.

mod schedule;

use std::{collections::VecDeque, mem};

use super::window::{Reader, RecordKey, Window, WindowState};
use crate::{
    Record,
    call::PreparedCall,
    listing::{
        TimeRange,
        pager::Fetch,
        position::TimeOrder,
        record_pages::RecordPages,
        time_key::{TimeKey, UNITS, common_divisor, key_of},
    },
};

/// The coarsest unit of time that counts as exact: one microsecond, in nanoseconds. If the service
/// reports times in this unit or a finer one, the client assumes that the stored times aren't more
/// precise than the reported times.
const EXACT: TimeKey = 1_000;

pub(super) struct WindowSet<T> {
    /// The call for the whole listing. Each new window uses a copy of this call with the window's
    /// start as a time bound.
    start: PreparedCall,
    /// The call for the whole listing in the opposite order.
    reverse: PreparedCall,
    fetch: Fetch<Vec<T>>,
    range: &'static TimeRange,
    ascending: bool,
    /// The windows in order. The records of the first window are being returned.
    windows: VecDeque<Window<T>>,
    /// The number of requests in flight.
    in_flight: usize,
    /// The maximum number of requests in flight.
    max_in_flight: usize,
    next_number: u64,
    /// The listing's end: the record that was last when the listing started. If `None`, no further
    /// window is started.
    end: Option<RecordKey>,
    /// Whether the record at the listing's end has arrived.
    has_end: bool,
    end_check: EndCheck,
    /// The reader of the last records, if a page of them has been requested.
    last_records: Option<Box<Reader<T>>>,
    /// The greatest time of the page that passed the listing's end, until the last records arrive.
    newest: Option<TimeKey>,
    /// Whether sequential requests have replaced the windows. If so, records after the listing's
    /// end are returned too, unless such records have already been left out.
    one_by_one: bool,
    /// The number of records that were left out because they come after the listing's end.
    left_out: usize,
    /// Whether the records are sorted by time, and whether the result relies on that order. The
    /// result relies on it once windows have been joined or records after the listing's end have
    /// been left out.
    pub(super) time_order: TimeOrder,
    /// The number of records on the largest page so far.
    page: usize,
    /// The number of records that have arrived in a window but haven't been returned yet.
    pub(super) waiting: usize,
    /// The number of records that have arrived, including those fetched twice.
    received: usize,
    /// The number of records that were fetched twice.
    duplicates: usize,
    /// The greatest common divisor of all record times received so far, in nanoseconds.
    time_gcd: TimeKey,
    /// The unit to which the service appears to round the bound at a window's start. `None` if the
    /// service ignores that bound.
    granularity: Option<TimeKey>,
}

/// Whether the last records are asked for again. That is necessary if a page has passed the
/// listing's end without listing the record there: either the record has left the listing, or the
/// service doesn't sort by time. Until the answer is known, no record is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndCheck {
    NotNeeded,
    Due,
    InFlight,
    Done,
}

/// A request for a page of a window.
pub(super) struct Request<T> {
    /// The request's number. `None` if the request asks again for the last records.
    number: Option<u64>,
    pub(super) reader: Box<Reader<T>>,
}

impl<T: Record> WindowSet<T> {
    pub(super) fn new(
        start: PreparedCall,
        reverse: PreparedCall,
        fetch: Fetch<Vec<T>>,
        range: &'static TimeRange,
        ascending: bool,
        max_in_flight: usize,
    ) -> Self {
        Self {
            start,
            reverse,
            fetch,
            range,
            ascending,
            windows: VecDeque::new(),
            in_flight: 0,
            max_in_flight,
            next_number: 0,
            end: None,
            has_end: false,
            end_check: EndCheck::NotNeeded,
            last_records: None,
            newest: None,
            one_by_one: false,
            left_out: 0,
            time_order: TimeOrder::default(),
            page: 1,
            waiting: 0,
            received: 0,
            duplicates: 0,
            time_gcd: 0,
            granularity: Some(1),
        }
    }

    /// Starts the listing with the records from its first page. `end` marks the listing's last
    /// record.
    pub(super) fn begin(&mut self, pages: RecordPages<T>, records: Vec<T>, end: Option<RecordKey>) {
        self.end = end;
        self.windows.push_back(Window::new(TimeKey::MIN, pages));
        if let Some(request) = self.request(0) {
            self.add_page(request, records);
        }
    }

    /// Returns the request for the next page of the window at index `at`, if that window is idle.
    fn request(&mut self, at: usize) -> Option<Request<T>> {
        let (number, window) = (self.next_number, &mut self.windows[at]);
        let state = mem::replace(&mut window.state, WindowState::InFlight(number));
        let WindowState::Idle(reader) = state else { return None };
        self.next_number += 1;
        self.in_flight += 1;
        Some(Request { number: Some(number), reader })
    }

    /// Removes and returns the next record, if it has arrived.
    pub(super) fn pop(&mut self) -> Option<T> {
        if matches!(self.end_check, EndCheck::Due | EndCheck::InFlight) {
            return None;
        }
        loop {
            let front = self.windows.front_mut()?;
            if let Some(record) = front.records.pop_front() {
                self.waiting -= 1;
                return Some(record);
            }
            if !front.is_done() {
                return None;
            }
            self.windows.pop_front();
        }
    }

    /// Logs a warning if the record at the listing's end wasn't listed. In that case, either the
    /// record was removed from the listing, or a response was outdated.
    pub(super) fn warn_if_end_is_missing(&self) {
        if self.end.is_some() && !self.has_end {
            tracing::warn!(
                operation = self.start.call.operation.id(),
                "the record that was last when the listing began wasn't listed"
            );
        }
    }

    /// Whether the number of waiting records is a multiple of the page size. As records are
    /// returned, this happens once per page. There may then be room for another page.
    pub(super) fn has_returned_a_page(&self) -> bool {
        self.waiting.is_multiple_of(self.page)
    }

    /// Adds a page's records to the window that requested the page.
    pub(super) fn add_page(&mut self, request: Request<T>, mut records: Vec<T>) {
        let Request { number, mut reader } = request;
        self.in_flight -= 1;
        let ascending = self.ascending;
        let is_end = |record| self.end.as_ref().is_some_and(|end| end.is(record, ascending));
        let has_end = records.iter().any(is_end);
        let Some(number) = number else {
            return self.add_last_records(reader, &records, has_end);
        };
        self.received += records.len();
        self.page = self.page.max(records.len());
        let keys: Vec<TimeKey> = records.iter().filter_map(|r| key_of(r, ascending)).collect();
        self.time_gcd =
            keys.iter().fold(self.time_gcd, |time_gcd, key| common_divisor(*key, time_gcd));
        reader.lists_end |= has_end;
        if !reader.pages.is_in_order {
            self.notice_disorder();
        }
        if self.end_check == EndCheck::NotNeeded && self.passes_end(&reader, &keys) {
            self.end_check = EndCheck::Due;
            self.newest = keys.into_iter().chain(reader.last_key).max();
        }
        reader.last_key = reader.pages.reached;
        let Some(at) = self.window_of(number) else {
            self.duplicates += records.len();
            return;
        };
        self.has_end |= has_end;
        let late = records.iter().position(|record| self.is_late(record));
        // Only a page that starts with a late record ends the window. If the service doesn't sort
        // by time, records that aren't late may follow a late one.
        let is_behind_the_end = late == Some(0);
        if let Some(late) = late {
            self.left_out += records.len() - late;
            records.truncate(late);
            self.time_order.is_relied_on = true;
        }
        self.waiting += records.len();
        let nearby = self.windows.iter().take(at).rev().find_map(|window| window.density);
        let window = &mut self.windows[at];
        let is_first = window.first.is_none();
        window.extend(records, ascending, nearby);
        if is_first && let Some(first) = window.first {
            let early = window.start.saturating_sub(first);
            let at_least =
                |known: TimeKey| UNITS.into_iter().find(|unit| *unit >= known.max(early));
            self.granularity = self.granularity.and_then(at_least);
        }
        self.settle(at, reader, is_behind_the_end);
        self.remove_passed(at);
        self.join(at);
        if let Some(before) = at.checked_sub(1) {
            self.join(before);
        }
    }

    /// Decides whether the record at the listing's end has left the listing. `records` is a page in
    /// the opposite order. If it has only newer records, the next page is requested.
    fn add_last_records(&mut self, reader: Box<Reader<T>>, records: &[T], has_end: bool) {
        let keys: Vec<TimeKey> =
            records.iter().filter_map(|record| key_of(record, self.ascending)).collect();
        // The first page of a listing that is sorted by time begins with the newest record.
        let is_newest = self.newest.take().is_none_or(|newest| keys.first() >= Some(&newest));
        if has_end || !is_newest || !reader.pages.is_in_order {
            self.end_check = EndCheck::Done;
            return self.notice_disorder();
        }
        let reaches_end = |end: &RecordKey| keys.iter().any(|key| *key < end.key);
        if self.end.as_ref().is_none_or(reaches_end) || !reader.pages.pager.has_more() {
            self.end_check = EndCheck::Done;
        } else {
            (self.end_check, self.last_records) = (EndCheck::Due, Some(reader));
        }
    }

    /// Whether the record must be left out because it was added after the listing started. The time
    /// of such a record is after the listing's end. Always false in descending order, because new
    /// records come before the first page. Once a page has passed the listing's end without it, that
    /// end no longer shows which records are new.
    fn is_late(&self, record: &T) -> bool {
        let key = key_of(record, true).filter(|_| self.ascending);
        let is_reliable = !self.one_by_one && self.end_check == EndCheck::NotNeeded;
        let has_passed = self.has_end && (self.left_out > 0 || is_reliable);
        has_passed && self.end.as_ref().is_some_and(|end| key > Some(end.key))
    }

    /// Whether a page goes past the listing's end although the window hasn't listed the record at
    /// that end. Works even if the window has been dropped since it requested the page.
    fn passes_end(&self, reader: &Reader<T>, keys: &[TimeKey]) -> bool {
        let keys = reader.last_key.iter().chain(keys);
        let (first, last) = (keys.clone().min(), keys.max());
        let passes = |end: &RecordKey| first <= Some(&end.key) && last > Some(&end.key);
        !reader.lists_end && self.end.as_ref().is_some_and(passes)
    }

    /// Called if the service turns out not to sort by time.
    fn notice_disorder(&mut self) {
        self.time_order.is_violated = true;
        self.end_windows();
    }

    /// Drops all windows after the first unfinished one, and continues with sequential requests.
    /// Requests in flight aren't canceled, because their responses may show that the service
    /// doesn't sort by time.
    fn end_windows(&mut self) {
        self.one_by_one = true;
        let done = self.windows.iter().take_while(|window| window.is_done()).count();
        self.remove_from(done + 1);
    }

    /// Puts a failed request back into its window, so that the page can be requested again. Returns
    /// false if the window has been dropped, in which case the page is no longer needed. If the
    /// request asked again for the last records, it is repeated.
    pub(super) fn put_back(&mut self, Request { number, reader }: Request<T>) -> bool {
        self.in_flight -= 1;
        let Some(number) = number else {
            (self.end_check, self.last_records) = (EndCheck::Due, Some(reader));
            return true;
        };
        let Some(at) = self.window_of(number) else { return false };
        self.settle(at, reader, false);
        true
    }

    /// Returns the index of the window that is waiting for the response to the request with this
    /// number.
    fn window_of(&self, number: u64) -> Option<usize> {
        let asks =
            |window: &Window<T>| matches!(window.state, WindowState::InFlight(n) if n == number);
        self.windows.iter().position(asks)
    }

    /// Makes a window ready to request its next page. If there is no next page, or if `is_over` is
    /// true, the listing ends with this window.
    fn settle(&mut self, at: usize, reader: Box<Reader<T>>, is_over: bool) {
        if is_over || !reader.pages.pager.has_more() {
            self.windows[at].state = WindowState::Done;
            self.remove_from(at + 1);
        } else {
            self.windows[at].state = WindowState::Idle(reader);
        }
    }

    /// Drops later windows whose whole time span has already been read by the window at index `at`.
    /// Stops at the first later window that has records.
    fn remove_passed(&mut self, at: usize) {
        let reached = self.windows[at].reached();
        while self.windows.get(at + 1).is_some_and(|next| next.first.is_none())
            && self.windows.get(at + 2).is_some_and(|behind| behind.start <= reached)
        {
            self.remove(at + 1);
        }
    }

    /// Joins the window at index `at` with the next window. If the next window also lists the last
    /// record of the window at `at`, the next window takes over after that record. If the next
    /// window starts before that record but doesn't list it, the next window is dropped.
    fn join(&mut self, at: usize) {
        while let (Some(window), Some(next)) = (self.windows.get(at), self.windows.get(at + 1)) {
            let (WindowState::Idle(_), Some(last), Some(first)) =
                (&window.state, &window.last, next.first)
            else {
                return;
            };
            if last.key < first {
                return;
            }
            let (ascending, at_time) = (self.ascending, last.key);
            if window.leaves_out_one_of(next, ascending) {
                self.end_windows();
                return;
            }
            if let Some(place) = next.index_of(last, ascending) {
                // A bound may fall between records with the same time, if times are reported in a
                // coarser unit than they are stored in.
                if at_time == first && self.time_gcd > EXACT {
                    return;
                }
                // All records with that time are kept in the next window, because their order may
                // depend on where a window starts. `Tracker` skips the records that were returned
                // before.
                let is_before = |record: &T| key_of(record, ascending) < Some(at_time);
                let before = next.records.partition_point(is_before);
                self.windows[at + 1].records.drain(..before);
                self.waiting -= before;
                self.duplicates += place + 1;
                self.time_order.is_relied_on = true;
                self.windows[at].state = WindowState::Done;
                return;
            }
            // If several records have the last record's time, the next window may still list the
            // last record on a later page.
            let last_there = next.last.as_ref();
            let lists_last = last_there.is_some_and(|it| window.index_of(it, ascending).is_some());
            if last.key == first && !lists_last {
                return;
            }
            self.remove(at + 1);
        }
    }

    fn remove_from(&mut self, at: usize) {
        while self.windows.len() > at {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        let records = self.windows.remove(at).map_or(0, |window| window.records.len());
        self.waiting -= records;
        self.duplicates += records;
    }
}
