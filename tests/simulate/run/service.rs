//! Services with random records and random settings.

use std::time::Duration;

use fastrand::Rng;
use virtual_service::{
    BEGIN, Bounds, DAY, Endpoint, HOUR, MILLISECOND, MINUTE, Record, Rounding, SECOND, SHAPES,
    Service, Ties, times,
};

/// The time at which a service starts. It is more than ten years after `BEGIN`, so the first
/// records are in the past.
pub(super) const NOW: i128 = BEGIN + 3_660 * DAY;

/// The units in which services report times and round bounds.
const UNITS: [i128; 9] = [
    1_000,
    MILLISECOND,
    10 * MILLISECOND,
    100 * MILLISECOND,
    SECOND,
    10 * SECOND,
    MINUTE,
    10 * MINUTE,
    HOUR,
];

/// Returns a service with fewer than `most` records. The units in which it reports and sorts times
/// are at most `coarsest`.
pub(super) fn service(random: &mut Rng, most: usize, coarsest: i128) -> Service {
    let shape = SHAPES[random.usize(..SHAPES.len())];
    let times = times(shape, random.usize(..most), random.u64(..));
    let disorder = disorder(random, &times).min(coarsest);
    let [ordered, nearly] = match random.u8(..8) {
        0 => [disorder, 0],
        1..4 => [1, disorder],
        _ => [1, 0],
    };
    Service {
        now: NOW,
        // There is always a node, because without a `Date` header the client would use the
        // machine's clock, and runs couldn't be repeated.
        nodes: [vec![0], vec![0, -5 * SECOND, 3 * SECOND]][random.usize(..2)].clone(),
        bounds: match random.u8(..8) {
            0..3 => Bounds::Read(Rounding::Exact),
            3..6 => Bounds::Read(rounding(random, DAY)),
            6 => Bounds::Compared(UNITS[random.usize(..UNITS.len())]),
            _ => Bounds::Ignored,
        },
        told: if random.bool() { Rounding::Exact } else { rounding(random, coarsest) },
        ordered,
        astray: [1, 20, 100, 100][random.usize(..4)],
        nearly,
        takes: Duration::ZERO..=Duration::from_secs([0, 0, 2][random.usize(..3)]),
        ties: [Ties::Turn, Ties::Turn, Ties::Stay, Ties::OfFilter][random.usize(..4)],
        ..Service::of(times.into_iter().map(|time| BEGIN + time))
    }
}

/// Returns a service whose records are in order, except for a few that are listed long after their
/// times.
pub(super) fn with_stragglers(random: &mut Rng, service: Service) -> Service {
    let (shape, apart, astray) =
        [("even", 9 * DAY, 100), ("one instant", MINUTE, 20)][random.usize(..2)];
    let times = times(shape, 400, random.u64(..));
    Service {
        records: Service::of(times.into_iter().map(|time| BEGIN + time)).records,
        bounds: Bounds::Read(Rounding::Exact),
        told: Rounding::Exact,
        ordered: 1,
        astray,
        nearly: apart * random.i128(1..100),
        ties: Ties::Turn,
        ..service
    }
}

/// Returns a service with few records that are far apart, except for several in the same second.
/// The service sorts these in any order.
pub(super) fn with_a_dense_second(random: &mut Rng) -> Service {
    let (before, dense) = (random.i128(3..6), random.i128(3..6));
    let crowd = (0..dense).map(|_| before * 10 * SECOND + random.i128(0..SECOND));
    let created: Vec<_> = (0..before).map(|n| n * 10 * SECOND).chain(crowd).collect();
    let shortest = random.u64(0..=2);
    let last = (before + 5) * 10 * SECOND;
    Service {
        now: NOW,
        ordered: SECOND,
        largest_page: 1,
        takes: Duration::from_secs(shortest)..=Duration::from_secs(2),
        ..Service::of(created.into_iter().chain([last]).map(|time| BEGIN + time))
    }
}

/// Returns a service with several records in the last second, and the number of records before that
/// second.
///
/// In the last second, the order of the records depends on the filter. The second is so long after
/// the other records that a window may start in between.
pub(super) fn with_a_dense_end(random: &mut Rng) -> (Service, usize) {
    let (before, dense) = (random.i128(5..10), random.i128(5..9));
    let apart = (0..before).map(|n| if n + 1 < before { n } else { n + 1 } * 10 * SECOND);
    let crowd = (0..dense).map(|_| (before * 10 + 18) * SECOND + random.i128(0..SECOND));
    let created = apart.chain(crowd).map(|time| BEGIN + time);
    let service =
        Service { now: NOW, ordered: SECOND, ties: Ties::OfFilter, ..Service::of(created) };
    (service, usize::try_from(before).unwrap_or_default())
}

/// Returns a service whose last record is long after the others, and additional records for the
/// service.
///
/// Within seconds, new records appear after the last record, and the additional records appear
/// right before the last record.
pub(super) fn with_a_growing_end(random: &mut Rng, from: Duration) -> (Service, Vec<Record>) {
    let (count, behind) = (random.usize(3..10), random.usize(4..12));
    let apart = random.i128(2..8) * 10 * SECOND;
    let time = |n: usize| BEGIN + n as i128 * 10 * SECOND + if n < count { 0 } else { apart };
    let mut service = Service { now: NOW, ..Service::of((0..=count + behind).map(time)) };
    let mut visible = from + Duration::from_secs(1);
    for record in &mut service.records[count + 1..] {
        visible += Duration::from_millis(random.u64(..300));
        record.visible = visible;
    }
    let among = (0..random.u8(1..4)).map(|_| Record {
        visible: from + Duration::from_millis(random.u64(1_000..4_000)),
        ..Record::at(time(count) - random.i128(0..apart))
    });
    let among = among.collect();
    (service, among)
}

/// Returns a service that reports and sorts times in seconds, with a few records per second.
pub(super) fn in_seconds(random: &mut Rng) -> Service {
    let apart = SECOND * random.i128(2..20) / 10;
    let created = (0..random.i128(10..60)).map(|n| BEGIN + n * apart + random.i128(0..SECOND));
    Service {
        now: NOW,
        ordered: SECOND,
        told: Rounding::Down(SECOND),
        takes: Duration::ZERO..=Duration::from_secs(2),
        ..Service::of(created)
    }
}

/// Returns a service whose records appear within five minutes of their times. About half of the
/// times are in the next `length` seconds.
pub(super) fn with_records_to_come(random: &mut Rng, elapsed: Duration, length: u64) -> Service {
    let now = NOW + nanos(elapsed);
    let record = |random: &mut Rng| {
        let after = i128::from(random.u64(..2 * length)) - i128::from(length);
        let visible = u64::try_from(after + random.i128(0..290)).unwrap_or_default();
        let visible = elapsed + Duration::from_secs(visible);
        Record { visible, ..Record::at(now + after * SECOND) }
    };
    let records = (0..150).map(|_| record(random)).collect();
    Service { now: NOW, records, ..Service::default() }
}

/// Returns a service that reports times in seconds but sorts in units of two seconds. Within a
/// unit, the order depends on the filter.
pub(super) fn in_pairs_of_seconds(random: &mut Rng) -> Service {
    let apart = SECOND * random.i128(4..20) / 10;
    let created = (0..random.i128(10..30)).map(|n| BEGIN + n * apart + random.i128(0..SECOND));
    Service {
        now: NOW,
        ordered: 2 * SECOND,
        told: Rounding::Down(SECOND),
        takes: Duration::ZERO..=Duration::from_secs(2),
        ties: Ties::OfFilter,
        ..Service::of(created)
    }
}

/// Returns a service with few records. Its last records are so close together that others may
/// arrive between them, and one may be listed after all others.
///
/// In half of the services, the order of the last records depends on the filter. In a quarter, the
/// order is the same in both directions.
pub(super) fn with_an_odd_end(random: &mut Rng) -> Service {
    let (most, ordered, ties) = if random.bool() {
        (25, SECOND, Ties::OfFilter)
    } else {
        (60, [1, SECOND][random.usize(..2)], [Ties::Turn, Ties::Stay][random.usize(..2)])
    };
    let (count, dense) = (random.i128(10..most), random.i128(1..10));
    let created = (0..count).map(|n| 10 * n.min(count - dense) * SECOND + random.i128(0..SECOND));
    let records = Service::of(created.map(|time| BEGIN + time)).records;
    Service {
        records,
        now: NOW,
        told: Rounding::Down([1, MILLISECOND, SECOND / 4, SECOND][random.usize(..4)]),
        ordered,
        astray: [20, 100][random.usize(..2)],
        nearly: [0, SECOND, 40 * SECOND, DAY][random.usize(..4)],
        takes: Duration::ZERO..=Duration::from_secs(2),
        ties,
        ..Service::default()
    }
}

/// Returns a duration that puts some records out of order, if times are rounded to it or shifted by
/// it: a unit, or the distance between two records.
fn disorder(random: &mut Rng, times: &[i128]) -> i128 {
    let near = random.usize(..times.len().max(1));
    match (times.get(near), times.get(near + random.usize(1..10))) {
        (Some(a), Some(b)) if a < b && random.u8(..4) > 0 => b - a,
        _ => UNITS[random.usize(..UNITS.len())],
    }
}

fn unit(random: &mut Rng, coarsest: i128) -> i128 {
    let units: Vec<i128> = UNITS.into_iter().filter(|unit| *unit <= coarsest).collect();
    units[random.usize(..units.len())]
}

fn rounding(random: &mut Rng, coarsest: i128) -> Rounding {
    let unit = unit(random, coarsest);
    [Rounding::Down(unit), Rounding::Nearest(unit), Rounding::Up(unit)][random.usize(..3)]
}

/// Returns whether the service applies time bounds exactly.
pub(super) fn is_exact(service: &Service) -> bool {
    service.bounds == Bounds::Read(Rounding::Exact)
}

pub(super) const MOST_ARRIVALS: usize = 40;

/// Records that arrive before requests: new records, and late records among the existing ones.
pub(super) struct Arrivals {
    pub(super) so_far: usize,
    most: usize,
    /// A record arrives before one in this many requests.
    rarely: u8,
    random: Rng,
}

impl Arrivals {
    pub(super) fn new(mut random: Rng) -> Self {
        let most = [0, 5, MOST_ARRIVALS][random.usize(..3)];
        Self { so_far: 0, most, rarely: [2, 2, 10][random.usize(..3)], random }
    }

    pub(super) fn none() -> Self {
        Self { so_far: 0, most: 0, rarely: 1, random: Rng::with_seed(0) }
    }

    /// Sometimes adds a record: with the current time, right after the other records, or among
    /// them. Returns whether a record was added.
    pub(super) fn arrive(&mut self, endpoint: &Endpoint) -> bool {
        if self.so_far == self.most || self.random.u8(..self.rarely) > 0 {
            return false;
        }
        let now = endpoint.now();
        endpoint.change(|service| {
            let count = service.records.len() - self.so_far;
            if count == 0 {
                self.most = self.so_far;
                return false;
            }
            let among = service.records[self.random.usize(..count)].created;
            let last = service.records[..count].iter().map(|record| record.created).max();
            let near =
                last.unwrap_or(now) + service.told.unit() + self.random.i128(0..=service.nearly);
            let beside = [last.unwrap_or(now), among][self.random.usize(..2)];
            let unit = Rounding::Down(service.ordered);
            let beside = unit.of(beside) + self.random.i128(0..service.ordered);
            let created = match self.random.u8(..6) {
                0 => now,
                1 => near.min(now),
                2..5 => beside.min(now),
                _ => among + self.random.i128(0..2_000) * MILLISECOND,
            };
            service.records.push(Record::at(created));
            self.so_far += 1;
            true
        })
    }
}

/// Converts a duration to nanoseconds.
pub(super) fn nanos(time: Duration) -> i128 {
    time.as_nanos().cast_signed()
}
