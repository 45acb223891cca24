//! One round: the listing once more, from where something may have changed.

use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use super::seen::Seen;
use crate::{
    Items,
    listing::{Timed, plan::Plan},
};

pub(super) struct Round<T> {
    pub items: Items<T>,
    pub began: Instant,
    /// Its first time; none for all there is.
    pub from: Option<DateTime<Utc>>,
    /// The time that it has come to.
    pub at: Option<DateTime<Utc>>,
}

impl<T: Timed> Round<T> {
    pub(super) fn begin(plan: &Plan<T>, from: Option<DateTime<Utc>>) -> Self {
        let plan = plan.begun(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.set_from(query, from);
            }
        });
        Self { items: Items::of(Ok(plan)), began: Instant::now(), from, at: None }
    }

    /// Where the next round begins when this one is done. A record that has become visible behind
    /// this round's back has done so since it began: what took more than one page reaches back
    /// farther by as long as it took.
    pub(super) fn next_from(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        let took = if self.items.is_one_page() { Duration::ZERO } else { self.began.elapsed() };
        seen.before_newest(overlap.saturating_add(took))
    }

    /// Where another round would have to begin if this one went no further.
    pub(super) fn reached(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        self.next_from(seen, overlap).min(self.from.max(self.at)).max(seen.from())
    }

    /// What no later round has to see again, however long this one takes.
    pub(super) fn surely_passed(&self, seen: &Seen, overlap: Duration) -> Option<DateTime<Utc>> {
        let bound = seen.before_newest(overlap.saturating_add(self.began.elapsed()));
        bound.min(self.from.max(self.at))
    }
}
