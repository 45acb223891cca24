//! The time range by which a listing can be filtered.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    call::{Query, rfc3339},
    operation::TimeRange,
};

/// The time spans, tried in turn, by which a listing starts before a known record. If the response
/// doesn't show that the listing started early enough, the service may have rounded the time bound,
/// so the next longer span is tried.
pub(crate) const REACHES: [TimeDelta; 4] =
    [TimeDelta::seconds(1), TimeDelta::minutes(1), TimeDelta::hours(1), TimeDelta::days(1)];

impl TimeRange {
    /// Makes a query start `REACHES[reach]` before `time`, in the listing's order. Returns false if
    /// `reach` is out of range, or if the caller's own bound is later.
    pub(crate) fn begin_before(
        &self,
        query: &mut Query,
        time: DateTime<Utc>,
        reach: usize,
        ascending: bool,
    ) -> bool {
        let Some(reach) = REACHES.get(reach) else { return false };
        let asked = query.get(self.bound(ascending)).map(str::to_owned);
        let reach = if ascending { -*reach } else { *reach };
        self.begin_at(query, time.checked_add_signed(reach).unwrap_or(time), ascending);
        asked.as_deref() != query.get(self.bound(ascending))
    }

    /// Makes a query start at `time` in the listing's order, unless the caller's own bound is
    /// later.
    pub(crate) fn begin_at(&self, query: &mut Query, time: DateTime<Utc>, ascending: bool) {
        // An exclusive bound is sent one millisecond later. The additional records in that
        // millisecond are dropped when they are read.
        let is_exclusive = !ascending && !self.until_inclusive;
        let tick = TimeDelta::milliseconds(is_exclusive.into());
        let time = time.checked_add_signed(tick).unwrap_or(time);
        let bound = self.bound(ascending);
        let asked = query.get(bound).and_then(|asked| asked.parse().ok());
        let time = match asked {
            Some(asked) if ascending => time.max(asked),
            Some(asked) => time.min(asked),
            None => time,
        };
        query.set(bound, rfc3339(&time));
    }

    fn bound(&self, ascending: bool) -> &'static str {
        if ascending { self.from } else { self.until }
    }
}
