//! Opens the table that a sync writes to, and waits for a database that can't be reached.

use std::{thread, time::Duration};

use super::{
    database::{Database, Refused},
    dialect::quoted,
    settle::{Asked, Settled, settle},
    state::{self, STATES, State},
    table::{Table, Types},
};
use crate::{failure::Failure, stdout};

/// The maximum number of retries while a database can't be reached, unless the sync waits
/// indefinitely.
pub(super) const TRIES: u32 = 4;
/// The exponent of the longest wait between two attempts, which is 2⁴ s.
const LONGEST_WAIT: u32 = 4;

/// An open table, together with the saved states of its listings.
pub(super) struct Opened {
    pub database: Box<dyn Database>,
    /// The table's own row in the table of states.
    pub own: State,
    /// The states of the listings to sync, in the order of [`Asked::listings`].
    pub states: Vec<State>,
    /// The types of all columns that the sync writes.
    pub types: Types,
    /// Whether rows had been lost when the table was opened.
    pub is_lost: bool,
}

/// The time to wait before the next attempt. It doubles with each attempt, up to a maximum.
pub(super) fn pause(tried: u32) -> Duration {
    Duration::from_secs(1 << tried.min(LONGEST_WAIT))
}

/// Connects again after a failure. If the connection attempt fails too, retries it, because the
/// failure may be temporary.
pub(super) fn connect_again(asked: &Asked, mut failure: Failure) -> Result<Opened, Failure> {
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

/// Connects to the database and locks the table. Creates missing tables and columns, decides which
/// saved states are still valid, and records the attempt to sync.
pub(super) fn connect(asked: &Asked) -> Result<Opened, Failure> {
    let mut database = asked.target.lock(asked.table)?;
    database.begin(true)?;
    let settled = make_and_settle(&mut *database, asked);
    let (settled, types) = settled.map_err(|refused| refused.about(asked.table))?;
    database.execute("COMMIT", &[])?;
    let Settled { own, states, is_lost, notice, .. } = settled;
    if let Some(line) = notice {
        stdout::say(&line);
    }
    Ok(Opened { database, own, states, types, is_lost })
}

fn make_and_settle(
    database: &mut dyn Database,
    asked: &Asked,
) -> Result<(Settled, Types), Refused> {
    let (table, dialect) = (asked.table, database.dialect());
    for (name, create) in [(STATES, state::create()), (table.name, table.create(dialect))] {
        if !database.exists(name)? {
            database.create(&create)?;
        }
    }
    let known = database.columns(STATES)?;
    if known.iter().all(|[name, _]| name != "error") {
        let words = format!("{STATES} needs another column, which the table's owner has to add");
        let added = database.execute(&state::add_error(), &[]);
        added.map_err(|refused| Failure::from(refused).in_words(words))?;
    }
    let mut known = database.columns(table.name)?;
    let added = table.missing(&known, dialect);
    if !added.is_empty() {
        for column in &added {
            database.execute(&table.add(*column, dialect), &[])?;
        }
        known = database.columns(table.name)?;
    }
    let types = table.types(&known, dialect);
    database.check(table)?;
    check_strange(database, table)?;
    let rows = database.count(table.name)?;
    let states = database.states()?.into_iter().filter(|state| state.table == table.name);
    let added: Vec<&str> = added.iter().map(|column| column.name).collect();
    let settled = settle(states.collect(), asked, rows, &added, &types)?;
    if let Some(reset) = &settled.reset_sql {
        database.execute(reset, &[Some(table.name)])?;
    }
    for state in settled.states.iter().chain([&settled.own]) {
        database.keep(state)?;
    }
    Ok((settled, types))
}

/// # Errors
///
/// If the table contains rows that no sync can have written.
pub(super) fn check_strange(database: &mut dyn Database, table: Table) -> Result<(), Failure> {
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
