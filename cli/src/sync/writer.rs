//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

use super::{store::Store, table::Table, target::Target};
use crate::{failure::Failure, rows::Row};

pub(super) struct Writer {
    batches: Option<mpsc::Sender<Batch>>,
    thread: Option<JoinHandle<Result<u64, Failure>>>,
    state: Option<String>,
}

struct Batch {
    rows: Vec<Box<dyn Row>>,
    state: String,
}

/// Batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;

impl Writer {
    /// Opens the database for the request with this key.
    pub(super) async fn open(
        target: Target,
        table: Table,
        asked: String,
        password: Option<String>,
    ) -> Result<Self, Failure> {
        let (batches, received) = mpsc::channel(WAITING);
        let (opened, open) = oneshot::channel();
        let thread = thread::spawn(move || {
            let open = target.open(table, password).and_then(|mut store| {
                let state = store.state(&asked)?;
                Ok((store, state))
            });
            let mut store = match open {
                Ok((store, state)) => {
                    let _ = opened.send(Ok(state));
                    store
                }
                Err(failure) => {
                    let _ = opened.send(Err(failure));
                    return Ok(0);
                }
            };
            let written = write(&mut *store, received, &asked);
            store.close()?;
            written
        });
        let ended = || Failure::other("the database's thread has ended");
        let state = open.await.map_err(|_| ended())??;
        Ok(Self { batches: Some(batches), thread: Some(thread), state })
    }

    /// The state that an earlier sync wrote.
    pub(super) fn state<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        let state = self.state.as_deref().map(serde_json::from_str).transpose();
        state.map_err(|error| Failure::other(format!("the table's state can't be read: {error}")))
    }

    /// Hands over rows with their state.
    pub(super) async fn write(
        &mut self,
        rows: Vec<Box<dyn Row>>,
        state: String,
    ) -> Result<(), Failure> {
        let Some(batches) = &self.batches else { return Ok(()) };
        if batches.send(Batch { rows, state }).await.is_err() {
            // The writer has failed: return its error.
            self.close().await?;
        }
        Ok(())
    }

    /// Waits until everything is written, and returns the number of records.
    pub(super) async fn close(&mut self) -> Result<u64, Failure> {
        self.batches = None;
        let Some(thread) = self.thread.take() else { return Ok(0) };
        let joined = tokio::task::spawn_blocking(|| thread.join()).await;
        match joined {
            Ok(Ok(written)) => written,
            _ => Err(Failure::other("the database's thread has ended")),
        }
    }
}

fn write(
    store: &mut dyn Store,
    mut batches: mpsc::Receiver<Batch>,
    asked: &str,
) -> Result<u64, Failure> {
    let mut records = 0;
    while let Some(Batch { rows, state }) = batches.blocking_recv() {
        store.write(&rows, asked, &state)?;
        records += rows.len() as u64;
    }
    Ok(records)
}
