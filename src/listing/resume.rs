//! Passes over what was handed out before a checkpoint.

use std::collections::HashSet;

use reqwest::Url;

use crate::{
    Error, Record,
    listing::{self, CURSOR, Listing, checkpoint::Position, page::Id},
};

/// Passes over what was handed out before a checkpoint.
pub(crate) struct Skip {
    position: Position,
    ids: HashSet<String>,
    ascending: bool,
    /// Records passed over that have the checkpoint's own time.
    beside: usize,
    counted: usize,
}

pub(crate) enum Passed {
    /// Handed out before.
    Over,
    /// The first that wasn't, and with it all that follow.
    Through,
    /// New, though others of the same time may not be.
    Out,
}

impl Skip {
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
    pub(crate) fn look<T: Record>(&mut self, record: &T) -> Result<Passed, Error> {
        let known = || record.id().as_ref().map(Id::to_string);
        let (Some(then), Some(now)) = (self.position.created_at, record.created_at()) else {
            return Ok(self.look_untimed(known()));
        };
        let before = if self.ascending { now < then } else { now > then };
        if before {
            return Ok(Passed::Over);
        }
        if now != then {
            return if self.is_done() { Ok(Passed::Through) } else { Err(Self::lost()) };
        }
        let found = known().is_some_and(|id| self.ids.remove(&id));
        match (self.position.merged, found) {
            (true, true) => Ok(Passed::Over),
            (true, false) => Ok(Passed::Out),
            (false, _) if self.ids.is_empty() && !found => Ok(Passed::Through),
            (false, _) => {
                self.beside += 1;
                Ok(Passed::Over)
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
        Error::invalid("the checkpoint's record isn't listed any more")
    }

    fn look_untimed(&mut self, id: Option<String>) -> Passed {
        self.counted += 1;
        match id {
            Some(id) if self.position.merged => {
                if self.ids.remove(&id) {
                    Passed::Over
                } else {
                    Passed::Out
                }
            }
            Some(_) if self.ids.is_empty() => Passed::Through,
            Some(id) => {
                self.ids.remove(&id);
                Passed::Over
            }
            None if self.counted > self.position.taken => Passed::Through,
            None => Passed::Over,
        }
    }

    /// Where the resumed listing begins: at the record's time, where the listing can be cut there,
    /// else at its page. How long a cursor is good for is not shown.
    pub(crate) fn begin(&self, url: &mut Url, listing: &Listing) {
        match (&listing.window, &self.position) {
            (Some(window), Position { created_at: Some(time), .. }) => {
                listing::retain(url, |name, _| name != CURSOR);
                window.begin_at(url, *time, self.ascending);
            }
            (_, Position { cursor: Some(cursor), .. }) => listing::set(url, CURSOR, cursor),
            _ => {}
        }
    }
}
