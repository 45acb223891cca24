//! A table in a file of SQLite.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Row as SqlRow, TransactionBehavior, params, params_from_iter,
};

use super::{
    state::{self, Found, STATES, Settled, State},
    status::Held,
    store::{Asked, Opened, Store},
    table::{Dialect, Known, Table, count},
};
use crate::{
    failure::Failure,
    file::{self, FileNumber},
    rows::Row,
};

/// Records converted to cells at a time: as many as fit into a processor's cache.
const FEW: usize = 500;
/// How long to wait for another program that writes the database.
pub(super) const BUSY: Duration = Duration::from_secs(30);

pub(super) struct Sqlite {
    connection: Connection,
    /// SQLite's own name for the file, and the file that it was when it was opened.
    path: PathBuf,
    number: FileNumber,
    table: Table,
    upsert: String,
    _lock: Lock,
}

/// A lock file next to the database, one per table. The system releases it however the process
/// ends.
struct Lock {
    place: PathBuf,
    file: File,
}

impl Sqlite {
    pub(super) fn open(path: &Path, asked: &Asked) -> Result<Opened, Failure> {
        let table = asked.table;
        let mut connection = Connection::open(path)?;
        // By SQLite's own name for the file, which no link leads around.
        let Some(file) = connection.path().filter(|path| !path.is_empty()) else {
            return Err(Failure::other(
                "this names no file, and the table would be lost at the end",
            ));
        };
        let path = PathBuf::from(file);
        let number = FileNumber::at(&path);
        let lock = Lock::take(&path, table)?;
        connection.busy_timeout(BUSY)?;
        // Transactions survive a killed process, and the file stays intact after a power failure.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Move the log to the file every 64 MiB, not after each transaction.
        connection.pragma_update(None, "wal_autocheckpoint", 16_384)?;
        // 64 MiB: random keys touch pages all over the index.
        connection.pragma_update(None, "cache_size", -65_536)?;
        // Another program may be writing: wait for it only if there is something to write.
        let settled = match prepare(asked, &mut connection, TransactionBehavior::Deferred)? {
            None => prepare(asked, &mut connection, TransactionBehavior::Immediate)?,
            settled => settled,
        };
        let (states, told) = settled.map_or_else(Default::default, |s| (s.states, s.told));
        // Its only row has a number that no new row of another table gets.
        connection.execute("CREATE TEMP TABLE before (number INTEGER PRIMARY KEY)", [])?;
        let upsert = table.upsert(Dialect::Sqlite);
        let store = Box::new(Self { connection, path, number, table, upsert, _lock: lock });
        Ok(Opened { store, states, told })
    }
}

/// Makes the tables, and settles which states hold. `None` if there is something to write, and
/// this transaction doesn't.
fn prepare(
    asked: &Asked,
    connection: &mut Connection,
    behavior: TransactionBehavior,
) -> Result<Option<Settled>, Failure> {
    let table = asked.table;
    let writes = matches!(behavior, TransactionBehavior::Immediate);
    let transaction = connection.transaction_with_behavior(behavior)?;
    let refused = |error: rusqlite::Error| match (&error, error.sqlite_error_code()) {
        (rusqlite::Error::SqlInputError { .. }, _) | (_, Some(ErrorCode::Unknown)) => {
            table.is_another(error)
        }
        _ => error.into(),
    };
    let known = columns(&transaction, table.name).map_err(refused)?;
    let is_new = known.is_empty();
    let has_states = !columns(&transaction, STATES).map_err(refused)?.is_empty();
    if writes {
        transaction.execute(&state::create(), []).map_err(refused)?;
        transaction.execute(&table.create(Dialect::Sqlite), []).map_err(refused)?;
    } else if is_new || !has_states {
        return Ok(None);
    }
    let added = if is_new { Vec::new() } else { table.missing(&known, Dialect::Sqlite)? };
    if !writes && !added.is_empty() {
        return Ok(None);
    }
    for column in &added {
        transaction.execute(&table.add(*column, Dialect::Sqlite), []).map_err(refused)?;
    }
    // Checks that the tables can be written.
    transaction.prepare(&table.upsert(Dialect::Sqlite)).map_err(refused)?;
    transaction.prepare(&state::upsert()).map_err(refused)?;
    let rows = transaction.query_row(&table.count(), [], |row| row.get(0))?;
    let states = states(&transaction, table).map_err(refused)?;
    let added = added.iter().map(|column| column.name).collect();
    let found = Found { rows, added, states };
    let settled = found.settle(asked)?;
    if settled.end.is_some() || settled.adds {
        if !writes {
            return Ok(None);
        }
        if let Some(end) = &settled.end {
            transaction.execute(end, [table.name])?;
        }
        for state in &settled.states {
            keep(&transaction, table, state)?;
        }
    }
    transaction.commit()?;
    Ok(Some(settled))
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Known>> {
    let mut known = connection.prepare("SELECT name, type FROM pragma_table_xinfo(?1)")?;
    known.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The states of all listings in the table.
fn states(connection: &Connection, table: Table) -> rusqlite::Result<Vec<State>> {
    let mut select = connection.prepare(&state::select())?;
    select.query_map([table.name], state_of)?.collect()
}

/// The states of all listings in the table, if any was synced.
pub(super) fn states_of(connection: &Connection, table: Table) -> Result<Vec<State>, Failure> {
    if columns(connection, STATES)?.is_empty() {
        return Ok(Vec::new());
    }
    Ok(states(connection, table)?)
}

/// Every listing in a file.
pub(super) fn held(path: &Path) -> Result<Vec<Held>, Failure> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(BUSY)?;
    if columns(&connection, STATES)?.is_empty() {
        return Ok(Vec::new());
    }
    let file = connection.path().filter(|path| !path.is_empty()).map_or(path, Path::new);
    let mut select = connection.prepare(&state::select_all())?;
    let mut rows = select.query([])?;
    let mut held: Vec<Held> = Vec::new();
    while let Some(row) = rows.next()? {
        let table: String = row.get(10)?;
        let is_running = Lock::is_taken(&Lock::place(file, &table));
        let rows = match held.last() {
            Some(Held { table: last, rows, .. }) if *last == table => *rows,
            _ if columns(&connection, &table)?.is_empty() => None,
            _ => Some(connection.query_row(&count(&table), [], |row| row.get(0))?),
        };
        held.push(Held { table, state: state_of(row)?, is_running, rows });
    }
    Ok(held)
}

fn state_of(row: &SqlRow<'_>) -> rusqlite::Result<State> {
    Ok(State {
        asked: row.get(0)?,
        service: row.get(1)?,
        continues_at: row.get(2)?,
        rows_added: row.get(3)?,
        records: row.get(4)?,
        newest: row.get(5)?,
        open_records: row.get(6)?,
        succeeded_at: row.get(7)?,
        verified_through: row.get(8)?,
        running_since: row.get(9)?,
    })
}

fn keep(connection: &Connection, table: Table, state: &State) -> rusqlite::Result<()> {
    connection.prepare(&state::upsert())?.execute(params![
        table.name,
        state.asked,
        state.service,
        state.continues_at,
        state.rows_added,
        state.records,
        state.newest,
        state.open_records,
        state.succeeded_at,
        state.running_since,
    ])?;
    Ok(())
}

impl Store for Sqlite {
    fn write(
        &mut self,
        rows: &[Box<dyn Row>],
        state: &mut State,
        are_records: bool,
    ) -> Result<(), Failure> {
        if FileNumber::at(&self.path) != self.number {
            return Err(Failure::other("the file was removed or replaced, run this again"));
        }
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let is_empty = transaction.query_row(&self.table.is_empty(), [], |row| row.get(0))?;
        self.table.holds_rows(state, is_empty)?;
        let mut added = 0;
        {
            // The last row that was inserted may be of another table, or gone.
            transaction.execute("INSERT OR REPLACE INTO temp.before VALUES (?1)", [i64::MIN])?;
            let mut upsert = transaction.prepare(&self.upsert)?;
            for rows in rows.chunks(FEW) {
                for cells in self.table.cells(rows, Dialect::Sqlite)? {
                    // Only a row that is new changes it.
                    let last = transaction.last_insert_rowid();
                    if upsert.execute(params_from_iter(cells))? != 1 {
                        return Err(self.table.leaves_out_rows());
                    }
                    added += i64::from(transaction.last_insert_rowid() != last);
                }
            }
        }
        state.add(added, are_records);
        keep(&transaction, self.table, state)?;
        Ok(transaction.commit()?)
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        self.connection.execute(&state::stop(), [self.table.name])?;
        Ok(self.connection.close().map_err(|(_, error)| error)?)
    }
}

impl Lock {
    fn take(path: &Path, table: Table) -> Result<Self, Failure> {
        let place = Self::place(path, table.name);
        let file = OpenOptions::new().create(true).append(true).open(&place)?;
        let is_ours = file.try_lock().is_ok() && file::is_at(&file, &place)?;
        if !is_ours {
            return Err(table.is_being_written(""));
        }
        Ok(Self { place, file })
    }

    fn place(path: &Path, table: &str) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{table}.lock"));
        name.into()
    }

    fn is_taken(place: &Path) -> bool {
        File::open(place).is_ok_and(|file| file.try_lock_shared().is_err())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Remove it while it is locked, so that a process that waits for it notices.
        if file::is_at(&self.file, &self.place).unwrap_or_default() {
            let _ = fs::remove_file(&self.place);
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        let advice = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "; end the program that holds it, and run this again"
            }
            Some(ErrorCode::NotADatabase) => "; name another file",
            _ => "",
        };
        Self::other(format!("SQLite: {error}{advice}"))
    }
}
