//! A table that is synced, and the states of its listings.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    thread,
    time::Duration,
};

use tokio::sync::mpsc;

use super::{
    batch::Batch,
    database::{Database, Refused},
    dialect::{Dialect, quoted},
    settle::{Asked, Settled, settle},
    state::{self, State},
};
use crate::{failure::Failure, stdout};

/// How often to ask again for a database that is away, unless that is endless.
const TRIES: u32 = 4;
/// The longest wait between two tries, as a power of two seconds.
const LONGEST_WAIT: u32 = 4;

/// A table that this process alone syncs at the moment.
pub(super) struct Store {
    asked: Asked,
    database: Box<dyn Database>,
    /// Of the listings that were asked for, in their order.
    pub states: Vec<State>,
}

impl Store {
    pub(super) fn open(asked: Asked) -> Result<Self, Failure> {
        let (database, states) = connect(&asked)?;
        Ok(Self { asked, database, states })
    }

    /// Writes batches until there are no more, and releases the table. Returns the number of records, and
    /// counts the new rows meanwhile.
    pub(super) fn write_all(
        mut self,
        mut batches: mpsc::Receiver<Batch>,
        count: &AtomicI64,
    ) -> Result<u64, Failure> {
        let mut written = 0;
        loop {
            match self.database.next(&mut batches) {
                Ok(None) => break,
                Ok(Some(batch)) => {
                    count.fetch_add(self.write(&batch)?, Ordering::Relaxed);
                    written += batch.rows.len() as u64;
                }
                Err(failure) => self.reopen(failure, None)?,
            }
        }
        self.database.execute(&state::stop(), &[Some(self.asked.table.name)])?;
        self.database.close()?;
        Ok(written)
    }

    /// Writes a batch, and returns how many of its rows are new.
    fn write(&mut self, batch: &Batch) -> Result<i64, Failure> {
        loop {
            match self.try_to_write(batch) {
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
        stdout::say(&format!("{}: {failure}; waiting for it", self.asked.target));
        let mut failure = failure;
        for tried in 1_u32.. {
            if tried > TRIES && !self.asked.is_endless {
                break;
            }
            thread::sleep(Duration::from_secs(1 << tried.min(LONGEST_WAIT)));
            match connect(&self.asked) {
                Ok((database, states)) => {
                    let is_as_left = |(now, left): (&State, &State)| {
                        now.continues_at == left.continues_at
                            || (writing.is_some() && now.continues_at.as_ref() == writing)
                    };
                    if !states.iter().zip(&self.states).all(is_as_left) {
                        return Err(Failure::other(
                            "the table isn't as it was left, run this again",
                        ));
                    }
                    (self.database, self.states) = (database, states);
                    stdout::say(&format!("{}: it answers again", self.asked.target));
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

    /// Writes the rows and their state, or neither. Returns how many of the rows are new.
    fn try_to_write(&mut self, batch: &Batch) -> Result<i64, Failure> {
        let Some(known) = self.states.get(batch.listing) else { return Ok(0) };
        let (database, table) = (&mut *self.database, self.asked.table);
        database.begin(true)?;
        let any = format!("SELECT '' FROM {} LIMIT 1", quoted(table.name));
        if known.rows_added > 0 && database.query(&any, &[])?.is_empty() {
            let words = format!("{} was emptied meanwhile, run this again", table.name);
            return Err(Failure::other(words));
        }
        let added = database.upsert(table, &batch.rows)?;
        let mut state = batch.state.clone();
        state.rows_added = known.rows_added + added;
        if batch.is_round {
            state.records = known.records + added;
        }
        database.keep(&state)?;
        database.execute("COMMIT", &[])?;
        self.states[batch.listing] = state;
        Ok(added)
    }
}

/// Locks the table, makes what it lacks, and settles its states.
fn connect(asked: &Asked) -> Result<(Box<dyn Database>, Vec<State>), Failure> {
    let mut database = asked.target.lock(asked.table)?;
    let Settled { states, told, .. } = prepare(&mut *database, asked)?;
    if let Some(line) = told {
        stdout::say(&line);
    }
    Ok((database, states))
}

fn prepare(database: &mut dyn Database, asked: &Asked) -> Result<Settled, Failure> {
    // In SQLite, another program may be writing: wait for it only if there is something to write.
    let mut writes = database.dialect() == Dialect::Postgres;
    loop {
        database.begin(writes)?;
        let settled = make_and_settle(database, asked, writes);
        let settled = settled.map_err(|refused| refused.about(asked.table))?;
        if let Some(settled) = settled {
            database.execute("COMMIT", &[])?;
            return Ok(settled);
        }
        database.execute("ROLLBACK", &[])?;
        writes = true;
    }
}

/// Makes the tables, and settles which states hold. `None` if there is something to write, and
/// this transaction doesn't.
fn make_and_settle(
    database: &mut dyn Database,
    asked: &Asked,
    writes: bool,
) -> Result<Option<Settled>, Refused> {
    let (table, dialect) = (asked.table, database.dialect());
    if writes {
        database.execute(&state::create(), &[])?;
        database.execute(&table.create(dialect), &[])?;
    }
    // In Postgres, a table that was created hides one of its name in another schema.
    let known = database.columns(table.name)?;
    if known.is_empty() {
        return Ok(None);
    }
    let added = table.missing(&known, dialect)?;
    if !writes && !added.is_empty() {
        return Ok(None);
    }
    for column in &added {
        database.execute(&table.add(*column, dialect), &[])?;
    }
    let rows = database.count(table.name)?;
    let states = database.states()?.into_iter().filter(|state| state.table == table.name);
    let added: Vec<&str> = added.iter().map(|column| column.name).collect();
    let settled = settle(states.collect(), asked, rows, &added)?;
    if !writes && settled.is_news {
        return Ok(None);
    }
    database.check(table)?;
    if writes {
        if let Some(end) = &settled.end {
            database.execute(end, &[Some(table.name)])?;
        }
        settled.states.iter().try_for_each(|state| database.keep(state))?;
    }
    Ok(Some(settled))
}
