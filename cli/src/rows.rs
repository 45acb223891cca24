//! The records of any listing, whatever their type: a stream of rows that can be resumed.

use std::task::{Context, Poll, ready};

use chrono::{DateTime, Utc};
use digital_assets::{Error, Following, Items, Record, Timed};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;

/// A record that becomes JSON only when needed, perhaps on another thread.
pub(crate) trait Row: Send {
    fn created_at(&self) -> Option<DateTime<Utc>>;

    fn json(&self) -> serde_json::Result<Value>;
}

impl<T: Record + Serialize> Row for T {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Record::created_at(self)
    }

    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

/// A listing in progress.
pub(crate) trait Rows: Send {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>>;

    /// Its checkpoint, as JSON.
    fn checkpoint(&self) -> serde_json::Result<Value>;

    /// Continues from the checkpoint of another.
    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>>;
}

impl<T: Record + Serialize> Rows for Items<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        let record = ready!(self.poll_next_unpin(cx));
        Poll::Ready(record.map(|record| record.map(|record| Box::new(record) as Box<dyn Row>)))
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        serde_json::to_value(Self::checkpoint(self))
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

/// New or changed: no difference to a table with keys.
impl<T: Timed + Serialize> Rows for Following<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        let change = ready!(self.poll_next_unpin(cx));
        Poll::Ready(
            change.map(|change| change.map(|change| Box::new(change.into_inner()) as Box<dyn Row>)),
        )
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        serde_json::to_value(Self::checkpoint(self))
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

pub(crate) fn answer(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}
