//! What a table must support, in either database.

use crate::{failure::Failure, rows::Row};

/// A table that this process alone syncs at the moment.
pub(super) trait Store: Send {
    /// The state that was written with the last rows.
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure>;

    /// Writes the rows and the state, or neither.
    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure>;

    /// Releases the table.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}
