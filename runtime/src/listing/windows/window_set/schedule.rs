//! Chooses the next request to send and the start of each new window.

use chrono::{DateTime, Utc};

use super::{
    super::{
        density::Density,
        window::{Reader, Window, WindowState},
    },
    EndCheck, Request, WindowSet,
};
use crate::{
    Record,
    listing::{
        record_pages::RecordPages,
        time_key::{TimeKey, UNITS, time_of},
    },
};

/// The maximum number of pages in memory for each concurrent request.
const MAX_PAGES_IN_MEMORY: usize = 4;
/// The maximum number of pages that a window is planned to contain.
const MAX_WINDOW_PAGES: f64 = 3.0;
/// The minimum number of pages that a split must leave for the new window.
const MIN_PAGES_TO_SPLIT_OFF: f64 = 0.5;
/// The maximum number of records that may be fetched twice, as a percentage of the distinct records
/// fetched so far. One additional page is allowed per concurrent request.
const MAX_DUPLICATES: usize = 45;

/// The part of a window that hasn't been read yet.
struct Gap {
    at: usize,
    begin: TimeKey,
    until: TimeKey,
    density: Option<Density>,
}

impl Gap {
    /// The estimated number of pages in the gap, or `None` if the density of the records is
    /// unknown. `page` is the page size.
    fn pages(&self, page: usize) -> Option<f64> {
        let span = self.until.saturating_sub(self.begin);
        self.density.map(|density| density.pages(span, page))
    }
}

enum Step {
    Ask(usize),
    Split(usize, TimeKey),
}

impl<T: Record> WindowSet<T> {
    /// Returns the next request to send, or `None` if no request may be sent at the moment. Windows
    /// closer to the front take precedence.
    pub(crate) fn next(&mut self) -> Option<Request<T>> {
        if self.in_flight == self.max_in_flight {
            return None;
        }
        if self.end_check == EndCheck::Due {
            self.end_check = EndCheck::InFlight;
            self.in_flight += 1;
            let reader = self.last_records.take().unwrap_or_else(|| {
                let (reverse, order) = (self.reverse.clone(), Some(!self.ascending));
                Box::new(Reader::new(RecordPages::new(reverse, self.fetch, order)))
            });
            return Some(Request { number: None, reader });
        }
        let has_room = self.make_room();
        let at = match self.step(has_room)? {
            Step::Ask(at) => at,
            Step::Split(at, key) => {
                let pages = self.pages(time_of(key, self.ascending)?);
                self.windows.insert(at + 1, Window::new(key, pages));
                at + 1
            }
        };
        self.request(at)
    }

    /// Returns the pages of the part of the listing that starts at this time.
    fn pages(&self, time: DateTime<Utc>) -> RecordPages<T> {
        let mut start = self.start.clone();
        self.range.begin_at(&mut start.call.query, time, self.ascending);
        RecordPages::new(start, self.fetch, Some(self.ascending))
    }

    fn step(&self, has_room: bool) -> Option<Step> {
        for gap in self.gaps() {
            match self.windows[gap.at].state {
                WindowState::Idle(_) if self.waits_for_next(gap.at) => {}
                WindowState::Idle(_) => {
                    let is_awaited = self.windows[0].records.is_empty();
                    return (has_room || is_awaited).then_some(Step::Ask(gap.at));
                }
                // If there is no room for two pages, only the front window's gap may be split, and
                // only if there is room for one page.
                _ if !has_room && (gap.at > 0 || !self.has_room_for(1)) => return None,
                _ => {
                    let most = if has_room { MAX_WINDOW_PAGES } else { 1.0 };
                    if let Some(key) = self.split(&gap, most) {
                        return Some(Step::Split(gap.at, key));
                    }
                }
            }
        }
        None
    }

    /// Whether the window at index `at` has reached the start of the next window, but the next
    /// window's first record hasn't arrived yet.
    fn waits_for_next(&self, at: usize) -> bool {
        self.windows.get(at + 1).is_some_and(|next| {
            next.first.is_none() && !next.is_done() && self.windows[at].reached() >= next.start
        })
    }

    fn gaps(&self) -> impl Iterator<Item = Gap> {
        let (mut begin, mut density) = (TimeKey::MIN, None);
        self.windows.iter().enumerate().filter_map(move |(at, window)| {
            // A page may run past the start of the next window.
            begin = begin.max(window.reached());
            density = window.density.or(density);
            let next = self.windows.get(at + 1).map(|next| next.start);
            let end = self.end.as_ref().map(|end| end.key);
            let until = next.or(end).unwrap_or(TimeKey::MAX);
            (!window.is_done()).then_some(Gap { at, begin, until, density })
        })
    }

    /// Returns the key at which a new window should split the gap, at most `most_pages` pages after
    /// the gap's start. Returns `None` if the gap shouldn't be split.
    #[allow(clippy::cast_precision_loss)]
    fn split(&self, gap: &Gap, most_pages: f64) -> Option<TimeKey> {
        let end = self.end.as_ref().filter(|_| !self.one_by_one)?.key;
        let (density, finest) = (gap.density?, self.granularity?);
        let allowed = self.received.saturating_sub(self.duplicates) * MAX_DUPLICATES / 100
            + self.max_in_flight * self.page;
        let is_wasteful = self.duplicates + self.in_flight * self.page > allowed;
        if is_wasteful || self.in_flight > density.max_speculative() {
            return None;
        }
        // One concurrent request's share of the remaining listing, in pages.
        let share =
            density.pages(end.saturating_sub(gap.begin), self.page) / self.max_in_flight as f64;
        let pages = share.floor().clamp(1.0, most_pages);
        if gap.pages(self.page) < Some(pages + MIN_PAGES_TO_SPLIT_OFF) {
            return None;
        }
        let width = density.span(pages, self.page);
        let unit = UNITS.into_iter().rfind(|unit| *unit <= width / 32).unwrap_or(1).max(finest);
        let key = gap.begin.saturating_add(width);
        let key = key - key.rem_euclid(unit);
        let key = if key > gap.begin { key } else { key.saturating_add(unit) };
        (key < gap.until && time_of(key, self.ascending).is_some()).then_some(key)
    }

    /// Makes room for another page if possible, and returns whether there is room. If a gap's
    /// records don't fit into memory, the windows after the gap were started too early, so those
    /// windows are dropped.
    #[allow(clippy::cast_precision_loss)]
    fn make_room(&mut self) -> bool {
        while !self.has_room_for(2) {
            let most = Some((MAX_PAGES_IN_MEMORY * self.max_in_flight) as f64);
            let too_much = |gap: &Gap| gap.pages(self.page) > most;
            let Some(gap) = self.gaps().find(too_much) else { return false };
            let gives_way = |at: &usize| {
                !self.windows[at - 1].is_done() && !self.windows[*at].records.is_empty()
            };
            let Some(at) = (gap.at + 1..self.windows.len()).rfind(gives_way) else { return false };
            self.remove_from(at);
        }
        true
    }

    /// Whether there is room in memory for this many pages. A page in flight counts twice: once for
    /// its JSON and once for its records.
    fn has_room_for(&self, pages: usize) -> bool {
        self.waiting + (2 * self.in_flight + pages) * self.page
            <= MAX_PAGES_IN_MEMORY * self.max_in_flight * self.page
    }
}
