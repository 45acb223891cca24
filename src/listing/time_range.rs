//! The range of `created_at` that a listing can be filtered by.

use chrono::{DateTime, TimeDelta, Utc};

use crate::call::{Query, rfc3339};

#[derive(Debug)]
pub(crate) struct TimeRange {
    pub from: &'static str,
    pub until: &'static str,
    pub until_inclusive: bool,
}

impl TimeRange {
    /// Begins the listing at a time, which belongs to it, whatever its order.
    pub(crate) fn begin_at(&self, query: &mut Query, time: DateTime<Utc>, ascending: bool) {
        if ascending {
            self.set_from(query, begin_of_unit(time));
        } else {
            self.set_until(query, end_of_second(time));
        }
    }

    /// The first time that belongs to the range, unless a later one was asked for.
    pub(crate) fn set_from(&self, query: &mut Query, time: DateTime<Utc>) {
        let time = asked(query, self.from).map_or(time, |asked| asked.max(time));
        query.set(self.from, rfc3339(&time));
    }

    /// The last time that belongs to the range, unless an earlier one was asked for.
    pub(crate) fn set_until(&self, query: &mut Query, time: DateTime<Utc>) {
        // Behind an exclusive bound the next tick is left out again by whoever reads the records.
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

/// The end of the second that a time stands in. A service may tell less of a time than it compares,
/// and compare less of a bound than it is told.
fn end_of_second(time: DateTime<Utc>) -> DateTime<Utc> {
    let rest = TimeDelta::nanoseconds(1_000_000_000 - i64::from(time.timestamp_subsec_nanos()));
    time.checked_add_signed(rest).unwrap_or(time)
}

/// The earliest that is told as this time where times are rounded to the nearest unit.
fn begin_of_unit(time: DateTime<Utc>) -> DateTime<Utc> {
    let half = match time.timestamp_subsec_nanos() {
        0 => 500_000_000,
        nanos if nanos.is_multiple_of(1_000_000) => 500_000,
        nanos if nanos.is_multiple_of(1_000) => 500,
        _ => 0,
    };
    time.checked_sub_signed(TimeDelta::nanoseconds(half)).unwrap_or(time)
}
