//! What is asked next, and where another window begins.

use std::mem;

use chrono::{DateTime, Utc};

use super::{
    super::{
        density::Density,
        time_key::{Key, UNITS, floor, time_of},
        window::{State, Window},
    },
    WindowSet,
};
use crate::{
    Record,
    listing::pager::{PageRecords, Pager},
};

/// Pages that are held in memory for each request at once.
const MOST_HELD: usize = 4;
/// Pages that a window holds at most.
const MOST_PAGES: f64 = 3.0;
/// The pages that the rest of a window must still have for another window to be worth it.
const WORTH_SPLITTING: f64 = 0.5;
/// The percentage of records that two windows may both list, beside a page for each request.
const MOST_TWICE: usize = 45;

/// What is to be asked next.
pub(crate) enum Next<T> {
    /// A window's next page.
    Page(Box<Pager<PageRecords<T>>>),
    /// A window that begins at this time.
    Window(DateTime<Utc>),
}

/// What is left of a window that isn't done.
struct Gap {
    at: usize,
    begin: Key,
    until: Key,
    density: Option<Density>,
}

enum Step {
    Ask(usize),
    Split(usize, Key),
}

impl<T: Record> WindowSet<T> {
    /// What to ask next, under which number; the nearest to the front first.
    pub(crate) fn next(&mut self) -> Option<(u64, Next<T>)> {
        if self.in_flight == self.most {
            return None;
        }
        let has_room = self.make_room();
        let step = self.step(has_room)?;
        let number = self.next_number;
        let next = match step {
            Step::Ask(at) => {
                let state = mem::replace(&mut self.windows[at].state, State::InFlight(number));
                let State::Idle(pager) = state else { return None };
                Next::Page(pager)
            }
            Step::Split(at, key) => {
                self.windows.insert(at + 1, Window::in_flight(key, number));
                Next::Window(time_of(key, self.ascending)?)
            }
        };
        self.next_number += 1;
        self.in_flight += 1;
        Some((number, next))
    }

    fn step(&self, has_room: bool) -> Option<Step> {
        for gap in self.gaps() {
            match self.windows[gap.at].state {
                State::Idle(_) if self.waits_for_next(gap.at) => {}
                State::Idle(_) => {
                    let is_awaited = self.windows[0].records.is_empty();
                    return (has_room || is_awaited).then_some(Step::Ask(gap.at));
                }
                // The pages of the front don't wait: it may be cut finer while others take the room.
                _ if !has_room && (gap.at > 0 || !self.has_room_for(1)) => return None,
                _ => {
                    let most = if has_room { MOST_PAGES } else { 1.0 };
                    if let Some(key) = self.split(&gap, most) {
                        return Some(Step::Split(gap.at, key));
                    }
                }
            }
        }
        None
    }

    /// Whether it has come to the beginning of the next, of which nothing is known yet.
    fn waits_for_next(&self, at: usize) -> bool {
        self.windows.get(at + 1).is_some_and(|next| {
            next.first.is_none()
                && !matches!(next.state, State::Done)
                && self.windows[at].reached() >= next.start
        })
    }

    fn gaps(&self) -> impl Iterator<Item = Gap> {
        let (mut begin, mut density) = (Key::MIN, None);
        self.windows.iter().enumerate().filter_map(move |(at, window)| {
            // A page shows what comes behind its window, too.
            begin = begin.max(window.reached());
            density = window.density.or(density);
            let next = self.windows.get(at + 1).map(|next| next.start);
            let until = next.or(self.end).unwrap_or(Key::MAX);
            (!matches!(window.state, State::Done)).then_some(Gap { at, begin, until, density })
        })
    }

    /// Where another window may begin behind what this one is asking for, so many pages on at most.
    #[allow(clippy::cast_precision_loss)]
    fn split(&self, gap: &Gap, most_pages: f64) -> Option<Key> {
        let (end, density, finest) = (self.end?, gap.density?, self.granularity?);
        let allowed =
            self.came.saturating_sub(self.twice) * MOST_TWICE / 100 + self.most * self.page;
        let is_wasteful = self.twice + self.in_flight * self.page > allowed;
        if is_wasteful || self.in_flight > density.max_speculative() {
            return None;
        }
        // A fair share of what is left, in full pages.
        let share = density.pages(end.saturating_sub(gap.begin), self.page) / self.most as f64;
        let pages = share.floor().clamp(1.0, most_pages);
        let left = density.pages(gap.until.saturating_sub(gap.begin), self.page);
        if left < pages + WORTH_SPLITTING {
            return None;
        }
        let width = density.span(pages, self.page);
        let unit = UNITS.into_iter().rfind(|unit| *unit <= width / 32).unwrap_or(1).max(finest);
        let key = floor(gap.begin.saturating_add(width), unit);
        let key = if key > gap.begin { key } else { key.saturating_add(unit) };
        (key < gap.until && time_of(key, self.ascending).is_some()).then_some(key)
    }

    /// Returns whether another page may be asked for. Windows behind more than fits in here were
    /// begun too early, and make room.
    #[allow(clippy::cast_precision_loss)]
    fn make_room(&mut self) -> bool {
        while !self.has_room_for(2) {
            let too_much = |gap: &Gap| {
                let pages = gap
                    .density
                    .map(|density| density.pages(gap.until.saturating_sub(gap.begin), self.page));
                pages > Some((MOST_HELD * self.most) as f64)
            };
            let Some(gap) = self.gaps().find(too_much) else { return false };
            let gives_way = |at: &usize| {
                let before = &self.windows[at - 1].state;
                !matches!(before, State::Done) && !self.windows[*at].records.is_empty()
            };
            let Some(at) = (gap.at + 1..self.windows.len()).rfind(gives_way) else { return false };
            self.remove_from(at);
        }
        true
    }

    /// A page that comes takes twice its room: the buffers it is read into, its JSON, its records.
    fn has_room_for(&self, pages: usize) -> bool {
        self.waiting + (2 * self.in_flight + pages) * self.page <= MOST_HELD * self.most * self.page
    }
}
