//! What a sync, `verify` and `status` need of a database. Statements take and return texts, which
//! either database converts, so that most of them are written once.

use tokio::sync::mpsc;

use super::{
    batch::Batch,
    dialect::{Dialect, Known, quoted},
    state::{self, COLUMNS, STATES, State},
    table::Table,
};
use crate::{failure::Failure, rows::Row};

/// A connection to a database.
pub(super) trait Database: Send {
    fn dialect(&self) -> Dialect;

    /// Begins a transaction. What fails in it ends the connection, and nothing is written.
    fn begin(&mut self, writes: bool) -> Result<(), Refused>;

    /// Runs a statement whose `$1`, `$2` … are these values.
    fn execute(&mut self, sql: &str, values: &[Option<&str>]) -> Result<(), Refused>;

    /// Runs a query whose columns are texts.
    fn query(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
    ) -> Result<Vec<Vec<Option<String>>>, Refused>;

    /// Checks that rows and states can be written.
    fn check(&mut self, table: Table) -> Result<(), Refused>;

    /// Inserts records or replaces those with their keys. Returns how many are new.
    fn upsert(&mut self, table: Table, rows: &[Box<dyn Row>]) -> Result<i64, Refused>;

    /// Whether a process syncs a table at the moment.
    fn is_locked(&mut self, table: &str) -> Result<bool, Refused>;

    /// Waits for the next batch. `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the database is lost meanwhile.
    fn next(&mut self, batches: &mut mpsc::Receiver<Batch>) -> Result<Option<Batch>, Failure> {
        Ok(batches.blocking_recv())
    }

    /// Ends the connection.
    fn close(self: Box<Self>) -> Result<(), Failure>;

    /// The columns of a table. One that isn't there has none.
    fn columns(&mut self, table: &str) -> Result<Vec<Known>, Refused> {
        let rows = self.query(self.dialect().columns(), &[Some(table)])?;
        let known = rows.into_iter().filter_map(|row| <[_; 2]>::try_from(row).ok());
        Ok(known.map(|known| known.map(Option::unwrap_or_default)).collect())
    }

    fn count(&mut self, table: &str) -> Result<i64, Refused> {
        let count = format!("SELECT CAST(count(*) AS TEXT) FROM {}", quoted(table));
        let rows = self.query(&count, &[])?;
        let count = rows.first().and_then(|row| row.first()?.as_ref()?.parse().ok());
        Ok(count.unwrap_or_default())
    }

    /// The states of all tables.
    fn states(&mut self) -> Result<Vec<State>, Refused> {
        if self.columns(STATES)?.is_empty() {
            return Ok(Vec::new());
        }
        let texts = COLUMNS.map(|(name, _)| format!("CAST({name} AS TEXT)")).join(", ");
        let select = format!("SELECT {texts} FROM {STATES} ORDER BY table_name, asked");
        let states = self.query(&select, &[])?.into_iter().map(State::of);
        let states: Option<Vec<State>> = states.collect();
        states
            .ok_or_else(|| Failure::other(format!("{STATES} has a row that can't be read")).into())
    }

    /// Writes a state, except for what `verify` writes.
    fn keep(&mut self, state: &State) -> Result<(), Refused> {
        let numbers = [Some(state.rows_added), Some(state.records), state.open_records];
        let numbers = numbers.map(|number| number.map(|number| number.to_string()));
        let [rows_added, records, open_records] = numbers.each_ref().map(Option::as_deref);
        let values = [
            Some(&*state.table),
            Some(&*state.asked),
            Some(&*state.service),
            state.continues_at.as_deref(),
            rows_added,
            records,
            state.newest.as_deref(),
            open_records,
            state.succeeded_at.as_deref(),
            state.running_since.as_deref(),
        ];
        self.execute(&state::upsert(), &values)
    }
}

/// Why a database doesn't do what it is told.
#[derive(Debug)]
pub(super) struct Refused {
    pub failure: Failure,
    /// In its own words, if the tables aren't such that the statement makes sense.
    pub objection: Option<String>,
}

impl Refused {
    /// The failure of what opens this table.
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
