//! Resumes a listing from a checkpoint: skips the records already returned, and verifies that no
//! other records are skipped.

use std::{cmp::Ordering, collections::HashSet};

use chrono::{DateTime, Utc};

use super::{LATE, NOT_LISTED, Position, TimeOrder, out_of_order, stale};
use crate::{
    Error,
    call::Query,
    listing::{Id, Listing, Record, time_range::REACHES},
};

/// Skips the records that were returned before a checkpoint, and verifies that no other records are
/// skipped.
pub(crate) struct Resume {
    position: Position,
    /// The identifiers from the checkpoint. If records are recognized by time, an identifier is
    /// removed when its record is listed again.
    ids: HashSet<Id>,
    arrivals_until: Option<DateTime<Utc>>,
    /// Whether the identifiers of all returned records are known.
    knows_all: bool,
    /// Whether the order by time is ascending. `None` if times can't show which records were
    /// returned.
    ascending: Option<bool>,
    begins: Begins,
    /// Whether the listing is read with sequential requests.
    pub is_sequential: bool,
    /// The index in `REACHES` of the time span between the listing's start and `previous_time`. If
    /// the index is out of range, the listing is read from its beginning.
    reach: usize,
    /// Whether the listing is known to have started early enough that no record after the
    /// checkpoint is missed.
    proven: bool,
    /// The number of records without identifiers that still have to be skipped.
    unnamed: usize,
}

/// The point from which the listing is read to find the checkpoint's record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Time,
    Page,
    Beginning,
}

pub(crate) enum Verdict {
    /// The record was already returned before the checkpoint.
    Skip,
    /// The record is new, but some of the records after it may have been returned before the
    /// checkpoint.
    Return,
    /// The record and all records after it are new.
    Finished,
    /// The listing has to be read again from an earlier point.
    RestartEarlier,
    /// The listing can't be resumed. Either it is unknown which records were returned, or the
    /// listing was finished and a new record now precedes the checkpoint's record.
    Refuse(Error),
}

impl Resume {
    pub(crate) fn new(position: Position, ascending: Option<bool>) -> Self {
        let ids = &position.ids;
        let knows_ties = ids.is_empty() || ids.len() >= position.records_at_time;
        let has_no_earlier = position.started_at_cursor && position.previous_time.is_none();
        let knows_ties = knows_ties && !has_no_earlier;
        let by_time =
            knows_ties && !position.time_order.is_violated && position.created_at.is_some();
        Self {
            arrivals_until: position.arrivals_until(),
            knows_all: ascending.is_none() && position.merged_listings > 1,
            position,
            ids: HashSet::new(),
            ascending: ascending.filter(|_| by_time),
            begins: Begins::Beginning,
            is_sequential: false,
            reach: 0,
            proven: false,
            unnamed: 0,
        }
    }

    /// Whether a merge of `parts` listings can determine which records were returned before the
    /// checkpoint.
    pub(crate) fn fits(&self, parts: usize) -> bool {
        let TimeOrder { is_violated, is_relied_on } = self.position.time_order;
        if is_violated && is_relied_on {
            return false;
        }
        let has_as_many = parts == self.position.merged_listings;
        self.ascending.is_some() || (has_as_many && (self.knows_all || parts == 1))
    }

    /// Makes a query start before the checkpoint's record. If the listing can be filtered by time
    /// and is sorted by time, the query gets a time bound, because a cursor may have expired.
    /// Otherwise, the query gets the cursor of the record's page.
    pub(crate) fn begin(&mut self, query: &mut Query, listing: &Listing) {
        let has_bounds = listing.time_range.is_some();
        if self.position.ids.is_empty() && !has_bounds {
            self.ascending = None;
        }
        self.ids = self.position.ids.iter().map(|id| Id::from(id.as_str())).collect();
        query.remove(listing.cursor);
        self.begins = Begins::Beginning;
        if let (Some(range), Some(ascending)) = (&listing.time_range, self.ascending) {
            if let Some(before) = self.position.previous_time
                && range.begin_before(query, before, self.reach, ascending)
            {
                self.begins = Begins::Time;
            }
        } else if let Some(cursor) = self.position.page_cursor.as_ref().filter(|_| self.reach == 0)
        {
            query.set(listing.cursor, cursor);
            self.begins = Begins::Page;
        }
        let by_time = self.ascending.is_some();
        self.proven = by_time && self.begins == Begins::Beginning;
        self.unnamed =
            if by_time { self.position.records_at_time } else { self.position.page_offset };
    }

    /// Decides whether a record was returned before the checkpoint. `None` stands for the end of
    /// the listing. [`begin`](Self::begin) must have been called before. `in_order` says whether
    /// the listing has been sorted by time so far.
    pub(crate) fn classify<T: Record>(&mut self, record: Option<&T>, in_order: bool) -> Verdict {
        let Some(record) = record else {
            return if self.proven || self.knows_all {
                Verdict::Finished
            } else {
                self.restart_earlier()
            };
        };
        let Some(ascending) = self.ascending else { return self.find(record) };
        if self.found_all() {
            return Verdict::Finished;
        }
        if !in_order {
            return self.without_times();
        }
        let (Some(then), Some(now)) = (self.position.created_at, record.created_at()) else {
            return self.without_times();
        };
        let is_open = Some(now) <= self.arrivals_until;
        let now = if is_open { now.min(then) } else { now };
        match if ascending { now.cmp(&then) } else { then.cmp(&now) } {
            Ordering::Less if self.is_late(now) => Verdict::Refuse(stale(LATE)),
            Ordering::Less => {
                self.proven = true;
                Verdict::Skip
            }
            Ordering::Equal if record.id().is_some_and(|id| self.ids.remove(&id)) => {
                // A page starts exactly at its cursor, while a service may round a time bound.
                self.proven |= self.begins == Begins::Page;
                Verdict::Skip
            }
            _ if !self.proven => self.restart_earlier(),
            Ordering::Equal if self.position.ids.is_empty() && self.unnamed > 0 => {
                self.unnamed -= 1;
                Verdict::Skip
            }
            Ordering::Equal => Verdict::Return,
            Ordering::Greater => Verdict::Finished,
        }
    }

    /// The initial [`TimeOrder`] of the resumed listing. If the records have times, but the times
    /// can't show which records were returned, the order counts as violated.
    pub(crate) fn time_order(&self) -> TimeOrder {
        let is_relied_on = self.ascending.is_some();
        let is_violated = !is_relied_on && self.position.created_at.is_some();
        TimeOrder { is_violated, is_relied_on }
    }

    /// Whether the listing was finished, and `time` is between the last two distinct times of its
    /// records. The listing returned no record between these times, so a record with such a time
    /// must have arrived after the listing was finished. A finished listing is resumed only in
    /// ascending order.
    fn is_late(&self, time: DateTime<Utc>) -> bool {
        let Position { finished, previous_time, .. } = &self.position;
        *finished && previous_time.is_none_or(|previous| time > previous)
    }

    /// Decides by identifier or place, not by time, whether a record was returned before the
    /// checkpoint.
    fn find<T: Record>(&mut self, record: &T) -> Verdict {
        let id = record.id();
        if self.knows_all {
            let is_known = id.is_some_and(|id| self.ids.contains(&id));
            return if is_known { Verdict::Skip } else { Verdict::Return };
        }
        if self.proven {
            return Verdict::Finished;
        }
        self.unnamed = self.unnamed.saturating_sub(1);
        self.proven = match self.position.ids.last() {
            Some(last) => id.is_some_and(|id| id.to_string() == *last),
            None => self.unnamed == 0,
        };
        Verdict::Skip
    }

    /// Whether the listing is read sequentially and without a time bound from the checkpoint. If
    /// so, the order by time matters only up to the checkpoint's record. Always false if the
    /// earlier listing's result depends on that order, because then a later violation matters too.
    pub(crate) fn lists_all(&self) -> bool {
        let was_relied_on = self.position.time_order.is_relied_on;
        self.is_sequential && self.begins != Begins::Time && !was_relied_on
    }

    /// Whether all known records were listed again, so that all further records are new.
    fn found_all(&self) -> bool {
        let found = !self.position.ids.is_empty() && self.ids.is_empty();
        found && self.proven && self.lists_all()
    }

    /// Whether the listing begins at the page of the checkpoint's record.
    pub(crate) fn begins_at_page(&self) -> bool {
        self.begins == Begins::Page
    }

    /// Makes the next attempt start earlier. Rejects the checkpoint if an earlier start can't help.
    pub(crate) fn restart_earlier(&mut self) -> Verdict {
        let counts = self.ascending.is_none() && self.position.ids.is_empty();
        if counts || self.begins == Begins::Beginning {
            return Verdict::Refuse(stale(NOT_LISTED));
        }
        self.reach += 1;
        Verdict::RestartEarlier
    }

    /// Makes the next attempt start at the beginning and look for the checkpoint's record by
    /// identifier, because the service doesn't sort by time. Rejects the checkpoint if that isn't
    /// possible.
    fn without_times(&mut self) -> Verdict {
        self.ascending = None;
        self.reach = REACHES.len();
        let Position { ids, merged_listings, time_order, .. } = &self.position;
        if time_order.is_relied_on {
            return Verdict::Refuse(out_of_order());
        }
        let is_lost = ids.is_empty() || *merged_listings > 1;
        if is_lost { Verdict::Refuse(stale(NOT_LISTED)) } else { Verdict::RestartEarlier }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{PageOffset, Tracker},
        *,
    };
    use crate::{
        Operation,
        fixture::{BY_PAGE, BY_TIME},
        listing::tests::Entry,
    };

    /// The verdicts on the `listed` records, one character each, if the `handed_out` records were
    /// returned before the checkpoint.
    fn classified(operation: Operation, handed_out: &[Entry], listed: &[Entry]) -> String {
        classified_by(tracker(1), operation, handed_out, listed)
    }

    /// A tracker for a merge of `parts` listings.
    fn tracker(parts: usize) -> Tracker {
        let mut tracker = Tracker { ordered: true, ..Tracker::default() };
        tracker.position.merged_listings = parts;
        tracker
    }

    fn classified_by(
        mut tracker: Tracker,
        operation: Operation,
        handed_out: &[Entry],
        listed: &[Entry],
    ) -> String {
        let listing = operation.listing().unwrap();
        for record in handed_out {
            assert!(tracker.accept(record));
        }
        let place = PageOffset { offset: handed_out.len(), ..PageOffset::default() };
        let has_bounds = listing.time_range.is_some();
        let json = serde_json::to_string(&tracker.position(&place, has_bounds));
        let mut resume = Resume::new(serde_json::from_str(&json.unwrap()).unwrap(), Some(true));
        resume.begin(&mut Query::default(), listing);
        let mut letters = String::new();
        let mut last = None;
        for record in listed {
            let in_order = record.created_at() >= last;
            last = record.created_at();
            letters.push(match resume.classify(Some(record), in_order) {
                Verdict::Skip => '-',
                Verdict::Return => 'o',
                Verdict::Finished => return letters + "!",
                Verdict::RestartEarlier => return letters + "<",
                Verdict::Refuse(_) => return letters + "?",
            });
        }
        letters
    }

    #[test]
    fn a_resumed_listing_skips_what_was_handed_out_and_nothing_that_it_cant_prove() {
        let named = |id, second| Entry(Some(id), Some(second));
        let unnamed = |second| Entry(None, Some(second));
        let handed_out = [named("a", 6), named("b", 7), named("c", 7)];
        for (operation, listed, expected) in [
            (BY_TIME, vec![named("a", 6), named("c", 7), named("d", 7), named("b", 7)], "--o-"),
            (BY_TIME, vec![named("a", 6), named("e", 8)], "-!"),
            // Nothing shows that the listing started early enough.
            (BY_TIME, vec![named("c", 7), named("e", 8)], "-<"),
            (BY_TIME, vec![named("d", 7)], "<"),
            (BY_TIME, vec![named("e", 8)], "<"),
            // The records aren't sorted by time.
            (BY_TIME, vec![named("b", 7), named("a", 6)], "-<"),
            (BY_PAGE, vec![named("c", 7), named("d", 7), named("e", 8)], "-o!"),
        ] {
            assert_eq!(classified(operation, &handed_out, &listed), expected, "{operation:?}");
        }
        let handed_out = [unnamed(6), unnamed(7), unnamed(7)];
        let listed = [unnamed(6), unnamed(7), unnamed(7), unnamed(7), unnamed(8)];
        assert_eq!(classified(BY_TIME, &handed_out, &listed), "---o!");
        assert_eq!(classified(BY_TIME, &handed_out, &listed[1..]), "<");
        // Without identifiers and without an order by time, nothing shows which records were
        // returned.
        assert_eq!(classified(BY_TIME, &handed_out, &[unnamed(6), unnamed(5)]), "-?");
        assert_eq!(classified(BY_PAGE, &handed_out, &listed), "---!");
    }

    #[test]
    fn what_may_have_arrived_since_is_told_from_what_was_handed_out() {
        let named = |id, second| Entry(Some(id), Some(second));
        let arrivals_from = DateTime::from_timestamp(6, 0);
        let tracker = Tracker { arrivals_from, ..tracker(1) };
        let handed_out = [named("a", 4), named("c", 7), named("d", 8)];
        // The listing with this record, one of two merged listings, had already been read to its
        // end.
        let arrived = named("b", 6);
        let listed =
            [named("a", 4), arrived, named("c", 7), named("d", 8), named("e", 8), named("f", 9)];

        let letters = classified_by(tracker, BY_TIME, &handed_out, &listed);

        assert_eq!(letters, "-o--o!");
    }

    #[test]
    fn a_record_is_looked_for_in_all_of_one_listing_where_times_dont_tell() {
        let handed_out = [Entry(Some("a"), Some(6)), Entry(Some("b"), Some(7))];
        let listed = [Entry(Some("b"), Some(7)), Entry(Some("a"), Some(6))];
        for (parts, expected) in [(1, "-<"), (2, "-?")] {
            let letters = classified_by(tracker(parts), BY_TIME, &handed_out, &listed);
            assert_eq!(letters, expected, "{parts}");
        }
    }
}
