//! Where a stream stands, and how another one continues from there.

use super::{Items, Progress};
use crate::{
    Checkpoint, Error, Record,
    listing::{checkpoint::Listed, position::Position},
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
    /// the service sorts by another time than `created_at`, list it anew.
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
        let Some(plan) = &mut self.plan else {
            self.refused = Some(checkpoint);
            return self;
        };
        let operation = plan.start.call.operation;
        if self.progress != Progress::NotBegun {
            let error = Error::invalid("a stream that has begun can't be resumed");
            self.error = Some(error.with_operation(operation));
            return self;
        }
        let position = checkpoint.position_in(plan.listed()).and_then(|position| {
            let finished = position.as_ref().is_some_and(|position| position.finished);
            match plan.is_ascending() {
                Some(false) if finished => Err(Error::invalid(FINISHED)),
                _ => Ok(position),
            }
        });
        match position {
            Ok(position) => {
                self.resumed = position;
            }
            Err(error) => {
                self.error = Some(error.with_operation(operation));
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
            (None, Some(plan)) => Checkpoint::new(plan.listed(), self.position()),
            (None, None) => Checkpoint::new(&Listed::default(), None),
        }
    }

    pub(super) fn position(&self) -> Option<Position> {
        let mut position = if self.tracker.has_begun && self.progress != Progress::Ended {
            let place = self.source.as_ref().and_then(|source| source.place());
            let has_bounds = self.plan.as_ref()?.listing.time_range.is_some();
            self.tracker.position(&place.unwrap_or_default(), has_bounds)
        } else {
            self.resumed.clone()?
        };
        position.finished |= self.progress == Progress::Finished;
        position.time_order.is_violated |= self.tracker.position.time_order.is_violated;
        Some(position)
    }
}
