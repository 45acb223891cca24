//! Compares a table of SQLite, row by row.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{OpenFlags, Row, types::ValueRef};

use super::{Compare, Difference, HELD};
use crate::{
    failure::Failure,
    rows::Row as Record,
    sync::{
        database::Database,
        dialect::{Dialect, quoted},
        sqlite,
        table::Table,
    },
};

pub(super) struct Sqlite {
    database: sqlite::Sqlite,
    table: Table,
}

impl Sqlite {
    pub(super) fn open(path: &Path, table: Table) -> Result<Self, Failure> {
        // One thread uses it: a lock for each cell would take a tenth of the time.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = sqlite::Sqlite::open(path, flags)?;
        database.connection.pragma_update(None, "cache_size", -65_536)?;
        Ok(Self { database, table })
    }

    /// Compares the cells of a row, and adds the difference if there is one.
    fn compare_cells(
        &self,
        id: String,
        row: &Row<'_>,
        cells: &[Option<String>],
        differences: &mut Vec<Difference>,
    ) -> rusqlite::Result<()> {
        let mut changed = Vec::new();
        for (at, (column, cell)) in self.table.columns.iter().zip(cells).enumerate() {
            let held = row.get_ref(at)?;
            if !is_same(held, cell.as_deref()) {
                changed.push((column.name, cell.clone(), text(held)));
            }
        }
        if !changed.is_empty() {
            differences.push(Difference::Changed(id, changed));
        }
        Ok(())
    }
}

impl Compare for Sqlite {
    fn compare(&mut self, records: &[Box<dyn Record>]) -> Result<Vec<Difference>, Failure> {
        let (key, name) = (self.table.key, quoted(self.table.name));
        let cells = self.table.cells(records, Dialect::Sqlite)?.into_iter();
        // Of several with the same key, the last one counts.
        let by_key: BTreeMap<_, _> =
            cells.map(|cells| (cells[key].clone().unwrap_or_default(), cells)).collect();
        let columns = self.table.list(|_, column| format!("t.{}", quoted(column.name)));
        let key = self.table.key_name();
        let row = format!("SELECT {columns}, t.rowid FROM {name} AS t WHERE t.{key} = $1");
        // One for the batch: one for each record would take a quarter of the time.
        let transaction = self.database.connection.unchecked_transaction()?;
        let mut row = transaction.prepare(&row)?;
        let mut strike = transaction.prepare(&format!("DELETE FROM {HELD} WHERE place = $1"))?;
        let mut differences = Vec::new();
        for (id, cells) in by_key {
            let mut rows = row.query([&id])?;
            let Some(row) = rows.next()? else {
                differences.push(Difference::Missing(id));
                continue;
            };
            strike.execute([row.get::<_, i64>(cells.len())?])?;
            self.compare_cells(id, row, &cells, &mut differences)?;
        }
        drop((row, strike));
        transaction.commit()?;
        Ok(differences)
    }

    fn database(&mut self) -> &mut dyn Database {
        &mut self.database
    }
}

fn is_same(held: ValueRef<'_>, cell: Option<&str>) -> bool {
    match (held, cell) {
        (ValueRef::Null, None) => true,
        (ValueRef::Text(text), Some(cell)) => text == cell.as_bytes(),
        (ValueRef::Integer(number), Some(cell)) => cell.parse() == Ok(number),
        (ValueRef::Real(number), Some(cell)) => {
            cell.parse::<f64>().is_ok_and(|cell| cell.total_cmp(&number).is_eq())
        }
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
