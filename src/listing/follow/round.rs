//! One round: the listing once more, from the time on at which something may have changed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::seen::{ByTime, Seen, id_of};
use crate::{
    Items,
    listing::{Timed, plan::Plan, position::REACHES},
};

pub(super) struct Round<T> {
    pub items: Items<T>,
    pub began: Instant,
    /// The bound that it sends; `None` for the whole listing.
    pub from: Option<DateTime<Utc>>,
    /// The newest time that it has listed.
    pub at: Option<DateTime<Utc>>,
    /// The oldest known records behind its bound, until they or older ones are listed: else the service
    /// rounds the bound.
    pub expected: ByTime,
}

/// How much farther back a round may ask, for services that round bounds up or to the nearest unit.
#[derive(Clone, Copy, Default)]
pub(super) struct Margin {
    /// The place in `REACHES`, from 1 on; 0 is none.
    steps: usize,
    /// The steps of the last round that listed what it had to.
    proven: usize,
    /// How often even the longest one didn't bring a record back: it had left the listing.
    refuted: u8,
}

/// Then what is missing has left the listing. Each doubt costs some rounds, and a service that rounds shows
/// it in the first.
const MOST_REFUTED: u8 = 3;

impl Margin {
    fn time(self) -> TimeDelta {
        let step = self.steps.checked_sub(1).and_then(|step| REACHES.get(step));
        step.copied().unwrap_or_default()
    }

    /// The next longer one, if there is one.
    pub(super) fn widen(&mut self) -> bool {
        let is_longest = self.steps == REACHES.len();
        if self.refuted < MOST_REFUTED && !is_longest {
            self.steps += 1;
            return true;
        }
        self.refuted = MOST_REFUTED.min(self.refuted + 1);
        self.steps = self.proven;
        false
    }

    pub(super) fn prove(&mut self) {
        self.proven = self.steps;
    }
}

impl<T: Timed> Round<T> {
    pub(super) fn begin(plan: &Plan<T>, seen: &Seen, margin: Margin) -> Self {
        let from = seen.from();
        let plan = plan.with_query(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.set_from(query, from.checked_sub_signed(margin.time()).unwrap_or(from));
            }
        });
        let expected = from.map(|_| seen.oldest()).unwrap_or_default();
        Self { items: Items::of(Ok(plan)), began: Instant::now(), from, at: None, expected }
    }

    /// Notes what it has listed.
    pub(super) fn listed(&mut self, record: &T) {
        let time = record.created_at();
        self.at = self.at.max(time);
        let Some((oldest, _)) = self.expected.first() else { return };
        if time.is_some_and(|time| time < *oldest) {
            self.expected.clear();
        } else if let Some(id) = id_of(record) {
            self.expected.remove(&(*oldest, id));
        }
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
        seen.known_by(self.surely_passed(seen, anchor)).max(seen.from())
    }

    /// Records before this time can be forgotten, however long this round takes.
    pub(super) fn surely_passed(&self, seen: &Seen, anchor: &Anchor) -> Option<DateTime<Utc>> {
        if !self.expected.is_empty() {
            return self.from;
        }
        // Records may come somewhat out of the order of their times.
        let listed = self.at.map(|at| earlier(at, anchor.overlap));
        anchor.before(self.began, seen, self.began.elapsed()).min(self.from.max(listed))
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
