//! Programs that list: one request after the other, by windows, by split filters, killed and
//! resumed. What they get is what the service has, in order.

use digital_assets::{
    Checkpoint, ErrorKind, Items, Record,
    types::{Market, Order, Side},
};
use fastrand::Rng;

use super::{
    World, printed,
    promises::{Kept, in_time, merged, recognized, whole},
    records::Kind,
};

pub(super) async fn executions(world: &mut World) -> Kept {
    let profiles = world.sandbox.profile_ids();
    let profile = profiles[world.random.usize(..profiles.len())];
    let list = world.client.list_quote_executions().profile_id(profile);
    let mut list = list.limit(limit(&mut world.random));
    let mut expected: Vec<_> = world.sandbox.executions().collect();
    expected.retain(|record| record.profile_id == profile);
    if world.random.u8(..4) == 0 {
        let market = &Market::KNOWN[world.random.usize(..Market::KNOWN.len())];
        list = list.market(market.clone());
        expected.retain(|record| record.market == *market);
    }
    if world.random.u8(..4) == 0 {
        list = list.side(Side::Buy);
        expected.retain(|record| record.side == Side::Buy);
    }
    if world.random.bool() && world.wire.is_exact() && !expected.is_empty() {
        let (a, b) = (world.random.usize(..expected.len()), world.random.usize(..expected.len()));
        let (newest, oldest) = (expected[a.min(b)].created_at, expected[a.max(b)].created_at);
        list = list.created_at_begin(oldest).created_at_end(newest);
        expected.retain(|record| (oldest..=newest).contains(&record.created_at));
    }
    if world.random.bool() {
        list = list.order(Order::Asc);
        expected.reverse();
    }
    for record in &mut expected {
        record.created_at = world.wire.told.time(record.created_at);
    }
    let concurrency = concurrency(world);
    walk(world, || list.clone().items().concurrency(concurrency), &expected).await
}

pub(super) async fn deposit_addresses(world: &mut World) -> Kept {
    let mut list = world.client.list_deposit_addresses().limit(limit(&mut world.random));
    let mut expected: Vec<_> = world.sandbox.deposit_addresses().collect();
    if world.random.bool() {
        list = list.order(Order::Asc);
        expected.reverse();
    }
    for record in &mut expected {
        record.created_at = world.wire.told.time(record.created_at);
    }
    let concurrency = concurrency(world);
    walk(world, || list.clone().items().concurrency(concurrency), &expected).await
}

pub(super) async fn monitoring_addresses(world: &mut World) -> Kept {
    let list = world.client.list_monitoring_addresses().limit(limit(&mut world.random));
    let mut expected: Vec<_> = world.sandbox.monitoring_addresses().collect();
    for record in &mut expected {
        record.created_at = world.wire.told.time(record.created_at);
    }
    walk(world, || list.clone().items(), &expected).await
}

/// More entries than a request may have; records of equal times come in any order.
pub(super) async fn split_filters(world: &mut World) -> Kept {
    let mut expected: Vec<_> = world.sandbox.deposit_addresses().collect();
    let share = world.random.u8(..);
    expected.retain(|_| world.random.u8(..) <= share);
    let ids: Vec<_> = expected.iter().map(|record| record.id).collect();
    let list = world.client.list_deposit_addresses().limit(limit(&mut world.random)).ids(ids);
    let concurrency = concurrency(world);
    let found = collect(world, || list.clone().items().concurrency(concurrency), 400).await?;

    for record in &mut expected {
        record.created_at = world.wire.told.time(record.created_at);
    }
    merged(found, expected)
}

fn limit(random: &mut Rng) -> i32 {
    random.i32(1..120)
}

fn concurrency(world: &mut World) -> usize {
    world.concurrency = [1, 2, 3, 8][world.random.usize(..4)];
    world.concurrency
}

async fn walk<T: Kind>(world: &mut World, list: impl Fn() -> Items<T>, expected: &[T]) -> Kept {
    let mut found = collect(world, list, expected.len()).await?;
    recognized(&mut found, expected);
    whole(&found, expected)
}

/// A program that is killed in every outage would not come to the end: windows that resume within
/// an instant read it again.
const MOST_KILLS: u64 = 1_000;

/// All records, polled on after errors, and now and then from a checkpoint.
async fn collect<T: Record>(
    world: &mut World,
    list: impl Fn() -> Items<T>,
    most: usize,
) -> Result<Vec<T>, String> {
    let is_killed = world.random.bool();
    let (mut items, mut found, mut errors) = (list(), Vec::new(), 0);
    // Windows go without the last record's time if the call that asks for it fails.
    let most_wait = world.call_timeout * if world.concurrency > 1 { 2 } else { 1 };
    printed::add(&items);
    loop {
        world.wire.log.wait();
        let next = items.next().await;
        world.wire.log.waited();
        in_time(world.wire.log.entries().longest_wait(), most_wait)?;
        match next {
            Some(Ok(record)) => found.push(record),
            Some(Err(error)) => {
                errors += 1;
                world.pass(&error).await?;
                if error.kind() == ErrorKind::RepeatedCursor {
                    if items.next().await.is_some() {
                        return Err("a stream that has ended goes on".to_owned());
                    }
                    items = resumed(world, items, &list)?;
                }
            }
            None => return Ok(found),
        }
        if found.len() > most || errors > 1_000_000 {
            return Err(format!("no end: {} records of {most}, {errors} errors", found.len()));
        }
        if is_killed && world.random.u8(..) < 4 && world.dropped < MOST_KILLS {
            items = resumed(world, items, &list)?;
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
