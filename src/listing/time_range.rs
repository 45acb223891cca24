//! The range of `created_at` that a listing can be filtered by.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    call::{Query, rfc3339},
    operation::TimeRange,
};

impl TimeRange {
    /// Begins the listing so long before a time in its order. Returns false if the caller asked for
    /// no earlier beginning.
    pub(crate) fn begin_before(
        &self,
        query: &mut Query,
        time: DateTime<Utc>,
        margin: TimeDelta,
        ascending: bool,
    ) -> bool {
        let bound = if ascending { self.from } else { self.until };
        let before = query.get(bound).map(str::to_owned);
        if ascending {
            self.set_from(query, time.checked_sub_signed(margin).unwrap_or(time));
        } else {
            self.set_until(query, time.checked_add_signed(margin).unwrap_or(time));
        }
        before.as_deref() != query.get(bound)
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
