//! A program that follows a listing while records arrive, come late and change.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::{Change, Follow, FollowCheckpoint, Following, types::DepositAddress};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{
    World, printed,
    promises::{Followed, Kept, in_time},
};

/// How long it may take to hear of everything, after failures and waits of minutes.
const PATIENCE: Duration = Duration::from_secs(1_800);

struct Scene {
    every: Duration,
    overlap: Duration,
    /// What the service holds.
    records: Vec<DepositAddress>,
    followed: Followed,
}

pub(super) async fn deposit_addresses(world: &mut World) -> Kept {
    let (begun, now) = (Instant::now(), "2026-01-01T00:00:00Z".parse::<DateTime<Utc>>());
    let now = now.map_err(|error| error.to_string())?;
    let mut scene = Scene {
        every: Duration::from_secs([10, 10, 30, 60][world.random.usize(..4)]),
        overlap: Duration::from_secs([300, 300, 1_200, 3_600][world.random.usize(..4)]),
        records: world.sandbox.deposit_addresses().collect(),
        followed: Followed::default(),
    };
    let list = world.client.list_deposit_addresses().limit(world.random.i32(5..150));
    let follow = Follow::every(scene.every).overlap(scene.overlap);
    let start = || list.clone().items().follow(follow);
    let mut following = start();
    printed::add(&following);
    for step in 1..=40 {
        let elapsed = TimeDelta::from_std(begun.elapsed()).map_err(|error| error.to_string())?;
        let length = scene.every.mul_f64(world.random.f64() * 6.0);
        scene.arrive(world, step, now + elapsed, length.as_secs() / 10);
        scene.consume(world, &mut following, Instant::now() + length).await?;
        if world.random.u8(..8) == 0 {
            printed::add(&following.checkpoint());
            let kept = serde_json::to_string(&following.checkpoint()).map_err(|e| e.to_string())?;
            let kept: FollowCheckpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
            following = start().resume(kept);
            world.dropped += 1;
        }
    }
    let end = Instant::now() + PATIENCE;
    while let Err(missed) = scene.up_to_date(world) {
        if Instant::now() >= end {
            return Err(missed);
        }
        scene.consume(world, &mut following, Instant::now() + scene.every).await?;
    }
    // Nobody hears of anything twice.
    scene.consume(world, &mut following, Instant::now() + 2 * scene.every).await
}

impl Scene {
    /// Some new records, some of them as late as the overlap allows, and some that change.
    fn arrive(&mut self, world: &mut World, step: u128, now: DateTime<Utc>, most: u64) {
        // What is told may be a second before what is held.
        let late = TimeDelta::seconds(self.overlap.as_secs().cast_signed() - 1);
        let youngest = now - late;
        for record in &mut self.records {
            if record.created_at > youngest && world.random.u8(..8) == 0 {
                record.address = format!("changed in step {step}");
                world.sandbox.insert_deposit_address(record.clone());
            }
        }
        for number in 0..world.random.u64(..=most) {
            let id = Uuid::from_u128((step << 8) + u128::from(number) + 1);
            let late = late.num_milliseconds() * world.random.i64(0..2);
            let late = TimeDelta::milliseconds(world.random.i64(0..=late));
            let mut new = DepositAddress::builder()
                .id(id)
                .address("new".to_owned())
                .crypto_network("SOLANA")
                .created_at(now - late);
            if world.random.bool() {
                new = new.ref_id(Some(format!("customer {id}")));
            }
            let new: Result<DepositAddress, _> = new.try_into();
            let new = new.expect("a whole record");
            world.sandbox.insert_deposit_address(new.clone());
            self.records.push(new);
        }
    }

    async fn consume(
        &mut self,
        world: &mut World,
        following: &mut Following<DepositAddress>,
        end: Instant,
    ) -> Kept {
        loop {
            world.wire.log.wait();
            let change = timeout_at(end, following.next()).await;
            world.wire.log.waited();
            let Ok(change) = change else { break };
            match change.ok_or("the listing has ended")? {
                Ok(change) => {
                    let (what, record) = match &change {
                        Change::New(record) => ("new", record),
                        Change::Changed(record) => ("changed", record),
                    };
                    world.wire.log.note(&format!("{what} {}", record.id));
                    self.followed.take(change)?;
                }
                Err(error) => world.pass(&error).await?,
            }
        }
        let waited = world.wire.log.entries().longest_wait();
        in_time(waited, world.call_timeout + self.every)
    }

    fn up_to_date(&self, world: &World) -> Kept {
        let told = self.records.iter().map(|record| {
            let mut record = record.clone();
            record.created_at = world.wire.told.time(record.created_at);
            record
        });
        self.followed.up_to_date(told)
    }
}
