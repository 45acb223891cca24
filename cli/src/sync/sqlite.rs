//! A table in a file of SQLite.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::{
    store::Store,
    table::{Cells, Dialect, STATES, Table, create_states},
};
use crate::{failure::Failure, file};

pub(super) struct Sqlite {
    connection: Connection,
    table: Table,
    upsert: String,
    /// Held as long as this process syncs the table; the system lets go of it whatever ends that.
    lock: (File, PathBuf),
}

impl Sqlite {
    pub(super) fn open(path: &Path, table: Table) -> Result<Self, Failure> {
        let lock = lock(path, table.name)?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        // A transaction survives the end of the process, and the file is whole even without power.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // 64 MiB: keys are random, and come to lie all over the index.
        connection.pragma_update(None, "cache_size", -65_536)?;
        connection.execute(&create_states(), [])?;
        connection.execute(&table.create(Dialect::Sqlite), [])?;
        let known = connection
            .prepare("SELECT name FROM pragma_table_info(?1)")?
            .query_map([table.name], |row| row.get(0))?
            .collect::<Result<Vec<String>, _>>()?;
        for add in table.extend(&known, Dialect::Sqlite) {
            connection.execute(&add, [])?;
        }
        Ok(Self { connection, table, upsert: table.upsert(Dialect::Sqlite), lock })
    }
}

impl Store for Sqlite {
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure> {
        let query = format!("SELECT state FROM {STATES} WHERE table_name = ?1 AND asked = ?2");
        let state = self.connection.query_row(&query, [self.table.name, asked], |row| row.get(0));
        Ok(state.optional()?)
    }

    fn write(&mut self, rows: &[Cells], asked: &str, state: &str) -> Result<(), Failure> {
        let transaction = self.connection.transaction()?;
        {
            let mut upsert = transaction.prepare(&self.upsert)?;
            for row in rows {
                upsert.execute(params_from_iter(row))?;
            }
        }
        let keep = format!("INSERT OR REPLACE INTO {STATES} VALUES (?1, ?2, ?3)");
        transaction.prepare(&keep)?.execute(params![self.table.name, asked, state])?;
        Ok(transaction.commit()?)
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        self.connection.close().map_err(|(_, error)| error)?;
        // While it is locked: whoever waits for it sees that it isn't there any more.
        fs::remove_file(&self.lock.1)?;
        Ok(())
    }
}

/// A file beside the database, one for each table, that one process at a time can lock.
fn lock(path: &Path, table: &str) -> Result<(File, PathBuf), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{table}.lock"));
    let place = PathBuf::from(name);
    let file = OpenOptions::new().create(true).append(true).open(&place)?;
    let is_ours = file.try_lock().is_ok() && file::is_at(&file, &place)?;
    if !is_ours {
        return Err(Failure::other(format!("another sync is writing {table}; wait for its end")));
    }
    Ok((file, place))
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::other(format!("SQLite: {error}"))
    }
}
