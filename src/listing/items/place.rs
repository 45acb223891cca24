//! Where a stream stands, and how another one continues from there.

use chrono::{DateTime, Utc};

use super::{Items, Last, Progress};
use crate::{
    Checkpoint, Error, Id, Record,
    listing::position::{Position, Resume},
};

const FINISHED: &str = "the listing was finished, and its new records come at its other end: list \
                        it with order(Asc), or follow it";

impl<T: Record> Items<T> {
    /// Continues after the last record that was handed out before the checkpoint was made. Call it
    /// before the first poll.
    ///
    /// # Errors
    ///
    /// At the first poll, before any request, `InvalidRequest` for a checkpoint of another operation
    /// or other filters, for a stream that has begun, and for a listing that was finished and comes
    /// newest first: its new records are at its other end, so list it with `order(Order::Asc)`, or
    /// [`follow`](Items::follow) it. `StaleCheckpoint`, once the records of its time have come, if
    /// its record isn't listed any more and can't be told from what followed it.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        let Some(plan) = &mut self.plan else {
            self.refused = Some(checkpoint);
            return self;
        };
        let operation = plan.start.call.operation;
        if self.progress != Progress::NotBegun {
            let error = Error::invalid("a stream that has begun can't be resumed");
            self.error = Some(error.of(operation));
            return self;
        }
        let position = checkpoint.position_in(plan.beginning()).and_then(|position| {
            let finished = position.as_ref().is_some_and(|position| position.finished);
            match plan.is_ascending() {
                Some(false) if finished => Err(Error::invalid(FINISHED)),
                _ => Ok(position),
            }
        });
        match position {
            Ok(position) => {
                if position.as_ref().is_some_and(|position| position.out_of_order) {
                    self.times_go = (true, true);
                }
                self.resumed = position;
            }
            Err(error) => {
                self.error = Some(error.of(operation));
                self.refused = Some(checkpoint);
            }
        }
        self
    }

    /// Where the listing stands: after the last record that was handed out.
    ///
    /// Keep it together with what was done with that record, or after it. A stream that can't
    /// [`resume`](Self::resume) from the checkpoint that it was given returns that one.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        match (&self.refused, &self.plan) {
            (Some(refused), _) => refused.clone(),
            (None, Some(plan)) => plan.beginning().at(self.position()),
            (None, None) => Checkpoint::nowhere(),
        }
    }

    /// How many records with this time were handed out last.
    pub(super) fn alike(&self, time: Option<DateTime<Utc>>) -> usize {
        match (&self.last, &self.resumed) {
            (Some(last), _) if last.created_at == time => last.alike,
            (None, Some(resumed)) if resumed.created_at == time => resumed.alike,
            _ => 0,
        }
    }

    pub(super) fn position(&self) -> Option<Position> {
        let finished = self.progress == Progress::Finished;
        let Some(Last { created_at, id, alike }) = &self.last else {
            let resumed = self.resumed.clone()?;
            return Some(Position { finished: finished || resumed.finished, ..resumed });
        };
        let place = self.source.as_ref().map(|source| source.place()).unwrap_or_default();
        let has_bounds = self.plan.as_ref().is_some_and(|plan| plan.listing.time_range.is_some());
        let out_of_order = self.times_go == (true, true) && id.is_some();
        Some(Position {
            // The cursor may be one of a listing that began at a time.
            cursor: place.cursor.filter(|_| !(out_of_order && has_bounds)).map(str::to_owned),
            taken: place.taken,
            // Without bounds of time, it begins again at the record's page.
            alike: if has_bounds { *alike } else { place.taken.min(*alike) },
            created_at: *created_at,
            ids: match place.handed {
                // With those of the checkpoint before that haven't come again yet.
                Some(handed) => {
                    let unseen = self.resume.iter().flat_map(Resume::unseen);
                    handed.iter().chain(unseen).cloned().collect()
                }
                None => id.iter().map(Id::to_string).collect(),
            },
            merged: place.handed.is_some(),
            finished,
            out_of_order: out_of_order && place.handed.is_none(),
        })
    }
}
