//! The service of these walks.

use std::{
    cell::{Cell, RefCell},
    cmp::Reverse,
    ops::{Range, RangeInclusive},
};

use chrono::{DateTime, Utc};

use super::*;
use crate::{
    Client, Id, Operation,
    call::{Call, Query},
    listing::CURSOR,
};

pub(super) const SECOND: i128 = 1_000_000_000;
/// The first moment of 2025.
pub(super) const BEGIN: i128 = 1_735_689_600 * SECOND;
const OPERATION: Operation = Operation::ListQuoteExecutions;

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
pub(super) struct Service {
    /// When each record was created, in nanoseconds, the oldest first.
    pub(super) times: Vec<i128>,
    pub(super) page: usize,
    pub(super) ascending: bool,
    pub(super) concurrency: usize,
    /// Whether records of one time come in the same order both ways.
    pub(super) ties_keep_their_order: bool,
    /// One in so many requests fails; one in so many pages is empty and leads to the next.
    pub(super) failing: usize,
    pub(super) empty: usize,
    /// Nothing is answered in these milliseconds.
    pub(super) down: Range<u128>,
    pub(super) refuses_probe: bool,
    /// The order in which it lists, whatever is asked for.
    pub(super) always_ascending: Option<bool>,
    /// The unit that it orders by. Within one, records come in an order of its own.
    pub(super) ordered: i128,
    /// A record is added with every so many requests.
    pub(super) growing: usize,
    /// Milliseconds that an answer takes, at least and at most.
    pub(super) takes: RangeInclusive<u64>,
    pub(super) seed: u64,
    pub(super) bounds: Bounds,
    /// The unit that times are told in, and whether as the nearest such time.
    pub(super) told: i128,
    pub(super) told_rounded: bool,
}

/// What a service makes of a bound, in a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds {
    Exact,
    CutShort(i128),
    Rounded(i128),
    /// Bounds and times are cut short.
    Compared(i128),
    Ignored,
}

#[derive(Default)]
pub(super) struct Seen {
    pub(super) requests: usize,
    pub(super) most_under_way: usize,
    under_way: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) number: usize,
    told: DateTime<Utc>,
}

thread_local! {
    static SERVICE: RefCell<Service> = RefCell::default();
    static SEEN: RefCell<Seen> = RefCell::default();
    static BEGUN: Cell<Option<Instant>> = const { Cell::new(None) };
    static CLIENT: Client = client();
}

impl crate::listing::sealed::Record for Entry {}

impl Record for Entry {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(self.told)
    }

    fn id(&self) -> Option<Id> {
        Some(self.number.to_string().as_str().into())
    }
}

impl Default for Service {
    fn default() -> Self {
        Self {
            times: Vec::new(),
            page: 100,
            ascending: true,
            concurrency: 8,
            ties_keep_their_order: false,
            failing: 0,
            empty: 0,
            down: 0..0,
            refuses_probe: false,
            always_ascending: None,
            ordered: 1,
            growing: 0,
            takes: 100..=100,
            seed: 1,
            bounds: Bounds::Exact,
            told: 1,
            told_rounded: false,
        }
    }
}

impl Service {
    pub(super) fn begin(&self) -> Windows<Entry> {
        BEGUN.set(Some(Instant::now()));
        SERVICE.set(self.clone());
        SEEN.take();
        let mut query = Query::default();
        query.set("order", if self.ascending { "ASC" } else { "DESC" });
        query.set("limit", self.page.to_string());
        let (path, headers) = (String::new(), Vec::new());
        let call = Call { operation: OPERATION, path, query, headers, body: None };
        let start = Start { client: CLIENT.with(Client::clone), call, is_empty: false };
        let listing = OPERATION.listing().unwrap();
        let (order, range) = (&listing.order, &listing.time_range);
        let (order, range) = (order.as_ref().unwrap(), range.as_ref().unwrap());
        Windows::new(start, fetch, listing, order, range, self.concurrency)
    }

    /// The numbers of all records, as a walk of one page after the other hands them out.
    pub(super) fn listed(&self, ascending: bool) -> Vec<usize> {
        self.numbers(0..self.times.len(), ascending).collect()
    }

    fn numbers(&self, range: Range<usize>, ascending: bool) -> Box<dyn Iterator<Item = usize>> {
        let ascending = self.always_ascending.unwrap_or(ascending);
        if self.ordered > 1 {
            let place = |&number: &usize| {
                let key = cut_short(self.times[number], self.ordered);
                let key = if ascending { key } else { -key };
                let tie = fastrand::Rng::with_seed(number as u64).i64(..);
                (key, if ascending || self.ties_keep_their_order { tie } else { !tie })
            };
            let mut numbers: Vec<usize> = range.collect();
            numbers.sort_by_key(place);
            Box::new(numbers.into_iter())
        } else if ascending {
            Box::new(range)
        } else if self.ties_keep_their_order {
            let mut numbers: Vec<usize> = range.collect();
            numbers.sort_by_key(|&number| (Reverse(self.times[number]), number));
            Box::new(numbers.into_iter())
        } else {
            Box::new(range.rev())
        }
    }

    fn entry(&self, number: usize) -> Entry {
        let rounding = if self.told_rounded { self.told / 2 } else { 0 };
        let told = cut_short(self.times[number] + rounding, self.told);
        let seconds = told.div_euclid(SECOND).try_into().unwrap();
        let told = DateTime::from_timestamp(seconds, told.rem_euclid(SECOND).try_into().unwrap());
        Entry { number, told: told.unwrap_or(DateTime::<Utc>::MAX_UTC) }
    }

    fn answer(&mut self, call: &Call, number: usize) -> Result<Batch<Entry>, Error> {
        if self.growing > 0 && number.is_multiple_of(self.growing) {
            self.times.push(self.times.last().copied().unwrap_or_default() + 1);
        }
        let is_down = self.down.contains(&since_begin().as_millis());
        if is_down || self.failing > 0 && number % self.failing == self.failing - 1 {
            return Err(Error::new(ErrorKind::Transport, "on demand"));
        }
        let value = |name| call.query.get(name);
        let ascending = value("order") == Some("ASC");
        if self.refuses_probe && ascending != self.ascending {
            return Err(Error::new(ErrorKind::Decode, "on demand"));
        }
        let at = value(CURSOR).map(str::to_owned);
        // A cursor is the record that its page begins with, and behind an empty page one more
        // number: the same cursor twice would be a circle.
        let first: Option<usize> =
            at.as_deref().map(|at| at.split('/').next().unwrap().parse().unwrap());
        let size = value("limit").map_or(self.page, |limit| limit.parse().unwrap());
        let bound = |name| value(name).map(|text| self.bounds.of(nanos_of(text)));
        let from = bound("created_at.begin").filter(|_| !self.bounds.are_ignored());
        let until = bound("created_at.end").filter(|_| !self.bounds.are_ignored());
        let time = |time: &i128| self.bounds.compared(*time);
        let begin = from.map_or(0, |from| self.times.partition_point(|t| time(t) < from));
        let end = until.map(|until| self.times.partition_point(|t| time(t) <= until));
        let listed = self.numbers(begin..end.unwrap_or(self.times.len()), ascending);
        let mut rest = listed.skip_while(|number| first.is_some_and(|first| *number != first));
        let empty = self.empty > 0 && number % self.empty == 1;
        let records = rest.by_ref().take(if empty { 0 } else { size });
        let records = records.map(|number| self.entry(number)).collect();
        let again = if empty { number } else { 0 };
        let next = rest.next().map(|number| format!("{number}/{again}"));
        Ok(Batch { at, records, next })
    }
}

impl Bounds {
    fn of(self, time: i128) -> i128 {
        match self {
            Self::Exact | Self::Ignored => time,
            Self::CutShort(unit) | Self::Compared(unit) => cut_short(time, unit),
            Self::Rounded(unit) => cut_short(time + unit / 2, unit),
        }
    }

    fn compared(self, time: i128) -> i128 {
        if let Self::Compared(unit) = self { cut_short(time, unit) } else { time }
    }

    fn are_ignored(self) -> bool {
        matches!(self, Self::Ignored)
    }
}

/// The service as it has become, and what it saw.
pub(super) fn end() -> (Service, Seen) {
    (SERVICE.take(), SEEN.take())
}

fn client() -> Client {
    Client::builder("http://127.0.0.1:1").bearer_token("token").build().unwrap()
}

fn cut_short(time: i128, unit: i128) -> i128 {
    time - time.rem_euclid(unit)
}

fn nanos_of(text: &str) -> i128 {
    let time: DateTime<Utc> = text.parse().unwrap();
    i128::from(time.timestamp()) * SECOND + i128::from(time.timestamp_subsec_nanos())
}

fn since_begin() -> Duration {
    BEGUN.get().map_or(Duration::ZERO, |begun: Instant| begun.elapsed())
}

/// Answers overtake each other.
fn fetch(_: Client, call: Call) -> BoxFuture<'static, Result<Batch<Entry>, Error>> {
    let number = SEEN.with_borrow_mut(|seen| {
        seen.requests += 1;
        seen.under_way += 1;
        seen.most_under_way = seen.most_under_way.max(seen.under_way);
        seen.requests
    });
    let (seed, takes) = SERVICE.with_borrow(|service| (service.seed, service.takes.clone()));
    let takes = fastrand::Rng::with_seed(seed ^ number as u64).u64(takes);
    Box::pin(async move {
        sleep(Duration::from_millis(takes)).await;
        SEEN.with_borrow_mut(|seen| seen.under_way -= 1);
        SERVICE.with_borrow_mut(|service| service.answer(&call, number))
    })
}
