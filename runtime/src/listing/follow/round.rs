//! One round: the listing once more, from the time on at which something may have changed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::{Follow, seen::Seen};
use crate::{
    Items,
    call::{Sender, deadline_in},
    listing::{Timed, plan::Plan, time_range::REACHES},
};

pub(super) struct Round<T> {
    pub items: Items<T>,
    follow: Follow,
    sender: Sender,
    pub began: Instant,
    /// The records from this time on are asked for; `None` is the whole listing.
    pub from: Option<DateTime<Utc>>,
    /// The newest time that it has listed, of those that aren't ahead of when it began.
    at: Option<DateTime<Utc>>,
    /// Whether the bound is known to be read as `from` or earlier, or proves nothing any more.
    is_proven: bool,
}

/// How much farther back a round asks, for services that round bounds up or to the nearest unit. A record
/// stands at a round's `from`: that it, or an older one, is listed proves that the margin is long enough.
#[derive(Clone, Copy, Default)]
pub(super) struct Margin {
    /// The place in `REACHES`, from 1 on; 0 is none.
    steps: usize,
    /// The steps of the last round that was proven.
    proven: usize,
    /// A `from` for which even the longest one proved nothing: the record has left the listing. The longest
    /// one is kept until there is another to ask from.
    unproven: Option<DateTime<Utc>>,
}

impl Margin {
    /// The bound that is sent.
    fn before(self, from: DateTime<Utc>) -> DateTime<Utc> {
        let steps = if self.unproven == Some(from) { REACHES.len() } else { self.steps };
        let reach = steps.checked_sub(1).and_then(|step| REACHES.get(step));
        reach.and_then(|reach| from.checked_sub_signed(*reach)).unwrap_or(from)
    }

    /// Whether this round has to be repeated with a longer one.
    pub(super) fn widen<T>(&mut self, round: &Round<T>) -> bool {
        if round.is_proven {
            self.proven = self.steps;
        } else if self.steps < REACHES.len() {
            self.steps += 1;
            return true;
        } else {
            (self.steps, self.unproven) = (self.proven, round.from);
        }
        false
    }
}

impl<T: Timed> Round<T> {
    pub(super) fn begin(plan: &Plan<T>, follow: Follow, seen: &Seen, margin: Margin) -> Self {
        let from = seen.from();
        let of_round = plan.with_query(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.begin_at(query, margin.before(from), true);
            }
        });
        Self {
            items: Items::of(Ok(of_round)),
            follow,
            sender: plan.start.sender.clone(),
            began: Instant::now(),
            from,
            at: None,
            is_proven: from == margin.unproven,
        }
    }

    /// What the service says is now. Without that, no record counts as dated ahead: a local clock that is
    /// behind would take all of them for that.
    fn now(&self) -> Option<DateTime<Utc>> {
        self.sender.shared.clock.observed()
    }

    /// Whether the service says what is now.
    pub(super) fn knows_now(&self) -> bool {
        self.now().is_some()
    }

    /// Whether it begins ahead of the service's time.
    pub(super) fn begins_ahead(&self) -> bool {
        self.now().is_some_and(|now| self.from > Some(now + TimeDelta::seconds(1)))
    }

    /// When the next round begins.
    pub(super) fn next_begins(&self) -> Instant {
        let every = self.follow.interval();
        self.began.checked_add(every).unwrap_or_else(|| deadline_in(every))
    }

    /// Notes what it has listed.
    pub(super) fn listed(&mut self, record: &T) {
        let began = self.now().map(|now| earlier(now, self.began.elapsed()));
        let time = record.created_at();
        self.at = self.at.max(time.filter(|time| began.is_none_or(|began| *time <= began)));
        self.is_proven |= time.is_some() && time <= self.from;
    }

    /// Where the next round starts after this one. A record may have become visible on a page that
    /// this round had read already, but not before the round began: after a round of more than one
    /// page, the next one reaches back farther by the time that it took.
    pub(super) fn next_from(&self, seen: &Seen) -> Option<DateTime<Utc>> {
        let took = if self.items.is_one_page() { Duration::ZERO } else { self.began.elapsed() };
        self.before_newest(seen, took)
    }

    /// Records before this time can be forgotten, however long this round takes.
    pub(super) fn surely_passed(&self, seen: &Seen) -> Option<DateTime<Utc>> {
        // Of listings that are merged, one may hold a record that is dated ahead, and wait behind it.
        if !self.is_proven || self.items.is_merged() {
            return self.from;
        }
        // Records may come somewhat out of the order of their times.
        let listed = self.at.map(|at| earlier(at, self.follow.overlap));
        self.before_newest(seen, self.began.elapsed()).min(self.from.max(listed))
    }

    /// The overlap and the time that the round `took`, before the newest record, or before the time at
    /// which the round began if that record is dated ahead: now may have passed it since.
    fn before_newest(&self, seen: &Seen, took: Duration) -> Option<DateTime<Utc>> {
        let since = self.began.elapsed().saturating_sub(took);
        let newest = seen.newest(self.now().map(|now| earlier(now, since)))?;
        Some(earlier(newest, self.follow.overlap.saturating_add(took)))
    }
}

fn earlier(time: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
    time.checked_sub_signed(by).unwrap_or(DateTime::<Utc>::MIN_UTC)
}
