//! Times as numbers that increase in the order in which the records are listed.

use chrono::{DateTime, Datelike, Utc};

use crate::Record;

/// A time in nanoseconds since 1970, negated if the listing is in descending order.
pub(super) type TimeKey = i128;

const SECOND: TimeKey = 1_000_000_000;
/// The units, in nanoseconds, in which services may report, read and compare times.
pub(super) const UNITS: [TimeKey; 7] =
    [1, 1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND];

pub(super) fn key_of<T: Record>(record: &T, ascending: bool) -> Option<TimeKey> {
    let nanos = nanoseconds(record.created_at()?);
    Some(if ascending { nanos } else { -nanos })
}

fn nanoseconds(time: DateTime<Utc>) -> TimeKey {
    // During a leap second, chrono counts more nanoseconds than a second has.
    let rest = TimeKey::from(time.timestamp_subsec_nanos()).min(SECOND - 1);
    TimeKey::from(time.timestamp()) * SECOND + rest
}

/// Converts a key to a time. `None` if the year can't be written with four digits, which RFC 3339
/// requires.
pub(super) fn time_of(key: TimeKey, ascending: bool) -> Option<DateTime<Utc>> {
    let nanos = if ascending { key } else { -key };
    let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
    let rest = u32::try_from(nanos.rem_euclid(SECOND)).ok()?;
    DateTime::from_timestamp(seconds, rest).filter(|time| (0..10_000).contains(&time.year()))
}

/// The greatest common divisor of `a` and `b`.
pub(super) fn common_divisor(a: TimeKey, b: TimeKey) -> TimeKey {
    if b == 0 { a.abs() } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_second_comes_before_the_second_behind_it() {
        let times = ["2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.2Z"];

        let keys = times.map(|time| nanoseconds(time.parse().unwrap()));

        assert!(keys.is_sorted(), "{keys:?}");
    }
}
