//! When the records of a listing were created: times that never decrease from index to index.

use super::random::{Random, Topic};

/// How the creation times of the records are spread.
///
/// Records added later are always newer than all the others, one a millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Times {
    /// Over about a year, not perfectly even; now and then two neighbours share a time.
    #[default]
    Uniform,
    /// All within one second, no two at the same time.
    OneSecond,
    /// All at the same time.
    Equal,
    /// Half within the first hour of a year, half within the last.
    TwoClusters,
    /// Nine tenths of the records within one hundredth of a year.
    Skewed,
}

const SECOND: i64 = 1_000_000_000;
const MILLISECOND: i64 = 1_000_000;
const MICROSECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;
const YEAR: i64 = 365 * 24 * HOUR;
/// 2025-01-01T00:00:00Z, in nanoseconds since 1970 as all times here.
const START: i64 = 1_735_689_600 * SECOND;

impl Times {
    /// Stretches of time: the share of the records in thousandths, the beginning and the length.
    fn stretches(self) -> &'static [(u64, i64, i64)] {
        match self {
            Self::Uniform => &[(1000, 0, YEAR)],
            Self::OneSecond => &[(1000, YEAR / 2, SECOND)],
            Self::Equal => &[(1000, YEAR / 2, 0)],
            Self::TwoClusters => &[(500, 0, HOUR), (500, YEAR - HOUR, HOUR)],
            Self::Skewed => &[
                (50, 0, YEAR / 200 * 99),
                (900, YEAR / 200 * 99, YEAR / 100),
                (50, YEAR / 200 * 101, YEAR / 200 * 99),
            ],
        }
    }
}

/// The creation time of each index.
#[derive(Debug)]
pub(super) struct Timeline {
    seed: u64,
    segments: Vec<Segment>,
}

/// Indexes that follow each other at one pace, each somewhere in a slot of its own.
#[derive(Debug)]
struct Segment {
    first: u64,
    start: i64,
    slot: i64,
    has_ties: bool,
}

impl Timeline {
    pub(super) fn new(seed: u64, times: Times, count: u64) -> Self {
        let has_ties = times != Times::OneSecond;
        let (mut segments, mut first, mut thousandths) = (Vec::new(), 0, 0);
        for &(share, offset, length) in times.stretches() {
            thousandths += share;
            let end = count / 1000 * thousandths + count % 1000 * thousandths / 1000;
            if end > first {
                let slot = round(length / signed(end - first));
                segments.push(Segment { first, start: START + offset, slot, has_ties });
            }
            first = end;
        }
        let start = START + YEAR + SECOND;
        segments.push(Segment { first: count, start, slot: MILLISECOND, has_ties: false });
        Self { seed, segments }
    }

    pub(super) fn at(&self, index: u64) -> i64 {
        let Some(segment) = self.segments.iter().rev().find(|segment| segment.first <= index)
        else {
            return START;
        };
        let position = index - segment.first;
        let mut random = self.jitter(index);
        if segment.has_ties && position % 2 == 1 && random.one_in(16) {
            return segment.at(position - 1, &mut self.jitter(index - 1));
        }
        segment.at(position, &mut random)
    }

    /// The number of indexes below `count` whose time fulfils `before`, which holds up to some
    /// time and for none after it.
    pub(super) fn partition(&self, count: u64, before: impl Fn(i64) -> bool) -> u64 {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.at(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn jitter(&self, index: u64) -> Random {
        Random::new(self.seed, Topic::Time, index)
    }
}

impl Segment {
    fn at(&self, position: u64, random: &mut Random) -> i64 {
        let unit = *random.pick(&[SECOND, MILLISECOND, MICROSECOND, 1]);
        let offset = signed(random.below(self.slot.unsigned_abs())) / unit * unit;
        self.start.saturating_add(self.slot.saturating_mul(signed(position))).saturating_add(offset)
    }
}

/// A slot of whole seconds where it is long enough, so that some times have no fraction digits.
fn round(slot: i64) -> i64 {
    let unit = [SECOND, MILLISECOND, MICROSECOND].into_iter().find(|unit| slot >= unit * 10);
    unit.map_or(slot, |unit| slot / unit * unit)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Times; 5] =
        [Times::Uniform, Times::OneSecond, Times::Equal, Times::TwoClusters, Times::Skewed];

    #[test]
    fn times_never_decrease_however_they_are_spread() {
        for times in ALL {
            for count in [0, 1, 2, 3, 999, 10_007] {
                let timeline = Timeline::new(7, times, count);
                for index in 1..count + 50 {
                    let (before, after) = (timeline.at(index - 1), timeline.at(index));
                    assert!(before <= after, "{times:?}, {count} records, index {index}");
                    assert!(index < count || before < after, "{times:?}: added ones are newer");
                }
            }
        }
    }

    #[test]
    fn the_spread_is_the_one_asked_for() {
        let span = |times| {
            let timeline = Timeline::new(7, times, 10_000);
            timeline.at(9_999) - timeline.at(0)
        };

        assert!(span(Times::Uniform) > YEAR / 10 * 9);
        assert!(span(Times::OneSecond) < SECOND);
        assert_eq!(span(Times::Equal), 0);
        assert!(span(Times::TwoClusters) > YEAR - 2 * HOUR);
        let skewed = Timeline::new(7, Times::Skewed, 10_000);
        assert!(skewed.at(9_499) - skewed.at(500) <= YEAR / 100);
    }

    #[test]
    fn one_second_holds_a_million_distinct_times() {
        let timeline = Timeline::new(7, Times::OneSecond, 1_000_000);

        assert!((1..1_000_000).all(|index| timeline.at(index - 1) < timeline.at(index)));
    }
}
