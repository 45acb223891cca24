//! The listing that is verified.

use chrono::{DateTime, Utc};

use super::condition::Condition;
use crate::{
    operation::Column,
    sync::{cells::Cells, table::Table},
};

/// A listing to verify, and the table that contains its records.
pub(super) struct Subject {
    pub table: Table,
    pub asked: String,
    pub service: String,
    pub conditions: Vec<Condition>,
    /// The column with the creation time, if the table has such a column.
    pub time: Option<Column>,
}

impl Subject {
    /// The creation time in a record's cells, if there is one.
    pub(super) fn time_of(&self, cells: &Cells) -> Option<DateTime<Utc>> {
        let columns = self.table.columns.iter();
        let mut columns = columns.zip(cells).filter(|(column, _)| Some(**column) == self.time);
        columns.next()?.1.as_ref()?.parse().ok()
    }
}
