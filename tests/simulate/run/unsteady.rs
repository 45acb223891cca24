//! Programs that read listings whose pages repeat records, and listings that records leave. Each
//! listing is read sequentially, with windows, with a split filter and by following, and some
//! programs are killed and resumed.

use std::{collections::HashSet, time::Duration};

use digital_assets::{
    Change, Error, ErrorKind, Follow, Items, builder,
    types::{DepositAddress, Order},
};
use tokio::time::{Instant, timeout, timeout_at};
use virtual_service::{Asked, BEGIN, HOUR, Record, SECOND, SHAPES, Service, id, times};

use super::{
    World,
    listing::{go_on, meets, number_of},
    promises::{Kept, each_once, whole},
    service::NOW,
};

/// How the pages of a listing differ from those of a listing that nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Each page begins with the last records of the page before it.
    Overlapping,
    /// Cursors are offsets. Records that arrive push others onto the next page. Fewer records
    /// arrive than a page has.
    Offsets,
    /// Records leave the listing, often the last one. Others arrive after the last one.
    Leaving,
    /// Some times are leap seconds. The service rejects a bound that is one.
    LeapSeconds,
}

const KINDS: [Kind; 4] = [Kind::Overlapping, Kind::Offsets, Kind::Leaving, Kind::LeapSeconds];

/// How long records arrive and leave.
const CHANGES: u64 = 20;

struct Scene {
    kind: Kind,
    page: usize,
    /// How many records there are at the start.
    count: usize,
}

pub(super) async fn listings(world: &mut World) -> Kept {
    for _ in 0..8 {
        let scene = Scene::begin(world);
        scene.is_read(world).await?;
    }
    // When a listing is followed, all records have to be returned within a certain time, so there
    // are no faults at the end.
    for _ in 0..2 {
        let scene = Scene::begin(world);
        scene.is_followed(world).await?;
    }
    Ok(())
}

fn refuses_leap_seconds(asked: &Asked) -> Option<u16> {
    asked.query.iter().any(|(_, value)| value.contains(":60")).then_some(400)
}

impl Scene {
    fn begin(world: &mut World) -> Self {
        let from = world.wire.endpoint.elapsed();
        let random = &mut world.random;
        let kind = KINDS[random.usize(..KINDS.len())];
        let (page, count) = (random.usize(3..13), random.usize(10..120));
        let shape = SHAPES[random.usize(..SHAPES.len())];
        let created = times(shape, count, random.u64(..)).into_iter().map(|time| BEGIN + time);
        let mut service = Service { now: NOW, ..Service::of(created) };
        let times: Vec<i128> = service.records.iter().map(|record| record.created).collect();
        let count = times.len();
        let last = times.last().copied().unwrap_or(BEGIN);
        let mut change = || from + Duration::from_millis(random.u64(..CHANGES * 1_000));
        match kind {
            Kind::Overlapping => service.overlap = 1 + page / 2,
            Kind::LeapSeconds => {
                service.leap_seconds = true;
                service.refuses = refuses_leap_seconds;
            }
            Kind::Offsets => {
                service.offsets = true;
                let arrivals =
                    (1..page).map(|n| Record { visible: change(), ..Record::at(n as i128) });
                service.records.extend(arrivals);
                for record in &mut service.records[count..] {
                    let near = times.get(random.usize(..times.len().max(1))).unwrap_or(&last);
                    record.created = [*near, last][random.usize(..2)] + random.i128(0..HOUR);
                }
            }
            Kind::Leaving => {
                let arrivals =
                    (1..10).map(|n| Record { visible: change(), ..Record::at(last + n * SECOND) });
                let arrivals: Vec<Record> = arrivals.collect();
                let left = change();
                if let Some(end) = service.records.last_mut() {
                    end.removed = Some(left);
                }
                for _ in 0..count / 8 {
                    let left = from + Duration::from_millis(random.u64(..CHANGES * 1_000));
                    service.records[random.usize(..count)].removed = Some(left);
                }
                service.records.extend(arrivals);
            }
        }
        meets(world, service);
        Self { kind, page, count }
    }

    fn list(&self, world: &mut World) -> builder::ListDepositAddresses {
        let list = world.client.list_deposit_addresses();
        let list = list.limit(i32::try_from(self.page).unwrap_or(i32::MAX));
        if world.random.u8(..3) > 0 {
            return list;
        }
        let all = world.wire.endpoint.change(|service| service.records.len());
        list.ids((0..all).map(id))
    }

    /// Reads the listing once, with kills.
    async fn is_read(&self, world: &mut World) -> Kept {
        let is_ascending = world.random.bool();
        let order = if is_ascending { Order::Asc } else { Order::Desc };
        let list = self.list(world).order(order);
        let concurrency = [1, 2, 3, 8][world.random.usize(..4)];
        world.concurrency = world.concurrency.max(concurrency);
        let kills = [0, 0, 8][world.random.usize(..3)];
        let list = || list.clone().items().concurrency(concurrency);
        let found = read(world, list, kills).await?;
        self.holds(world, &found, is_ascending)
            .map_err(|why| format!("{:?}, concurrency {concurrency}: {why}: {found:?}", self.kind))
    }

    /// Checks that each record that is still listed was returned once, and in order.
    fn holds(&self, world: &World, found: &[usize], is_ascending: bool) -> Kept {
        let (times, stays): (Vec<i128>, HashSet<usize>) = world.wire.endpoint.change(|service| {
            let records = service.records.iter();
            let stays = service.records[..self.count].iter().enumerate();
            let stays = stays.filter(|(_, record)| record.removed.is_none());
            (records.map(|record| record.created).collect(), stays.map(|(n, _)| n).collect())
        });
        let time = |number: &usize| if is_ascending { times[*number] } else { -times[*number] };
        // If cursors are offsets, a record that arrives between two pages may be listed after an older
        // one.
        let is_ordered = |number: &&usize| self.kind != Kind::Offsets || **number < self.count;
        if !found.iter().filter(is_ordered).map(time).is_sorted() {
            return Err("records are out of order".to_owned());
        }
        let all: Vec<usize> = (0..times.len()).collect();
        each_once(found, &all, |number| stays.contains(&number))?;
        if matches!(self.kind, Kind::Overlapping) && world.dropped == 0 {
            let order = if is_ascending { "order=ASC" } else { "order=DESC" };
            let listed = world.wire.endpoint.listed(order);
            let is_merged = found.len() > 100;
            return if is_merged { Ok(()) } else { whole(found, &listed, |_| true) };
        }
        Ok(())
    }

    /// Follows the listing until no record has arrived for a while.
    async fn is_followed(&self, world: &mut World) -> Kept {
        let list = self.list(world);
        let follow = Follow::every(Duration::from_secs(60)).overlap(Duration::from_secs(1 << 30));
        let mut following = list.clone().items().follow(follow);
        let (mut found, mut is_calm) = (Vec::new(), false);
        let mut end = Instant::now() + Duration::from_secs(2 * CHANGES);
        loop {
            match timeout_at(end, following.next()).await {
                Ok(Some(Ok(Change::New(record)))) => {
                    found.push(number_of(&record)?);
                    if world.random.u8(..64) == 0 {
                        let kept = following.checkpoint();
                        following = list.clone().items().follow(follow).resume(kept);
                    }
                }
                // A fault can replace a value by an unknown one.
                Ok(Some(Ok(Change::Changed(_)))) => {}
                Ok(Some(Err(error))) => fails(world, &error).await?,
                Ok(None) => return Err("a followed listing ended".to_owned()),
                Err(_) if is_calm => break,
                Err(_) => {
                    world.wire.calm().await;
                    (is_calm, end) = (true, Instant::now() + Duration::from_secs(600));
                }
            }
        }
        let (all, stays) = world.wire.endpoint.change(|service| {
            let records = service.records.iter().enumerate();
            let stays = records.filter(|(_, record)| record.removed.is_none());
            (service.records.len(), stays.map(|(number, _)| number).collect::<HashSet<_>>())
        });
        let all: Vec<usize> = (0..all).collect();
        let is_required = |number| stays.contains(&number);
        each_once(&found, &all, is_required)
            .map_err(|why| format!("followed, {:?}: {why}: {found:?}", self.kind))
    }
}

/// Reads a listing to its end. A program is killed with a probability of `kills` in 256 for each
/// record, and the next program resumes from its checkpoint.
async fn read(
    world: &mut World,
    list: impl Fn() -> Items<DepositAddress>,
    kills: u8,
) -> Result<Vec<usize>, String> {
    let (mut items, mut found) = (list(), Vec::new());
    loop {
        let is_killed = world.random.u8(..) < kills;
        let patience = Duration::from_millis(world.random.u64(..4_000));
        let patience = if is_killed { patience } else { Duration::MAX };
        let mut is_over = is_killed;
        match timeout(patience, items.next()).await {
            Err(_) => {}
            Ok(Some(Ok(record))) => found.push(number_of(&record)?),
            Ok(Some(Err(error))) => {
                fails(world, &error).await?;
                is_over |= error.kind() == ErrorKind::RepeatedCursor;
            }
            Ok(None) => return Ok(found),
        }
        if is_over {
            items = go_on(world, items, !found.is_empty(), |_| list())?;
        }
    }
}

/// Waits after an error. Fails if the error says that the service, which sorts by time, doesn't.
async fn fails(world: &mut World, error: &Error) -> Kept {
    if error.to_string().contains("in order of time") {
        return Err(format!("the listing is in order: {error}"));
    }
    world.pass(error).await
}
