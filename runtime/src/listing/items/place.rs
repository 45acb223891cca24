//! The position of a stream, and resuming from it.

use super::{Items, State};
use crate::{
    Checkpoint, Error, Record,
    listing::{checkpoint::Listed, plan::Plan, position::Position},
};

const FINISHED: &str = "the listing was finished, and new records are at its other end; list it \
                        with order(Asc), or follow it";

impl<T: Record> Items<T> {
    /// Continues after the last record that was returned before the checkpoint. Call this before
    /// the first poll. The page size may differ.
    ///
    /// The listing starts early enough to list a record from before the checkpoint's time. If no
    /// such record is listed, the listing starts again from an earlier time. So resuming works
    /// whatever unit the service reads times in.
    ///
    /// - If a record has appeared before the checkpoint's record, it isn't returned.
    /// - If a filter's value can change for a record, as a status does, [`follow`](Items::follow)
    ///   the listing instead.
    /// - If the service sorts by another time than the OpenAPI description states, and no page
    ///   shows this, the client can't detect it. With such a service, start a new listing instead.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` at the first poll, before any request:
    ///
    /// - if the stream has started
    /// - if the checkpoint has another operation, other filters or another base URL
    ///   ([`for_moved_service`](Checkpoint::for_moved_service))
    /// - if the listing was finished in descending order, because new records then appear at its
    ///   start. List it with `order(Order::Asc)`, or [`follow`](Items::follow) it.
    ///
    /// `StaleCheckpoint`:
    ///
    /// - if the records aren't in order of time, and the checkpoint's record is no longer
    ///   listed
    /// - if the listing was finished, and a record has since appeared just before its last one
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
            _ => self.refuse(Error::invalid("a stream that has started can't be resumed")),
        }
        self
    }

    /// The position after the last record that was returned.
    ///
    /// Save the checkpoint together with the result of processing that record, or afterwards. If
    /// the stream couldn't [`resume`](Self::resume) from a checkpoint, this returns that
    /// checkpoint.
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
                // If the end followed a batch, the end hasn't been returned yet.
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
