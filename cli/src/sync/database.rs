//! The interface to the databases that `sync`, `verify` and `status` use. Parameters and results
//! are strings, which SQLite and Postgres convert to and from the types of the columns. As a
//! result, most statements are the same for both databases.

use std::time::Instant;

use tokio::{runtime::Handle, sync::mpsc, time::timeout_at};

use super::{
    batch::Batch,
    cells::Cells,
    dialect::{Dialect, Known, quoted},
    difference::Difference,
    state::{self, COLUMNS, STATES, State},
    table::Table,
};
use crate::{failure::Failure, rows::Row};

/// A connection to a database.
pub(super) trait Database: Send {
    fn dialect(&self) -> Dialect;

    /// Begins a transaction, which may write only if `writes` is set. If a statement in the
    /// transaction fails, nothing is written.
    fn begin(&mut self, writes: bool) -> Result<(), Refused>;

    /// Begins a transaction for reading. If another program holds a lock, a statement in the
    /// transaction fails instead of waiting for the lock.
    fn begin_without_waiting(&mut self) -> Result<(), Refused> {
        self.begin(false)
    }

    /// Runs a statement with `values` as its parameters `$1`, `$2` and so on.
    fn execute(&mut self, sql: &str, values: &[Option<&str>]) -> Result<(), Refused>;

    /// Runs a `CREATE TABLE` statement. Other syncs can't create tables until the transaction ends.
    fn create(&mut self, sql: &str) -> Result<(), Refused> {
        self.execute(sql, &[])
    }

    /// Runs a query whose result columns are all strings.
    fn query(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
    ) -> Result<Vec<Vec<Option<String>>>, Refused>;

    /// Runs a query that returns one column of strings, and calls `with` for each row, without
    /// loading all rows into memory.
    fn each(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
        with: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Refused>;

    /// Checks that the existing tables accept the statements that write rows and states.
    fn check(&mut self, table: Table) -> Result<(), Refused>;

    /// Compares each record with the row that has the same key. Returns the differences, each with
    /// the index of its record.
    fn compare(
        &mut self,
        table: Table,
        records: &[Cells],
    ) -> Result<Vec<(usize, Difference)>, Refused>;

    /// Inserts the records. A record replaces an existing row that has the same key.
    fn upsert(&mut self, table: Table, records: &[&Cells]) -> Result<(), Refused>;

    /// Whether any process is currently syncing this table.
    fn is_locked(&mut self, table: &str) -> Result<bool, Refused>;

    /// Waits until the next batch arrives or the deadline `until` passes.
    ///
    /// # Errors
    ///
    /// If the connection to the database is lost in the meantime.
    fn next(
        &mut self,
        batches: &mut mpsc::Receiver<Batch>,
        until: Instant,
    ) -> Result<Next, Failure> {
        Ok(Handle::current().block_on(timeout_at(until.into(), batches.recv())).into())
    }

    /// Closes the connection.
    fn close(self: Box<Self>) -> Result<(), Failure>;

    /// The name of a table, quoted for the `FROM` clause of a query. For an ordinary table in
    /// Postgres, the keyword `ONLY` precedes the name, to exclude the rows of child tables.
    fn source(&mut self, table: &str) -> Result<String, Refused> {
        Ok(quoted(table))
    }

    /// A SQL condition on the rows of a table `t`. It is true for rows that no sync can have
    /// written.
    fn is_strange(&self, table: Table) -> String;

    /// Whether a table with this name exists in the place where a sync would create it. In
    /// Postgres, that place is the current schema.
    fn exists(&mut self, table: &str) -> Result<bool, Refused> {
        Ok(!self.columns(table)?.is_empty())
    }

    /// The columns of a table. The list is empty if the table doesn't exist.
    fn columns(&mut self, table: &str) -> Result<Vec<Known>, Refused> {
        let rows = self.query(self.dialect().columns(), &[Some(table)])?;
        let known = rows.into_iter().filter_map(|row| <[_; 2]>::try_from(row).ok());
        Ok(known.map(|known| known.map(Option::unwrap_or_default)).collect())
    }

    fn count(&mut self, table: &str) -> Result<i64, Refused> {
        let count = format!("SELECT CAST(count(*) AS TEXT) FROM {}", self.source(table)?);
        let rows = self.query(&count, &[])?;
        let count = rows.first().and_then(|row| row.first()?.as_ref()?.parse().ok());
        Ok(count.unwrap_or_default())
    }

    /// The saved states of all listings in the database, and the own rows of the tables.
    fn states(&mut self) -> Result<Vec<State>, Refused> {
        let known = self.columns(STATES)?;
        if known.is_empty() {
            return Ok(Vec::new());
        }
        // Earlier versions of the tool didn't have every column.
        let is_known = |name: &str| known.iter().any(|[known, _]| known == name);
        let text = |(name, _)| {
            if is_known(name) { format!("CAST({name} AS TEXT)") } else { "NULL".to_owned() }
        };
        let texts = COLUMNS.map(text).join(", ");
        let select = format!("SELECT {texts} FROM {STATES} ORDER BY table_name, asked");
        let states = self.query(&select, &[])?.into_iter().map(State::of);
        let states: Option<Vec<State>> = states.collect();
        states
            .ok_or_else(|| Failure::other(format!("{STATES} has a row that can't be read")).into())
    }

    /// Saves the state of a listing or a table, except for the column `verified_through`, which `verify`
    /// writes.
    fn keep(&mut self, state: &State) -> Result<(), Refused> {
        let numbers = [Some(state.expected_rows), Some(state.rows), state.open_records];
        let numbers = numbers.map(|number| number.map(|number| number.to_string()));
        let [expected_rows, rows, open_records] = numbers.each_ref().map(Option::as_deref);
        let values = [
            Some(&*state.table),
            Some(&*state.asked),
            Some(&*state.service),
            state.client.as_deref(),
            state.continues_at.as_deref(),
            expected_rows,
            rows,
            state.newest.as_deref(),
            open_records,
            state.succeeded_at.as_deref(),
            state.tried_at.as_deref(),
            state.running_since.as_deref(),
            state.error.as_deref(),
        ];
        self.execute(&state::upsert(), &values)
    }

    /// Writes the records that are missing from the table or differ from their rows. Then reads all
    /// records back, to check that the table contains them unchanged.
    fn write(&mut self, table: Table, rows: &[Box<dyn Row>]) -> Result<Written, Refused> {
        let records = table.records(rows, self.dialect())?;
        self.write_cells(table, &records)
    }

    /// Like `write`, for records that have been converted to cells.
    fn write_cells(&mut self, table: Table, records: &[Cells]) -> Result<Written, Refused> {
        let differences = self.compare(table, records)?;
        if differences.is_empty() {
            return Ok(Written::default());
        }
        let different: Vec<&Cells> = differences.iter().map(|(at, _)| &records[*at]).collect();
        self.upsert(table, &different)?;
        // All records are read back, including those whose rows were already equal, because a
        // trigger may change rows other than the one that fired it.
        if let Some((_, difference)) = self.compare(table, records)?.first() {
            return Err(table.changes_rows(difference).into());
        }
        let is_new =
            |(_, difference): &&(usize, Difference)| matches!(difference, Difference::Missing(_));
        let added = differences.iter().filter(is_new).count();
        Ok(Written { added: added as u64, changed: (differences.len() - added) as u64 })
    }
}

/// The number of rows that were added to a table, and the number of existing rows that were
/// changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub added: u64,
    pub changed: u64,
}

/// The next step of the thread that writes to the database.
pub(super) enum Next {
    Write(Box<Batch>),
    /// No batch arrived before the deadline.
    Wait,
    /// All batches have been received.
    End,
}

impl<E> From<Result<Option<Batch>, E>> for Next {
    fn from(received: Result<Option<Batch>, E>) -> Self {
        match received {
            Ok(Some(batch)) => Self::Write(Box::new(batch)),
            Ok(None) => Self::End,
            Err(_) => Self::Wait,
        }
    }
}

/// The reason why a database rejected a statement.
#[derive(Debug)]
pub(super) struct Refused {
    pub failure: Failure,
    /// The database's error message, if the statement doesn't match the existing tables, for
    /// example because a column is missing.
    pub objection: Option<String>,
}

impl Refused {
    /// Converts the rejection to a failure. If the existing tables caused the rejection, the
    /// message names the table.
    pub(super) fn about(self, table: Table) -> Failure {
        self.objection.map_or(self.failure, |words| table.is_another(words))
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, objection: None }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        refused.failure
    }
}
