//! The numbers that a sync shows: the rows of its table, and the rows that it has written.

use super::database::Written;

#[derive(Debug)]
pub(super) struct Counts {
    /// The number of rows in the table.
    pub rows: u64,
    /// The numbers of rows that each listing has added and changed so far.
    pub written: Vec<Written>,
}

impl Counts {
    /// Adds the rows of a listing that have been committed. The table then has `rows` rows.
    pub(super) fn add(&mut self, listing: usize, written: Written, rows: u64) {
        self.rows = rows;
        if let Some(of_listing) = self.written.get_mut(listing) {
            of_listing.added += written.added;
            of_listing.changed += written.changed;
        }
    }

    /// The numbers of rows that all listings have added and changed.
    pub(super) fn all(&self) -> Written {
        let sum = |of: fn(&Written) -> u64| self.written.iter().map(of).sum();
        Written { added: sum(|it| it.added), changed: sum(|it| it.changed) }
    }
}
