//! Sweeps of listings of any shape, by a service that takes its time, fails and grows meanwhile.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    task::Poll,
};

use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use proptest::{collection::vec, prelude::*};

use super::*;
use crate::{Client, Id, Operation, call::Call};

const OPERATION: Operation = Operation::ListQuoteExecutions;

#[derive(Clone, Debug)]
struct Service {
    /// When each record was created, in nanoseconds, the oldest first.
    times: Vec<i64>,
    page: usize,
    ascending: bool,
    concurrency: usize,
    /// Whether records of one time come in the same order both ways.
    ties_keep_their_order: bool,
    /// One in so many requests fails; one in so many pages is empty and leads to the next.
    failing: usize,
    empty: usize,
    /// A record is added with every so many requests.
    growing: usize,
    /// Ticks that an answer takes at most.
    slowest: u64,
    seed: u64,
}

#[derive(Default)]
struct Seen {
    requests: usize,
    under_way: usize,
    most_under_way: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    number: usize,
    time: i64,
}

thread_local! {
    static SERVICE: RefCell<Option<Service>> = const { RefCell::new(None) };
    static SEEN: RefCell<Seen> = RefCell::default();
    static NOW: Cell<u64> = const { Cell::new(0) };
    static CLIENT: Client = client();
}

impl crate::listing::sealed::Record for Entry {}

impl Record for Entry {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(DateTime::from_timestamp_nanos(self.time))
    }

    fn id(&self) -> Option<Id> {
        Some(self.number.to_string().as_str().into())
    }
}

fn client() -> Client {
    Client::builder("http://127.0.0.1:1").bearer_token("token").build().unwrap()
}

impl Service {
    /// All records, as a walk of one page after the other hands them out.
    fn listed(&self, ascending: bool) -> Vec<Entry> {
        let entries = self.times.iter().enumerate();
        let mut entries: Vec<Entry> =
            entries.map(|(number, &time)| Entry { number, time }).collect();
        if !ascending {
            entries.reverse();
            if self.ties_keep_their_order {
                entries.sort_by_key(|entry| (std::cmp::Reverse(entry.time), entry.number));
            }
        }
        entries
    }

    fn answer(&mut self, call: &Call, number: usize) -> Result<Batch<Entry>, Error> {
        if self.growing > 0 && number.is_multiple_of(self.growing) {
            self.times.push(self.times.last().copied().unwrap_or_default() + 1);
        }
        if self.failing > 0 && number % self.failing == self.failing - 1 {
            return Err(Error::new(ErrorKind::Transport, "on demand"));
        }
        let value = |name| call.query.get(name);
        let time = |name| value(name).map(nanos_of);
        let ascending = value("order") == Some("ASC");
        let at = value(CURSOR).map(str::to_owned);
        // A cursor is the record that its page begins with, and behind an empty page one more
        // number: the same cursor twice would be a circle.
        let first: Option<usize> =
            at.as_deref().map(|at| at.split('/').next().unwrap().parse().unwrap());
        let size = value("limit").map_or(self.page, |limit| limit.parse().unwrap());
        let (from, until) = (time("created_at.begin"), time("created_at.end"));
        let listed = self.listed(ascending).into_iter();
        let listed = listed.filter(|entry| from.is_none_or(|from| from <= entry.time));
        let listed = listed.filter(|entry| until.is_none_or(|until| entry.time <= until));
        let mut rest = listed.skip_while(|entry| first.is_some_and(|first| entry.number != first));
        let empty = self.empty > 0 && number % self.empty == 1;
        let records = rest.by_ref().take(if empty { 0 } else { size }).collect();
        let again = if empty { number } else { 0 };
        let next = rest.next().map(|entry| format!("{}/{again}", entry.number));
        Ok(Batch { at, records, next })
    }
}

fn nanos_of(text: &str) -> i64 {
    text.parse::<DateTime<Utc>>().unwrap().timestamp_nanos_opt().unwrap()
}

/// Answers after some ticks, so that answers overtake each other.
fn fetch(_: Client, call: Call) -> BoxFuture<'static, Result<Batch<Entry>, Error>> {
    let number = SEEN.with_borrow_mut(|seen| {
        seen.requests += 1;
        seen.under_way += 1;
        seen.most_under_way = seen.most_under_way.max(seen.under_way);
        seen.requests
    });
    let (seed, slowest) =
        SERVICE.with_borrow(|service| service.as_ref().map(|s| (s.seed, s.slowest)).unwrap());
    let due = NOW.get() + fastrand::Rng::with_seed(seed ^ number as u64).u64(1..=slowest);
    Box::pin(poll_fn(move |cx| {
        if NOW.get() < due {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        SEEN.with_borrow_mut(|seen| seen.under_way -= 1);
        SERVICE
            .with_borrow_mut(|service| Poll::Ready(service.as_mut().unwrap().answer(&call, number)))
    }))
}

/// The records that a sweep hands out, the most that waited in it, and the ticks that it took.
fn swept(service: &Service) -> (Vec<Entry>, usize, u64) {
    NOW.set(0);
    SERVICE.set(Some(service.clone()));
    SEEN.take();
    let order = if service.ascending { "ASC" } else { "DESC" };
    let mut query = Query::default();
    query.set("order", order);
    query.set("limit", service.page.to_string());
    let call =
        Call { operation: OPERATION, path: String::new(), query, headers: Vec::new(), body: None };
    let client = CLIENT.with(Client::clone);
    let listing = OPERATION.listing().unwrap();
    let start = Start { client, call, is_empty: false };
    let order = listing.order.as_ref().unwrap();
    let range = listing.time_range.as_ref().unwrap();
    let mut windows = Windows::new(start, fetch, listing, order, range, service.concurrency);

    let (mut records, mut waiting, mut errors) = (Vec::new(), 0, 0);
    let walk = async {
        while let Some(record) = poll_fn(|cx| windows.poll_record(cx, true)).await {
            let buffered = windows.windows.iter().map(|window| window.records.len()).sum();
            waiting = waiting.max(buffered);
            match record {
                Ok(record) => records.push(record),
                Err(_) => errors += 1,
            }
            assert!(errors < 10_000, "no end of errors");
        }
    };
    futures_util::pin_mut!(walk);
    while walk.as_mut().now_or_never().is_none() {
        NOW.set(NOW.get() + 1);
        assert!(NOW.get() < 1_000_000, "no end");
    }
    (records, waiting, NOW.get())
}

/// Times that cluster: runs of records, each after a gap and at a pace of its own.
fn times() -> impl Strategy<Value = Vec<i64>> {
    let gap = prop_oneof![Just(0_i64), 1..1_000_i64, 1..1_000_000_000_000_000_i64];
    let pace = prop_oneof![Just(0_i64), Just(1_i64), 1..1_000_000_i64, 1..1_000_000_000_000_i64];
    vec((gap, pace, 0..200_usize), 0..6).prop_map(|runs| {
        let (mut times, mut now) = (Vec::new(), 1_735_689_600_000_000_000);
        for (gap, pace, count) in runs {
            now += gap;
            for _ in 0..count {
                times.push(now);
                now += pace;
            }
        }
        times
    })
}

prop_compose! {
    fn services()(
        times in times(),
        page in 1..60_usize,
        concurrency in 2..17_usize,
        (ascending, ties_keep_their_order) in any::<(bool, bool)>(),
        failing in prop_oneof![Just(0_usize), 2..9_usize],
        empty in prop_oneof![Just(0_usize), 3..9_usize],
        growing in prop_oneof![Just(0_usize), 1..9_usize],
        seed in any::<u64>(),
    ) -> Service {
        Service { times, page, ascending, concurrency, ties_keep_their_order, failing, empty, growing, slowest: 8, seed }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sweep_hands_out_what_the_sequential_walk_does(service in services()) {
        let (records, waiting, _) = swept(&service);

        // What is added meanwhile is newer; some of it may be in before the end is pinned.
        let before = service.listed(service.ascending);
        let added = SERVICE.take().unwrap().listed(service.ascending);
        if service.ascending {
            prop_assert_eq!(&records[..before.len().min(records.len())], &before[..]);
            prop_assert_eq!(&records[..], &added[..records.len()]);
        } else {
            let newer = records.len().saturating_sub(before.len());
            prop_assert_eq!(&records[newer..], &before[..]);
            prop_assert_eq!(&records[..], &added[added.len() - records.len()..]);
        }
        SEEN.with_borrow(|seen| {
            prop_assert!(seen.most_under_way <= service.concurrency);
            Ok(())
        })?;
        prop_assert!(waiting <= 4 * service.concurrency * service.page, "{waiting} records wait");
    }
}

/// A year's records, nine tenths of them in its middle hundredth, or all of them spread evenly.
fn year(records: i64, skewed: bool) -> Vec<i64> {
    const YEAR: i64 = 365 * 24 * 3_600 * 1_000_000_000;
    let (tenth, hundredth) = (records / 20, YEAR / 100);
    let stretches = if skewed {
        let rest = (YEAR - hundredth) / 2;
        vec![(tenth, rest), (records - 2 * tenth, hundredth), (tenth, rest)]
    } else {
        vec![(records, YEAR)]
    };
    let (mut times, mut random) = (Vec::new(), fastrand::Rng::with_seed(1));
    let mut begin = 1_735_689_600_000_000_000;
    for (count, length) in stretches {
        let slot = length / count;
        times.extend((0..count).map(|n| begin + n * slot + random.i64(0..slot)));
        begin += length;
    }
    times
}

#[test]
fn a_cluster_leaves_no_worker_idle() {
    for (skewed, concurrency, least) in
        [(false, 4, 0.80), (false, 16, 0.60), (true, 4, 0.75), (true, 8, 0.65), (true, 16, 0.50)]
    {
        for page in [100, 200, 1_000] {
            let service = Service {
                times: year(200 * page, skewed),
                page: usize::try_from(page).unwrap(),
                ascending: page == 200,
                concurrency,
                ties_keep_their_order: false,
                failing: 0,
                empty: 0,
                growing: 0,
                slowest: 1,
                seed: 1,
            };

            let (records, _, ticks) = swept(&service);

            assert_eq!(records.len(), service.times.len());
            #[allow(clippy::cast_precision_loss)]
            let share = 200.0 / ticks as f64 / concurrency as f64;
            let case = format!("skewed: {skewed}, page {page}, n = {concurrency}");
            assert!(share > least, "{case}: {share:.2}·n");
        }
    }
}
