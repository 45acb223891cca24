//! Syncs one listing into its table: either the whole listing, or an incremental round, which reads
//! only records that are new or may have changed.

use std::{
    cell::RefCell,
    fmt,
    future::poll_fn,
    mem,
    time::{Duration, Instant},
};

use chrono::{DateTime, SubsecRound, Utc};
use digital_assets::Follow;
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use super::{
    batch::Batch,
    database::Written,
    position::{Begun, Position},
    request::is_ascending,
    state::{self, State},
    writer::Writer,
};
use crate::{
    args::Args,
    failure::{Failure, described},
    listing,
    operation::Listing,
    progress::{Line, Progress},
    retry_policy::RetryPolicy,
    rows::{Round, Row, Rows, Start},
    stdout,
};

/// The maximum number of records in a transaction.
///
/// Small transactions are expensive. Keys are random, so a small transaction writes about one index
/// page per record. Each transaction also saves the whole list of open records again. Large
/// transactions take memory, because up to three batches exist at the same time.
const BATCH: usize = 20_000;
/// The time after which rows are written even if the transaction is small.
const EVERY: Duration = Duration::from_secs(1);

/// The settings and the writer that all listings of one `sync` command share.
pub(super) struct Sync<'a> {
    pub listing: &'a Listing,
    pub writer: &'a Writer,
    pub progress: RefCell<Progress>,
    /// The number of concurrent requests for each listing.
    pub requests: usize,
    /// The overlap with the previous sync: an incremental round starts this long before the point
    /// that the previous sync reached. `None` means that each sync reads the whole listing.
    pub overlap: Option<Duration>,
    /// The interval at which open records (those in a state that isn't final) are requested again.
    /// `Duration::MAX` means never.
    pub recheck: Duration,
    pub is_endless: bool,
    /// Whether the sync keeps running, with one incremental round after another.
    pub follows: bool,
    /// Whether to determine the extent of the listing for a progress bar.
    pub is_measured: bool,
}

/// The sync of one listing.
pub(super) struct Job<'a> {
    pub at: usize,
    pub args: Args<'a>,
    pub position: Position,
    /// The listing's name in messages. `None` if the command syncs only one listing.
    pub name: Option<String>,
    /// The failure message of the last run. If the next run fails with the same message, the
    /// message isn't printed again.
    pub failed: Option<String>,
    resumes: bool,
    /// Whether the saved position may be of other time bounds, because a bound is relative to the
    /// start of the sync.
    has_other_bounds: bool,
    /// The rows that haven't been sent to the writer yet.
    batch: Vec<Box<dyn Row>>,
    /// The state to save together with the next batch.
    state: State,
    newest: Option<DateTime<Utc>>,
    /// The time at which the state was last saved at the end of an incremental round.
    ended: Option<Instant>,
    /// The time at which the current round started.
    pub round: Instant,
    /// The numbers of rows that the listing had written before the current round.
    before: Written,
    /// The listing's line on the terminal.
    line: Option<Line>,
    /// The start time of the last round in which open records were requested again.
    rechecked: Option<Instant>,
}

impl<'a> Job<'a> {
    /// # Errors
    ///
    /// If the saved state of the listing can't be parsed.
    pub(super) fn new(
        at: usize,
        args: Args<'a>,
        state: State,
        anew: bool,
        is_relative: bool,
        name: Option<String>,
        line: Option<Line>,
    ) -> Result<Self, Failure> {
        let position = state.continues_at.as_deref().filter(|_| !anew).map(serde_json::from_str);
        Ok(Self {
            at,
            args,
            position: position.transpose().map_err(|error| unreadable(&error))?.unwrap_or_default(),
            name,
            failed: None,
            resumes: false,
            has_other_bounds: is_relative,
            batch: Vec::new(),
            newest: state.newest.as_deref().and_then(|time| time.parse().ok()),
            state,
            ended: None,
            round: Instant::now(),
            before: Written::default(),
            line,
            rechecked: None,
        })
    }
}

impl Sync<'_> {
    /// Syncs the whole listing, or runs an incremental round. If an earlier sync was interrupted,
    /// continues that sync.
    pub(super) async fn run(&self, job: &mut Job<'_>) -> Result<(), Failure> {
        let before = self.progress.borrow().records();
        job.before = self.writer.counts.borrow().written[job.at];
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
        if let Err(failure) = &run {
            job.rechecked = None;
            self.record(job, failure.to_string()).await;
        }
        let is_stuck = job.resumes && self.progress.borrow().records() == before;
        run.map_err(|failure| {
            if is_stuck && failure.refuses_checkpoint() {
                failure.in_words(
                    "can't continue where the last sync stopped (use --force to start over)",
                )
            } else {
                failure
            }
        })
    }

    async fn list(&self, job: &mut Job<'_>) -> Result<(), Failure> {
        let mut rows = (self.listing.rows)(&job.args, self.requests, None)?;
        // In descending order, the records that have arrived since the interruption come first, so
        // the listing has to start over. With other bounds, it is another listing.
        let resumes = is_ascending(self.listing, &job.args.values) && !job.has_other_bounds;
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
                "{} read by an earlier run may have changed since then; this sync started at {}",
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
        // An incremental round replaces a full sync that was interrupted, so no later sync
        // continues that full sync.
        job.position.begun = None;
        let start = job.position.start(overlap, job.has_other_bounds);
        job.resumes = !matches!(start, Start::Beginning);
        // The tool, not the crate, waits for the next round and for the next recheck.
        let round = Round { follow: Follow::once().overlap(overlap).recheck(recheck), start };
        (self.listing.rows)(&job.args, self.requests, Some(round))
    }

    /// Sends the listing's records to the writer in batches. Each batch includes the position from
    /// which the listing continues after that batch.
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
                    // Writes the rows that were read so far, so that they are already in the table
                    // during the wait.
                    if !job.batch.is_empty() {
                        self.write(job, &*rows).await?;
                    }
                    let Some(wait) = policy.failed(&error) else { return Err(error.into()) };
                    self.record(job, described(&error)).await;
                    self.progress.borrow_mut().waits(wait, &error);
                    sleep(wait).await;
                    if let (None, Some(overlap)) = (&job.position.begun, self.overlap) {
                        // Starts the round over, including its recheck of open records.
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

    /// Sends the rows that have been read so far to the writer.
    async fn write(&self, job: &mut Job<'_>, listing: &dyn Rows) -> Result<(), Failure> {
        if let Some(begun) = &mut job.position.begun {
            begun.checkpoint = Some(listing.checkpoint()?);
            if let Some(line) = &job.line {
                line.lists(begun.records.unsigned_abs());
            }
            self.hand_over(job, false, false).await.map(drop)
        } else {
            self.has_followed(job, listing);
            self.hand_over(job, true, false).await.map(drop)
        }
    }

    /// Saves the error of an attempt to sync the listing. The position stays as it is.
    async fn record(&self, job: &mut Job<'_>, error: String) {
        job.state.error = Some(error);
        let (committed, _) = oneshot::channel();
        let batch = Batch {
            listing: job.at,
            rows: Vec::new(),
            state: job.state.clone(),
            is_round: true,
            is_end: false,
            committed,
        };
        // Fails only if the database has failed, which is reported instead.
        let _ = self.writer.write(batch).await;
    }

    /// Sends the last rows of a listing or round to the writer, and records the success.
    async fn end(&self, job: &mut Job<'_>, listing: &dyn Rows) -> Result<(), Failure> {
        let is_due =
            job.state.error.is_some() || job.ended.is_none_or(|ended| ended.elapsed() >= EVERY);
        let is_round = job.position.begun.is_none();
        if let Some(begun) = &job.position.begun {
            let listed = begun.reached();
            let open = begun.open().ok_or_else(|| unreadable(&"an open record"))?;
            job.position = Position { is_listed: true, listed, open, ..Position::default() };
        } else if job.batch.is_empty() && !is_due {
            self.show(job);
            return Ok(());
        } else {
            self.has_followed(job, listing);
            job.ended = Some(Instant::now());
        }
        job.state.succeeded_at = Some(state::text(Utc::now()));
        job.state.error = None;
        let committed = self.hand_over(job, is_round, !is_round || !self.follows).await?;
        // If the database fails, nothing is committed, and the failure is reported elsewhere.
        if committed.await.is_ok() {
            self.show(job);
        }
        Ok(())
    }

    /// Shows the result of a round on the terminal.
    fn show(&self, job: &Job<'_>) {
        let Some(line) = &job.line else { return };
        let (counts, before) = (self.writer.counts.borrow(), job.before);
        let Written { added, changed } = counts.written[job.at];
        line.has_read(counts.rows, added - before.added, changed - before.changed);
    }

    /// Updates the listing's position to the current checkpoint of an incremental round.
    fn has_followed(&self, job: &mut Job<'_>, listing: &dyn Rows) {
        job.position.followed = listing.followed();
        job.position.overlap = self.overlap.unwrap_or_default();
        job.position.open.clear();
    }

    /// Sends a batch to the writer. Returns a receiver for the message that the batch is committed.
    async fn hand_over(
        &self,
        job: &mut Job<'_>,
        is_round: bool,
        is_end: bool,
    ) -> Result<oneshot::Receiver<()>, Failure> {
        job.has_other_bounds = false;
        let Job { at, position, batch, state, newest, .. } = job;
        let rows = mem::take(batch);
        position.columns = self.writer.types.keys().cloned().collect();
        position.types = self.writer.types.clone();
        state.continues_at = Some(serde_json::to_string(position)?);
        state.newest = newest.map(state::text);
        let open = position.open_records().and_then(|open| i64::try_from(open).ok());
        state.open_records = open.or(state.open_records);
        let (committed, is_committed) = oneshot::channel();
        let state = state.clone();
        self.writer.write(Batch { listing: *at, rows, state, is_round, is_end, committed }).await?;
        Ok(is_committed)
    }
}

fn unreadable(error: &dyn fmt::Display) -> Failure {
    Failure::other(format!(
        "the saved state of the table can't be read: {error}; use --force to start over"
    ))
}
