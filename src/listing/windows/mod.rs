//! One listing by many requests at once, each walking a window of time.
//!
//! A window owns its beginning and not its end, so that a record on the seam, which two windows
//! list, is handed out once, and all records of one time come out of one walk, in the service's own
//! order.
//!
//! - The far end is pinned when the sweep begins, at the last record there is.
//! - Windows are cut to hold a few full pages, by how dense the records were just before; what
//!   turns out to hold much more is cut again behind its first page, and behind a window that holds
//!   next to nothing one request looks for where the records go on.
//! - A window far from the front isn't asked for while enough records wait already, and gives up
//!   what it has where much more than was thought turns out to come before it.

mod partition;

#[cfg(test)]
mod tests;
mod time_key;
mod window;

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, stream::FuturesUnordered};

use self::{
    time_key::{Key, SECOND, density_of, key_of, ratio},
    window::{Segment, State},
};
use crate::{
    BoxFuture, Error, ErrorKind, Record,
    listing::pager::{Ask, Batch, Walk},
    listing::{self, CURSOR, Listing, Start, Window},
};

type Page<T> = Option<Result<Batch<T>, Error>>;

pub(crate) struct Sweep<T> {
    start: Start,
    ask: Ask<Batch<T>>,
    window: &'static Window,
    ascending: bool,
    most: usize,
    /// In order; the first is being handed out.
    segments: VecDeque<Segment<T>>,
    calls: FuturesUnordered<BoxFuture<'static, Arrived<T>>>,
    next_number: u64,
    /// The last record's key, once it is known.
    end: Option<Key>,
    /// Records of the largest page so far.
    page: usize,
    /// How many requests may be under way when another window is begun: fewer where windows turned
    /// out to be empty, for the records come in bursts.
    ahead: usize,
    /// The unit in which all times so far are told. The service may compare finer ones.
    grain: Key,
    /// The unit in which the service compares them, as far as it shows: of less there is no window.
    compared: Key,
    over: bool,
}

struct Arrived<T> {
    number: u64,
    walk: Walk<Batch<T>>,
    page: Page<T>,
}

/// The two calls that a sweep begins with, told apart by their numbers: the first page, and the
/// last record.
const FIRST: u64 = 0;
const LAST: u64 = 1;

impl<T: Record> Sweep<T> {
    pub(crate) fn new(
        start: Start,
        ask: Ask<Batch<T>>,
        listing: &'static Listing,
        window: &'static Window,
        most: usize,
    ) -> Self {
        let ascending = listing.is_ascending(start.request.url()) == Some(true);
        let mut sweep = Self {
            ask,
            window,
            ascending,
            most,
            segments: VecDeque::new(),
            calls: FuturesUnordered::new(),
            next_number: LAST + 1,
            end: None,
            page: 1,
            ahead: most,
            grain: SECOND,
            compared: 1,
            over: false,
            start,
        };
        sweep.probe(listing);
        sweep
    }

    /// Asks for the first page and, from the other side, for the last record.
    fn probe(&mut self, listing: &'static Listing) {
        let Some(other) = self.opposite(listing) else {
            self.over = true;
            return;
        };
        self.segments.push_back(Segment::new(Key::MIN, Key::MAX, true, State::Asking(FIRST)));
        let Some(walk) = self.walk(|_| {}) else { return };
        self.calls.push(call(FIRST, walk));
        self.calls.push(call(LAST, Walk::new(other, self.ask)));
    }

    fn opposite(&self, listing: &'static Listing) -> Option<Start> {
        let order = listing.order.as_ref()?;
        let mut start = self.start.again()?;
        let url = start.request.url_mut();
        let opposite = if self.ascending { order.descending } else { order.ascending };
        listing::set(url, order.parameter, opposite);
        if let Some(limit) = listing.limit {
            listing::set(url, limit, "1");
        }
        Some(start)
    }

    pub(crate) fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        loop {
            if self.over {
                return Poll::Ready(None);
            }
            while let Poll::Ready(Some(arrived)) = Pin::new(&mut self.calls).poll_next(cx) {
                let error = self.take_in(arrived);
                self.ask_ahead();
                if let Some(error) = error {
                    return Poll::Ready(Some(Err(error)));
                }
            }
            // Before the end is known nothing can be cut, and what was handed out less so.
            if self.end.is_none() {
                return Poll::Pending;
            }
            let Some(front) = self.segments.front_mut() else {
                self.over = true;
                continue;
            };
            if let Some(record) = front.records.pop_front() {
                return Poll::Ready(Some(Ok(record)));
            }
            match std::mem::replace(&mut front.state, State::Done) {
                State::Done => {
                    self.segments.pop_front();
                }
                State::Failed(walk, error) => {
                    self.over = error.kind() == ErrorKind::RepeatedCursor;
                    front.state = State::Idle(walk);
                    return Poll::Ready(Some(Err(error)));
                }
                asking @ State::Asking(_) => {
                    front.state = asking;
                    return Poll::Pending;
                }
                waiting => {
                    front.state = waiting;
                    if self.calls.len() == self.most {
                        return Poll::Pending;
                    }
                }
            }
            self.ask_ahead();
        }
    }

    pub(crate) fn is_asking(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Goes on with what is under way, and with what may follow it.
    pub(crate) fn poll_ahead(&mut self, cx: &mut Context<'_>) {
        // What arrives before the end is known may be an error that belongs to no record.
        while self.end.is_some()
            && let Poll::Ready(Some(arrived)) = Pin::new(&mut self.calls).poll_next(cx)
        {
            self.take_in(arrived);
            self.ask_ahead();
        }
    }

    /// Puts what arrived in its place. Returns an error that has none.
    fn take_in(&mut self, arrived: Arrived<T>) -> Option<Error> {
        let Arrived { number, walk, page } = arrived;
        if number == LAST {
            return self.pin(walk, page);
        }
        let at = self.segments.iter().position(
            |segment| matches!(segment.state, State::Asking(asking) if asking == number),
        )?;
        match page {
            None => self.segments[at].state = State::Done,
            Some(Err(error)) => self.segments[at].state = State::Failed(Box::new(walk), error),
            Some(Ok(batch)) => self.fill(at, walk, batch),
        }
        None
    }

    /// The last record there is ends the sweep, whatever is added meanwhile.
    fn pin(&mut self, walk: Walk<Batch<T>>, page: Page<T>) -> Option<Error> {
        let batch = match page {
            Some(Ok(batch)) => batch,
            // An empty listing.
            None => {
                self.end = Some(Key::MAX);
                return None;
            }
            Some(Err(error)) => {
                self.over = error.kind() == ErrorKind::RepeatedCursor;
                self.calls.push(call(LAST, walk));
                return Some(error);
            }
        };
        let ascending = self.ascending;
        let Some(end) = batch.records.first().and_then(|record| key_of(record, ascending)) else {
            self.calls.push(call(LAST, walk));
            return None;
        };
        self.tell_in(end);
        self.end = Some(end);
        let last = self.segments.len().checked_sub(1)?;
        self.segments[last].until = end;
        if matches!(self.segments[last].state, State::Idle(_)) {
            let records = self.segments[last].records.iter();
            let keys: Vec<Key> = records.filter_map(|r| key_of(r, ascending)).collect();
            self.cut(last, Key::MIN, &keys, density_of(&keys, Key::MIN));
        }
        None
    }

    fn fill(&mut self, at: usize, walk: Walk<Batch<T>>, batch: Batch<T>) {
        let ascending = self.ascending;
        self.page = self.page.max(batch.records.len());
        let keys: Vec<Key> = batch.records.iter().filter_map(|r| key_of(r, ascending)).collect();
        for key in &keys {
            self.tell_in(*key);
        }
        self.compare_in(self.segments[at].from, keys.first());
        let segment = &mut self.segments[at];
        let was_due = segment.expected > 0;
        segment.expected = segment.expected.saturating_sub(batch.records.len());
        if let (Key::MIN, Some(first)) = (segment.from, keys.first()) {
            segment.from = *first;
        }
        let mut records = batch.records;
        records.retain(|record| key_of(record, ascending).is_none_or(|key| segment.owns(key)));
        if segment.records.is_empty() {
            segment.records = records.into();
        } else {
            segment.records.extend(records);
        }
        // From its end on there is nothing of this window: what was added meanwhile comes later.
        let more = walk.is_going_on() && keys.last().is_none_or(|last| segment.reaches(*last));
        segment.state = if more { State::Idle(Box::new(walk)) } else { State::Done };
        if !more && self.end.is_none() {
            // The first page is the whole listing.
            self.end = keys.last().copied().or(Some(Key::MAX));
            self.calls.clear();
        }

        // Where no more was expected, some records more say nothing by being few.
        if !more && !was_due && !keys.is_empty() && keys.len() * 4 < self.page {
            return;
        }
        let begin = segment.reached.max(segment.from);
        let density = if let (true, Some(last)) = (more && self.ahead * 2 <= self.most, keys.last())
        {
            // With the gaps, so that a window holds several bursts.
            Some(ratio(keys.len(), *last - begin)).filter(|_| *last > begin)
        } else if more {
            density_of(&keys, segment.reached)
        } else {
            let span = segment.until.saturating_sub(begin);
            Some(ratio(keys.len(), span)).filter(|_| keys.len() * 4 >= self.page)
        };
        self.ahead = match density {
            Some(_) => (self.ahead * 2).min(self.most),
            None if more => self.ahead,
            None => (self.ahead / 2).max(1),
        };
        self.learn(at, density);
        if more {
            let before = std::mem::replace(&mut self.segments[at].reached, Key::MIN);
            self.segments[at].reached = keys.last().copied().unwrap_or(before);
            self.cut(at, before, &keys, density);
        }
    }

    /// Begins calls, the nearest to the front first.
    fn ask_ahead(&mut self) {
        if self.end.is_none() {
            return;
        }
        let mut at = 0;
        while at < self.segments.len() && self.calls.len() < self.most {
            // The front is asked for when it has run dry; all else while there is room for it.
            let awaited = at == 0 && self.segments[at].records.is_empty();
            let uncut = match self.segments[at].state {
                State::Uncut(density) => Some(density),
                _ => None,
            };
            if !awaited && (uncut.is_some() && !self.make_room(at) || self.is_full()) {
                return;
            }
            if at > 0 && uncut.is_some() && self.calls.len() >= self.ahead {
                return;
            }
            if let Some(density) = uncut {
                self.carve(at, density);
            }
            let segment = &mut self.segments[at];
            match std::mem::replace(&mut segment.state, State::Done) {
                State::Idle(walk) => {
                    let number = self.next_number;
                    self.next_number += 1;
                    segment.state = State::Asking(number);
                    self.calls.push(call(number, *walk));
                }
                other => segment.state = other,
            }
            at += 1;
        }
    }

    fn walk(&self, edit: impl FnOnce(&mut reqwest::Url)) -> Option<Walk<Batch<T>>> {
        let mut start = self.start.again()?;
        listing::retain(start.request.url_mut(), |name, _| name != CURSOR);
        edit(start.request.url_mut());
        Some(Walk::new(start, self.ask))
    }

    /// Learns from the first record of a window, where it comes before it, in which unit times are
    /// compared.
    fn compare_in(&mut self, from: Key, first: Option<&Key>) {
        let early = first.map_or(0, |first| from.saturating_sub(*first));
        while early > self.grain && early > self.compared && self.compared < SECOND {
            self.compared *= 1_000;
        }
    }

    /// Learns from a time in which unit times are told.
    fn tell_in(&mut self, key: Key) {
        while key.rem_euclid(self.grain) != 0 {
            self.grain /= 1_000;
        }
    }
}

fn call<T: Record>(number: u64, mut walk: Walk<Batch<T>>) -> BoxFuture<'static, Arrived<T>> {
    Box::pin(async move {
        let page = walk.page().await;
        Arrived { number, walk, page }
    })
}
