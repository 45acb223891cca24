//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::{
    future::Future,
    thread::{self, JoinHandle},
};

use tokio::sync::{mpsc, oneshot};

use super::{
    store::{Batch, Store},
    table::Table,
    target::Target,
};
use crate::failure::Failure;

pub(super) struct Writer {
    batches: Option<mpsc::Sender<Batch>>,
    thread: Option<JoinHandle<Result<u64, Failure>>>,
    state: Option<String>,
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
            let store = match open {
                Ok((store, state)) => {
                    let _ = opened.send(Ok(state));
                    store
                }
                Err(failure) => {
                    let _ = opened.send(Err(failure.in_words(&target)));
                    return Ok(0);
                }
            };
            write(store, received, &asked).map_err(|failure| failure.in_words(&target))
        });
        let state = open.await.map_err(|_| ended())??;
        Ok(Self { batches: Some(batches), thread: Some(thread), state })
    }

    /// The state that an earlier sync wrote.
    pub(super) fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Hands over rows with their state.
    pub(super) async fn write(&mut self, batch: Batch) -> Result<(), Failure> {
        let Some(batches) = &self.batches else { return Ok(()) };
        if batches.send(batch).await.is_err() {
            return Err(self.failure().await);
        }
        Ok(())
    }

    /// Waits for something else.
    ///
    /// # Errors
    ///
    /// If the writer fails before.
    pub(super) async fn unless_it_fails<T>(
        &mut self,
        other: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let Some(batches) = &self.batches else { return Ok(other.await) };
        tokio::select! {
            biased;
            () = batches.closed() => Err(self.failure().await),
            other = other => Ok(other),
        }
    }

    async fn failure(&mut self) -> Failure {
        self.close().await.err().unwrap_or_else(ended)
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
    mut batches: mpsc::Receiver<Batch>,
    asked: &str,
) -> Result<u64, Failure> {
    let mut records = 0;
    while let Some(Batch { rows, state }) = store.next(&mut batches)? {
        store.write(&rows, asked, &state)?;
        records += rows.len() as u64;
    }
    store.close()?;
    Ok(records)
}
