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
    window::{State, Window},
};
use crate::{
    BoxFuture, Error, ErrorKind, Record,
    call::{Query, Start},
    listing::{
        CURSOR, LIMIT, Listing, ORDER, Order, TimeRange,
        pager::{Batch, Fetch, Pager},
        source::Source,
    },
};

type Page<T> = Option<Result<Batch<T>, Error>>;

pub(crate) struct Windows<T> {
    start: Start,
    fetch: Fetch<Batch<T>>,
    range: &'static TimeRange,
    ascending: bool,
    most: usize,
    /// In order; the first is being handed out.
    windows: VecDeque<Window<T>>,
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
    pager: Pager<Batch<T>>,
    page: Page<T>,
}

/// The two calls that a sweep begins with, told apart by their numbers: the first page, and the
/// last record.
const FIRST: u64 = 0;
const LAST: u64 = 1;

impl<T: Record> Windows<T> {
    pub(crate) fn new(
        start: Start,
        fetch: Fetch<Batch<T>>,
        listing: &'static Listing,
        order: &'static Order,
        range: &'static TimeRange,
        most: usize,
    ) -> Self {
        let ascending = listing.is_ascending(&start.call.query) == Some(true);
        let mut windows = Self {
            fetch,
            range,
            ascending,
            most,
            windows: VecDeque::new(),
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
        windows.probe(listing, order);
        windows
    }

    /// Asks for the first page and, from the other side, for the last record.
    fn probe(&mut self, listing: &Listing, order: &Order) {
        self.windows.push_back(Window::new(Key::MIN, Key::MAX, true, State::Asking(FIRST)));
        self.calls.push(call(FIRST, self.pager(|_| {})));
        let mut other = self.start.clone();
        other.call.query.set(ORDER, order.word(!self.ascending));
        if listing.has_limit {
            other.call.query.set(LIMIT, "1");
        }
        self.calls.push(call(LAST, Pager::new(other, self.fetch)));
    }

    /// Puts what arrived in its place. Returns an error that has none.
    fn take_in(&mut self, arrived: Arrived<T>) -> Option<Error> {
        let Arrived { number, pager, page } = arrived;
        if number == LAST {
            return self.pin(pager, page);
        }
        let at = self
            .windows
            .iter()
            .position(|window| matches!(window.state, State::Asking(asking) if asking == number))?;
        match page {
            None => self.windows[at].state = State::Done,
            Some(Err(error)) => self.windows[at].state = State::Failed(Box::new(pager), error),
            Some(Ok(batch)) => self.fill(at, pager, batch),
        }
        None
    }

    /// The last record there is ends the sweep, whatever is added meanwhile.
    fn pin(&mut self, pager: Pager<Batch<T>>, page: Page<T>) -> Option<Error> {
        let batch = match page {
            Some(Ok(batch)) => batch,
            // An empty listing.
            None => {
                self.end = Some(Key::MAX);
                return None;
            }
            Some(Err(error)) => {
                self.over = error.kind() == ErrorKind::RepeatedCursor;
                self.calls.push(call(LAST, pager));
                return Some(error);
            }
        };
        let ascending = self.ascending;
        let Some(end) = batch.records.first().and_then(|record| key_of(record, ascending)) else {
            self.calls.push(call(LAST, pager));
            return None;
        };
        self.tell_in(end);
        self.end = Some(end);
        let last = self.windows.len().checked_sub(1)?;
        self.windows[last].until = end;
        if matches!(self.windows[last].state, State::Idle(_)) {
            let records = self.windows[last].records.iter();
            let keys: Vec<Key> = records.filter_map(|r| key_of(r, ascending)).collect();
            self.cut(last, Key::MIN, &keys, density_of(&keys, Key::MIN));
        }
        None
    }

    fn fill(&mut self, at: usize, pager: Pager<Batch<T>>, batch: Batch<T>) {
        let ascending = self.ascending;
        self.page = self.page.max(batch.records.len());
        let keys: Vec<Key> = batch.records.iter().filter_map(|r| key_of(r, ascending)).collect();
        for key in &keys {
            self.tell_in(*key);
        }
        self.compare_in(self.windows[at].from, keys.first());
        let window = &mut self.windows[at];
        let was_due = window.expected > 0;
        window.expected = window.expected.saturating_sub(batch.records.len());
        if let (Key::MIN, Some(first)) = (window.from, keys.first()) {
            window.from = *first;
        }
        let mut records = batch.records;
        records.retain(|record| key_of(record, ascending).is_none_or(|key| window.owns(key)));
        if window.records.is_empty() {
            window.records = records.into();
        } else {
            window.records.extend(records);
        }
        // From its end on there is nothing of this window: what was added meanwhile comes later.
        let more = pager.has_more() && keys.last().is_none_or(|last| window.reaches(*last));
        window.state = if more { State::Idle(Box::new(pager)) } else { State::Done };
        if !more && self.end.is_none() {
            // The first page is the whole listing.
            self.end = keys.last().copied().or(Some(Key::MAX));
            self.calls.clear();
        }

        // Where no more was expected, some records more say nothing by being few.
        if !more && !was_due && !keys.is_empty() && keys.len() * 4 < self.page {
            return;
        }
        let begin = window.reached.max(window.from);
        let density = if let (true, Some(last)) = (more && self.ahead * 2 <= self.most, keys.last())
        {
            // With the gaps, so that a window holds several bursts.
            Some(ratio(keys.len(), *last - begin)).filter(|_| *last > begin)
        } else if more {
            density_of(&keys, window.reached)
        } else {
            let span = window.until.saturating_sub(begin);
            Some(ratio(keys.len(), span)).filter(|_| keys.len() * 4 >= self.page)
        };
        self.ahead = match density {
            Some(_) => (self.ahead * 2).min(self.most),
            None if more => self.ahead,
            None => (self.ahead / 2).max(1),
        };
        self.learn(at, density);
        if more {
            let before = std::mem::replace(&mut self.windows[at].reached, Key::MIN);
            self.windows[at].reached = keys.last().copied().unwrap_or(before);
            self.cut(at, before, &keys, density);
        }
    }

    /// Begins calls, the nearest to the front first.
    fn ask_ahead(&mut self) {
        if self.end.is_none() {
            return;
        }
        let mut at = 0;
        while at < self.windows.len() && self.calls.len() < self.most {
            // The front is asked for when it has run dry; all else while there is room for it.
            let awaited = at == 0 && self.windows[at].records.is_empty();
            let uncut = match self.windows[at].state {
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
            let window = &mut self.windows[at];
            match std::mem::replace(&mut window.state, State::Done) {
                State::Idle(pager) => {
                    let number = self.next_number;
                    self.next_number += 1;
                    window.state = State::Asking(number);
                    self.calls.push(call(number, *pager));
                }
                other => window.state = other,
            }
            at += 1;
        }
    }

    fn pager(&self, edit: impl FnOnce(&mut Query)) -> Pager<Batch<T>> {
        let mut start = self.start.clone();
        start.call.query.remove(CURSOR);
        edit(&mut start.call.query);
        Pager::new(start, self.fetch)
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

impl<T: Record> Source<T> for Windows<T> {
    fn poll_record(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<Option<Result<T, Error>>> {
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
            let Some(front) = self.windows.front_mut() else {
                self.over = true;
                continue;
            };
            if let Some(record) = front.records.pop_front() {
                return Poll::Ready(Some(Ok(record)));
            }
            match std::mem::replace(&mut front.state, State::Done) {
                State::Done => {
                    self.windows.pop_front();
                }
                State::Failed(pager, error) => {
                    self.over = error.kind() == ErrorKind::RepeatedCursor;
                    front.state = State::Idle(pager);
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

    fn is_asking(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Goes on with what is under way, and with what may follow it.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        // What arrives before the end is known may be an error that belongs to no record.
        while self.end.is_some()
            && let Poll::Ready(Some(arrived)) = Pin::new(&mut self.calls).poll_next(cx)
        {
            self.take_in(arrived);
            self.ask_ahead();
        }
        false
    }
}

fn call<T: Record>(number: u64, mut pager: Pager<Batch<T>>) -> BoxFuture<'static, Arrived<T>> {
    Box::pin(async move {
        let page = pager.page().await;
        Arrived { number, pager, page }
    })
}
