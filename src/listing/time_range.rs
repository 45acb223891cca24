//! The range of `created_at` that a listing can be filtered by.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    call::{Query, rfc3339},
    operation::TimeRange,
};

impl TimeRange {
    /// Begins the listing at a time, inclusive, in either order.
    pub(crate) fn begin_at(&self, query: &mut Query, time: DateTime<Utc>, ascending: bool) {
        if ascending {
            self.set_from(query, begin_of_unit(time));
        } else {
            self.set_until(query, end_of_second(time));
        }
    }

    /// Sets the first time of the range, unless the caller asked for a later one.
    pub(crate) fn set_from(&self, query: &mut Query, time: DateTime<Utc>) {
        let time = asked(query, self.from).map_or(time, |asked| asked.max(time));
        query.set(self.from, rfc3339(&time));
    }

    /// Sets the last time of the range, unless the caller asked for an earlier one.
    pub(crate) fn set_until(&self, query: &mut Query, time: DateTime<Utc>) {
        // An exclusive bound is one tick later; records of that tick are dropped when they are read.
        let tick =
            if self.until_inclusive { TimeDelta::zero() } else { TimeDelta::milliseconds(1) };
        let time = time.checked_add_signed(tick).unwrap_or(time);
        let time = asked(query, self.until).map_or(time, |asked| asked.min(time));
        query.set(self.until, rfc3339(&time));
    }
}

fn asked(query: &Query, bound: &str) -> Option<DateTime<Utc>> {
    query.get(bound)?.parse().ok()
}

/// The end of the second that contains a time. A service may send times with fewer digits than it
/// compares, and read fewer digits of a bound than it is sent.
fn end_of_second(time: DateTime<Utc>) -> DateTime<Utc> {
    let rest = TimeDelta::nanoseconds(1_000_000_000 - i64::from(time.timestamp_subsec_nanos()));
    time.checked_add_signed(rest).unwrap_or(time)
}

/// The earliest time that a service sends as this one if it rounds to the nearest unit.
fn begin_of_unit(time: DateTime<Utc>) -> DateTime<Utc> {
    let half = match time.timestamp_subsec_nanos() {
        0 => 500_000_000,
        nanos if nanos.is_multiple_of(1_000_000) => 500_000,
        nanos if nanos.is_multiple_of(1_000) => 500,
        _ => 0,
    };
    time.checked_sub_signed(TimeDelta::nanoseconds(half)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_begins_where_a_service_may_have_rounded_and_ends_with_the_second() {
        for (time, begin, end) in [
            ("05Z", "04.5Z", "06Z"),
            ("05.123Z", "05.1225Z", "06Z"),
            ("05.123456Z", "05.1234555Z", "06Z"),
            ("05.123456789Z", "05.123456789Z", "06Z"),
        ] {
            let at =
                |second| -> DateTime<Utc> { format!("2025-06-01T12:00:{second}").parse().unwrap() };

            assert_eq!(begin_of_unit(at(time)), at(begin));
            assert_eq!(end_of_second(at(time)), at(end));
        }
    }
}
