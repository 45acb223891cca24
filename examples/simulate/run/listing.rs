//! Programs that list: one request after the other, by windows, by split filters, killed and
//! resumed, while records arrive. What they get is what the service has, in order.

use std::{collections::HashSet, fmt::Write as _, mem};

use chrono::{DateTime, Utc};
use digital_assets::{
    Checkpoint, Error, ErrorKind, Items, Record,
    types::{Market, Order, Side},
};
use fastrand::Rng;
use virtual_service::{Asked, Endpoint, Ties, id, number};

use super::{
    World, printed,
    promises::{Kept, each_once, in_time, whole},
    service::{Arrivals, MOST_ARRIVALS, is_exact},
};

pub(super) async fn executions(world: &mut World) -> Kept {
    let list = world.client.list_quote_executions().profile_id(world.sandbox.profile_id());
    let mut list = list;
    let mut query = String::new();
    if world.random.u8(..4) == 0 {
        list = list.market(Market::BtcUsd);
        query += "&market=BTCUSD";
    }
    if world.random.u8(..4) == 0 {
        list = list.side(Side::Buy);
        query += "&side=BUY";
    }
    let times = world.wire.endpoint.change(|service| {
        let times: Vec<i128> = service.records.iter().map(|record| record.created).collect();
        Some(times).filter(|times| is_exact(service) && !times.is_empty())
    });
    if let Some(times) = times.filter(|_| world.random.bool()) {
        let mut time = || times[world.random.usize(..times.len())];
        let (a, b) = (time(), time());
        let (begin, end) = (utc(a.min(b)), utc(a.max(b)));
        list = list.created_at_begin(begin).created_at_end(end);
        let _ = write!(query, "&created_at.begin={begin:?}&created_at.end={end:?}");
    }
    if world.random.bool() {
        list = list.order(Order::Asc);
        query += "&order=ASC";
    }
    let there_is = There::of(world, query);
    let concurrency = concurrency(world);
    let list = move |page| list.clone().limit(page).items().concurrency(concurrency);
    walk(world, list, &there_is).await
}

pub(super) async fn deposit_addresses(world: &mut World) -> Kept {
    let mut list = world.client.list_deposit_addresses();
    let mut query = String::new();
    if world.random.bool() {
        list = list.order(Order::Asc);
        query += "&order=ASC";
    }
    let there_is = There::of(world, query);
    let concurrency = concurrency(world);
    walk(world, |page| list.clone().limit(page).items().concurrency(concurrency), &there_is).await
}

pub(super) async fn monitoring_addresses(world: &mut World) -> Kept {
    let list = world.client.list_monitoring_addresses();
    let there_is = There::of(world, String::new());
    walk(world, |page| list.clone().limit(page).items(), &there_is).await
}

/// The most entries that a request may have.
const MOST_IDS: usize = 100;

/// More entries than a request may have; records of equal times come in any order.
pub(super) async fn split_filters(world: &mut World) -> Kept {
    let count = world.wire.endpoint.listed("").len() + MOST_ARRIVALS;
    let share = world.random.u8(..);
    let numbers: Vec<usize> = (0..count).filter(|_| world.random.u8(..) <= share).collect();
    let list = world.client.list_deposit_addresses().ids(numbers.iter().copied().map(id));
    let concurrency = concurrency(world);
    let parts = (1..).zip(numbers.chunks(MOST_IDS)).last().map_or(0, |(part, _)| part);
    let there_is =
        There { numbers: Some(numbers.into_iter().collect()), ..There::of(world, String::new()) };
    let list = |page| list.clone().limit(page).items().concurrency(concurrency);
    // Where only one request may be under way, a record may wait for a page of each part. One part
    // may be listed by windows.
    let (found, required) = collect(world, list, &there_is, parts.max(2)).await?;
    there_is.holds(&found, world.dropped > 0, |number| required.contains(&number))
}

fn utc(time: i128) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(i64::try_from(time).unwrap_or_default())
}

fn page(random: &mut Rng) -> i32 {
    let largest = [12, 12, 120, 120][random.usize(..4)];
    random.i32(1..largest)
}

fn concurrency(world: &mut World) -> usize {
    world.concurrency = [1, 2, 3, 8][world.random.usize(..4)];
    world.concurrency
}

/// The records that are listed.
struct There {
    endpoint: Endpoint,
    query: String,
    /// Those of a filter that is split: merged, records of one time come in any order.
    numbers: Option<HashSet<usize>>,
    /// How many there were before others arrived, and the number of the first that did.
    at_first: usize,
    arrived: usize,
}

impl There {
    fn of(world: &World, query: String) -> Self {
        let endpoint = world.wire.endpoint.clone();
        let at_first = endpoint.listed(&query).len();
        let arrived = endpoint.change(|service| service.records.len());
        Self { endpoint, query, numbers: None, at_first, arrived }
    }

    /// In the service's own order.
    fn now(&self) -> Vec<usize> {
        let mut listed = self.endpoint.listed(&self.query);
        listed
            .retain(|number| self.numbers.as_ref().is_none_or(|numbers| numbers.contains(number)));
        listed
    }

    /// What may still come behind the records that were found.
    fn behind(&self, found: &[usize]) -> Vec<usize> {
        let mut now = self.now();
        if self.numbers.is_some() && !self.is_disorderly() {
            // What was handed out last may have others of its time before it.
            let last = found.last().map_or(i128::MAX, |last| self.told(*last));
            now.retain(|number| self.told(*number) <= last);
            return now;
        }
        if self.numbers.is_some() && self.has_ties_of_filter() {
            // Each part has an order of its own.
            return Vec::new();
        }
        // One that came late, at the time of the last one, may stand far before it.
        let farthest = now.iter().rposition(|number| found.contains(number));
        now.split_off(farthest.map_or(0, |farthest| farthest + 1))
    }

    fn told(&self, number: usize) -> i128 {
        self.endpoint.change(|service| service.told.of(service.records[number].created))
    }

    fn holds(
        &self,
        found: &[usize],
        was_resumed: bool,
        is_required: impl Fn(usize) -> bool,
    ) -> Kept {
        if self.is_disorderly() && !self.shows_its_order() {
            // Who resumes behind the time of one that stands far behind it isn't shown that one.
            return if was_resumed { Ok(()) } else { self.reads_on(is_required) };
        }
        let now = self.now();
        // A record that arrives at the time of the last one comes behind it.
        let has_order = self.numbers.is_none() && !self.has_ties_of_filter();
        if has_order && now.len() == self.at_first {
            return whole(found, &now, is_required);
        }
        let is_ascending = self.query.contains("order=ASC");
        let times: Vec<i128> = found.iter().map(|number| self.told(*number)).collect();
        let is_sorted =
            if is_ascending { times.is_sorted() } else { times.is_sorted_by(|a, b| a >= b) };
        let is_merged = self.numbers.as_ref().is_some_and(|numbers| numbers.len() > MOST_IDS);
        if !is_sorted && (is_merged || !self.is_disorderly()) {
            return Err("merged records out of order".to_owned());
        }
        each_once(found, &now, is_required)
    }

    /// A page that begins with a record that has arrived may end a listing; nothing else does.
    fn reads_on(&self, is_required: impl Fn(usize) -> bool) -> Kept {
        let mut pages = self.endpoint.asked();
        let order = if self.query.contains("order=ASC") { Some("ASC") } else { None };
        pages.retain(|asked| asked.get("order") == order);
        let begins_behind =
            |asked: &Asked| asked.records.first().is_some_and(|first| *first >= self.arrived);
        // Then what is listed first in descending order isn't the last in ascending order.
        let turns = self.endpoint.change(|service| service.ties == Ties::Turn);
        if self.numbers.is_some() || !turns || pages.iter().any(begins_behind) {
            return Ok(());
        }
        let listed: HashSet<usize> = pages.into_iter().flat_map(|asked| asked.records).collect();
        let unread = self.now().into_iter().rev().take_while(|number| !listed.contains(number));
        match unread.filter(|number| is_required(*number)).last() {
            Some(number) => Err(format!("nothing was listed from record {number} on")),
            None => Ok(()),
        }
    }

    /// Whether times don't tell the order.
    fn is_disorderly(&self) -> bool {
        self.endpoint.change(|service| service.nearly > 0 || service.ordered > 1)
    }

    fn has_ties_of_filter(&self) -> bool {
        self.endpoint.change(|service| service.ties == Ties::OfFilter)
    }

    /// Whether an answer shows that times don't tell the order: who is never shown it can't know.
    fn shows_its_order(&self) -> bool {
        self.endpoint.asked().iter().any(|asked| {
            let cursor = asked.get("page_cursor").and_then(|cursor| cursor.split('.').next());
            let before = cursor.and_then(|number| number.parse().ok());
            let numbers = before.into_iter().chain(asked.records.iter().copied());
            let mut times: Vec<i128> = numbers.map(|number| self.told(number)).collect();
            if asked.get("order") != Some("ASC") {
                times.reverse();
            }
            !times.is_sorted()
        })
    }

    fn is_odd(&self) -> bool {
        self.is_disorderly() || self.has_ties_of_filter()
    }

    /// Whether a listing may say that it can't promise to be whole.
    fn forgives(&self, error: &Error) -> bool {
        let says_so = error.to_string().contains("in the order of created_at");
        self.is_odd() && (error.kind() == ErrorKind::StaleCheckpoint || says_so)
    }
}

async fn walk<T: Record>(
    world: &mut World,
    list: impl Fn(i32) -> Items<T>,
    there_is: &There,
) -> Kept {
    // Windows go without the last record's time if the call that asks for it fails.
    let most_calls = if world.concurrency > 1 { 2 } else { 1 };
    let (found, required) = collect(world, list, there_is, most_calls).await?;
    there_is.holds(&found, world.dropped > 0, |number| required.contains(&number))
}

/// A program that is killed in every outage would not come to the end: windows that resume within
/// an instant read it again.
const MOST_KILLS: u64 = 1_000;

/// All records, polled on after errors, and now and then from a checkpoint, with pages of another
/// size. Beside them, what has to be among them: what was there behind the last record whenever a
/// stream began. No record waits for more than so many calls.
async fn collect<T: Record>(
    world: &mut World,
    list: impl Fn(i32) -> Items<T>,
    there_is: &There,
    most_calls: u32,
) -> Result<(Vec<usize>, HashSet<usize>), String> {
    // In 256 records.
    let kills = [0, 0, 4, 4, 32][world.random.usize(..5)];
    let (mut items, mut found, mut errors) = (list(page(&mut world.random)), Vec::new(), 0);
    let mut required: HashSet<usize> = there_is.now().into_iter().collect();
    let (most, mut arrived) = (required.len() + MOST_ARRIVALS, 0);
    world.wire.arrive(Arrivals::new(world.random.fork()));
    let most_wait = world.call_timeout * most_calls;
    printed::add(&items);
    loop {
        world.wire.log.wait();
        let next = items.next().await;
        world.wire.log.waited();
        in_time(world.wire.log.entries().longest_wait(), most_wait)?;
        let mut is_over = false;
        match next {
            Some(Ok(record)) => {
                found.push(number_of(&record)?);
                world.wire.log.note(&format!("record {:?}", found.last()));
            }
            Some(Err(error)) if there_is.forgives(&error) => {
                return Ok((found, HashSet::new()));
            }
            Some(Err(error)) => {
                errors += 1;
                world.pass(&error).await?;
                if error.kind() == ErrorKind::RepeatedCursor {
                    if items.next().await.is_some() {
                        return Err("a stream that has ended goes on".to_owned());
                    }
                    is_over = true;
                }
            }
            None => return Ok((found, required)),
        }
        if found.len() > most || errors > 1_000_000 {
            return Err(format!("no end: {} records of {most}, {errors} errors", found.len()));
        }
        is_over |= world.random.u8(..) < kills && world.dropped < MOST_KILLS;
        if is_over {
            items = resumed(world, items, &list)?;
            let arrivals = world.wire.arrivals();
            if arrivals > mem::replace(&mut arrived, arrivals) {
                required.extend(there_is.behind(&found));
            }
        }
    }
}

fn number_of(record: &impl Record) -> Result<usize, String> {
    let id = record.id().and_then(|id| id.to_string().parse().ok());
    id.map(number).ok_or_else(|| "a record without its identifier".to_owned())
}

/// Another process goes on where this stream stands.
fn resumed<T: Record>(
    world: &mut World,
    items: Items<T>,
    list: impl Fn(i32) -> Items<T>,
) -> Result<Items<T>, String> {
    printed::add(&items.checkpoint());
    let kept = serde_json::to_string(&items.checkpoint()).map_err(|e| e.to_string())?;
    let kept: Checkpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
    drop(items);
    world.wire.endpoint.forget_unread();
    world.dropped += 1;
    world.wire.log.note("resumed");
    Ok(list(page(&mut world.random)).resume(kept))
}
