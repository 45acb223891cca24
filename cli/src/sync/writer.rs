//! Writes to the database on its own thread, so that the next records can be fetched at the same
//! time.

use std::sync::Arc;

use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{
    batch::Batch,
    database::Written,
    settle::Asked,
    state::State,
    store::{Counts, Store},
    table::Types,
};
use crate::failure::Failure;

pub(super) struct Writer {
    batches: mpsc::Sender<Batch>,
    records: JoinHandle<Result<u64, Failure>>,
    counts: Arc<Counts>,
    /// The types of the table's columns.
    pub types: Types,
}

/// The number of batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;

impl Writer {
    /// Opens the database. Also returns the states that earlier syncs wrote.
    pub(super) async fn open(asked: Asked) -> Result<(Self, Vec<State>), Failure> {
        let target = asked.target.to_string();
        let opened = spawn_blocking(move || Store::open(asked)).await?;
        let store = opened.map_err(|failure| failure.in_words(&target))?;
        let (states, types) = store.found();
        let (batches, received) = mpsc::channel(WAITING);
        let counts = Arc::new(Counts::default());
        let count = Arc::clone(&counts);
        let records = spawn_blocking(move || {
            store.write_all(received, &count).map_err(|failure| failure.in_words(target))
        });
        Ok((Self { batches, records, counts, types }, states))
    }

    /// Sends rows with their state to the writer.
    pub(super) async fn write(&self, batch: Batch) -> Result<(), Failure> {
        let sent = self.batches.send(batch).await;
        sent.map_err(|_| Failure::other("the database's thread has ended"))
    }

    /// Waits until the database's thread has stopped because of a failure.
    pub(super) async fn failed(&self) {
        self.batches.closed().await;
    }

    /// The numbers of rows that were new or changed so far.
    pub(super) fn written(&self) -> Written {
        self.counts.written()
    }

    /// Waits until everything is written. Returns the number of records of complete listings, and
    /// the numbers of new and changed rows.
    pub(super) async fn close(self) -> Result<(u64, Written), Failure> {
        drop(self.batches);
        let records = self.records.await??;
        Ok((records, self.counts.written()))
    }
}
