//! A table that is being synced, together with the saved states of its listings.

use std::{
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use tokio::sync::{mpsc, watch};

use super::{
    batch::Batch,
    counts::Counts,
    database::{Database, Next, Refused, Written},
    opened::{Opened, TRIES, check_strange, connect, connect_again, pause},
    settle::Asked,
    state::{self, State},
    table::{Table, Types},
};
use crate::{failure::Failure, stdout};

/// The interval at which the tool checks whether other programs have changed the table.
const INSPECTED_EVERY: Duration = Duration::from_secs(45);

/// A table that this process has locked for a sync.
pub(super) struct Store {
    asked: Asked,
    opened: Opened,
    inspected: Instant,
    /// Whether this process has counted the table again since it opened it, and no rows were
    /// missing.
    is_sound: bool,
}

impl Store {
    pub(super) fn open(asked: Asked) -> Result<Self, Failure> {
        let opened = match connect(&asked) {
            Err(busy @ Failure::DatabaseBusy(_)) => connect_again(&asked, busy)?,
            opened => opened?,
        };
        Ok(Self { asked, opened, inspected: Instant::now(), is_sound: false })
    }

    pub(super) fn found(&self) -> (Vec<State>, Types) {
        (self.opened.states.clone(), self.opened.types.clone())
    }

    /// Writes all batches, and then closes the database. Updates `counts`.
    ///
    /// Returns the number of records: all records from full listings, but only new records from
    /// incremental rounds.
    pub(super) fn write_all(
        mut self,
        batches: mpsc::Receiver<Batch>,
        counts: &watch::Sender<Counts>,
    ) -> Result<u64, Failure> {
        let records = self.write_batches(batches, counts);
        let error = records.as_ref().err().map(ToString::to_string);
        let stopped = self.stop(error.as_deref());
        let records = records?;
        stopped?;
        self.opened.database.close()?;
        Ok(records)
    }

    fn write_batches(
        &mut self,
        mut batches: mpsc::Receiver<Batch>,
        counts: &watch::Sender<Counts>,
    ) -> Result<u64, Failure> {
        let mut records = 0;
        loop {
            match self.opened.database.next(&mut batches, self.inspected + INSPECTED_EVERY) {
                Ok(Next::End) => return Ok(records),
                Ok(Next::Wait) => self.again(None, Self::try_to_inspect)?,
                Ok(Next::Write(batch)) => {
                    let position = batch.state.continues_at.clone();
                    let written =
                        self.again(position.as_ref(), |store| store.try_to_write(&batch))?;
                    records += if batch.is_round { written.added } else { batch.rows.len() as u64 };
                    let rows = self.opened.own.rows.unsigned_abs();
                    counts.send_modify(|counts| counts.add(batch.listing, written, rows));
                    // The listing may have stopped waiting.
                    let _ = batch.committed.send(());
                }
                Err(failure) => self.reopen(failure, None)?,
            }
        }
    }

    /// Records that the sync has stopped, and the error, if any.
    fn stop(&mut self, error: Option<&str>) -> Result<(), Failure> {
        let database = &mut self.opened.database;
        if error.is_some() {
            // Fails if no transaction has begun.
            let _ = database.execute("ROLLBACK", &[]);
        }
        let now = state::text(Utc::now());
        for asked in &self.asked.listings {
            let values = [Some(&*now), error, Some(self.asked.table.name), Some(asked)];
            database.execute(&state::stop(), &values)?;
        }
        Ok(())
    }

    /// Runs `step`, and retries it as long as its failures are temporary. `writing` is the position
    /// that `step` saves, if it writes a batch.
    fn again<T>(
        &mut self,
        writing: Option<&String>,
        step: impl Fn(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut tried = 0;
        loop {
            tried += 1;
            match step(self) {
                Err(Failure::DatabaseBusy(message)) if tried <= TRIES || self.asked.is_endless => {
                    if tried == 1 {
                        stdout::say(&format!("{}: {message}; trying again", self.asked.target));
                    }
                    let undone = self.opened.database.execute("ROLLBACK", &[]);
                    undone.map_err(Failure::from).or_else(|lost| self.reopen(lost, writing))?;
                    thread::sleep(pause(tried));
                }
                // Reconnects if the connection was lost, and then repeats the step. Writing the
                // same rows twice does no harm.
                Err(failure) => self.reopen(failure, writing)?,
                done => return done,
            }
        }
    }

    /// Reconnects to a database whose connection was lost. Fails if another program has changed the
    /// saved states.
    ///
    /// If a batch was being written when the connection was lost, `writing` is the position after
    /// that batch. A saved state with this position is accepted too, because the batch may or may
    /// not have been written.
    fn reopen(&mut self, failure: Failure, writing: Option<&String>) -> Result<(), Failure> {
        if !matches!(failure, Failure::DatabaseUnreachable(_)) {
            return Err(failure);
        }
        let opened = connect_again(&self.asked, failure)?;
        if opened.is_lost {
            return Err(self.lost(&opened.own));
        }
        let is_as_left = |(now, left): (&State, &State)| {
            now.continues_at == left.continues_at
                || (writing.is_some() && now.continues_at.as_ref() == writing)
        };
        if !opened.states.iter().zip(&self.opened.states).all(is_as_left) {
            return Err(is_changed(self.asked.table));
        }
        self.opened = opened;
        Ok(())
    }

    /// Writes a batch's rows and state in one transaction. Returns the numbers of new and changed
    /// rows.
    fn try_to_write(&mut self, batch: &Batch) -> Result<Written, Failure> {
        let is_due = batch.is_end || self.inspected.elapsed() >= INSPECTED_EVERY;
        let table = self.asked.table;
        let Opened { database, own, states, types, .. } = &mut self.opened;
        let Some(known) = states.get(batch.listing) else { return Ok(Written::default()) };
        database.begin(true)?;
        check_position(&mut **database, known)?;
        let written = database.write(table, &batch.rows)?;
        let state = State { tried_at: Some(state::text(Utc::now())), ..batch.state.clone() };
        database.keep(&state)?;
        let mut counted = own.clone();
        counted.count(own.rows + i64::try_from(written.added).unwrap_or(i64::MAX), true);
        let is_lost = is_due && inspect(&mut **database, table, types, &mut counted)?;
        save(&mut **database, &counted, is_lost)?;
        database.execute("COMMIT", &[])?;
        states[batch.listing] = state;
        self.counted(counted, is_due, is_lost)?;
        Ok(written)
    }

    /// Checks for changes that other programs made to the table.
    fn try_to_inspect(&mut self) -> Result<(), Failure> {
        let Opened { database, own, states, types, .. } = &mut self.opened;
        let (mut counted, mut is_lost) = (own.clone(), false);
        // A transaction that writes has to wait for other programs that write.
        for writes in [false, true] {
            database.begin(writes)?;
            states.iter().try_for_each(|state| check_position(&mut **database, state))?;
            counted.clone_from(own);
            is_lost = inspect(&mut **database, self.asked.table, types, &mut counted)?;
            if writes {
                save(&mut **database, &counted, is_lost)?;
            }
            database.execute("COMMIT", &[])?;
            if counted == *own {
                break;
            }
        }
        self.counted(counted, true, is_lost)
    }

    /// Takes over the number of rows that has been committed.
    ///
    /// # Errors
    ///
    /// If rows are missing.
    fn counted(&mut self, own: State, is_inspected: bool, is_lost: bool) -> Result<(), Failure> {
        self.opened.own = own;
        if is_lost {
            return Err(self.lost(&self.opened.own));
        }
        if is_inspected {
            (self.inspected, self.is_sound) = (Instant::now(), true);
        }
        Ok(())
    }

    /// The failure of a sync whose table has lost rows.
    fn lost(&self, own: &State) -> Failure {
        let lost = self.asked.table.has_lost(own.rows, own.expected_rows);
        let line = format!("{lost}; run the command again to list everything again");
        // If the rows that were listed again have been lost too, another attempt wouldn't help.
        if self.is_sound { Failure::RowsLost(line) } else { Failure::other(line) }
    }
}

/// # Errors
///
/// If the saved position of a listing isn't the position that this process saved last.
fn check_position(database: &mut dyn Database, left: &State) -> Result<(), Failure> {
    let found = database.query(&state::position(), &[Some(&left.table), Some(&left.asked)])?;
    if found.into_iter().flatten().next().flatten() == left.continues_at {
        return Ok(());
    }
    let words =
        "has changed since this sync's last write: a backup was restored, or another sync ran";
    Err(Failure::other(format!("{} {words}; run the command again", left.table)))
}

/// Counts the rows of the table, and sets the number in its own row. Returns whether rows are
/// missing.
///
/// # Errors
///
/// If the table contains rows that no sync can have written, or if the type of a column has changed
/// since the table was opened.
fn inspect(
    database: &mut dyn Database,
    table: Table,
    types: &Types,
    own: &mut State,
) -> Result<bool, Failure> {
    let found = table.types(&database.columns(table.name)?, database.dialect());
    if let Some((name, declared)) = types.iter().find(|(name, kind)| found.get(*name) != Some(kind))
    {
        return Err(Failure::other(format!(
            "the column {name} of {} was altered (its type was {declared}); run the command \
             again to list everything again",
            table.name
        )));
    }
    check_strange(database, table)?;
    let rows = database.count(table.name)?;
    let is_lost = rows < own.rows;
    let incomplete = database.query(&state::incomplete(), &[Some(table.name)])?;
    own.count(rows, is_lost || !incomplete.is_empty());
    Ok(is_lost)
}

/// Saves a table's own row. If rows are missing, every listing of the table is to be listed in full.
fn save(database: &mut dyn Database, own: &State, is_lost: bool) -> Result<(), Refused> {
    if is_lost {
        database.execute(&state::reset(), &[Some(&own.table)])?;
    }
    database.keep(own)
}

fn is_changed(table: Table) -> Failure {
    Failure::other(format!(
        "{} has changed since this sync's last write; run the command again",
        table.name
    ))
}
