//! The records of any listing, whatever their type: a stream of rows that can be resumed.

use std::task::{Context, Poll, ready};

use chrono::{DateTime, Utc};
use digital_assets::{Error, Following, Items, Record, Timed};
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

    /// Where it stands, as JSON.
    fn checkpoint(&self) -> serde_json::Result<Value>;

    /// Goes on where another one stood.
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

/// New or changed: for who keeps records by their key, it is the same.
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
