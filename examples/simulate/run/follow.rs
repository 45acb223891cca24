//! A program that follows executions while they arrive, come late, change and settle.

use std::time::Duration;

use digital_assets::{
    Change, Follow, FollowCheckpoint, Following,
    types::{QuoteExecution, QuoteExecutionStatus},
};
use tokio::time::{Instant, timeout_at};
use virtual_service::{Record, number};

use super::{
    World, printed,
    promises::{Followed, Kept, in_time},
    service::nanos,
};

/// How long it may take to hear of everything, after failures and waits of minutes.
const PATIENCE: Duration = Duration::from_secs(1_800);

struct Scene {
    every: Duration,
    overlap: Duration,
    followed: Followed,
}

pub(super) async fn executions(world: &mut World) -> Kept {
    let mut scene = Scene {
        every: Duration::from_secs([10, 10, 30, 60][world.random.usize(..4)]),
        overlap: Duration::from_secs([300, 300, 1_200, 3_600][world.random.usize(..4)]),
        followed: Followed::default(),
    };
    let list = world.client.list_quote_executions().profile_id(world.sandbox.profile_id());
    let follow = Follow::every(scene.every).overlap(scene.overlap);
    let start = |page| list.clone().limit(page).items().follow(follow);
    let mut following = start(world.random.i32(5..150));
    printed::add(&following);
    for _ in 1..=40 {
        let length = scene.every.mul_f64(world.random.f64() * 6.0);
        scene.arrive(world, length.as_secs() / 10);
        scene.consume(world, &mut following, Instant::now() + length).await?;
        if world.random.u8(..8) == 0 {
            printed::add(&following.checkpoint());
            let kept = serde_json::to_string(&following.checkpoint()).map_err(|e| e.to_string())?;
            let kept: FollowCheckpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
            following = start(world.random.i32(5..150)).resume(kept);
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
    /// Some new records, some of them as late as the overlap allows, some that settle within it, and
    /// some that change.
    fn arrive(&mut self, world: &mut World, most: u64) {
        let (now, elapsed) = (world.wire.endpoint.now(), world.wire.endpoint.elapsed());
        let random = &mut world.random;
        world.wire.endpoint.change(|service| {
            // What is told may be before what is held.
            let late = nanos(self.overlap) - service.told.unit();
            for record in &mut service.records {
                if record.created > now - late && random.u8(..8) == 0 {
                    record.changes.push((elapsed, random.u64(1..)));
                }
            }
            for _ in 0..random.u64(..=most) {
                let oldest = late * random.i128(0..2);
                let age = random.i128(0..=oldest);
                let settles = self.overlap.mul_f64(random.f64());
                let settled = random.bool().then(|| settles.checked_sub(duration(age)));
                let settled = settled.flatten().map(|left| elapsed + left);
                let created = now - age;
                service.records.push(Record { settled, ..Record::at(created) });
            }
        });
    }

    async fn consume(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
        end: Instant,
    ) -> Kept {
        loop {
            world.wire.log.wait();
            let change = timeout_at(end, following.next()).await;
            world.wire.log.waited();
            let Ok(change) = change else { break };
            match change.ok_or("the listing has ended")? {
                Ok(change) => {
                    let is_new = matches!(change, Change::New(_));
                    let record = change.into_inner();
                    let (number, what) =
                        (number(record.id), if is_new { "new" } else { "changed" });
                    world.wire.log.note(&format!("{what} {number}"));
                    let is_settled = record.status == QuoteExecutionStatus::Settled;
                    let content = record.price.parse().map_err(|_| "another price")?;
                    self.followed.take(
                        is_new,
                        number,
                        (content, is_settled, record.market.is_known()),
                    )?;
                }
                Err(error) => world.pass(&error).await?,
            }
        }
        let waited = world.wire.log.entries().longest_wait();
        in_time(waited, world.call_timeout + self.every)
    }

    fn up_to_date(&self, world: &World) -> Kept {
        let now = world.wire.endpoint.elapsed();
        world.wire.endpoint.change(|service| {
            let there_is =
                service.records.iter().map(|record| (record.content(now), record.is_settled(now)));
            self.followed.up_to_date(there_is)
        })
    }
}

fn duration(nanos: i128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}
