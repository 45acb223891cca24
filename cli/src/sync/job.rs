//! Syncs one listing into its table: the whole listing, or a round.

use std::{
    cell::RefCell,
    fmt,
    future::poll_fn,
    mem,
    time::{Duration, Instant},
};

use chrono::{DateTime, SubsecRound, Utc};
use digital_assets::Follow;
use tokio::time::{sleep, timeout};

use super::{
    batch::Batch,
    position::{Begun, Position},
    request::is_ascending,
    state::{self, State},
    writer::Writer,
};
use crate::{
    args::Args,
    failure::Failure,
    listing,
    operation::Listing,
    progress::Progress,
    retry_policy::RetryPolicy,
    rows::{Row, Rows},
    stdout,
};

/// The maximum number of records in a transaction, which also ends after a second. Small
/// transactions are expensive. Keys are random, so a small transaction writes about one index page
/// per record. Each transaction also writes all open records so far again.
const BATCH: usize = 50_000;
const EVERY: Duration = Duration::from_secs(1);

/// The settings that the listings of one command share.
pub(super) struct Sync<'a> {
    pub listing: &'a Listing,
    pub writer: &'a Writer,
    pub progress: RefCell<Progress>,
    /// Concurrent requests for each listing.
    pub requests: usize,
    /// How far back a round looks. `None` means that each sync reads the whole listing.
    pub overlap: Option<Duration>,
    /// How often open records are requested again. `Duration::MAX` means never.
    pub recheck: Duration,
    pub is_endless: bool,
    /// Whether the sync keeps running and makes one round after the other.
    pub follows: bool,
    /// Whether to show the progress of the listing.
    pub is_measured: bool,
}

/// The sync of one listing.
pub(super) struct Job<'a> {
    pub at: usize,
    pub args: Args<'a>,
    pub position: Position,
    /// The listing's name in messages, if there are several listings.
    pub name: Option<String>,
    /// The failure of the last run. If it occurs again, it isn't reported again.
    pub failed: Option<String>,
    resumes: bool,
    /// The rows of the next batch, and the listing's state after that batch.
    batch: Vec<Box<dyn Row>>,
    state: State,
    newest: Option<DateTime<Utc>>,
    /// The time at which the state was last written at the end of a round.
    ended: Option<Instant>,
    /// The starts of the current round, and of the round in which its open records were last
    /// requested again.
    pub round: Instant,
    rechecked: Option<Instant>,
}

impl<'a> Job<'a> {
    /// # Errors
    ///
    /// If the listing's state can't be read.
    pub(super) fn new(
        at: usize,
        args: Args<'a>,
        state: State,
        anew: bool,
        name: Option<String>,
    ) -> Result<Self, Failure> {
        let position = state.continues_at.as_deref().filter(|_| !anew).map(serde_json::from_str);
        Ok(Self {
            at,
            args,
            position: position.transpose().map_err(|error| unreadable(&error))?.unwrap_or_default(),
            name,
            failed: None,
            resumes: false,
            batch: Vec::new(),
            newest: state.newest.as_deref().and_then(|time| time.parse().ok()),
            state,
            ended: None,
            round: Instant::now(),
            rechecked: None,
        })
    }
}

impl Sync<'_> {
    /// Reads the whole listing, or makes a round. If an earlier sync was interrupted, continues it.
    pub(super) async fn run(&self, job: &mut Job<'_>) -> Result<(), Failure> {
        let before = self.progress.borrow().records();
        let run = async {
            match self.overlap {
                Some(overlap) if self.listing.windows => {
                    if !job.position.is_listed {
                        self.list(job).await?;
                    }
                    let rows = self.begin_round(job, overlap)?;
                    self.copy(job, rows).await
                }
                _ => self.list(job).await,
            }
        };
        let run = run.await;
        if run.is_err() {
            job.rechecked = None;
        }
        let is_stuck = job.resumes && self.progress.borrow().records() == before;
        run.map_err(|failure| {
            if is_stuck && failure.refuses_checkpoint() {
                failure.in_words("can't continue where the last sync stopped; --force starts over")
            } else {
                failure
            }
        })
    }

    async fn list(&self, job: &mut Job<'_>) -> Result<(), Failure> {
        let mut rows = (self.listing.rows)(&job.args, self.requests, None)?;
        // In descending order, the records that have arrived since the interruption are at the
        // start, so the listing starts over.
        let resumes = is_ascending(self.listing, &job.args.values);
        let begun = job.position.begun.take().filter(|_| resumes).unwrap_or_else(Begun::now);
        let begun = job.position.begun.insert(begun);
        let (since, earlier) = (begun.at, begun.records.unsigned_abs());
        if let Some(checkpoint) = begun.checkpoint.clone() {
            rows = rows.resume(checkpoint).map_err(|error| unreadable(&error))?;
            job.resumes = true;
        }
        if self.is_measured {
            let extent = listing::extent(self.listing, &job.args).await;
            self.progress.borrow_mut().measure(extent, None);
        }
        self.copy(job, rows).await?;
        if earlier > 0 {
            stdout::say(&format!(
                "{} may have changed since they were read: this sync started at {}",
                stdout::counted(earlier, "record"),
                state::text(since.trunc_subsecs(0))
            ));
        }
        Ok(())
    }

    fn begin_round(&self, job: &mut Job<'_>, overlap: Duration) -> Result<Box<dyn Rows>, Failure> {
        let is_due = job.rechecked.is_none_or(|at| job.round - at >= self.recheck);
        let recheck = if is_due { self.recheck } else { Duration::MAX };
        if is_due {
            job.rechecked = Some(job.round);
        }
        // The tool itself, and not the crate, waits for the next round and for the next recheck.
        let follow = Follow::once().overlap(overlap).recheck(recheck);
        let mut rows = (self.listing.rows)(&job.args, self.requests, Some(follow))?;
        // If a sync of the whole listing was interrupted before this round, neither this round nor
        // a later sync continues it.
        job.position.begun = None;
        let checkpoint = match (job.position.followed(overlap), job.position.from(overlap)) {
            (Some(checkpoint), _) => Some(checkpoint),
            (None, Some(from)) => Some(rows.checkpoint_from(from, &job.position.open)?),
            (None, None) => None,
        };
        if let Some(checkpoint) = checkpoint {
            rows = rows.resume(checkpoint).map_err(|error| unreadable(&error))?;
            job.resumes = true;
        }
        Ok(rows)
    }

    /// Sends the records to the writer in batches, each with the listing's position after it.
    async fn copy(&self, job: &mut Job<'_>, mut rows: Box<dyn Rows>) -> Result<(), Failure> {
        let mut policy =
            if self.is_endless { RetryPolicy::endless() } else { RetryPolicy::default() };
        let mut sent = Instant::now();
        job.batch.clear();
        loop {
            let left = EVERY.saturating_sub(sent.elapsed());
            if job.batch.len() >= BATCH || (left.is_zero() && !job.batch.is_empty()) {
                self.write(job, &*rows).await?;
                sent = Instant::now();
            }
            let left = if job.batch.is_empty() { Duration::MAX } else { left };
            match timeout(left, poll_fn(|cx| rows.poll_row(cx))).await {
                Ok(Some(Ok(row))) => {
                    self.answered(&mut policy);
                    let created_at = row.created_at();
                    self.progress.borrow_mut().wrote(created_at);
                    job.newest = job.newest.max(created_at);
                    if let Some(begun) = &mut job.position.begun {
                        begun.count(&*row);
                    }
                    job.batch.push(row);
                }
                Ok(Some(Err(error))) => {
                    // Rows are written before the wait, so that they are in the table during the
                    // wait.
                    if !job.batch.is_empty() {
                        self.write(job, &*rows).await?;
                    }
                    let Some(wait) = policy.failed(&error) else { return Err(error.into()) };
                    self.progress.borrow_mut().waits(wait, &error);
                    sleep(wait).await;
                    if let (None, Some(overlap)) = (&job.position.begun, self.overlap) {
                        // The whole round is repeated, including its recheck.
                        job.rechecked = None;
                        rows = self.begin_round(job, overlap)?;
                    }
                }
                Ok(None) => {
                    self.answered(&mut policy);
                    return self.end(job, &*rows).await;
                }
                Err(_) => {}
            }
        }
    }

    fn answered(&self, policy: &mut RetryPolicy) {
        if policy.succeeded() {
            self.progress.borrow_mut().goes_on();
        }
    }

    /// Writes the rows so far.
    async fn write(&self, job: &mut Job<'_>, listing: &dyn Rows) -> Result<(), Failure> {
        if let Some(begun) = &mut job.position.begun {
            begun.checkpoint = Some(listing.checkpoint()?);
            job.state.records = begun.records.max(job.state.records);
            self.hand_over(job, false, false).await
        } else {
            self.has_followed(job, listing)?;
            self.hand_over(job, true, false).await
        }
    }

    /// Writes the last rows of the listing, or of the round.
    async fn end(&self, job: &mut Job<'_>, listing: &dyn Rows) -> Result<(), Failure> {
        let is_due = job.ended.is_none_or(|ended| ended.elapsed() >= EVERY);
        let is_round = job.position.begun.is_none();
        if let Some(begun) = &job.position.begun {
            let listed = begun.reached();
            let open = begun.open().ok_or_else(|| unreadable(&"an open record"))?;
            job.state.records = begun.records;
            job.position = Position { is_listed: true, listed, open, ..Position::default() };
        } else if job.batch.is_empty() && !is_due {
            return Ok(());
        } else {
            self.has_followed(job, listing)?;
            job.ended = Some(Instant::now());
        }
        job.state.succeeded_at = Some(state::text(Utc::now()));
        self.hand_over(job, is_round, !is_round || !self.follows).await
    }

    /// Sets the position of the listing to that of the current round.
    fn has_followed(&self, job: &mut Job<'_>, listing: &dyn Rows) -> Result<(), Failure> {
        job.position.followed = Some(listing.checkpoint()?);
        job.position.overlap = self.overlap.unwrap_or_default();
        job.position.open.clear();
        Ok(())
    }

    async fn hand_over(
        &self,
        job: &mut Job<'_>,
        is_round: bool,
        is_end: bool,
    ) -> Result<(), Failure> {
        let Job { at, position, batch, state, newest, .. } = job;
        let rows = mem::take(batch);
        position.columns = self.writer.types.keys().cloned().collect();
        position.types = self.writer.types.clone();
        state.continues_at = Some(serde_json::to_string(position)?);
        state.newest = newest.map(state::text);
        let open = position.open_records().and_then(|open| i64::try_from(open).ok());
        state.open_records = open.or(state.open_records);
        self.writer
            .write(Batch { listing: *at, rows, state: state.clone(), is_round, is_end })
            .await
    }
}

fn unreadable(error: &dyn fmt::Display) -> Failure {
    Failure::other(format!(
        "the saved state of the table can't be read; --force starts over: {error}"
    ))
}
