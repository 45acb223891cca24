//! A table in a file of SQLite.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, params, params_from_iter};

use super::{
    store::Store,
    table::{Dialect, Known, STATES, Table, create_states},
};
use crate::{failure::Failure, file, rows::Row};

/// Records converted to cells at a time: as many as fit into a processor's cache.
const FEW: usize = 500;

pub(super) struct Sqlite {
    connection: Connection,
    table: Table,
    upsert: String,
    _lock: Lock,
}

/// A lock file next to the database, one per table. The system releases it however the process
/// ends.
struct Lock {
    place: PathBuf,
    _file: File,
}

impl Sqlite {
    pub(super) fn open(path: &Path, table: Table) -> Result<Self, Failure> {
        let connection = Connection::open(path)?;
        // By SQLite's own name for the file, which no link leads around.
        let file = connection.path().filter(|path| !path.is_empty()).map_or(path, Path::new);
        let lock = Lock::take(file, table)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        // Transactions survive a killed process, and the file stays intact after a power failure.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Move the log to the file every 64 MiB, not after each transaction.
        connection.pragma_update(None, "wal_autocheckpoint", 16_384)?;
        // 64 MiB: random keys touch pages all over the index.
        connection.pragma_update(None, "cache_size", -65_536)?;
        let store = Self { connection, table, upsert: table.upsert(Dialect::Sqlite), _lock: lock };
        let refused = |error: rusqlite::Error| match (&error, error.sqlite_error_code()) {
            (rusqlite::Error::SqlInputError { .. }, _) | (_, Some(ErrorCode::Unknown)) => {
                table.is_another(error)
            }
            _ => error.into(),
        };
        let known = store.make().map_err(refused)?;
        let missing = table.extend(&known, Dialect::Sqlite)?;
        store.extend(&missing).map_err(refused)?;
        Ok(store)
    }

    /// Creates the tables, and returns the columns that the table has.
    fn make(&self) -> rusqlite::Result<Vec<Known>> {
        self.connection.execute(&create_states(), [])?;
        self.connection.execute(&self.table.create(Dialect::Sqlite), [])?;
        let known = "SELECT name, type FROM pragma_table_xinfo(?1)";
        let mut known = self.connection.prepare(known)?;
        known.query_map([self.table.name], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// Adds columns, and checks that the tables can be written.
    fn extend(&self, missing: &[String]) -> rusqlite::Result<()> {
        for add in missing {
            self.connection.execute(add, [])?;
        }
        self.connection.prepare(&format!("SELECT state, asked, table_name FROM {STATES}"))?;
        self.connection.prepare(&self.upsert).map(drop)
    }
}

impl Store for Sqlite {
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure> {
        let query = format!("SELECT state FROM {STATES} WHERE table_name = ?1 AND asked = ?2");
        let state = self.connection.query_row(&query, [self.table.name, asked], |row| row.get(0));
        Ok(state.optional()?)
    }

    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure> {
        let transaction = self.connection.transaction()?;
        {
            let mut upsert = transaction.prepare(&self.upsert)?;
            for rows in rows.chunks(FEW) {
                for cells in self.table.cells(rows, Dialect::Sqlite)? {
                    upsert.execute(params_from_iter(cells))?;
                }
            }
        }
        let keep = format!("INSERT OR REPLACE INTO {STATES} VALUES (?1, ?2, ?3)");
        transaction.prepare(&keep)?.execute(params![self.table.name, asked, state])?;
        Ok(transaction.commit()?)
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.connection.close().map_err(|(_, error)| error)?)
    }
}

impl Lock {
    fn take(path: &Path, table: Table) -> Result<Self, Failure> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.lock", table.name));
        let place = PathBuf::from(name);
        let file = OpenOptions::new().create(true).append(true).open(&place)?;
        let is_ours = file.try_lock().is_ok() && file::is_at(&file, &place)?;
        if !is_ours {
            return Err(table.is_being_written(""));
        }
        Ok(Self { place, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Remove it while it is locked, so that a process that waits for it notices.
        let _ = fs::remove_file(&self.place);
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
