//! Continuing from a checkpoint: skips the records that were handed out before it.

use std::collections::HashSet;

use super::{CURSOR, Id, Listing, Record, checkpoint::Position};
use crate::{Error, ErrorKind, call::Query};

/// Skips the records that were handed out before a checkpoint.
pub(crate) struct Resume {
    position: Position,
    ids: HashSet<String>,
    ascending: bool,
    /// How many skipped records have the checkpoint's own time.
    beside: usize,
    counted: usize,
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
        position.created_at = position.created_at.filter(|_| ascending.is_some());
        let ids = position.ids.iter().cloned().collect();
        let ascending = ascending.unwrap_or_default();
        Self { position, ids, ascending, beside: 0, counted: 0 }
    }

    /// # Errors
    ///
    /// `StaleCheckpoint` if the listing has changed so much that what was handed out can't be told
    /// from what wasn't.
    pub(crate) fn look<T: Record>(&mut self, record: &T) -> Result<Step, Error> {
        let known = || record.id().as_ref().map(Id::to_string);
        let (Some(then), Some(now)) = (self.position.created_at, record.created_at()) else {
            return Ok(self.look_untimed(known()));
        };
        let before = if self.ascending { now < then } else { now > then };
        if before {
            return Ok(Step::Skip);
        }
        if now != then {
            return if self.is_done() { Ok(Step::Finished) } else { Err(Self::lost()) };
        }
        let found = known().is_some_and(|id| self.ids.remove(&id));
        match (self.position.merged, found) {
            (true, true) => Ok(Step::Skip),
            (true, false) => Ok(Step::HandOut),
            (false, _) if self.ids.is_empty() && !found => Ok(Step::Finished),
            (false, _) => {
                self.beside += 1;
                Ok(Step::Skip)
            }
        }
    }

    /// Whether it is known what was handed out: the checkpoint's record came again, or no other has
    /// its time.
    pub(crate) fn is_done(&self) -> bool {
        let timed = self.position.created_at.is_some();
        self.position.merged || self.ids.is_empty() || (timed && self.beside == 0)
    }

    /// The records that were handed out before and haven't come again.
    pub(crate) fn unseen(&self) -> impl Iterator<Item = &String> {
        self.ids.iter()
    }

    pub(crate) fn lost() -> Error {
        Error::new(
            ErrorKind::StaleCheckpoint,
            "the checkpoint's record isn't listed any more; begin anew from its created_at",
        )
    }

    fn look_untimed(&mut self, id: Option<String>) -> Step {
        self.counted += 1;
        match id {
            Some(id) if self.position.merged => {
                if self.ids.remove(&id) {
                    Step::Skip
                } else {
                    Step::HandOut
                }
            }
            Some(_) if self.ids.is_empty() => Step::Finished,
            Some(id) => {
                self.ids.remove(&id);
                Step::Skip
            }
            None if self.counted > self.position.taken => Step::Finished,
            None => Step::Skip,
        }
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
    use super::*;
    use crate::listing::sealed;

    struct Nameless;

    impl sealed::Record for Nameless {}

    impl Record for Nameless {
        fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
            None
        }

        fn id(&self) -> Option<Id> {
            None
        }
    }

    #[test]
    fn records_without_identifiers_are_told_apart_by_their_number() {
        let position = Position { taken: 2, ..Position::default() };
        let mut resume = Resume::new(position, None);

        for _ in 0..2 {
            assert!(matches!(resume.look(&Nameless), Ok(Step::Skip)));
        }
        assert!(matches!(resume.look(&Nameless), Ok(Step::Finished)));
    }
}
