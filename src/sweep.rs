//! One listing by many requests at once, each walking a window of time.
//!
//! The windows lie on an axis of *keys*: nanoseconds, ascending in the order in which the records
//! are asked for. A window owns its beginning and not its end, so that a record on the seam, which
//! two windows list, is handed out once, and all records of one time come out of one walk, in the
//! service's own order.
//!
//! - The far end is pinned when the sweep begins, at the last record there is.
//! - Windows are cut to hold about one page, by how dense the records were where it was seen last;
//!   what turns out to hold much more is cut again behind its first page, and behind a window that
//!   holds next to nothing one request looks for where the records go on.
//! - A window far from the front isn't asked for while enough records wait already.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};
use futures_util::{Stream, stream::FuturesUnordered};

use crate::{
    BoxFuture, Error, ErrorKind, Record,
    listing::{self, CURSOR, Listing, Start, Window},
    walk::{Ask, Batch, Walk},
};

type Key = i128;
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
    seen: Seen,
    over: bool,
}

/// What the answers so far say of the records' density and of the pages' size.
struct Seen {
    page: usize,
    /// Records a nanosecond; none after a window that was all but empty.
    density: Option<f64>,
}

struct Arrived<T> {
    number: u64,
    walk: Walk<Batch<T>>,
    page: Page<T>,
}

/// A stretch of keys, `from` included.
struct Segment<T> {
    from: Key,
    until: Key,
    /// Whether `until` is the pinned end, which belongs to it.
    last: bool,
    state: State<T>,
    records: VecDeque<T>,
}

enum State<T> {
    /// Not asked for, and to be cut.
    Uncut,
    Idle(Box<Walk<Batch<T>>>),
    Asking(u64),
    Failed(Box<Walk<Batch<T>>>, Error),
    Done,
}

/// The two calls that a sweep begins with, told apart by their numbers: the first page, and the
/// last record.
const FIRST: u64 = 0;
const LAST: u64 = 1;
/// Full pages that a window may have.
const MOST_PAGES: usize = 4;
/// A window aims at this many records, so that what chance adds seldom takes another request.
const AIM: usize = 1_000;

impl<T: Record> Sweep<T> {
    pub(crate) fn new(
        start: Start,
        ask: Ask<Batch<T>>,
        listing: &'static Listing,
        window: &'static Window,
        most: usize,
    ) -> Self {
        let ascending = listing.is_ascending(start.request.url());
        let mut sweep = Self {
            ask,
            window,
            ascending,
            most,
            segments: VecDeque::new(),
            calls: FuturesUnordered::new(),
            next_number: LAST + 1,
            end: None,
            seen: Seen { page: 1, density: None },
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
        let first = Segment {
            from: Key::MIN,
            until: Key::MAX,
            last: true,
            state: State::Asking(FIRST),
            records: VecDeque::new(),
        };
        self.segments.push_back(first);
        let Some(walk) = self.walk(|_| {}) else { return };
        self.calls.push(call(FIRST, walk));
        self.calls.push(call(LAST, Walk::new(other, self.ask)));
    }

    fn opposite(&self, listing: &'static Listing) -> Option<Start> {
        let order = listing.order.as_ref()?;
        let mut start = self.start.again()?;
        let url = start.request.url_mut();
        listing::set(url, order.parameter, if self.ascending { "DESC" } else { "ASC" });
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
                if let Some(error) = self.take_in(arrived) {
                    return Poll::Ready(Some(Err(error)));
                }
            }
            self.ask_ahead();

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
                // `ask_ahead` always asks for the front.
                waiting => front.state = waiting,
            }
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
        match page {
            Some(Ok(batch)) => match batch.records.first().and_then(|record| self.key(record)) {
                Some(end) => {
                    self.end = Some(end);
                    let last = self.segments.back_mut()?;
                    last.until = last.until.min(end);
                    if matches!(last.state, State::Idle(_)) {
                        let walk = std::mem::replace(&mut last.state, State::Done);
                        last.state = walk;
                        self.cut(self.segments.len() - 1);
                    }
                }
                None => self.calls.push(call(LAST, walk)),
            },
            // An empty listing: the first page says so as well.
            None => self.end = Some(Key::MAX),
            Some(Err(error)) => {
                self.over = error.kind() == ErrorKind::RepeatedCursor;
                self.calls.push(call(LAST, walk));
                return Some(error);
            }
        }
        None
    }

    fn fill(&mut self, at: usize, walk: Walk<Batch<T>>, batch: Batch<T>) {
        let keys = |record: &T| self.key(record);
        let (first, last) =
            (batch.records.first().and_then(keys), batch.records.last().and_then(keys));
        let (got, more) = (batch.records.len(), walk.is_going_on());
        self.seen.page = self.seen.page.max(got);

        let ascending = self.ascending;
        let segment = &mut self.segments[at];
        if segment.from == Key::MIN {
            segment.from = first.unwrap_or(Key::MIN);
        }
        let (from, until) = (segment.from, segment.until);
        let owns = |key: Key| from <= key && (key < until || (segment.last && key == until));
        let records = batch.records.into_iter();
        segment.records.extend(records.filter(|record| key_of(record, ascending).is_none_or(owns)));
        // Behind its end there is nothing of this window: what was added meanwhile comes later.
        let more = more && last.is_none_or(|last| last <= until);
        segment.state = if more { State::Idle(Box::new(walk)) } else { State::Done };

        let span = match (first, last) {
            (Some(_), Some(last)) if more => last.saturating_sub(from),
            _ => until.saturating_sub(from),
        };
        self.seen.look(got, span, more);
        if more {
            self.cut(at);
        }
    }

    /// Cuts a window behind the records that it has, if what is left is worth more requests.
    fn cut(&mut self, at: usize) {
        if self.end.is_none() {
            return;
        }
        let ascending = self.ascending;
        let segment = &mut self.segments[at];
        let Some(seam) = segment.records.back().and_then(|record| key_of(record, ascending)) else {
            return;
        };
        let left = self.seen.density.map_or(0.0, |density| density * nanos(segment.until - seam));
        // All of one time can't be cut, and what a page or two holds need not be.
        if seam <= segment.from || left < 1.5 * self.seen.page as f64 {
            return;
        }
        while segment.records.back().is_some_and(|r| key_of(r, ascending) == Some(seam)) {
            segment.records.pop_back();
        }
        let rest = Segment {
            from: seam,
            until: segment.until,
            last: segment.last,
            state: State::Uncut,
            records: VecDeque::new(),
        };
        (segment.until, segment.last, segment.state) = (seam, false, State::Done);
        self.segments.insert(at + 1, rest);
    }

    /// Begins calls, the nearest to the front first.
    fn ask_ahead(&mut self) {
        let mut at = 0;
        while at < self.segments.len() && self.calls.len() < self.most {
            // The front is always asked for; what is behind it, while there is room for it.
            if at > 0 && self.is_full() {
                return;
            }
            if matches!(self.segments[at].state, State::Uncut) {
                self.carve(at);
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

    /// Whether the records that wait, and those under way, are as many as may.
    fn is_full(&self) -> bool {
        let waiting: usize = self.segments.iter().map(|segment| segment.records.len()).sum();
        waiting / self.seen.page + self.calls.len() >= 3 * self.most
    }

    /// Cuts the next window off an uncut stretch.
    fn carve(&mut self, at: usize) {
        let (from, until, last) = {
            let segment = &self.segments[at];
            (segment.from, segment.until, segment.last)
        };
        let width = self.seen.width().map(round).filter(|width| *width < until - from);
        let (until, last) = match width {
            Some(width) => (from + width, false),
            None => (until, last),
        };
        let Some(walk) = self.walk_of(from, until) else { return };
        let window = Segment {
            from,
            until,
            last,
            state: State::Idle(Box::new(walk)),
            records: VecDeque::new(),
        };
        if width.is_some() {
            self.segments[at].from = until;
            self.segments.insert(at, window);
        } else {
            self.segments[at] = window;
        }
    }

    fn walk_of(&self, from: Key, until: Key) -> Option<Walk<Batch<T>>> {
        let (earliest, latest) = if self.ascending { (from, until) } else { (-until, -from) };
        let (earliest, latest) = (time(earliest)?, time(latest)?);
        self.walk(|url| {
            self.window.set_from(url, earliest);
            self.window.set_until(url, latest);
        })
    }

    fn walk(&self, edit: impl FnOnce(&mut reqwest::Url)) -> Option<Walk<Batch<T>>> {
        let mut start = self.start.again()?;
        listing::retain(start.request.url_mut(), |name, _| name != CURSOR);
        edit(start.request.url_mut());
        Some(Walk::new(start, self.ask))
    }

    fn key(&self, record: &T) -> Option<Key> {
        key_of(record, self.ascending)
    }
}

impl Seen {
    /// Learns from an answer: so many records in so many nanoseconds.
    fn look(&mut self, got: usize, span: Key, more: bool) {
        if span <= 0 {
            return;
        }
        let now = got as f64 / nanos(span);
        self.density = match self.density {
            _ if !more && got * 4 < self.page => None,
            // Averaged while it is steady, so that chance counts less.
            Some(before) if (0.5..2.0).contains(&(now / before)) => Some(0.7 * before + 0.3 * now),
            _ => Some(now),
        };
    }

    /// Nanoseconds that hold about as many records as a window should.
    fn width(&self) -> Option<f64> {
        let pages = AIM.div_ceil(self.page).clamp(1, MOST_PAGES);
        let full = (pages * self.page) as f64;
        Some((full - 2.0 * full.sqrt()).max(1.0) / self.density?)
    }
}

fn call<T: Record>(number: u64, mut walk: Walk<Batch<T>>) -> BoxFuture<'static, Arrived<T>> {
    Box::pin(async move {
        let page = walk.page().await;
        Arrived { number, walk, page }
    })
}

fn key_of<T: Record>(record: &T, ascending: bool) -> Option<Key> {
    let time = record.created_at()?;
    let nanos =
        Key::from(time.timestamp()) * 1_000_000_000 + Key::from(time.timestamp_subsec_nanos());
    Some(if ascending { nanos } else { -nanos })
}

fn time(nanos: Key) -> Option<DateTime<Utc>> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    let rest = u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
    DateTime::from_timestamp(seconds, rest)
}

fn nanos(span: Key) -> f64 {
    span as f64
}

fn round(width: f64) -> Key {
    (width as Key).max(1)
}
