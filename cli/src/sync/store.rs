//! A table that is being synced, together with the saved states of its listings.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use tokio::sync::mpsc;

use super::{
    batch::Batch,
    database::{Database, Next, Refused, Written},
    dialect::quoted,
    settle::{Asked, settle},
    state::{self, STATES, State},
    table::{Table, Types},
};
use crate::{failure::Failure, stdout};

/// The maximum number of retries while a database can't be reached, unless the sync waits
/// indefinitely.
const TRIES: u32 = 4;
/// The exponent of the longest wait between two attempts, which is 2⁴ s.
const LONGEST_WAIT: u32 = 4;
/// The interval at which the tool checks whether other programs have changed the table.
const INSPECTED_EVERY: Duration = Duration::from_secs(45);

/// A table that this process has locked for a sync.
pub(super) struct Store {
    asked: Asked,
    opened: Opened,
    inspected: Instant,
}

/// An open table, together with the saved states of its listings.
pub(super) struct Opened {
    database: Box<dyn Database>,
    /// The states of the listings to sync, in the order of [`Asked::listings`].
    pub states: Vec<State>,
    /// The types of all columns that the sync writes.
    pub types: Types,
}

/// The numbers of rows that a sync has added and changed so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    added: AtomicU64,
    changed: AtomicU64,
}

impl Counts {
    fn add(&self, written: Written) {
        self.added.fetch_add(written.added, Ordering::Relaxed);
        self.changed.fetch_add(written.changed, Ordering::Relaxed);
    }

    pub(super) fn written(&self) -> Written {
        Written {
            added: self.added.load(Ordering::Relaxed),
            changed: self.changed.load(Ordering::Relaxed),
        }
    }
}

impl Store {
    pub(super) fn open(asked: Asked) -> Result<Self, Failure> {
        let opened = match connect(&asked) {
            Err(busy @ Failure::DatabaseBusy(_)) => connect_again(&asked, busy)?,
            opened => opened?,
        };
        Ok(Self { asked, opened, inspected: Instant::now() })
    }

    pub(super) fn found(&self) -> (Vec<State>, Types) {
        (self.opened.states.clone(), self.opened.types.clone())
    }

    /// Writes all batches, and then closes the database. Updates `counts` with the numbers of added
    /// and changed rows.
    ///
    /// Returns the number of records: all records from full listings, but only new records from
    /// incremental rounds.
    pub(super) fn write_all(
        mut self,
        mut batches: mpsc::Receiver<Batch>,
        counts: &Counts,
    ) -> Result<u64, Failure> {
        let mut records = 0;
        loop {
            match self.opened.database.next(&mut batches, self.inspected + INSPECTED_EVERY) {
                Ok(Next::End) => break,
                Ok(Next::Wait) => self.again(None, Self::try_to_inspect)?,
                Ok(Next::Write(batch)) => {
                    let position = batch.state.continues_at.clone();
                    let written =
                        self.again(position.as_ref(), |store| store.try_to_write(&batch))?;
                    counts.add(written);
                    records += if batch.is_round { written.added } else { batch.rows.len() as u64 };
                }
                Err(failure) => self.reopen(failure, None)?,
            }
        }
        let now = state::text(Utc::now());
        for asked in &self.asked.listings {
            let values = [Some(&*now), Some(self.asked.table.name), Some(asked)];
            self.opened.database.execute(&state::stop(), &values)?;
        }
        self.opened.database.close()?;
        Ok(records)
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
        let Opened { database, states, types } = &mut self.opened;
        let Some(known) = states.get(batch.listing) else { return Ok(Written::default()) };
        database.begin(true)?;
        check_position(&mut **database, known)?;
        let any = format!("SELECT '' FROM {} LIMIT 1", database.source(table.name)?);
        if known.rows_added > 0 && database.query(&any, &[])?.is_empty() {
            let words =
                format!("{} was emptied during the sync; run the command again", table.name);
            return Err(Failure::other(words));
        }
        let written = database.write(table, &batch.rows)?;
        let added = i64::try_from(written.added).unwrap_or(i64::MAX);
        let mut state = batch.state.clone();
        state.rows_added = known.rows_added + added;
        state.tried_at = Some(state::text(Utc::now()));
        if batch.is_round {
            state.records = known.records + added;
        }
        database.keep(&state)?;
        if is_due {
            inspect(&mut **database, table, types)?;
            self.inspected = Instant::now();
        }
        database.execute("COMMIT", &[])?;
        states[batch.listing] = state;
        Ok(written)
    }

    /// Checks for changes that other programs made to the table.
    fn try_to_inspect(&mut self) -> Result<(), Failure> {
        let Opened { database, states, types } = &mut self.opened;
        database.begin(false)?;
        states.iter().try_for_each(|state| check_position(&mut **database, state))?;
        inspect(&mut **database, self.asked.table, types)?;
        database.execute("COMMIT", &[])?;
        self.inspected = Instant::now();
        Ok(())
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

/// # Errors
///
/// If the table has lost rows or contains rows that no sync can have written, or if the type of a
/// column has changed since the table was opened.
fn inspect(database: &mut dyn Database, table: Table, types: &Types) -> Result<(), Failure> {
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
    let states = database.states()?.into_iter().filter(|state| state.table == table.name);
    let written: i64 = states.map(|state| state.rows_added).sum();
    let rows = database.count(table.name)?;
    if rows < written {
        let lost = table.has_lost(rows, written);
        return Err(Failure::other(format!(
            "{lost}; run the command again to list everything again"
        )));
    }
    Ok(())
}

/// # Errors
///
/// If the table contains rows that no sync can have written.
fn check_strange(database: &mut dyn Database, table: Table) -> Result<(), Failure> {
    let (name, strange) = (quoted(table.name), database.is_strange(table));
    let any = format!("SELECT '' FROM {name} AS t WHERE {strange} LIMIT 1");
    if database.query(&any, &[])?.is_empty() {
        return Ok(());
    }
    Err(Failure::other(format!(
        "{} contains rows that no sync can have written: rows without a key, or rows in a child \
         table (INHERITS); remove these rows or the inheritance",
        table.name
    )))
}

fn is_changed(table: Table) -> Failure {
    Failure::other(format!(
        "{} has changed since this sync's last write; run the command again",
        table.name
    ))
}

/// The time to wait before the next attempt. It doubles with each attempt, up to a maximum.
fn pause(tried: u32) -> Duration {
    Duration::from_secs(1 << tried.min(LONGEST_WAIT))
}

/// Connects again after a failure. If the connection attempt fails too, retries it, because the
/// failure may be temporary.
fn connect_again(asked: &Asked, mut failure: Failure) -> Result<Opened, Failure> {
    stdout::say(&format!("{}: {failure}; waiting for the database", asked.target));
    for tried in 1_u32.. {
        if tried > TRIES && !asked.is_endless {
            break;
        }
        thread::sleep(pause(tried));
        match connect(asked) {
            Ok(opened) => {
                stdout::say(&format!("{}: the database is responding again", asked.target));
                return Ok(opened);
            }
            Err(again @ (Failure::DatabaseUnreachable(_) | Failure::DatabaseBusy(_))) => {
                failure = again;
            }
            // Other failures may be temporary too: for example, the server may not have released
            // the lost connection's lock yet.
            Err(again) if tried <= TRIES => failure = again,
            Err(again) => return Err(again),
        }
    }
    Err(failure)
}

/// Connects to the database and locks the table. Creates missing tables and columns, and decides
/// which saved states are still valid.
fn connect(asked: &Asked) -> Result<Opened, Failure> {
    let mut database = asked.target.lock(asked.table)?;
    // Another program may be writing. The first transaction only reads, so the sync doesn't have to
    // wait for that program unless it has to write something itself.
    let mut writes = false;
    loop {
        database.begin(writes)?;
        let settled = make_and_settle(&mut *database, asked, writes);
        let settled = settled.map_err(|refused| refused.about(asked.table))?;
        if let Some((states, types, told)) = settled {
            database.execute("COMMIT", &[])?;
            if let Some(line) = told {
                stdout::say(&line);
            }
            return Ok(Opened { database, states, types });
        }
        database.execute("ROLLBACK", &[])?;
        writes = true;
    }
}

type Found = (Vec<State>, Types, Option<String>);

/// Creates missing tables and columns, and decides which saved states are still valid. Returns
/// `None` if something has to be written but `writes` is false.
fn make_and_settle(
    database: &mut dyn Database,
    asked: &Asked,
    writes: bool,
) -> Result<Option<Found>, Refused> {
    let (table, dialect) = (asked.table, database.dialect());
    for (name, create) in [(STATES, state::create()), (table.name, table.create(dialect))] {
        if !database.exists(name)? {
            if !writes {
                return Ok(None);
            }
            database.create(&create)?;
        }
    }
    let mut known = database.columns(table.name)?;
    let added = table.missing(&known, dialect);
    if !added.is_empty() {
        if !writes {
            return Ok(None);
        }
        for column in &added {
            database.execute(&table.add(*column, dialect), &[])?;
        }
        known = database.columns(table.name)?;
    }
    let types = table.types(&known, dialect);
    check_strange(database, table)?;
    let rows = database.count(table.name)?;
    let states = database.states()?.into_iter().filter(|state| state.table == table.name);
    let added: Vec<&str> = added.iter().map(|column| column.name).collect();
    let settled = settle(states.collect(), asked, rows, &added, &types)?;
    if let Some(end) = &settled.end {
        if !writes {
            return Ok(None);
        }
        database.execute(end, &[Some(table.name)])?;
    }
    database.check(table)?;
    Ok(Some((settled.states, types, settled.told)))
}
