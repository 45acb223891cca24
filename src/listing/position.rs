//! Where a listing stands, and how another one continues from there.

use std::{collections::HashSet, mem};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{CURSOR, Listing, Record};
use crate::{Error, ErrorKind, call::Query};

/// Behind which record a listing stands.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The cursor of the record's page.
    pub cursor: Option<String>,
    /// The record's place in that page, counted from 1, for records that have no identifier.
    pub taken: usize,
    pub created_at: Option<DateTime<Utc>>,
    /// The record; of merged listings, all that were handed out with the same `created_at`.
    pub ids: Vec<String>,
    pub merged: bool,
    /// The records of its time, itself included, that came before it in what is asked for again: for
    /// records that have no identifier and come in the order of time.
    #[serde(default)]
    pub alike: usize,
    /// Whether the listing had come to its end.
    #[serde(default)]
    pub finished: bool,
    /// Whether records came in another order than their times, which then say nothing about what was
    /// handed out before.
    #[serde(default)]
    pub out_of_order: bool,
}

/// The place of a source's last record, beside its time and its identifier.
#[derive(Default)]
pub(crate) struct Place<'a> {
    /// The cursor of its page, if the page can be asked for again.
    pub cursor: Option<&'a str>,
    /// Its place in that page, counted from 1.
    pub taken: usize,
    /// In a merge, all records with its time that were handed out.
    pub handed: Option<&'a HashSet<String>>,
}

/// Skips the records that were handed out before a checkpoint.
pub(crate) struct Resume {
    position: Position,
    ascending: bool,
    /// The records that were handed out before and haven't come again.
    unseen: HashSet<String>,
    /// How many records are still to be skipped by their number, having no identifier.
    unnamed: usize,
    /// Whether records with the checkpoint's own time were skipped, without knowing them.
    has_doubts: bool,
}

pub(crate) enum Step {
    /// The record was handed out before.
    Skip,
    /// It wasn't, but others of its time may have been.
    HandOut,
    /// Neither it nor any that follows was.
    Finished,
}

impl Resume {
    /// The times are ignored if the records aren't known to come in their order.
    pub(crate) fn new(mut position: Position, ascending: Option<bool>) -> Self {
        let in_order = ascending.is_some() && !position.out_of_order;
        position.created_at = position.created_at.filter(|_| in_order);
        let unseen: HashSet<String> = mem::take(&mut position.ids).into_iter().collect();
        let unnamed = match position.created_at {
            _ if !unseen.is_empty() => 0,
            Some(_) => position.alike,
            None => position.taken,
        };
        let ascending = ascending.unwrap_or_default();
        Self { position, ascending, unseen, unnamed, has_doubts: false }
    }

    /// # Errors
    ///
    /// `StaleCheckpoint` if the listing has changed so much that what was handed out can't be told
    /// from what wasn't.
    pub(crate) fn look<T: Record>(&mut self, record: &T) -> Result<Step, Error> {
        if let (Some(then), Some(now)) = (self.position.created_at, record.created_at())
            && now != then
        {
            if (now < then) == self.ascending {
                return Ok(Step::Skip);
            }
            return if self.is_done() { Ok(Step::Finished) } else { Err(Self::lost()) };
        }
        if record.id().is_some_and(|id| self.unseen.remove(&id.to_string())) {
            return Ok(Step::Skip);
        }
        if self.position.merged {
            return Ok(Step::HandOut);
        }
        if self.unseen.is_empty() && self.unnamed == 0 {
            return Ok(Step::Finished);
        }
        self.unnamed = self.unnamed.saturating_sub(1);
        self.has_doubts = true;
        Ok(Step::Skip)
    }

    /// Whether it is known what was handed out: the checkpoint's record came again, or no other has
    /// its time.
    pub(crate) fn is_done(&self) -> bool {
        let timed = self.position.created_at.is_some();
        self.position.merged || self.unseen.is_empty() || (timed && !self.has_doubts)
    }

    pub(crate) fn unseen(&self) -> impl Iterator<Item = &String> {
        self.unseen.iter()
    }

    pub(crate) fn lost() -> Error {
        Error::new(
            ErrorKind::StaleCheckpoint,
            "the checkpoint's record isn't listed any more; begin anew from its created_at",
        )
    }

    /// Begins the listing at the record's time if it can be filtered by time, else at the record's
    /// page. How long a cursor is valid isn't specified.
    pub(crate) fn begin(&self, query: &mut Query, listing: &Listing) {
        match (&listing.time_range, &self.position) {
            (Some(range), Position { created_at: Some(time), .. }) => {
                query.remove(CURSOR);
                range.begin_at(query, *time, self.ascending);
            }
            (_, Position { cursor: Some(cursor), .. }) => query.set(CURSOR, cursor),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::listing::{Id, sealed};

    struct Untimed(Option<&'static str>);

    impl sealed::Record for Untimed {}

    impl Record for Untimed {
        fn created_at(&self) -> Option<DateTime<Utc>> {
            None
        }

        fn id(&self) -> Option<Id> {
            self.0.map(Id::from)
        }
    }

    #[test]
    fn records_without_identifiers_are_told_apart_by_their_number() {
        let position = Position { taken: 2, ..Position::default() };
        let mut resume = Resume::new(position, None);

        for _ in 0..2 {
            assert!(matches!(resume.look(&Untimed(None)), Ok(Step::Skip)));
        }
        assert!(matches!(resume.look(&Untimed(None)), Ok(Step::Finished)));
    }

    #[test]
    fn timed_records_without_identifiers_are_told_apart_by_their_number() {
        struct Timed(DateTime<Utc>);

        impl sealed::Record for Timed {}

        impl Record for Timed {
            fn created_at(&self) -> Option<DateTime<Utc>> {
                Some(self.0)
            }

            fn id(&self) -> Option<Id> {
                None
            }
        }

        let time = |second| Timed(DateTime::from_timestamp(second, 0).unwrap());
        let position = Position { alike: 2, created_at: Some(time(7).0), ..Position::default() };
        let skipped_before = |seconds: &[i64]| {
            let mut resume = Resume::new(position.clone(), Some(true));
            let looked = seconds.iter().map(|second| resume.look(&time(*second)).unwrap());
            looked.take_while(|step| matches!(step, Step::Skip)).count()
        };

        assert_eq!(skipped_before(&[6, 7, 7, 7]), 3);
        assert_eq!(skipped_before(&[7, 7, 8]), 2);
        assert_eq!(skipped_before(&[7, 8]), 1);
    }

    #[test]
    fn without_times_only_the_record_itself_shows_what_was_handed_out() {
        let position = Position { ids: vec!["b".to_owned()], taken: 1, ..Position::default() };
        let mut resume = Resume::new(position, None);

        assert!(!resume.is_done());
        assert!(matches!(resume.look(&Untimed(Some("a"))), Ok(Step::Skip)));
        assert!(!resume.is_done());
        assert!(matches!(resume.look(&Untimed(Some("b"))), Ok(Step::Skip)));
        assert!(resume.is_done());
        assert!(matches!(resume.look(&Untimed(Some("c"))), Ok(Step::Finished)));
    }
}
