//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::{mpsc, oneshot};

use super::{
    state::State,
    store::{Batch, Opened, Store},
    table::Table,
    target::Target,
};
use crate::failure::Failure;

pub(super) struct Writer {
    batches: Option<mpsc::Sender<Batch>>,
    thread: Option<JoinHandle<Result<u64, Failure>>>,
    added: Arc<AtomicI64>,
}

/// What to open: a table, for these listings of a service.
pub(super) struct Asked {
    pub table: Table,
    pub service: String,
    pub listings: Vec<String>,
    pub password: Option<String>,
}

/// Batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;

impl Writer {
    /// Opens the database. Returns the states that earlier syncs wrote, and what to tell.
    pub(super) async fn open(
        target: Target,
        asked: Asked,
    ) -> Result<(Self, Vec<State>, Option<String>), Failure> {
        let (batches, received) = mpsc::channel(WAITING);
        let (opened, open) = oneshot::channel();
        let added = Arc::new(AtomicI64::new(0));
        let count = Arc::clone(&added);
        let thread = thread::spawn(move || {
            let Asked { table, service, listings, password } = asked;
            let (store, states) = match target.open(table, &service, &listings, password) {
                Ok(Opened { store, states, told }) => {
                    let _ = opened.send(Ok((states.clone(), told)));
                    (store, states)
                }
                Err(failure) => {
                    let _ = opened.send(Err(failure.in_words(&target)));
                    return Ok(0);
                }
            };
            write(store, states, received, &count).map_err(|failure| failure.in_words(&target))
        });
        let (states, told) = open.await.map_err(|_| ended())??;
        Ok((Self { batches: Some(batches), thread: Some(thread), added }, states, told))
    }

    /// Hands over rows with their state.
    pub(super) async fn write(&self, batch: Batch) -> Result<(), Failure> {
        let Some(batches) = &self.batches else { return Err(ended()) };
        batches.send(batch).await.map_err(|_| ended())
    }

    /// Waits until the database fails.
    pub(super) async fn failed(&self) {
        if let Some(batches) = &self.batches {
            batches.closed().await;
        }
    }

    /// The rows that weren't there before.
    pub(super) fn added(&self) -> i64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, and returns the number of records.
    pub(super) async fn close(&mut self) -> Result<u64, Failure> {
        self.batches = None;
        let Some(thread) = self.thread.take() else { return Ok(0) };
        let joined = tokio::task::spawn_blocking(|| thread.join()).await;
        match joined {
            Ok(Ok(written)) => written,
            _ => Err(ended()),
        }
    }
}

fn ended() -> Failure {
    Failure::other("the database's thread has ended")
}

fn write(
    mut store: Box<dyn Store>,
    mut states: Vec<State>,
    mut batches: mpsc::Receiver<Batch>,
    count: &AtomicI64,
) -> Result<u64, Failure> {
    let mut written = 0;
    while let Some(batch) = store.next(&mut batches)? {
        let Some(state) = states.get_mut(batch.listing) else { continue };
        let before = state.rows_added;
        state.state = Some(batch.state);
        state.records = batch.records.unwrap_or(state.records);
        state.newest = batch.newest;
        state.open_records = batch.open_records.or(state.open_records);
        state.succeeded_at = batch.succeeded_at.or(state.succeeded_at.take());
        store.write(&batch.rows, state, batch.records.is_none())?;
        count.fetch_add(state.rows_added - before, Ordering::Relaxed);
        written += batch.rows.len() as u64;
    }
    store.close()?;
    Ok(written)
}
