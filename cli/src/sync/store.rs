//! What a table must support, in either database.

use tokio::sync::mpsc;

use crate::{failure::Failure, rows::Row};

/// Rows, and the state of the listing after them.
pub(super) struct Batch {
    pub rows: Vec<Box<dyn Row>>,
    pub state: String,
}

/// A table that this process alone syncs at the moment.
pub(super) trait Store: Send {
    /// The state that was written with the last rows.
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure>;

    /// Waits for the next batch. `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the database is lost meanwhile.
    fn next(&mut self, batches: &mut mpsc::Receiver<Batch>) -> Result<Option<Batch>, Failure> {
        Ok(batches.blocking_recv())
    }

    /// Writes the rows and the state, or neither.
    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure>;

    /// Releases the table.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}
