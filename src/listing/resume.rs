//! Passes over what was handed out before a checkpoint.

use std::collections::HashSet;

use super::{CURSOR, Id, Listing, Record, checkpoint::Position};
use crate::{Error, ErrorKind, call::Query};

/// Passes over what was handed out before a checkpoint.
pub(crate) struct Resume {
    position: Position,
    ids: HashSet<String>,
    ascending: bool,
    /// Records passed over that have the checkpoint's own time.
    beside: usize,
    counted: usize,
}

pub(crate) enum Step {
    /// The record was handed out before.
    Skip,
    /// It wasn't, though others of its time may have been.
    HandOut,
    /// It wasn't, nor was any that follows.
    Finished,
}

impl Resume {
    /// Times tell nothing where it isn't known that the records come in their order.
    pub(crate) fn new(mut position: Position, ascending: Option<bool>) -> Self {
        position.created_at = position.created_at.filter(|_| ascending.is_some());
        let ids = position.ids.iter().cloned().collect();
        let ascending = ascending.unwrap_or_default();
        Self { position, ids, ascending, beside: 0, counted: 0 }
    }

    /// # Errors
    ///
    /// Where the listing has changed so that it can't be told what was handed out.
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

    /// Whether what was handed out is told from what wasn't: the record came, or was the only one
    /// of its time.
    pub(crate) fn is_done(&self) -> bool {
        let timed = self.position.created_at.is_some();
        self.position.merged || self.ids.is_empty() || (timed && self.beside == 0)
    }

    /// What was handed out before, and hasn't come again.
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

    /// Where the resumed listing begins: at the record's time, where the listing can be cut there,
    /// else at its page. How long a cursor is good for is not shown.
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
