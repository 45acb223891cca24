//! Writes to the database on a separate thread, while the next records are being fetched.

use tokio::{
    sync::{mpsc, watch},
    task::{JoinHandle, spawn_blocking},
};

use super::{
    batch::Batch, counts::Counts, database::Written, settle::Asked, state::State, store::Store,
    table::Types,
};
use crate::failure::Failure;

pub(super) struct Writer {
    batches: mpsc::Sender<Batch>,
    records: JoinHandle<Result<u64, Failure>>,
    /// The table's number of rows, and the numbers of rows that have been added and changed so far.
    pub counts: watch::Receiver<Counts>,
    /// The types of the table's columns.
    pub types: Types,
}

/// The number of batches that may wait for the database while the next batch is being fetched.
const WAITING: usize = 1;

impl Writer {
    /// Opens the database, and starts the thread that writes to it. Also returns the states that
    /// earlier syncs saved.
    pub(super) async fn open(asked: Asked) -> Result<(Self, Vec<State>), Failure> {
        let target = asked.target.to_string();
        let opened = spawn_blocking(move || Store::open(asked)).await?;
        let store = opened.map_err(|failure| failure.in_words(&target))?;
        let (states, types) = store.found();
        let written = vec![Written::default(); states.len()];
        let (count, counts) = watch::channel(Counts { rows: 0, written });
        let (batches, received) = mpsc::channel(WAITING);
        let records = spawn_blocking(move || {
            store.write_all(received, &count).map_err(|failure| failure.in_words(target))
        });
        Ok((Self { batches, records, counts, types }, states))
    }

    /// Sends a batch of rows, with their listing's state, to the thread that writes to the
    /// database.
    pub(super) async fn write(&self, batch: Batch) -> Result<(), Failure> {
        let sent = self.batches.send(batch).await;
        sent.map_err(|_| Failure::other("the database thread has stopped"))
    }

    /// Waits until the thread that writes to the database has stopped because of a failure.
    pub(super) async fn failed(&self) {
        self.batches.closed().await;
    }

    /// Waits until everything is written. Returns the number of records, and the numbers of new and
    /// changed rows. Of an incremental round's records, only the new ones are counted.
    pub(super) async fn close(self) -> Result<(u64, Written), Failure> {
        drop(self.batches);
        let records = self.records.await??;
        Ok((records, self.counts.borrow().all()))
    }
}
