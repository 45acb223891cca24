//! A program that follows executions. Some are late, some change, and some settle.

use std::time::Duration;

use digital_assets::{
    Change, Follow, FollowCheckpoint, Following,
    types::{QuoteExecution, QuoteExecutionStatus},
};
use tokio::time::{Instant, sleep, timeout_at};
use virtual_service::{Bounds, DAY, HOUR, MILLISECOND, MINUTE, Record, Rounding, SECOND, number};

use super::{
    World, printed,
    promises::{Followed, Kept, in_time},
    service::nanos,
};

/// How long a program may take to get up to date while requests fail and responses are slow.
const AN_HOUR: Duration = Duration::from_secs(3_600);

/// How long a program may take to get up to date without faults. A recheck of the open records may
/// have many pages.
const A_DAY: Duration = Duration::from_secs(24 * 3_600);

/// The largest number of records that arrive at once before a busy scene.
const MOST_AT_FIRST: u64 = 60;

const LATEST_SETTLEMENT: Duration = Duration::from_secs(90 * 24 * 3_600);

/// An irregularity that can make the client return a known record as new again.
#[derive(PartialEq)]
enum Oddity {
    None,
    /// Some records are listed later than their times, by more than the overlap. If such a record
    /// is listed, it must be returned.
    Astray,
    /// The unit of the reported times changes from time to time.
    Retold,
}

struct Scene {
    every: Duration,
    overlap: Duration,
    /// Whether some records are dated up to an hour in the future.
    is_dated_ahead: bool,
    /// Whether records arrive during each round, and many records have times close to the start of
    /// the round's overlap.
    is_busy: bool,
    oddity: Oddity,
    /// By how many nanoseconds the clocks of the nodes that create records are ahead.
    clocks: Vec<i128>,
    /// The numbers of the records that are dated in the future but listed among older records.
    amid: Vec<usize>,
    followed: Followed,
}

pub(super) async fn executions(world: &mut World) -> Kept {
    let mut scene = Scene {
        every: Duration::from_secs([10, 10, 30, 60][world.random.usize(..4)]),
        overlap: Duration::from_secs([300, 300, 1_200, 3_600][world.random.usize(..4)]),
        is_dated_ahead: world.random.bool(),
        is_busy: world.random.bool(),
        oddity: Oddity::None,
        clocks: world.wire.endpoint.change(|service| service.nodes.clone()),
        amid: Vec::new(),
        followed: Followed::default(),
    };
    let list = world.client.list_quote_executions().profile_id(world.sandbox.profile_id());
    let (pages, step) = if scene.is_busy {
        scene.crowd(world);
        let step = Duration::from_secs([2, 10][world.random.usize(..2)]);
        ([2..12, 100..150][world.random.usize(..2)].clone(), step)
    } else {
        (5..150, scene.every.mul_f64(1.5))
    };
    scene.disorder(world).await;
    let recheck = Duration::from_secs(world.random.u64(10..600));
    let follow = Follow::every(scene.every).overlap(scene.overlap).recheck(recheck);
    let start = |page| list.clone().limit(page).items().follow(follow);
    let mut following = start(world.random.i32(pages.clone()));
    printed::add(&following);
    for _ in 1..=160 {
        let length = step.mul_f64(world.random.f64());
        let most = if scene.is_busy { 1 + length.as_secs() / 4 } else { length.as_secs() / 10 };
        scene.arrive(world, most);
        scene.leave_out(world);
        scene.hide(world);
        scene.retell(world);
        scene.differ(world);
        scene.consume(world, &mut following, Instant::now() + length).await?;
        if scene.oddity != Oddity::Astray && world.random.u8(..32) == 0 {
            printed::add(&following.checkpoint());
            let kept = serde_json::to_string(&following.checkpoint()).map_err(|e| e.to_string())?;
            let kept: FollowCheckpoint = serde_json::from_str(&kept).map_err(|e| e.to_string())?;
            following = start(world.random.i32(pages.clone())).resume(kept);
            world.dropped += 1;
        }
    }
    if scene.is_busy && scene.oddity == Oddity::None && world.random.u8(..4) == 0 {
        following = start(world.random.i32(2..12)).resume(following.checkpoint());
        scene.circle(world, &mut following, recheck).await?;
    }
    if world.random.u8(..4) == 0 {
        sleep(LATEST_SETTLEMENT).await;
    }
    if scene.oddity == Oddity::None && world.random.u8(..4) == 0 {
        let page = world.random.i32(pages);
        scene.vanish(world, &mut following, || start(page)).await?;
    }
    scene.come_to_rest(world, &mut following).await?;
    if scene.oddity == Oddity::None && world.random.u8(..4) == 0 {
        following = start(world.random.i32(2..8)).resume(following.checkpoint());
        scene.date_ahead_amid(world, &mut following).await?;
        scene.come_to_rest(world, &mut following).await?;
    }
    if scene.oddity == Oddity::None {
        scene.tie(world, &mut following).await?;
        scene.come_to_rest(world, &mut following).await?;
    }
    Ok(())
}

/// Returns when the most recently settled record was settled.
fn last_settlement(world: &World) -> Duration {
    let now = world.wire.endpoint.elapsed();
    world.wire.endpoint.change(|service| {
        let settled = service.records.iter().filter_map(|record| record.settled);
        settled.filter(|settled| *settled <= now).max().unwrap_or_default()
    })
}

/// Stops all faults, and makes the service respond immediately.
async fn calm(world: &mut World) {
    world.wire.calm().await;
    world.wire.endpoint.change(|service| service.takes = Duration::ZERO..=Duration::ZERO);
}

impl Scene {
    /// Prepares a busy scene: a short overlap, slow responses, and many records at once.
    ///
    /// Unless some records are dated in the future, the clock in the `Date` headers may be ahead of
    /// the clock that creates records.
    fn crowd(&mut self, world: &mut World) {
        self.overlap = Duration::from_secs(60);
        let ahead = if self.is_dated_ahead { 0 } else { 10 * MINUTE };
        let ahead = [0, ahead][world.random.usize(..2)];
        let takes = Duration::ZERO..=world.call_timeout / 6;
        self.clocks = vec![0];
        world.wire.endpoint.change(|service| (service.takes, service.nodes) = (takes, vec![ahead]));
        self.arrive(world, MOST_AT_FIRST);
    }

    /// In some runs, makes the service list records later than their times, or report all times in
    /// a coarse unit.
    async fn disorder(&mut self, world: &mut World) {
        let kind = world.random.u8(..8);
        self.oddity = match kind {
            0 => Oddity::Astray,
            3 => Oddity::Retold,
            _ => Oddity::None,
        };
        if self.oddity == Oddity::Astray {
            // Without faults, no round stops early. A round that stops early could miss a record
            // that is listed too late.
            world.wire.calm().await;
        }
        let behind =
            if self.oddity == Oddity::Astray { 3 * self.overlap } else { self.overlap / 4 };
        let told = Rounding::Down([MINUTE, HOUR][world.random.usize(..2)]);
        world.wire.endpoint.change(|service| match kind {
            0 => {
                service.bounds = Bounds::Read(Rounding::Exact);
                (service.astray, service.nearly) = (20, nanos(behind));
            }
            1 => (service.astray, service.nearly) = (20, nanos(behind)),
            2 => (service.told, service.nearly, service.ordered) = (told, 0, 1),
            _ => {}
        });
    }

    /// Sometimes changes the unit of the reported times.
    fn retell(&self, world: &mut World) {
        if self.oddity == Oddity::Retold && world.random.u8(..16) == 0 {
            let told = Rounding::Down([1, 1_000, MILLISECOND][world.random.usize(..3)]);
            world.wire.endpoint.change(|service| service.told = told);
        }
    }

    /// Hides some known records for a while, but not for so long that one of their changes may be
    /// missed.
    fn hide(&self, world: &mut World) {
        let (now, elapsed) = (world.wire.endpoint.now(), world.wire.endpoint.elapsed());
        let random = &mut world.random;
        world.wire.endpoint.change(|service| {
            for (number, record) in service.records.iter_mut().enumerate() {
                let left = nanos(self.overlap) / 2 - (now - record.created);
                if left > 0 && self.followed.knows(number) && random.u8(..64) == 0 {
                    let most = u64::try_from(left.min(2 * MINUTE)).unwrap_or_default();
                    let length = Duration::from_nanos(random.u64(..=most));
                    record.hidden = elapsed..elapsed + length;
                }
            }
        });
    }

    /// Puts the clock of one of two nodes 30 s ahead of the other, once the program has received
    /// records.
    fn differ(&self, world: &World) {
        if self.is_busy && self.is_dated_ahead && !self.followed.is_empty() {
            world.wire.endpoint.change(|service| service.nodes = vec![30 * SECOND, 0]);
        }
    }

    /// Returns how late a record may be, in nanoseconds. This is less than the overlap, because a
    /// reported time may be earlier than the stored time.
    fn latest(&self, told: Rounding) -> i128 {
        (nanos(self.overlap) - told.unit()).max(0)
    }

    /// Changes some recent records, and adds up to `most` records. Some of these are as late as the
    /// overlap allows, and some settle, either within the overlap or much later.
    fn arrive(&mut self, world: &mut World, most: u64) {
        let (now, elapsed) = (world.wire.endpoint.now(), world.wire.endpoint.elapsed());
        let random = &mut world.random;
        world.wire.endpoint.change(|service| {
            let late = self.latest(service.told);
            for record in &mut service.records {
                if (now - late..=now).contains(&record.created) && random.u8(..8) == 0 {
                    record.changes.push((elapsed, random.u64(1..)));
                }
            }
            for _ in 0..random.u64(..=most) {
                let age = match random.u8(..4) {
                    0 => random.i128(0..=late),
                    1 => late - nanos(self.every.mul_f64(random.f64().powi(4))).min(late),
                    _ => 0,
                };
                let skew = *random.choice(&self.clocks).unwrap_or(&0);
                let ahead = self.is_dated_ahead && random.u8(..16) == 0;
                let ahead = if ahead { random.i128(0..HOUR) } else { 0 };
                let created = (now - age + skew).max(now - late) + ahead;
                let settled = match random.u8(..4) {
                    0 => Some(self.overlap.mul_f64(random.f64())),
                    1 => Some(LATEST_SETTLEMENT.mul_f64(random.f64().powi(8))),
                    _ => None,
                };
                let settled = settled.map(|after| elapsed + after);
                service.records.push(Record { settled, ..Record::at(created) });
            }
        });
    }

    /// Sometimes makes the next page leave out an open record that is too old for a round. The
    /// record settles later.
    fn leave_out(&self, world: &mut World) {
        let (now, elapsed) = (world.wire.endpoint.now(), world.wire.endpoint.elapsed());
        let random = &mut world.random;
        world.wire.endpoint.change(|service| {
            let newest_until = |time: i128| {
                let known = service.records.iter().enumerate().filter_map(|(number, record)| {
                    self.followed.knows(number).then_some(record.created)
                });
                known.filter(|created| *created <= time).max()
            };
            let newest = newest_until(now);
            let passed = newest.and_then(|newest| newest_until(newest - nanos(self.overlap) - DAY));
            let Some(passed) = passed else { return };
            for (number, record) in service.records.iter_mut().enumerate() {
                let is_old = record.created < passed - SECOND && self.followed.knows(number);
                if is_old && record.settled.is_none() && random.u8(..) == 0 {
                    record.left_out = Some(elapsed);
                    record.settled = Some(elapsed + self.overlap);
                }
            }
        });
    }

    /// Makes two rechecks reach a page whose cursor leads to the same page again, among open
    /// records with the same time. These records settle later.
    async fn circle(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
        recheck: Duration,
    ) -> Kept {
        let (time, count) = (world.wire.endpoint.now(), world.random.u32(20..40));
        let first = world.wire.endpoint.change(|service| {
            service.bounds = Bounds::Read(Rounding::Exact);
            let first = service.records.len();
            service.records.extend((0..count).map(|_| Record::at(time)));
            first
        });
        let end = Instant::now() + 2 * self.overlap;
        while Instant::now() < end {
            self.arrive(world, 2);
            self.consume(world, following, Instant::now() + self.every).await?;
        }
        world.wire.circle(time - MINUTE..time);
        // After an error, a recheck continues only with the next round.
        let sweep = recheck + count * self.every;
        self.consume(world, following, Instant::now() + 3 * sweep).await?;
        world.wire.circle(0..0);
        let settled = Some(world.wire.endpoint.elapsed());
        world.wire.endpoint.change(|service| {
            for record in service.records.iter_mut().skip(first).take(count as usize) {
                record.settled = settled;
            }
        });
        Ok(())
    }

    /// Before a program resumes, removes the record at which rounds start. Then a late record
    /// appears after the removed one, but before the time to which the service rounds the bound up.
    async fn vanish(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
        start: impl Fn() -> Following<QuoteExecution>,
    ) -> Kept {
        let endpoint = world.wire.endpoint.clone();
        let push = |age| {
            let record = Record::at(endpoint.now() - age);
            endpoint.change(|service| {
                service.records.push(record);
                service.records.len() - 1
            })
        };
        let some_rounds = 2 * self.every;
        // The late record's time is seven intervals after the first record's, just before a full
        // hour.
        let wait = (-endpoint.now() - 8 * nanos(self.every)).rem_euclid(HOUR);
        sleep(Duration::from_nanos(u64::try_from(wait).unwrap_or_default())).await;
        let first = push(0);
        self.consume(world, following, Instant::now() + some_rounds).await?;
        sleep(self.overlap).await;
        push(0);
        self.consume(world, following, Instant::now() + some_rounds).await?;
        let removed = self.followed.knows(first).then_some(endpoint.elapsed());
        endpoint.change(|service| {
            service.bounds = Bounds::Read(Rounding::Up(HOUR));
            service.records[first].removed = removed;
        });
        *following = start().resume(following.checkpoint());
        self.consume(world, following, Instant::now() + some_rounds).await?;
        let latest = endpoint.change(|service| self.latest(service.told));
        push((latest - nanos(self.every)).max(0));
        self.consume(world, following, Instant::now() + some_rounds).await?;
        sleep(self.overlap).await;
        push(0);
        self.consume(world, following, Instant::now() + some_rounds).await
    }

    /// Adds records while the program is stopped. Some are listed later than their times, and some
    /// are dated in the future but listed among the others.
    ///
    /// When the program receives a record dated in the future, a cursor expires. The records after
    /// the last record dated in the future settle at a time when only rechecks request them. If
    /// there are no other faults, that last record's time has passed by then.
    async fn date_ahead_amid(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
    ) -> Kept {
        sleep(A_DAY).await;
        let passes = world.random.bool();
        if passes {
            calm(world).await;
        }
        let now = world.wire.endpoint.now();
        let (count, apart) = (world.random.i128(20..40), nanos(self.overlap) / 40);
        let random = &mut world.random;
        let settling = world.wire.endpoint.change(|service| {
            (service.astray, service.nearly) = (4, self.latest(service.told) / 4);
            for n in 0..count {
                let time = now - DAY / 2 + n * apart;
                service.records.push(Record::at(time));
                let is_amid = if passes { n == count / 2 } else { random.u8(..8) == 0 };
                if is_amid {
                    let ahead = Record::at(now + if passes { DAY } else { 1_000 * DAY });
                    self.amid.push(service.records.len());
                    service.records.push(Record { place: Some(time), ..ahead });
                }
            }
            let end = service.records.len();
            self.amid.last().map_or(end, |last| last + 1)..end
        });
        self.come_to_rest(world, following).await?;
        if passes {
            // The round that starts over finishes before the clock reaches the time of the record
            // that is dated in the future.
            self.consume(world, following, Instant::now() + Duration::from_secs(600)).await?;
        }
        sleep(2 * self.overlap + 2 * A_DAY).await;
        self.consume(world, following, Instant::now() + 2 * self.every).await?;
        let settled = Some(world.wire.endpoint.elapsed());
        world.wire.endpoint.change(|service| {
            service.records[settling].iter_mut().for_each(|record| record.settled = settled);
        });
        Ok(())
    }

    /// Makes rounds start at a time that is reported for two records. A request from that time on
    /// doesn't list one of them, which was created earlier. That record settles later.
    async fn tie(&mut self, world: &mut World, following: &mut Following<QuoteExecution>) -> Kept {
        let endpoint = world.wire.endpoint.clone();
        let some_rounds = 2 * self.every;
        let first = endpoint.change(|service| {
            let Rounding::Nearest(unit) = service.told else { return None };
            service.bounds = Bounds::Read(Rounding::Exact);
            Some((service.records.len(), unit))
        });
        let Some((first, unit)) = first else { return Ok(()) };
        let time = Rounding::Down(unit).of(endpoint.now()) - unit;
        for created in [time - 2 * unit / 5, time + 2 * unit / 5] {
            endpoint.change(|service| service.records.push(Record::at(created)));
        }
        self.consume(world, following, Instant::now() + some_rounds).await?;
        sleep(self.overlap).await;
        let created = endpoint.now();
        endpoint.change(|service| service.records.push(Record::at(created)));
        self.consume(world, following, Instant::now() + some_rounds).await?;
        let settled = Some(endpoint.elapsed());
        endpoint.change(|service| service.records[first].settled = settled);
        Ok(())
    }

    /// Waits until the program is up to date, and then checks that it receives no record again.
    async fn come_to_rest(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
    ) -> Kept {
        let end = world.wire.endpoint.elapsed();
        while let Err(missed) = self.up_to_date(world) {
            if world.wire.endpoint.elapsed() >= end + AN_HOUR {
                calm(world).await;
            }
            if world.wire.endpoint.elapsed() >= last_settlement(world).max(end) + A_DAY {
                return Err(missed);
            }
            self.consume(world, following, Instant::now() + self.every).await?;
        }
        self.consume(world, following, Instant::now() + 2 * self.every).await
    }

    async fn consume(
        &mut self,
        world: &mut World,
        following: &mut Following<QuoteExecution>,
        end: Instant,
    ) -> Kept {
        while Instant::now() < end {
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
                    let told = (content, is_settled, record.market.is_known());
                    let taken = self.followed.take(is_new, number, told);
                    // With an oddity, a record may be returned as new again, or as changed because
                    // its time is reported in another unit.
                    if self.oddity == Oddity::None {
                        taken?;
                    }
                    let expires = self.oddity != Oddity::Astray && world.random.u16(..1_024) == 0;
                    if expires && self.amid.is_empty() || self.amid.contains(&number) {
                        world.wire.endpoint.expire();
                    }
                    if self.is_busy {
                        sleep(Duration::from_millis(world.random.u64(..500))).await;
                    }
                }
                Err(error) => world.pass(&error).await?,
            }
        }
        let waited = world.wire.log.entries().longest_wait();
        in_time(waited, world.call_timeout + self.every)
    }

    fn up_to_date(&self, world: &World) -> Kept {
        if self.oddity == Oddity::Astray {
            let asked = world.wire.endpoint.asked();
            return self.followed.knows_all(asked.iter().flat_map(|asked| &asked.records));
        }
        let now = world.wire.endpoint.elapsed();
        world.wire.endpoint.change(|service| {
            let there_is =
                service.records.iter().map(|record| (record.content(now), record.is_settled(now)));
            self.followed.up_to_date(there_is)
        })
    }
}
