//! Listings as resumable streams of rows, independent of the type of their records.

use std::task::{Context, Poll};

use chrono::{DateTime, Utc};
use digital_assets::{Change, Error, Follow, FollowCheckpoint, Following, Items, Record, Timed};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;

/// A record that is converted to JSON only when needed, perhaps on another thread.
pub(crate) trait Row: Send {
    fn created_at(&self) -> Option<DateTime<Utc>>;

    fn json(&self) -> serde_json::Result<Value>;

    /// Appends the record's JSON to a buffer.
    fn write(&self, buffer: &mut Vec<u8>) -> serde_json::Result<()>;

    /// The creation time and the identifier of an open record, whose state may still change. `None`
    /// for any other record.
    fn open(&self) -> Option<Open>;
}

impl<T: Record + Serialize> Row for Change<T> {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        record(self).created_at()
    }

    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(record(self))
    }

    fn write(&self, buffer: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(buffer, record(self))
    }

    fn open(&self) -> Option<Open> {
        let record = record(self);
        record.is_open().then(|| Some((record.created_at()?, record.id()?.to_string())))?
    }
}

fn record<T>(change: &Change<T>) -> &T {
    let (Change::New(record) | Change::Changed(record)) = change;
    record
}

/// The creation time and the identifier of an open record, which is a record in a state that isn't
/// final.
pub(crate) type Open = (DateTime<Utc>, String);

/// One round of a followed listing, which reads only records that are new or may have changed.
pub(crate) struct Round {
    pub follow: Follow,
    pub start: Start,
}

/// Where a round starts.
pub(crate) enum Start {
    Beginning,
    /// Where an earlier round stopped.
    Checkpoint(FollowCheckpoint),
    /// At a time. The open records that are older than that are requested too.
    Time(DateTime<Utc>, Vec<Open>),
}

impl Round {
    pub(crate) fn of<T: Timed>(self, items: Items<T>) -> Following<T> {
        let following = items.follow(self.follow);
        match self.start {
            Start::Beginning => following,
            Start::Checkpoint(checkpoint) => following.resume(checkpoint),
            Start::Time(from, open) => {
                following.resume_at(from, open.into_iter().map(|(time, id)| (time, id.into())))
            }
        }
    }
}

/// A listing in progress, either a plain listing or a followed listing.
pub(crate) trait Rows: Send {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>>;

    /// The listing's current checkpoint, as JSON.
    fn checkpoint(&self) -> serde_json::Result<Value>;

    /// The checkpoint of a followed listing. `None` for a plain listing.
    fn followed(&self) -> Option<FollowCheckpoint> {
        None
    }

    /// Returns a listing that continues from the checkpoint of an earlier listing.
    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>>;
}

impl<T: Record + Serialize> Rows for Items<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        self.poll_next_unpin(cx).map_ok(|record| Box::new(Change::New(record)) as Box<dyn Row>)
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        // The checkpoint doesn't need the service's URL, because the tool itself stores the
        // service's name.
        serde_json::to_value(Self::checkpoint(self).for_moved_service())
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

impl<T: Timed + Serialize> Rows for Following<T> {
    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Box<dyn Row>, Error>>> {
        self.poll_next_unpin(cx).map_ok(|change| Box::new(change) as Box<dyn Row>)
    }

    fn checkpoint(&self) -> serde_json::Result<Value> {
        serde_json::to_value(Rows::followed(self))
    }

    fn followed(&self) -> Option<FollowCheckpoint> {
        Some(Self::checkpoint(self).for_moved_service())
    }

    fn resume(self: Box<Self>, checkpoint: Value) -> serde_json::Result<Box<dyn Rows>> {
        Ok(Box::new((*self).resume(serde_json::from_value(checkpoint)?)))
    }
}

pub(crate) fn answer(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}
