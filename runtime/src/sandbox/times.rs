//! The creation times of generated records. Of two records, the one with the higher index is never
//! the older one.

use chrono::{DateTime, Utc};

use super::random::{Random, Topic};

/// The distribution of the initial records' creation times before the sandbox's "now".
///
/// Records that are added later have creation times after "now", one millisecond apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Times {
    /// The records are spread almost evenly over a year. Some consecutive records have the same
    /// time. The newest 100 records are about an hour apart, whatever the total number of records.
    #[default]
    Uniform,
    /// All records were created within one second, each at a different time.
    OneSecond,
    /// All records were created at the same time.
    Equal,
    /// Half of the records were created in the first hour of a year, and the other half in the last
    /// hour of the same year.
    TwoClusters,
    /// 90% of the records were created within one hundredth of a year. The rest are spread over the
    /// remainder of the year.
    Skewed,
    /// 90% of the records were created in five bursts of one hour each. The rest are spread over
    /// ten years.
    Bursts,
}

/// A length of time in nanoseconds, or a point in time in nanoseconds since 1970-01-01T00:00:00Z.
pub(super) type Nanoseconds = i128;

const SECOND: Nanoseconds = 1_000_000_000;
const MILLISECOND: Nanoseconds = 1_000_000;
const MICROSECOND: Nanoseconds = 1_000;
const HOUR: Nanoseconds = 3_600 * SECOND;
const YEAR: Nanoseconds = 365 * 24 * HOUR;
/// The length of each pause before, between and after the bursts of `Times::Bursts`.
const LULL: Nanoseconds = (10 * YEAR - 5 * HOUR) / 6;

/// With `Times::Uniform`, this many of the newest records have times that don't depend on the total
/// number of records. The value is the default page size.
const STEADY: u64 = 100;

impl Times {
    /// Divides the time before the sandbox's "now" into stretches, and returns them, oldest first.
    /// Each stretch has two numbers: its share of the records, in thousandths, and its length.
    fn stretches(self) -> Vec<(u64, Nanoseconds)> {
        match self {
            Self::Uniform => vec![(1000, YEAR)],
            Self::OneSecond => vec![(0, YEAR / 2), (1000, SECOND), (0, YEAR / 2 - SECOND)],
            Self::Equal => vec![(0, YEAR / 2), (1000, 0), (0, YEAR / 2)],
            Self::TwoClusters => vec![(500, HOUR), (0, YEAR - 2 * HOUR), (500, HOUR)],
            Self::Skewed => vec![(50, YEAR / 200 * 99), (900, YEAR / 100), (50, YEAR / 200 * 99)],
            Self::Bursts => {
                // The stretches alternate: a lull, a burst, a lull, and so on, up to the last lull.
                let lulls = [17, 17, 16, 17, 17, 16].into_iter();
                lulls.flat_map(|share| [(180, HOUR), (share, LULL)]).skip(1).collect()
            }
        }
    }
}

/// Computes the creation time of a record from its index.
pub(super) struct Timeline {
    seed: u64,
    count: u64,
    segments: Vec<Segment>,
    has_ties: bool,
    /// The creation time of the first record that is added after the initial records.
    end: Nanoseconds,
}

/// A range of record indexes. Each index has its own time slot, in which the record's creation time
/// is chosen at random. All slots of a segment have the same length.
struct Segment {
    /// The first index of the segment.
    first: u64,
    /// The index after the last index of the segment.
    end: u64,
    /// The time at which the last slot ends.
    until: Nanoseconds,
    /// The length of each slot.
    slot: Nanoseconds,
}

impl Timeline {
    pub(super) fn new(seed: u64, times: Times, count: u64, now: DateTime<Utc>) -> Self {
        let now = nanoseconds(now);
        let steady = if times == Times::Uniform { count.min(STEADY) } else { 0 };
        let spread = count - steady;
        let stretches = times.stretches();
        let mut begin = now - stretches.iter().map(|(_, length)| length).sum::<i128>();
        let mut segments = Vec::new();
        let (mut first, mut thousandths) = (0, 0);
        for (share, length) in stretches {
            thousandths += share;
            let end = spread / 1000 * thousandths + spread % 1000 * thousandths / 1000;
            if end > first {
                let length = length - HOUR * i128::from(steady);
                let slot = round(length / i128::from(end - first));
                let until = begin + slot * i128::from(end - first);
                segments.push(Segment { first, end, until, slot });
            }
            (first, begin) = (end, begin + length);
        }
        if steady > 0 {
            segments.push(Segment { first, end: count, until: now, slot: HOUR });
        }
        let has_ties = times != Times::OneSecond;
        Self { seed, count, segments, has_ties, end: now + SECOND }
    }

    /// Returns the number from which the record at this index is generated.
    ///
    /// The newest initial record has the number 0, and older records have larger numbers. As a
    /// result, the newest initial records don't depend on how many records there are.
    pub(super) fn number(&self, index: u64) -> u64 {
        if index < self.count { self.count - 1 - index } else { ADDED + (index - self.count) }
    }

    /// Returns the maximum number of records, including records that are added later.
    pub(super) fn most(&self) -> u64 {
        self.count + ADDED
    }

    /// Returns the index of the record with this number. The record may not have been added yet.
    pub(super) fn index(&self, number: u64) -> Option<u64> {
        if number < ADDED {
            self.count.checked_sub(number.checked_add(1)?)
        } else {
            Some(self.count + (number - ADDED))
        }
    }

    pub(super) fn at(&self, index: u64) -> Nanoseconds {
        let Some(segment) = self.segments.iter().find(|segment| index < segment.end) else {
            return self.end + MILLISECOND * i128::from(index - self.count);
        };
        let back = segment.end - index;
        let number = self.number(index);
        let mut random = Random::new(self.seed, Topic::TIME, number);
        // Some records get the same time as the previous record. This isn't possible if the
        // previous record belongs to an older segment, because the time of that record isn't in the
        // previous slot.
        let has_neighbour = index > segment.first || segment.first == 0;
        if self.has_ties && back % 2 == 1 && has_neighbour && random.one_in(16) {
            return segment.at(back + 1, Random::new(self.seed, Topic::TIME, number + 1));
        }
        segment.at(back, random)
    }
}

/// The number of the first record that is added after the initial records.
const ADDED: u64 = 1 << 46;

impl Segment {
    /// Returns a random time within a slot. `back` counts the slots from the end: 1 is the last
    /// slot, 2 is the slot before it, and so on.
    fn at(&self, back: u64, mut random: Random) -> Nanoseconds {
        let unit = *random.pick(&[SECOND, MILLISECOND, MICROSECOND, 1]);
        let slot = u64::try_from(self.slot).unwrap_or(u64::MAX);
        let offset = i128::from(random.below(slot)) / unit * unit;
        self.until - self.slot * i128::from(back) + offset
    }
}

/// Rounds the length of a slot down to whole seconds, milliseconds or microseconds, depending on
/// the length. As a result, some times have few fractional digits or none.
fn round(slot: Nanoseconds) -> Nanoseconds {
    let unit = [SECOND, MILLISECOND, MICROSECOND].into_iter().find(|unit| slot >= unit * 10);
    unit.map_or(slot, |unit| slot / unit * unit)
}

pub(super) fn nanoseconds(time: DateTime<Utc>) -> Nanoseconds {
    i128::from(time.timestamp()) * SECOND + i128::from(time.timestamp_subsec_nanos())
}

/// Converts nanoseconds to a `DateTime`. A time outside the range of `DateTime` becomes the nearest
/// time in this range.
pub(super) fn time(nanoseconds: Nanoseconds) -> DateTime<Utc> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok();
    let rest = u32::try_from(nanoseconds.rem_euclid(SECOND)).unwrap_or_default();
    let nearest = if nanoseconds < 0 { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    seconds.and_then(|seconds| DateTime::from_timestamp(seconds, rest)).unwrap_or(nearest)
}
