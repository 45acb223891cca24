//! The records of any listing, whatever their type: a stream of rows that can be resumed.

use std::task::{Context, Poll, ready};

use chrono::{DateTime, Utc};
use digital_assets::{Checkpoint, Error, Items, Record};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::{Map, Value};

/// A record, which becomes JSON where it is needed: on another thread, perhaps.
pub(crate) trait Row: Send {
    fn created_at(&self) -> Option<DateTime<Utc>>;

    fn fields(&self) -> serde_json::Result<Map<String, Value>>;
}

impl<T: Record + Serialize> Row for T {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Record::created_at(self)
    }

    fn fields(&self) -> serde_json::Result<Map<String, Value>> {
        Ok(match serde_json::to_value(self)? {
            Value::Object(fields) => fields,
            other => Map::from_iter([("value".to_owned(), other)]),
        })
    }
}

/// A listing under way.
pub(crate) trait Rows: Send {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>>;

    fn checkpoint(&self) -> Checkpoint;

    fn resume(self: Box<Self>, checkpoint: Checkpoint) -> Box<dyn Rows>;
}

impl<T: Record + Serialize> Rows for Items<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        let record = ready!(self.poll_next_unpin(cx));
        Poll::Ready(record.map(|record| record.map(|record| Box::new(record) as Box<dyn Row>)))
    }

    fn checkpoint(&self) -> Checkpoint {
        Self::checkpoint(self)
    }

    fn resume(self: Box<Self>, checkpoint: Checkpoint) -> Box<dyn Rows> {
        Box::new((*self).resume(checkpoint))
    }
}

pub(crate) fn answer(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}
