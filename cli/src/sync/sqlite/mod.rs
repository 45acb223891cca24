//! The `Database` implementation for a SQLite file.

mod lock;

use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params_from_iter, types::ValueRef};

use self::lock::Lock;
use super::{
    cells::Cells,
    column_type,
    database::{Database, Refused, Written},
    dialect::{Dialect, quoted},
    difference::Difference,
    state,
    table::Table,
};
use crate::{
    failure::Failure,
    file::{self, FileNumber},
    operation::{Column, Kind},
    rows::Row as Record,
    stdout,
};

/// The pause between two attempts while another program is writing to the database.
const PAUSE: Duration = Duration::from_millis(50);
/// The maximum number of attempts while another program is writing to the database.
const TRIES: i32 = 600;
/// The number of attempts after which the tool reports that it is waiting. With a pause of `PAUSE`
/// between attempts, this is after 10 s.
const SAID_AT: i32 = 200;

pub(super) struct Sqlite {
    connection: Connection,
    /// The path of the file, as SQLite reports it.
    path: PathBuf,
    /// The identity of the file when it was opened.
    number: FileNumber,
    /// The lock on the table, which is held during a sync.
    lock: Option<Lock>,
}

impl Sqlite {
    fn open(path: &Path, flags: OpenFlags) -> Result<Self, Failure> {
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_handler(Some(wait))?;
        let path = PathBuf::from(connection.path().unwrap_or_default());
        let number = FileNumber::at(&path);
        Ok(Self { connection, path, number, lock: None })
    }

    /// Opens the file for a sync, and locks the table that the sync writes to.
    pub(super) fn lock(path: &Path, table: Table) -> Result<Self, Failure> {
        let mut sqlite = Self::open(path, OpenFlags::default())?;
        if sqlite.path.as_os_str().is_empty() {
            return Err(Failure::other(
                "the database isn't stored in a file, so the table would be lost when the sync \
                 stops; name a file",
            ));
        }
        let unlocked = |error| {
            Failure::other(format!(
                "the database can't be locked: {error}; its file system may have no locks"
            ))
        };
        let lock = Lock::of(&sqlite.path, table.name).map_err(unlocked)?;
        if !lock.take().map_err(unlocked)? {
            return Err(table.is_being_written(""));
        }
        sqlite.lock = Some(lock);
        sqlite.check_links()?;
        // With these settings, transactions survive if the process is killed, and the file stays
        // intact after a power failure.
        sqlite.connection.pragma_update(None, "journal_mode", "WAL")?;
        sqlite.connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Moves the write-ahead log into the database file every 64 MiB, not after each
        // transaction.
        sqlite.connection.pragma_update(None, "wal_autocheckpoint", 16_384)?;
        sqlite.connection.pragma_update(None, "cache_size", CACHE)?;
        Ok(sqlite)
    }

    /// Opens the file for reading, and also for writing if `writes` is set. If the directory isn't
    /// writable, the file is opened as immutable, because SQLite would otherwise create files in
    /// the directory.
    pub(super) fn read(path: &Path, writes: bool) -> Result<Self, Failure> {
        let access = if writes {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        // Only one thread uses the connection, so it needs no mutex. Locking a mutex for each cell
        // would take a tenth of the running time.
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut sqlite = Self::open(path, flags | OpenFlags::SQLITE_OPEN_URI)?;
        let tried = sqlite.query("SELECT name FROM sqlite_master LIMIT 1", &[]);
        if tried.is_err() && sqlite.path.exists() && !log(&sqlite.path).exists() {
            let address = format!("file:{}?immutable=1", escaped(&sqlite.path));
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            if let Ok(read) = Connection::open_with_flags(address, flags) {
                sqlite.connection = read;
            }
        }
        sqlite.check_links()?;
        sqlite.connection.pragma_update(None, "cache_size", CACHE)?;
        Ok(sqlite)
    }

    /// # Errors
    ///
    /// If the file has several hard links. SQLite's write-ahead log belongs to one of their names,
    /// so the rows in the log would be lost under the other names.
    fn check_links(&self) -> Result<(), Failure> {
        if file::links(&self.path) < 2 {
            return Ok(());
        }
        Err(Failure::other(
            "the file has several names (hard links), with which SQLite can lose rows; copy the \
             file, or remove its other names",
        ))
    }
}

/// The size of the page cache: 64 MiB, given as a negative number of KiB, as SQLite expects. The
/// cache has to be large, because random keys touch pages all over the index.
const CACHE: i32 = -65_536;

fn wait(tries: i32) -> bool {
    if tries == SAID_AT {
        stdout::say("SQLite: waiting for another program that has locked the database");
    }
    thread::sleep(PAUSE);
    tries < TRIES
}

/// The path of a database's write-ahead log. The log exists while the database is open, or if the
/// database wasn't closed properly.
fn log(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// A path, escaped for a SQLite URI.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

impl Database for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn begin(&mut self, writes: bool) -> Result<(), Refused> {
        if FileNumber::at(&self.path) != self.number {
            let reason = "the file was removed or replaced; run the command again";
            return Err(Failure::other(reason).into());
        }
        self.execute(if writes { "BEGIN IMMEDIATE" } else { "BEGIN" }, &[])
    }

    fn begin_without_waiting(&mut self) -> Result<(), Refused> {
        self.connection.busy_timeout(Duration::ZERO)?;
        self.begin(false)
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

    fn each(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
        with: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Refused> {
        let mut query = self.connection.prepare(sql)?;
        let mut rows = query.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            with(&String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()))?;
        }
        Ok(())
    }

    fn check(&mut self, table: Table) -> Result<(), Refused> {
        self.connection.prepare(&table.upsert(Dialect::Sqlite))?;
        self.connection.prepare(&state::upsert())?;
        Ok(())
    }

    fn compare(
        &mut self,
        table: Table,
        records: &[Cells],
    ) -> Result<Vec<(usize, Difference)>, Refused> {
        let columns = table.list(|_, column| quoted(column.name));
        let (source, key) = (self.source(table.name)?, table.key_name());
        let row = format!("SELECT {columns} FROM {source} WHERE {key} = $1");
        let mut row = self.connection.prepare(&row)?;
        let mut differences = Vec::new();
        for (at, cells) in records.iter().enumerate() {
            let id = &cells[table.key];
            let mut rows = row.query([id])?;
            let difference = match rows.next()? {
                None => Some(Difference::Missing(id.clone().unwrap_or_default())),
                Some(row) => changed(table, row, cells)?,
            };
            differences.extend(difference.map(|difference| (at, difference)));
        }
        Ok(differences)
    }

    fn upsert(&mut self, table: Table, records: &[&Cells]) -> Result<(), Refused> {
        let mut upsert = self.connection.prepare(&table.upsert(Dialect::Sqlite))?;
        for cells in records {
            upsert.execute(params_from_iter(*cells))?;
        }
        Ok(())
    }

    /// Inserts the records whose keys are new, and reads them back with one query. The other records
    /// are compared with their rows first.
    fn write(&mut self, table: Table, rows: &[Box<dyn Record>]) -> Result<Written, Refused> {
        let records = table.records(rows, Dialect::Sqlite)?;
        let last = format!("SELECT max(rowid) FROM {}", quoted(table.name));
        let last = self.connection.query_row(&last, [], |row| row.get::<_, Option<i64>>(0));
        // A table without row numbers (WITHOUT ROWID) can't be read back in the order of the inserts.
        let Ok(last) = last else { return self.write_cells(table, &records) };
        let (mut new, mut known) = (Vec::new(), Vec::new());
        let mut insert = self.connection.prepare(&table.insert_new())?;
        for cells in records {
            let is_new = insert.execute(params_from_iter(&cells))? > 0;
            (if is_new { &mut new } else { &mut known }).push(cells);
        }
        drop(insert);
        let written = self.write_cells(table, &known)?;
        // If the rows aren't in the expected order, they are looked up by their keys.
        if !self.ends_with(table, &new, last.unwrap_or_default())?
            && let Some((_, difference)) = self.compare(table, &new)?.first()
        {
            return Err(table.changes_rows(difference).into());
        }
        Ok(Written { added: written.added + new.len() as u64, ..written })
    }

    fn is_locked(&mut self, table: &str) -> Result<bool, Refused> {
        Ok(Lock::of(&self.path, table).and_then(|lock| lock.is_taken()).unwrap_or_default())
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.connection.close().map_err(|(_, error)| error)?)
    }

    fn is_strange(&self, table: Table) -> String {
        // A sync writes only keys that are text, never null or bytes.
        format!("typeof(t.{}) <> 'text'", table.key_name())
    }
}

impl Sqlite {
    /// Whether the rows after the row number `last` are equal to these records, in the same order.
    fn ends_with(&self, table: Table, records: &[Cells], last: i64) -> Result<bool, Refused> {
        let (name, columns) = (quoted(table.name), table.list(|_, column| quoted(column.name)));
        let rows = format!("SELECT {columns} FROM {name} WHERE rowid > $1 ORDER BY rowid");
        let mut rows = self.connection.prepare(&rows)?;
        let mut rows = rows.query([last])?;
        let mut records = records.iter();
        while let Some(row) = rows.next()? {
            let Some(cells) = records.next() else { return Ok(false) };
            if changed(table, row, cells)?.is_some() {
                return Ok(false);
            }
        }
        Ok(records.next().is_none())
    }
}

/// The difference between a row and a record's cells. `None` if they are equal.
fn changed(table: Table, row: &Row<'_>, cells: &Cells) -> rusqlite::Result<Option<Difference>> {
    let mut changed = Vec::new();
    for (at, (column, cell)) in table.columns.iter().zip(cells).enumerate() {
        let held = row.get_ref(at)?;
        if !is_same(*column, held, cell.as_deref()) {
            changed.push((column.name, cell.clone(), text(held)));
        }
    }
    let id = || cells[table.key].clone().unwrap_or_default();
    Ok((!changed.is_empty()).then(|| Difference::Changed(id(), changed)))
}

/// Whether a value in the table equals a record's cell. A number in a text column always counts as
/// different, because it may have lost digits.
fn is_same(column: Column, held: ValueRef<'_>, cell: Option<&str>) -> bool {
    let is_text = column_type::made(column.kind, Dialect::Sqlite) == "TEXT";
    match (held, cell) {
        (ValueRef::Null, None) => true,
        (ValueRef::Text(text), Some(cell)) => text == cell.as_bytes(),
        (ValueRef::Integer(number), Some(cell)) if !is_text => {
            let as_float = |text: &str| text.parse::<f64>().ok();
            cell.parse() == Ok(number)
                || (column.kind == Kind::Number && as_float(cell) == as_float(&number.to_string()))
        }
        (ValueRef::Real(number), Some(cell)) if !is_text => cell.parse() == Ok(number),
        _ => false,
    }
}

fn text(held: ValueRef<'_>) -> Option<String> {
    Some(match held {
        ValueRef::Null => return None,
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
    })
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
                "; stop the program that holds the lock, then try again"
            }
            Some(ErrorCode::NotADatabase) => "; name another file",
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
                "; the disk is full or failing, or the file size limit is reached (ulimit -f)"
            }
            _ => "",
        };
        Self::other(format!("SQLite: {error}{advice}"))
    }
}
