//! A file of SQLite.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::{
    database::{Database, Refused},
    dialect::Dialect,
    state,
    table::Table,
};
use crate::{
    failure::Failure,
    file::{self, FileNumber},
    rows::Row,
};

/// Records converted to cells at a time: as many as fit into a processor's cache.
const FEW: usize = 500;
/// How long to wait for another program that writes the database.
const BUSY: Duration = Duration::from_secs(30);

pub(super) struct Sqlite {
    pub connection: Connection,
    /// SQLite's own name for the file, and the file that it was when it was opened.
    path: PathBuf,
    number: FileNumber,
    /// Held while the table is synced.
    lock: Option<Lock>,
}

/// A lock file next to the database, one per table. The system releases it however the process
/// ends.
struct Lock {
    place: PathBuf,
    file: File,
}

impl Sqlite {
    pub(super) fn open(path: &Path, flags: OpenFlags) -> Result<Self, Failure> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        // No link leads around this name.
        let path = PathBuf::from(connection.path().unwrap_or_default());
        let number = FileNumber::at(&path);
        Ok(Self { connection, path, number, lock: None })
    }

    /// Opens it for the sync of a table.
    pub(super) fn lock(path: &Path, table: Table) -> Result<Self, Failure> {
        let mut sqlite = Self::open(path, OpenFlags::default())?;
        if sqlite.path.as_os_str().is_empty() {
            return Err(Failure::other(
                "this names no file, and the table would be lost at the end",
            ));
        }
        sqlite.lock = Some(Lock::take(&sqlite.path, table)?);
        // Transactions survive a killed process, and the file stays intact after a power failure.
        sqlite.connection.pragma_update(None, "journal_mode", "WAL")?;
        sqlite.connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Move the log to the file every 64 MiB, not after each transaction.
        sqlite.connection.pragma_update(None, "wal_autocheckpoint", 16_384)?;
        // 64 MiB: random keys touch pages all over the index.
        sqlite.connection.pragma_update(None, "cache_size", -65_536)?;
        // Its only row has a number that no new row of another table gets.
        sqlite.execute("CREATE TEMP TABLE before (number INTEGER PRIMARY KEY)", &[])?;
        Ok(sqlite)
    }
}

impl Database for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn begin(&mut self, writes: bool) -> Result<(), Refused> {
        if FileNumber::at(&self.path) != self.number {
            let reason = "the file was removed or replaced, run this again";
            return Err(Failure::other(reason).into());
        }
        self.execute(if writes { "BEGIN IMMEDIATE" } else { "BEGIN" }, &[])
    }

    fn execute(&mut self, sql: &str, values: &[Option<&str>]) -> Result<(), Refused> {
        self.connection.execute(sql, params_from_iter(values))?;
        Ok(())
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
    ) -> Result<Vec<Vec<Option<String>>>, Refused> {
        let mut query = self.connection.prepare(sql)?;
        let columns = query.column_count();
        let rows = query.query_map(params_from_iter(values), |row| {
            (0..columns).map(|at| row.get(at)).collect()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn check(&mut self, table: Table) -> Result<(), Refused> {
        self.connection.prepare(&table.upsert(Dialect::Sqlite))?;
        self.connection.prepare(&state::upsert())?;
        Ok(())
    }

    fn upsert(&mut self, table: Table, rows: &[Box<dyn Row>]) -> Result<i64, Refused> {
        let connection = &self.connection;
        // The last row that was inserted may be of another table, or gone.
        connection.execute("INSERT OR REPLACE INTO temp.before VALUES (?1)", [i64::MIN])?;
        let mut upsert = connection.prepare(&table.upsert(Dialect::Sqlite))?;
        let mut added = 0;
        for rows in rows.chunks(FEW) {
            for cells in table.cells(rows, Dialect::Sqlite)? {
                // Only a row that is new changes it.
                let last = connection.last_insert_rowid();
                if upsert.execute(params_from_iter(cells))? != 1 {
                    return Err(table.leaves_out_rows().into());
                }
                added += i64::from(connection.last_insert_rowid() != last);
            }
        }
        Ok(added)
    }

    fn is_locked(&mut self, table: &str) -> Result<bool, Refused> {
        let lock = File::open(file::beside(&self.path, &format!("{table}.lock")));
        Ok(lock.is_ok_and(|file| file.try_lock_shared().is_err()))
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.connection.close().map_err(|(_, error)| error)?)
    }
}

impl Lock {
    fn take(path: &Path, table: Table) -> Result<Self, Failure> {
        let place = file::beside(path, &format!("{}.lock", table.name));
        let file = OpenOptions::new().create(true).append(true).open(&place)?;
        let is_ours = file.try_lock().is_ok() && file::is_at(&file, &place)?;
        if !is_ours {
            return Err(table.is_being_written(""));
        }
        Ok(Self { place, file })
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

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        let is_of_schema = matches!(error, rusqlite::Error::SqlInputError { .. })
            || error.sqlite_error_code() == Some(ErrorCode::Unknown);
        let objection = is_of_schema.then(|| error.to_string());
        Self { failure: error.into(), objection }
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
