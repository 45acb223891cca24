//! The keys of rows that no record has been compared with yet. At first, these are the keys of all
//! rows that existed when the verification started.
//!
//! The keys are in a temporary database of this process, so that `verify` doesn't need write access
//! to the database that it verifies.

use rusqlite::{Connection, Error};

use crate::failure::Failure;

pub(super) struct Held(Connection);

impl Held {
    pub(super) fn new() -> Result<Self, Failure> {
        // An empty name creates the database in a temporary file, which SQLite removes when the
        // connection is closed.
        let held = Connection::open("")?;
        held.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA cache_size = -65536;
             CREATE TABLE held (key TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN",
        )?;
        Ok(Self(held))
    }

    /// Adds the keys that `each` passes to its callback.
    pub(super) fn fill(
        &mut self,
        each: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut insert = self.0.prepare("INSERT OR IGNORE INTO held VALUES ($1)")?;
        each(&mut |key| Ok(insert.execute([key]).map(drop)?))
    }

    pub(super) fn strike<'a>(
        &mut self,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<(), Failure> {
        let mut strike = self.0.prepare("DELETE FROM held WHERE key = $1")?;
        for key in keys {
            strike.execute([key])?;
        }
        Ok(())
    }

    /// The remaining keys, in ascending order.
    pub(super) fn left(&self) -> Result<Vec<String>, Failure> {
        let mut left = self.0.prepare("SELECT key FROM held ORDER BY key")?;
        let keys = left.query_map([], |row| row.get(0))?.collect::<Result<_, Error>>();
        Ok(keys?)
    }
}
