//! Saves a stream's position in a checkpoint, and resumes a stream from a checkpoint.

use super::{Items, StreamState};
use crate::{
    Checkpoint, Error, Record,
    listing::{checkpoint::Listed, plan::Plan, position::Position},
};

const FINISHED: &str = "the listing was finished in descending order, so new records appear at its \
                        start; list it with order(Asc), or follow it";

impl<T: Record> Items<T> {
    /// Continues after the last record that had been returned when the checkpoint was taken. Call
    /// this method before the first poll. The page size may differ from the earlier stream's.
    ///
    /// To prove that no record is missed, the stream first looks for a record from before the
    /// checkpoint's time. If the service doesn't list such a record, the stream starts again from
    /// an earlier time. So resuming works even if the service rounds the times by which it filters.
    ///
    /// - If a record is listed before the checkpoint's record, but was added later, it isn't
    ///   returned.
    /// - If you filter by a property that can change, such as a status, [`follow`](Items::follow)
    ///   the listing instead.
    /// - If the service sorts by a different time than the OpenAPI description states, the client
    ///   can't always detect this. For such a service, start a new listing instead of resuming.
    ///
    /// # Errors
    ///
    /// The next poll returns `InvalidRequest`, without sending a request, in these cases:
    ///
    /// - if the stream has already been polled
    /// - if the checkpoint is from a listing with another operation, other filters or another base
    ///   URL (see [`for_moved_service`](Checkpoint::for_moved_service))
    /// - if the checkpoint is from a listing that was finished in descending order. New records
    ///   then appear at the start of the listing, so use `order(Order::Asc)`, or
    ///   [`follow`](Items::follow) the listing.
    ///
    /// A poll returns `StaleCheckpoint` in these cases:
    ///
    /// - if the records aren't sorted by time, and the checkpoint's record is no longer listed
    /// - if the listing can't be filtered by time, and the checkpoint's record is no longer listed
    /// - if the listing was finished, and a new record has since appeared just before the listing's
    ///   last record
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        match (&self.state, &self.plan) {
            (StreamState::NotBegun(_), Some(plan)) => match position_in(plan, &checkpoint) {
                Ok(position) => self.state = StreamState::NotBegun(position),
                Err(error) => {
                    self.state = StreamState::Refused(checkpoint);
                    self.refuse(error);
                }
            },
            (StreamState::NotBegun(_) | StreamState::Refused(_), _) => {
                self.state = StreamState::Refused(checkpoint);
            }
            _ => self.refuse(Error::invalid("`resume` must be called before the first poll")),
        }
        self
    }

    /// Returns a checkpoint of the position after the last record that the stream has returned.
    ///
    /// Save the checkpoint together with the result of processing that record, or afterwards. If
    /// [`resume`](Self::resume) rejected a checkpoint, this method returns the rejected checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        match (&self.state, &self.plan) {
            (StreamState::Refused(checkpoint), _) => checkpoint.clone(),
            (_, Some(plan)) => Checkpoint::new(plan.listed(), self.position()),
            (_, None) => Checkpoint::new(&Listed::default(), None),
        }
    }
}

/// Returns the checkpoint's position, or an error if the listing can't continue from that position.
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
