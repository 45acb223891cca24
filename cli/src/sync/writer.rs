//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{batch::Batch, settle::Asked, state::State, store::Store};
use crate::failure::Failure;

pub(super) struct Writer {
    batches: mpsc::Sender<Batch>,
    written: JoinHandle<Result<u64, Failure>>,
    added: Arc<AtomicI64>,
}

/// Batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;

impl Writer {
    /// Opens the database. Returns the states that earlier syncs wrote, too.
    pub(super) async fn open(asked: Asked) -> Result<(Self, Vec<State>), Failure> {
        let target = asked.target.to_string();
        let opened = spawn_blocking(move || Store::open(asked)).await?;
        let store = opened.map_err(|failure| failure.in_words(&target))?;
        let states = store.states.clone();
        let (batches, received) = mpsc::channel(WAITING);
        let added = Arc::new(AtomicI64::new(0));
        let count = Arc::clone(&added);
        let written = spawn_blocking(move || {
            store.write_all(received, &count).map_err(|failure| failure.in_words(target))
        });
        Ok((Self { batches, written, added }, states))
    }

    /// Hands over rows with their state.
    pub(super) async fn write(&self, batch: Batch) -> Result<(), Failure> {
        let sent = self.batches.send(batch).await;
        sent.map_err(|_| Failure::other("the database's thread has ended"))
    }

    /// Waits until the database fails.
    pub(super) async fn failed(&self) {
        self.batches.closed().await;
    }

    /// The rows that weren't there before.
    pub(super) fn added(&self) -> i64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, and returns the number of records.
    pub(super) async fn close(self) -> Result<u64, Failure> {
        drop(self.batches);
        self.written.await?
    }
}
