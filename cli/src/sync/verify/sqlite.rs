//! Compares a table of SQLite, row by row.

use std::{collections::HashMap, path::Path};

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{OpenFlags, Row, params_from_iter, types::ValueRef};

use super::{Compare, Difference, Subject, Window, condition};
use crate::{
    failure::Failure,
    sync::{
        database::Database,
        sqlite,
        table::{Dialect, Table, quoted},
    },
};

pub(super) struct Sqlite {
    database: sqlite::Sqlite,
    table: Table,
    /// The conditions, behind the bounds of a window, and their values.
    conditions: (String, Vec<String>),
}

/// Before and after every time.
const BEGIN: &str = "";
const END: &str = "~";

impl Sqlite {
    /// Sorts the rows by their times, once: the table has no index of them.
    pub(super) fn open(path: &Path, subject: &Subject) -> Result<Self, Failure> {
        // One thread uses it: a lock for each cell would take a tenth of the time.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = sqlite::Sqlite::open(path, flags)?;
        database.connection.pragma_update(None, "cache_size", -65_536)?;
        let table = subject.table;
        let time = subject.time.map_or_else(|| "''".to_owned(), |column| quoted(column.name));
        let (conditions, values) = condition::sql(&subject.conditions, 1, Dialect::Sqlite);
        let held = "CREATE TEMP TABLE held (at TEXT, place INTEGER, PRIMARY KEY (at, place)) WITHOUT ROWID";
        database.connection.execute(held, [])?;
        let sort = format!(
            "INSERT INTO held SELECT coalesce({time}, ''), rowid FROM {} AS t WHERE {conditions} \
             ORDER BY 1, 2",
            quoted(table.name)
        );
        database.connection.execute(&sort, params_from_iter(values))?;
        let conditions = condition::sql(&subject.conditions, 3, Dialect::Sqlite);
        Ok(Self { database, table, conditions })
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
    fn compare(&mut self, window: &Window) -> Result<Vec<Difference>, Failure> {
        let key = self.table.key;
        let cells = self.table.cells(&window.rows, Dialect::Sqlite)?.into_iter();
        // Of several with the same key, the last one counts.
        let mut left: HashMap<_, _> =
            cells.map(|cells| (cells[key].clone().unwrap_or_default(), cells)).collect();
        let columns = self.table.list(|_, column| format!("t.{}", quoted(column.name)));
        let name = quoted(self.table.name);
        let (conditions, given) = &self.conditions;
        // A sync may have changed rows since, so that they aren't chosen any more.
        let held = format!(
            "SELECT {columns} FROM held CROSS JOIN {name} AS t ON t.rowid = held.place \
             WHERE held.at >= $1 AND held.at < $2 AND {conditions}"
        );
        let bound = |time: Option<DateTime<Utc>>, open: &str| {
            time.map_or_else(|| open.to_owned(), |t| t.to_rfc3339_opts(SecondsFormat::Nanos, true))
        };
        let mut differences = Vec::new();
        let mut held = self.database.connection.prepare(&held)?;
        let bounds = [bound(window.from, BEGIN), bound(window.until, END)];
        let mut rows = held.query(params_from_iter(bounds.iter().chain(given)))?;
        while let Some(row) = rows.next()? {
            let id = text(row.get_ref(key)?).unwrap_or_default();
            match left.remove(&id) {
                Some(cells) => self.compare_cells(id, row, &cells, &mut differences)?,
                None => differences.push(Difference::Additional(id)),
            }
        }
        // A sync may have written them since, or they have another time there.
        let by_key =
            format!("SELECT {columns} FROM {name} AS t WHERE {} = $1", self.table.key_name());
        let mut by_key = self.database.connection.prepare(&by_key)?;
        let mut left: Vec<_> = left.into_iter().collect();
        left.sort();
        for (id, cells) in left {
            let mut rows = by_key.query([&id])?;
            match rows.next()? {
                Some(row) => self.compare_cells(id, row, &cells, &mut differences)?,
                None => differences.push(Difference::Missing(id)),
            }
        }
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
