//! Writes to the database on its own thread, so that the next records are fetched meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::sync::{mpsc, oneshot};

use super::{
    state::State,
    store::{Asked, Batch, Opened, Store},
    target::Target,
};
use crate::{failure::Failure, stdout};

pub(super) struct Writer {
    batches: Option<mpsc::Sender<Batch>>,
    thread: Option<JoinHandle<Result<u64, Failure>>>,
    added: Arc<AtomicI64>,
}

/// Batches that may wait for the database while the next one is being fetched.
const WAITING: usize = 1;
/// How often to ask again for a database that is away, unless that is endless.
const TRIES: u32 = 4;
/// The longest wait between two tries, as a power of two seconds.
const LONGEST_WAIT: u32 = 4;

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
            let (store, states) = match target.open(&asked) {
                Ok(Opened { store, states, told }) => {
                    let _ = opened.send(Ok((states.clone(), told)));
                    (store, states)
                }
                Err(failure) => {
                    let _ = opened.send(Err(failure.in_words(&target)));
                    return Ok(0);
                }
            };
            let table = Open { target: &target, asked: &asked, store, states };
            table.write_all(received, &count).map_err(|failure| failure.in_words(&target))
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

/// The opened table, and what is in its states.
struct Open<'a> {
    target: &'a Target,
    asked: &'a Asked,
    store: Box<dyn Store>,
    states: Vec<State>,
}

impl Open<'_> {
    fn write_all(
        mut self,
        mut batches: mpsc::Receiver<Batch>,
        count: &AtomicI64,
    ) -> Result<u64, Failure> {
        let mut written = 0;
        loop {
            let batch = match self.store.next(&mut batches) {
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
            let Some(known) = self.states.get(batch.listing) else { return Ok(0) };
            let mut state = State {
                continues_at: Some(batch.state.clone()),
                records: batch.records.unwrap_or(known.records),
                newest: batch.newest.clone(),
                open_records: batch.open_records.or(known.open_records),
                succeeded_at: batch.succeeded_at.clone().or_else(|| known.succeeded_at.clone()),
                ..known.clone()
            };
            let before = state.rows_added;
            match self.store.write(&batch.rows, &mut state, batch.records.is_none()) {
                Ok(()) => {
                    let added = state.rows_added - before;
                    self.states[batch.listing] = state;
                    return Ok(added);
                }
                // Rows that are written twice are the same rows.
                Err(failure) => self.reopen(failure, Some(&batch.state))?,
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
            match self.target.open(self.asked) {
                Ok(Opened { store, states, told }) => {
                    if let Some(line) = told {
                        stdout::say(&line);
                    }
                    let is_as_left = |(now, left): (&State, &State)| {
                        now.continues_at == left.continues_at
                            || (writing.is_some() && now.continues_at.as_ref() == writing)
                    };
                    if !states.iter().zip(&self.states).all(is_as_left) {
                        return Err(Failure::other(
                            "the table isn't as it was left, run this again",
                        ));
                    }
                    (self.store, self.states) = (store, states);
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
