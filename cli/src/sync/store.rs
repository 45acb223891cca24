//! A table that is synced, and the states of its listings.

use super::{
    database::{Database, Refused},
    state::{self, Settled, State},
    table::{Dialect, Table, quoted},
    target::Target,
};
use crate::{failure::Failure, rows::Row, stdout};

/// What to open: a table, for these listings of a service.
pub(super) struct Asked {
    pub table: Table,
    pub service: String,
    pub listings: Vec<String>,
    /// Whether to wait for a database that is away for as long as it is.
    pub is_endless: bool,
}

/// Rows of a listing, and its state with them.
pub(super) struct Batch {
    /// Which of the listings that are synced.
    pub listing: usize,
    pub rows: Vec<Box<dyn Row>>,
    pub state: State,
    /// Whether the listing has more records by those of the rows that are new.
    pub is_round: bool,
}

/// A table that this process alone syncs at the moment.
pub(super) struct Store {
    pub database: Box<dyn Database>,
    table: Table,
    /// Of the listings that were asked for, in their order.
    pub states: Vec<State>,
}

impl Store {
    /// Locks the table, makes what it lacks, and settles its states.
    pub(super) fn open(target: &Target, asked: &Asked) -> Result<Self, Failure> {
        let table = asked.table;
        let mut database = target.lock(table)?;
        let Settled { states, told, .. } = prepare(&mut *database, asked)?;
        if let Some(line) = told {
            stdout::say(&line);
        }
        Ok(Self { database, table, states })
    }

    /// Writes the rows and their state, or neither. Returns how many of the rows are new.
    pub(super) fn write(&mut self, batch: &Batch) -> Result<i64, Failure> {
        let Some(known) = self.states.get(batch.listing) else { return Ok(0) };
        let (database, name) = (&mut *self.database, self.table.name);
        database.begin(true)?;
        let any = format!("SELECT '' FROM {} LIMIT 1", quoted(name));
        if known.rows_added > 0 && database.query(&any, &[])?.is_empty() {
            return Err(Failure::other(format!("{name} was emptied meanwhile, run this again")));
        }
        let added = database.upsert(self.table, &batch.rows)?;
        let mut state = batch.state.clone();
        state.rows_added = known.rows_added + added;
        if batch.is_round {
            state.records = known.records + added;
        }
        state.keep(database)?;
        database.execute("COMMIT", &[])?;
        self.states[batch.listing] = state;
        Ok(added)
    }

    /// Releases the table.
    pub(super) fn close(mut self) -> Result<(), Failure> {
        self.database.execute(&state::stop(), &[Some(self.table.name)])?;
        self.database.close()
    }
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
    let known = database.columns(table.name)?;
    let is_new = known.is_empty();
    if writes {
        database.execute(&state::create(), &[])?;
        database.execute(&table.create(dialect), &[])?;
    } else if is_new {
        return Ok(None);
    }
    let added = if is_new { Vec::new() } else { table.missing(&known, dialect)? };
    if !writes && !added.is_empty() {
        return Ok(None);
    }
    for column in &added {
        database.execute(&table.add(*column, dialect), &[])?;
    }
    let rows = database.count(table.name)?;
    let states = state::all(database)?.into_iter().filter(|state| state.table == table.name);
    let added: Vec<&str> = added.iter().map(|column| column.name).collect();
    let settled = state::settle(states.collect(), asked, rows, &added)?;
    if !writes && settled.is_news {
        return Ok(None);
    }
    database.check(table)?;
    if writes {
        if let Some(end) = &settled.end {
            database.execute(end, &[Some(table.name)])?;
        }
        settled.states.iter().try_for_each(|state| state.keep(database))?;
    }
    Ok(Some(settled))
}
