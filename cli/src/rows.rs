//! The records of any listing, whatever their type: a stream of rows that can be resumed.

use std::task::{Context, Poll, ready};

use chrono::{DateTime, Utc};
use digital_assets::{Change, Error, Following, Items, Record, Timed};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;

/// A record that becomes JSON only when needed, perhaps on another thread.
pub(crate) trait Row: Send {
    fn created_at(&self) -> Option<DateTime<Utc>>;

    fn json(&self) -> serde_json::Result<Value>;

    /// Its time and identifier, if it is in a state that it will leave.
    fn open(&self) -> Option<(DateTime<Utc>, String)>;

    /// Whether it was there before, with other content.
    fn has_changed(&self) -> bool {
        false
    }
}

impl<T: Record + Serialize> Row for T {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Record::created_at(self)
    }

    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn open(&self) -> Option<(DateTime<Utc>, String)> {
        let is_open = Record::is_open(self);
        is_open.then(|| Some((Record::created_at(self)?, Record::id(self)?.to_string())))?
    }
}

/// A record that was there before.
struct Changed<T>(T);

impl<T: Record + Serialize> Row for Changed<T> {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        self.0.created_at()
    }

    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.0)
    }

    fn open(&self) -> Option<(DateTime<Utc>, String)> {
        self.0.open()
    }

    fn has_changed(&self) -> bool {
        true
    }
}

/// A listing in progress, or a round of one that is followed.
pub(crate) trait Rows: Send {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>>;

    /// Its checkpoint, as JSON.
    fn checkpoint(&self) -> serde_json::Result<Value>;

    /// The checkpoint of one that has everything up to this time, and these open records.
    fn checkpoint_from(
        &self,
        from: DateTime<Utc>,
        open: &[(DateTime<Utc>, String)],
    ) -> serde_json::Result<Value> {
        let mut checkpoint = self.checkpoint()?;
        checkpoint["from"] = serde_json::to_value(from)?;
        // Without a hash of their content, they count as changed when they are asked for again.
        let open = open.iter().map(|(time, id)| (time, id, ""));
        checkpoint["open"] = serde_json::to_value(open.collect::<Vec<_>>())?;
        Ok(checkpoint)
    }

    /// Continues from the checkpoint of another.
    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>>;
}

impl<T: Record + Serialize> Rows for Items<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        let record = ready!(self.poll_next_unpin(cx));
        Poll::Ready(record.map(|record| record.map(|record| Box::new(record) as Box<dyn Row>)))
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        // The tool knows itself which service its records come from.
        serde_json::to_value(Self::checkpoint(self).for_moved_service())
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

impl<T: Timed + Serialize> Rows for Following<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        match self.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(Change::New(record)))) => Poll::Ready(Some(Ok(Box::new(record)))),
            Poll::Ready(Some(Ok(Change::Changed(record)))) => {
                Poll::Ready(Some(Ok(Box::new(Changed(record)))))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error))),
            Poll::Ready(None) => Poll::Ready(None),
            // The end of the round.
            Poll::Pending if self.is_between_rounds() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        // The tool knows itself which service its records come from.
        serde_json::to_value(Self::checkpoint(self).for_moved_service())
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

pub(crate) fn answer(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}
