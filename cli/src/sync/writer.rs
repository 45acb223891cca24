//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};

use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{
    state::State,
    store::{Asked, Batch, Store},
    target::Target,
};
use crate::{failure::Failure, stdout};

pub(super) struct Writer {
    batches: mpsc::Sender<Batch>,
    written: JoinHandle<Result<u64, Failure>>,
    added: Arc<AtomicI64>,
}

/// Batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;
/// How often to ask again for a database that is away, unless that is endless.
const TRIES: u32 = 4;
/// The longest wait between two tries, as a power of two seconds.
const LONGEST_WAIT: u32 = 4;

impl Writer {
    /// Opens the database. Returns the states that earlier syncs wrote, too.
    pub(super) async fn open(target: Target, asked: Asked) -> Result<(Self, Vec<State>), Failure> {
        let opened = spawn_blocking(move || {
            let store =
                Store::open(&target, &asked).map_err(|failure| failure.in_words(&target))?;
            Ok::<_, Failure>(Open { target, asked, store })
        });
        let table = opened.await??;
        let states = table.store.states.clone();
        let (batches, received) = mpsc::channel(WAITING);
        let added = Arc::new(AtomicI64::new(0));
        let count = Arc::clone(&added);
        let written = spawn_blocking(move || {
            let words = table.target.to_string();
            table.write_all(received, &count).map_err(|failure| failure.in_words(words))
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

/// The opened table.
struct Open {
    target: Target,
    asked: Asked,
    store: Store,
}

impl Open {
    fn write_all(
        mut self,
        mut batches: mpsc::Receiver<Batch>,
        count: &AtomicI64,
    ) -> Result<u64, Failure> {
        let mut written = 0;
        loop {
            let batch = match self.store.database.next(&mut batches) {
                Ok(None) => break,
                Ok(Some(batch)) => batch,
                Err(failure) => {
                    self.reopen(failure, None)?;
                    continue;
                }
            };
            count.fetch_add(self.write(&batch)?, Ordering::Relaxed);
            written += batch.rows.len() as u64;
        }
        self.store.close()?;
        Ok(written)
    }

    /// Writes a batch, and returns how many of its rows are new.
    fn write(&mut self, batch: &Batch) -> Result<i64, Failure> {
        loop {
            match self.store.write(batch) {
                // Rows that are written twice are the same rows.
                Err(failure) => self.reopen(failure, batch.state.continues_at.as_ref())?,
                written => return written,
            }
        }
    }

    /// Waits for a database that is away, as long as its connection was lost and the table is found as
    /// it was left: before the batch of this state, or after it.
    fn reopen(&mut self, failure: Failure, writing: Option<&String>) -> Result<(), Failure> {
        if !matches!(failure, Failure::Away(_)) {
            return Err(failure);
        }
        stdout::say(&format!("{}: {failure}; waiting for it", self.target));
        let mut failure = failure;
        for tried in 1_u32.. {
            if tried > TRIES && !self.asked.is_endless {
                break;
            }
            thread::sleep(Duration::from_secs(1 << tried.min(LONGEST_WAIT)));
            match Store::open(&self.target, &self.asked) {
                Ok(store) => {
                    let is_as_left = |(now, left): (&State, &State)| {
                        now.continues_at == left.continues_at
                            || (writing.is_some() && now.continues_at.as_ref() == writing)
                    };
                    if !store.states.iter().zip(&self.store.states).all(is_as_left) {
                        return Err(Failure::other(
                            "the table isn't as it was left, run this again",
                        ));
                    }
                    self.store = store;
                    stdout::say(&format!("{}: it answers again", self.target));
                    return Ok(());
                }
                Err(again @ Failure::Away(_)) => failure = again,
                // The server may hold the lost connection's lock for a while.
                Err(again) if tried <= TRIES => failure = again,
                Err(again) => return Err(again),
            }
        }
        Err(failure)
    }
}
