//! How a sweep's stretches are cut into windows, and when there is room for another.

// Widths are estimates: what a cast loses is little beside what they are off by.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

use super::{
    Windows,
    time_key::{Density, Key, SECOND, alike, key_of, nanos, rounded, time},
    window::{State, Window},
};
use crate::{
    Record,
    listing::pager::{Batch, Pager},
};

/// Pages that are small are walked by so many at most in one window.
const MOST_PAGES: usize = 3;
/// Pages that wait or are under way, for each request at once, when no more are asked for.
const MOST_WAITING: usize = 4;
/// A window aims at this many records, as far as its pages go, so that what chance adds is small
/// beside them.
const AIM: usize = 1200;

impl<T: Record> Windows<T> {
    /// Tells the next stretch to be cut how dense the records before it are.
    pub(super) fn learn(&mut self, at: usize, now: Density) {
        let uncut = self.windows.iter_mut().skip(at + 1).find_map(|s| match &mut s.state {
            State::Uncut(density) => Some(density),
            _ => None,
        });
        let Some(density) = uncut else { return };
        *density = match (*density, now) {
            // Averaged while it is steady, so that chance counts less.
            (Some(before), Some(now)) if alike(before, now) => Some(0.7 * before + 0.3 * now),
            _ => now,
        };
    }

    /// Cuts a window behind the records that it has, if what is left is worth more requests.
    /// `before` is the last key of the pages before: all records of the seam have to be here.
    pub(super) fn cut(&mut self, at: usize, before: Key, keys: &[Key], density: Density) {
        // Where there was no last record when the sweep began, there is no end to cut before.
        if self.end.is_none_or(|end| end == Key::MAX) {
            return;
        }
        let (ascending, unit) = (self.ascending, self.grain.max(self.compared));
        let window = &mut self.windows[at];
        let Some(seam) = window.records.back().and_then(|record| key_of(record, ascending)) else {
            return;
        };
        let begin = window.from.max(before);
        let first = keys.first().map_or(begin, |first| begin.max(*first));
        let seam = rounded(seam, seam - first, unit);
        let left = density.map_or(0.0, |density| density * nanos(window.until - seam));
        // All of one time can't be cut, and what is little more than a window need not be.
        let full = (most_pages(self.page) * self.page) as f64;
        if seam <= begin || left < 1.5 * full {
            return;
        }
        while window.records.back().is_some_and(|r| key_of(r, ascending) >= Some(seam)) {
            window.records.pop_back();
        }
        let rest = Window::new(seam, window.until, window.last, State::Uncut(density));
        (window.until, window.last, window.state) = (seam, false, State::Done);
        self.windows.insert(at + 1, rest);
    }

    /// Cuts the next window off an uncut stretch.
    pub(super) fn carve(&mut self, at: usize, density: Density) {
        let Window { from, until, last, .. } = self.windows[at];
        let width = density.map(|density| self.width(density, until - from));
        let unit = self.grain.max(self.compared);
        let end = width.map(|width| match rounded(from + width, width, unit) {
            end if end > from => end,
            _ => from - from.rem_euclid(unit) + unit,
        });
        let width = end.filter(|end| *end < until);
        let (end, last) = width.map_or((until, last), |end| (end, false));
        let Some(pager) = self.pager_of(from, end, last) else { return };
        let mut window = Window::new(from, end, last, State::Idle(Box::new(pager)));
        let expected = density.map_or(1.0, |density| density * nanos(end - from));
        window.expected = (expected as usize).clamp(self.page, most_pages(self.page) * self.page);
        if width.is_some() {
            self.windows[at].from = end;
            self.windows.insert(at, window);
        } else {
            self.windows[at] = window;
        }
    }

    /// Nanoseconds that hold as many records as a window should: some full pages, less what
    /// chance may add. Near the end the windows are small, so that all have one.
    fn width(&self, density: f64, rest: Key) -> Key {
        let fair = density * nanos(rest) / (self.most * self.page) as f64;
        let pages = (fair as usize).clamp(1, most_pages(self.page));
        let full = (pages * self.page) as f64;
        (((full - 2.0 * full.sqrt()).max(1.0) / density) as Key).max(1)
    }

    /// At least what stands between the two. A record may have been created later than it tells, or
    /// earlier where times are rounded; and bounds are whole seconds where they can be, for services
    /// that cut them short.
    fn pager_of(&self, from: Key, until: Key, last: bool) -> Option<Pager<Batch<T>>> {
        let half = self.grain / 2;
        let (earliest, latest) = match self.ascending {
            true if last => (from - half, until - until.rem_euclid(SECOND) + SECOND),
            true => (from - half, until),
            false if last => (-until - half, -from + self.grain),
            false => (-until, -from + self.grain),
        };
        let (earliest, latest) = (time(earliest)?, time(latest)?);
        Some(self.pager(|query| {
            self.range.set_from(query, earliest);
            self.range.set_until(query, latest);
        }))
    }

    /// Whether another window may be begun. What was begun farther from the front gives way: its
    /// windows were cut before it was known how much comes before them.
    pub(super) fn make_room(&mut self, at: usize) -> bool {
        let window = most_pages(self.page) * self.page;
        // Fewer than may wait, so that what was begun can go on.
        let room = self.most * (window + self.page / 2);
        while self.waiting() + self.expected() + window > room {
            let begun = |window: &Window<T>| window.records.len() + window.expected > 0;
            let Some(far) = self.windows.iter_mut().skip(at + 1).rfind(|s| begun(s)) else {
                return false;
            };
            far.state = State::Uncut(None);
            far.records.clear();
            far.expected = 0;
            far.reached = Key::MIN;
        }
        true
    }

    /// Whether there is no more room than for a page that the front may come to await.
    pub(super) fn is_full(&self) -> bool {
        let pages = self.calls.len() + 2;
        self.waiting() + pages * self.page > MOST_WAITING * self.most * self.page
    }

    fn waiting(&self) -> usize {
        self.windows.iter().map(|window| window.records.len()).sum()
    }

    fn expected(&self) -> usize {
        let open = self.windows.iter().filter(|window| !matches!(window.state, State::Done));
        open.map(|window| window.expected).sum()
    }
}

/// Full pages that a window may have, by how large they are.
fn most_pages(page: usize) -> usize {
    AIM.div_ceil(page).clamp(1, MOST_PAGES)
}
