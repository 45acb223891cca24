//! One round: the listing once more, from the time on at which something may have changed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::seen::Seen;
use crate::{
    Items,
    listing::{Timed, plan::Plan},
};

pub(super) struct Round<T> {
    pub items: Items<T>,
    pub began: Instant,
    /// The bound that it sends; `None` for the whole listing.
    pub from: Option<DateTime<Utc>>,
    /// The newest time that it has listed.
    pub at: Option<DateTime<Utc>>,
}

impl<T: Timed> Round<T> {
    pub(super) fn begin(plan: &Plan<T>, from: Option<DateTime<Utc>>) -> Self {
        let plan = plan.with_query(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.set_from(query, from);
            }
        });
        Self { items: Items::of(Ok(plan)), began: Instant::now(), from, at: None }
    }

    /// Where the next round starts after this one. A record may have become visible on a page that
    /// this round had read already, but not before the round began: after a round of more than one
    /// page, the next one reaches back farther by the time that it took.
    pub(super) fn next_from(&self, seen: &Seen, anchor: &Anchor) -> Option<DateTime<Utc>> {
        let took = if self.items.is_one_page() { Duration::ZERO } else { self.began.elapsed() };
        anchor.before(self.began, seen, took)
    }

    /// Where another round would have to begin if this one went no further.
    pub(super) fn reached(&self, seen: &Seen, anchor: &Anchor) -> Option<DateTime<Utc>> {
        self.surely_passed(seen, anchor).max(seen.from())
    }

    /// Records before this time can be forgotten, however long this round takes.
    pub(super) fn surely_passed(&self, seen: &Seen, anchor: &Anchor) -> Option<DateTime<Utc>> {
        anchor.before(self.began, seen, self.began.elapsed()).min(self.from.max(self.at))
    }
}

/// The time from which rounds reach back.
pub(super) struct Anchor {
    pub now: DateTime<Utc>,
    pub overlap: Duration,
}

impl Anchor {
    /// The overlap and the time that a round `took`, before the newest record, or before the time at
    /// which the round began if that record is dated ahead: now may have passed it since.
    fn before(&self, began: Instant, seen: &Seen, took: Duration) -> Option<DateTime<Utc>> {
        let newest = seen.newest(earlier(self.now, began.elapsed().saturating_sub(took)))?;
        Some(earlier(newest, self.overlap.saturating_add(took)))
    }
}

fn earlier(time: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
    time.checked_sub_signed(by).unwrap_or(DateTime::<Utc>::MIN_UTC)
}
