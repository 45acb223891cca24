//! Programs that list: one request after the other, by windows, by split filters, killed and
//! resumed, while records arrive. What they get is what the service has, in order.

use std::{collections::HashSet, mem};

use chrono::{DateTime, Utc};
use digital_assets::{
    Checkpoint, ErrorKind, Items, Record,
    sandbox::Sandbox,
    types::{DepositAddress, Market, MonitoringAddress, Order, QuoteExecution, Side},
};
use fastrand::Rng;
use uuid::Uuid;

use super::{
    World,
    arrivals::{self, Arrivals, MOST_ARRIVALS},
    printed,
    promises::{Kept, in_time, merged, recognized, whole},
    records::Kind,
    told::Told,
};

pub(super) async fn executions(world: &mut World) -> Kept {
    let profiles = world.sandbox.profile_ids();
    let profile = profiles[world.random.usize(..profiles.len())];
    let list = world.client.list_quote_executions().profile_id(profile);
    let mut list = list.limit(limit(&mut world.random));
    let mut market = None;
    if world.random.u8(..4) == 0 {
        let one = Market::KNOWN[world.random.usize(..Market::KNOWN.len())].clone();
        list = list.market(one.clone());
        market = Some(one);
    }
    let is_buy = world.random.u8(..4) == 0;
    if is_buy {
        list = list.side(Side::Buy);
    }
    let is_listed = move |record: &QuoteExecution| {
        record.profile_id == profile
            && market.as_ref().is_none_or(|market| record.market == *market)
            && (!is_buy || record.side == Side::Buy)
    };
    let expected: Vec<_> = world.sandbox.executions().filter(&is_listed).collect();
    let mut times = DateTime::<Utc>::MIN_UTC..=DateTime::<Utc>::MAX_UTC;
    if world.random.bool() && world.wire.is_exact() && !expected.is_empty() {
        let (a, b) = (world.random.usize(..expected.len()), world.random.usize(..expected.len()));
        times = expected[a.max(b)].created_at..=expected[a.min(b)].created_at;
        list = list.created_at_begin(*times.start()).created_at_end(*times.end());
    }
    let is_listed =
        move |record: &QuoteExecution| is_listed(record) && times.contains(&record.created_at);
    let ascending = world.random.bool();
    if ascending {
        list = list.order(Order::Asc);
    }
    let concurrency = concurrency(world);
    let there_is = There::of(world, ascending, is_listed);
    walk(world, || list.clone().items().concurrency(concurrency), &there_is).await
}

pub(super) async fn deposit_addresses(world: &mut World) -> Kept {
    let mut list = world.client.list_deposit_addresses().limit(limit(&mut world.random));
    let ascending = world.random.bool();
    if ascending {
        list = list.order(Order::Asc);
    }
    let concurrency = concurrency(world);
    let there_is = There::<DepositAddress>::of(world, ascending, |_| true);
    walk(world, || list.clone().items().concurrency(concurrency), &there_is).await
}

pub(super) async fn monitoring_addresses(world: &mut World) -> Kept {
    let list = world.client.list_monitoring_addresses().limit(limit(&mut world.random));
    let there_is = There::<MonitoringAddress>::of(world, false, |_| true);
    walk(world, || list.clone().items(), &there_is).await
}

/// The most entries that a request may have.
const MOST_IDS: usize = 100;

/// More entries than a request may have; records of equal times come in any order.
pub(super) async fn split_filters(world: &mut World) -> Kept {
    let mut ids: Vec<_> = world.sandbox.deposit_addresses().map(|record| record.id).collect();
    ids.extend((1..=MOST_ARRIVALS).map(arrivals::id));
    let share = world.random.u8(..);
    ids.retain(|_| world.random.u8(..) <= share);
    let list = world.client.list_deposit_addresses();
    let list = list.limit(limit(&mut world.random)).ids(ids.clone());
    let concurrency = concurrency(world);
    let parts = (1..).zip(ids.chunks(MOST_IDS)).last().map_or(0, |(part, _)| part);
    let ids: HashSet<_> = ids.into_iter().collect();
    let there_is = There::of(world, false, move |record: &DepositAddress| ids.contains(&record.id));
    // What was handed out last may have others of its time before it.
    let is_behind = |last: &DepositAddress, records: &[DepositAddress]| {
        records.partition_point(|record| record.created_at >= last.created_at)
    };
    let list = || list.clone().items().concurrency(concurrency);
    // Where only one request may be under way, a record may wait for a page of each part. One part
    // may be listed by windows.
    let (found, required) = collect(world, list, &there_is, is_behind, parts.max(2)).await?;
    merged(found, there_is.now(), |record| required.contains(&record.id))
}

fn limit(random: &mut Rng) -> i32 {
    random.i32(1..120)
}

fn concurrency(world: &mut World) -> usize {
    world.concurrency = [1, 2, 3, 8][world.random.usize(..4)];
    world.concurrency
}

/// The records that are listed, in order and as they are told.
struct There<T> {
    sandbox: Sandbox,
    told: Told,
    ascending: bool,
    is_listed: Box<dyn Fn(&T) -> bool>,
}

impl<T: Kind> There<T> {
    fn of(world: &World, ascending: bool, is_listed: impl Fn(&T) -> bool + 'static) -> Self {
        let (sandbox, told) = (world.sandbox.clone(), world.wire.told);
        Self { sandbox, told, ascending, is_listed: Box::new(is_listed) }
    }

    fn now(&self) -> Vec<T> {
        let mut records = T::all(&self.sandbox);
        records.retain(&self.is_listed);
        if self.ascending {
            records.reverse();
        }
        for record in &mut records {
            let time = record.time_mut();
            *time = self.told.time(*time);
        }
        records
    }
}

async fn walk<T: Kind>(
    world: &mut World,
    list: impl Fn() -> Items<T>,
    there_is: &There<T>,
) -> Kept {
    let is_behind = |last: &T, records: &[T]| {
        let place = records.iter().position(|record| record.uuid() == last.uuid());
        place.map_or(0, |place| place + 1)
    };
    // Windows go without the last record's time if the call that asks for it fails.
    let most_calls = if world.concurrency > 1 { 2 } else { 1 };
    let (mut found, required) = collect(world, list, there_is, is_behind, most_calls).await?;
    let there_is = there_is.now();
    recognized(&mut found, &there_is);
    whole(&found, &there_is, |record| required.contains(&record.uuid()))
}

/// A program that is killed in every outage would not come to the end: windows that resume within
/// an instant read it again.
const MOST_KILLS: u64 = 1_000;

/// All records, polled on after errors, and now and then from a checkpoint. Beside them, what has to
/// be among them: what was there behind the last record whenever a stream began. No record waits for
/// more than so many calls.
async fn collect<T: Kind>(
    world: &mut World,
    list: impl Fn() -> Items<T>,
    there_is: &There<T>,
    is_behind: impl Fn(&T, &[T]) -> usize,
    most_calls: u32,
) -> Result<(Vec<T>, HashSet<Uuid>), String> {
    let is_killed = world.random.bool();
    let (mut items, mut found, mut errors) = (list(), Vec::<T>::new(), 0);
    let mut required: HashSet<Uuid> = there_is.now().iter().map(Kind::uuid).collect();
    let (most, mut arrived) = (required.len() + MOST_ARRIVALS, 0);
    world.wire.arrive(Arrivals::of::<T>(&world.sandbox, world.random.fork()));
    let most_wait = world.call_timeout * most_calls;
    printed::add(&items);
    loop {
        world.wire.log.wait();
        let next = items.next().await;
        world.wire.log.waited();
        in_time(world.wire.log.entries().longest_wait(), most_wait)?;
        let mut is_over = false;
        match next {
            Some(Ok(record)) => found.push(record),
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
        is_over |= is_killed && world.random.u8(..) < 4 && world.dropped < MOST_KILLS;
        if is_over {
            items = resumed(world, items, &list)?;
            let arrivals = world.wire.arrivals();
            if arrivals > mem::replace(&mut arrived, arrivals) {
                let there_is = there_is.now();
                let behind = found.last().map_or(0, |last| is_behind(last, &there_is));
                required.extend(there_is[behind..].iter().map(Kind::uuid));
            }
        }
    }
}

/// Another process goes on where this stream stands.
fn resumed<T: Record>(
    world: &mut World,
    items: Items<T>,
    list: impl Fn() -> Items<T>,
) -> Result<Items<T>, String> {
    printed::add(&items.checkpoint());
    let kept = serde_json::to_string(&items.checkpoint()).map_err(|e| e.to_string())?;
    let kept: Checkpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
    drop(items);
    world.dropped += 1;
    Ok(list().resume(kept))
}
