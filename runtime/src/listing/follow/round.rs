//! A round of a followed listing, which requests the listing again from the time after which
//! records may be new or changed.

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
    /// The time from which records are requested. `None` means the whole listing.
    pub from: Option<DateTime<Utc>>,
    /// The time of the newest record listed so far, ignoring records later than the start of the
    /// round.
    at: Option<DateTime<Utc>>,
    /// Whether the round is known to have started early enough, because a record at `from` or
    /// earlier was listed. Also true if there is no `from`, or if the record at `from` has left the
    /// listing.
    is_proven: bool,
}

/// How much earlier than `from` a round starts, in case the service rounds bounds up or to the
/// nearest unit.
///
/// There is a known record at `from`. If the round lists that record or an older one, the margin is
/// long enough.
#[derive(Clone, Copy, Default)]
pub(super) struct Margin {
    /// The index into `REACHES`, counted from 1. 0 means no margin.
    steps: usize,
    /// The value of `steps` in the last round whose margin was long enough.
    proven: usize,
    /// The last `from` for which even the longest margin wasn't enough, because the record at that
    /// time has left the listing. The longest margin is used until `from` changes.
    unproven: Option<DateTime<Utc>>,
}

impl Margin {
    /// Returns the time bound that makes the service list all records created at `from` or later.
    fn before(self, from: DateTime<Utc>) -> DateTime<Utc> {
        let steps = if self.unproven == Some(from) { REACHES.len() } else { self.steps };
        let reach = steps.checked_sub(1).and_then(|step| REACHES.get(step));
        reach.and_then(|reach| from.checked_sub_signed(*reach)).unwrap_or(from)
    }

    /// Updates the margin after a round. Returns whether the round has to be repeated with a longer
    /// margin.
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
        let mut of_round = plan.with_query(|query| {
            if let (Some(range), Some(from)) = (&plan.listing.time_range, from) {
                range.begin_at(query, margin.before(from), true);
            }
        });
        of_round.rereads = false;
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

    /// The service's current time. If `None`, no record counts as being in the future. The local
    /// clock isn't used instead: if it were slow, all new records would seem to be in the future.
    fn now(&self) -> Option<DateTime<Utc>> {
        self.sender.shared.clock.observed()
    }

    /// Whether the service's current time is known.
    pub(super) fn knows_now(&self) -> bool {
        self.now().is_some()
    }

    /// Whether `from` is more than one second later than the service's current time.
    pub(super) fn begins_ahead(&self) -> bool {
        self.now().is_some_and(|now| self.from > Some(now + TimeDelta::seconds(1)))
    }

    /// The time at which the next round starts.
    pub(super) fn next_begins(&self) -> Instant {
        let every = self.follow.interval();
        self.began.checked_add(every).unwrap_or_else(|| deadline_in(every))
    }

    /// Updates `at` and `is_proven` for a listed record.
    pub(super) fn listed(&mut self, record: &T) {
        let began = self.now().map(|now| earlier(now, self.began.elapsed()));
        let time = record.created_at();
        self.at = self.at.max(time.filter(|time| began.is_none_or(|began| *time <= began)));
        self.is_proven |= time.is_some() && time <= self.from;
    }

    /// Returns the time from which the next round requests records. During a round of several
    /// pages, a record may have become visible on a page that was already read. So the next round
    /// reaches back further by the duration of this round.
    pub(super) fn next_from(&self, seen: &Seen) -> Option<DateTime<Utc>> {
        let took = if self.items.is_one_page() { Duration::ZERO } else { self.began.elapsed() };
        self.before_newest(seen, took)
    }

    /// The time before which records can be forgotten, however long this round takes.
    pub(super) fn surely_passed(&self, seen: &Seen) -> Option<DateTime<Utc>> {
        // In a merge, a record in the future holds back the records after it in its listing until
        // the other listings have been read.
        if !self.is_proven || self.items.is_merged() {
            return self.from;
        }
        // Records may be out of order by up to the overlap.
        let listed = self.at.map(|at| earlier(at, self.follow.overlap));
        self.before_newest(seen, self.began.elapsed()).min(self.from.max(listed))
    }

    /// The newest record's time minus the overlap and the duration `took`. If the service's current
    /// time is known, the result is never later than the start of the round minus the overlap.
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
