//! A program that follows a listing while records arrive, come late and change.

use std::{collections::HashMap, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::{Change, Follow, FollowCheckpoint, Following, types::DepositAddress};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::World;

const OVERLAP: Duration = Duration::from_secs(3_600);
/// Records come and change within half of the overlap: a round may be held back for minutes.
const LATE: i64 = 1_800;

type Seen = HashMap<Uuid, DepositAddress>;

pub(super) async fn deposit_addresses(world: &mut World) -> Result<(), String> {
    let (begun, now) = (Instant::now(), "2026-01-01T00:00:00Z".parse::<DateTime<Utc>>());
    let now = now.map_err(|error| error.to_string())?;
    let limit = world.random.i32(5..150);
    let list = world.client.list_deposit_addresses().limit(limit);
    let follow = Follow::every(Duration::from_secs(10)).overlap(OVERLAP);
    let start = || list.clone().items().follow(follow);
    let (mut following, mut seen) = (start(), Seen::new());
    for step in 1..=40 {
        let elapsed = TimeDelta::from_std(begun.elapsed()).map_err(|error| error.to_string())?;
        arrive(world, step, now + elapsed);
        let end = Instant::now() + Duration::from_secs(world.random.u64(1..60));
        consume(world, &mut following, &mut seen, end).await?;
        if world.random.u8(..8) == 0 {
            let kept = serde_json::to_string(&following.checkpoint()).map_err(|e| e.to_string())?;
            let kept: FollowCheckpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
            following = start().resume(kept);
        }
    }
    consume(world, &mut following, &mut seen, Instant::now() + OVERLAP / 2).await?;
    for record in world.sandbox.deposit_addresses() {
        match seen.remove(&record.id) {
            Some(found) if found == record => {}
            Some(_) => return Err(format!("a change of {} was missed", record.id)),
            None => return Err(format!("{} was missed", record.id)),
        }
    }
    Ok(())
}

/// Some new records, some of them late, and some that change.
fn arrive(world: &mut World, step: u128, now: DateTime<Utc>) {
    for number in 0..world.random.u128(..4) {
        let id = Uuid::from_u128((step << 8) + number + 1);
        let late = TimeDelta::seconds(world.random.i64(0..LATE) * world.random.i64(0..2));
        let mut new = DepositAddress::builder()
            .id(id)
            .address("new".to_owned())
            .crypto_network("SOLANA")
            .created_at(now - late);
        if world.random.bool() {
            new = new.ref_id(Some(format!("customer {id}")));
        }
        let new: Result<DepositAddress, _> = new.try_into();
        world.sandbox.insert_deposit_address(new.expect("a whole record"));
    }
    let youngest = now - TimeDelta::seconds(LATE);
    let recent: Vec<_> = world
        .sandbox
        .deposit_addresses()
        .take_while(|record| record.created_at > youngest)
        .collect();
    for mut record in recent {
        if world.random.u8(..8) == 0 {
            record.address = format!("changed in step {step}");
            world.sandbox.insert_deposit_address(record);
        }
    }
}

async fn consume(
    world: &mut World,
    following: &mut Following<DepositAddress>,
    seen: &mut Seen,
    end: Instant,
) -> Result<(), String> {
    while let Ok(change) = timeout_at(end, following.next()).await {
        match change.ok_or("the listing has ended")? {
            Ok(Change::New(record)) => {
                world.wire.note(&format!("new {}", record.id));
                if seen.insert(record.id, record).is_some() {
                    return Err("a record was new twice".to_owned());
                }
            }
            Ok(Change::Changed(record)) => {
                world.wire.note(&format!("changed {}", record.id));
                match seen.insert(record.id, record.clone()) {
                    Some(before) if before != record => {}
                    _ => return Err("a record changed that was unknown, or had not".to_owned()),
                }
            }
            Err(error) => {
                world.wire.note(&error.to_string());
                world.pass(&error).await?;
            }
        }
    }
    Ok(())
}
