//! What a table has to be able to do, in whatever database it is.

use crate::{failure::Failure, rows::Row};

/// A table of a database that nobody else syncs at the moment.
pub(super) trait Store: Send {
    /// What was written with the rows before.
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure>;

    /// Writes the rows and the state, or neither.
    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure>;

    /// Gives the table free for others.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}
