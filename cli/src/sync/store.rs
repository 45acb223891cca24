//! What a table must support, in either database.

use tokio::sync::mpsc;

use super::{state::State, table::Table};
use crate::{failure::Failure, rows::Row};

/// What to open: a table, for these listings of a service.
pub(super) struct Asked {
    pub table: Table,
    pub service: String,
    pub listings: Vec<String>,
    /// Whether to wait for a database that is away for as long as it is.
    pub is_endless: bool,
}

/// Rows of a listing, and what is known of it after them.
pub(super) struct Batch {
    /// Which of the listings that are synced.
    pub listing: usize,
    pub rows: Vec<Box<dyn Row>>,
    /// Where the next sync continues.
    pub state: String,
    /// The listing's records. `None` for a round, after which there are more by those that are new.
    pub records: Option<i64>,
    pub newest: Option<String>,
    pub open_records: Option<i64>,
    /// When the listing or the round came to its end with these rows.
    pub succeeded_at: Option<String>,
}

/// A table that has been opened, the states of the listings that were asked for, and what to tell.
pub(super) struct Opened {
    pub store: Box<dyn Store>,
    pub states: Vec<State>,
    pub told: Option<String>,
}

/// A table that this process alone syncs at the moment.
pub(super) trait Store: Send {
    /// Waits for the next batch. `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the database is lost meanwhile.
    fn next(&mut self, batches: &mut mpsc::Receiver<Batch>) -> Result<Option<Batch>, Failure> {
        Ok(batches.blocking_recv())
    }

    /// Writes the rows and the state, or neither. Counts the rows that weren't there in the state,
    /// and if asked to, as records of the listing.
    fn write(
        &mut self,
        rows: &[Box<dyn Row>],
        state: &mut State,
        are_records: bool,
    ) -> Result<(), Failure>;

    /// Releases the table.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}
