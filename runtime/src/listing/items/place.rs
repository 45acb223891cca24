//! Where a stream stands, and how another one continues from there.

use super::{Items, State};
use crate::{
    Checkpoint, Error, Record,
    listing::{checkpoint::Listed, plan::Plan, position::Position},
};

const FINISHED: &str = "the listing was finished, and its new records come at its other end: list \
                        it with order(Asc), or follow it";

impl<T: Record> Items<T> {
    /// Continues after the last record that was handed out before the checkpoint was made. Call it
    /// before the first poll. The page size may differ.
    ///
    /// It begins early enough to show a record from before the checkpoint's time, and reaches farther
    /// back until it does, whatever unit the service reads times in. It isn't for a filter whose records
    /// change, such as a status: [`follow`](Items::follow) the listing instead. What arrives before the
    /// checkpoint's record isn't listed any more, and disorder that no page shows can't be noticed: where
    /// the service sorts by another time than the description states, list it anew.
    ///
    /// # Errors
    ///
    /// At the first poll, before any request, `InvalidRequest` for a checkpoint of another base URL
    /// ([`for_moved_service`](Checkpoint::for_moved_service)), another operation or other filters, for a
    /// stream that has begun, and for a listing that was finished and comes
    /// newest first: its new records are at its other end, so list it with `order(Order::Asc)`, or
    /// [`follow`](Items::follow) it. `StaleCheckpoint` if the records come in another order than
    /// their times, and the checkpoint's is no longer listed; and for a listing that was finished, if it
    /// now shows a record that is earlier than its last one, and later than all with another time.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        match (&self.state, &self.plan) {
            (State::NotBegun(_), Some(plan)) => match position_in(plan, &checkpoint) {
                Ok(position) => self.state = State::NotBegun(position),
                Err(error) => {
                    self.state = State::Refused(checkpoint);
                    self.refuse(error);
                }
            },
            (State::NotBegun(_) | State::Refused(_), _) => self.state = State::Refused(checkpoint),
            _ => self.refuse(Error::invalid("a stream that has begun can't be resumed")),
        }
        self
    }

    /// Where the listing stands: after the last record that was handed out.
    ///
    /// Keep it together with what was done with that record, or after it. A stream that can't
    /// [`resume`](Self::resume) from the checkpoint that it was given returns that one.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        match (&self.state, &self.plan) {
            (State::Refused(checkpoint), _) => checkpoint.clone(),
            (_, Some(plan)) => Checkpoint::new(plan.listed(), self.position()),
            (_, None) => Checkpoint::new(&Listed::default(), None),
        }
    }

    pub(super) fn position(&self) -> Option<Position> {
        match (&self.state, &self.plan) {
            (State::NotBegun(position) | State::Ended(position), _) => position.clone(),
            (State::Reading(reading), Some(plan)) => reading.position(plan),
            (State::Finished(reading), Some(plan)) => {
                let mut position = reading.position(plan)?;
                // If the end came after a batch, it wasn't returned yet.
                position.finished = self.kept.is_none();
                Some(position)
            }
            _ => None,
        }
    }
}

/// The position in a checkpoint, if the listing can continue there.
fn position_in<T: Record>(
    plan: &Plan<T>,
    checkpoint: &Checkpoint,
) -> Result<Option<Position>, Error> {
    let position = checkpoint.position_in(plan.listed())?;
    let is_finished = position.as_ref().is_some_and(|position| position.finished);
    if is_finished && plan.is_ascending() == Some(false) {
        return Err(Error::invalid(FINISHED));
    }
    Ok(position)
}
