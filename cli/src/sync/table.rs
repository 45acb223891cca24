//! A listing's table, in the SQL of both databases.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    column_type,
    dialect::{Dialect, Known, quoted},
    state::{self, STATES},
};
use crate::{
    columns::Columns,
    failure::Failure,
    format,
    operation::{Column, Kind, Listing},
    rows::Row,
};

/// The table that one listing fills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [Column],
    /// Which of the columns is the key.
    pub key: usize,
}

/// The cells of a record, in the order of the columns.
pub(super) type Cells = Vec<Option<String>>;

impl Table {
    pub(super) fn of(listing: &Listing) -> Option<Self> {
        Some(Self { name: listing.table, columns: listing.columns, key: listing.key()? })
    }

    /// The statements that create the tables if they don't exist.
    pub(super) fn ddl(&self, dialect: Dialect) -> String {
        format!("{};\n\n{};\n", self.create(dialect), state::create())
    }

    pub(super) fn create(&self, dialect: Dialect) -> String {
        let mut ddl = format!("CREATE TABLE IF NOT EXISTS {} (", quoted(self.name));
        for (at, column) in self.columns.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let key = if at == self.key { " PRIMARY KEY NOT NULL" } else { "" };
            let _ = write!(ddl, "{comma}\n  {}{key}", definition(*column, dialect));
        }
        ddl + "\n)"
    }

    /// The columns that a table of an older description lacks.
    ///
    /// # Errors
    ///
    /// If a column would change what is written into it.
    pub(super) fn missing(
        &self,
        known: &[Known],
        dialect: Dialect,
    ) -> Result<Vec<Column>, Failure> {
        let is_same = |known: &str, name: &str| match dialect {
            Dialect::Sqlite => known.eq_ignore_ascii_case(name),
            Dialect::Postgres => known == name,
        };
        let mut missing = Vec::new();
        for column in self.columns {
            match known.iter().find(|[name, _]| is_same(name, column.name)) {
                None => missing.push(*column),
                Some([name, declared]) if !column_type::keeps(column.kind, declared, dialect) => {
                    let made = column_type::made(column.kind, dialect);
                    return Err(self.is_another(format!("{name} is {declared}, not {made}")));
                }
                Some(_) => {}
            }
        }
        Ok(missing)
    }

    /// The statement that adds a column.
    pub(super) fn add(&self, column: Column, dialect: Dialect) -> String {
        format!("ALTER TABLE {} ADD COLUMN {}", quoted(self.name), definition(column, dialect))
    }

    /// Inserts a record or replaces the one with its key. For Postgres, takes an array per column.
    pub(super) fn upsert(&self, dialect: Dialect) -> String {
        let names = self.list(|_, column| quoted(column.name));
        let values = match dialect {
            Dialect::Sqlite => format!("VALUES ({})", self.list(|at, _| format!("${}", at + 1))),
            Dialect::Postgres => format!(
                "SELECT {} FROM UNNEST({}) AS rows({})",
                self.list(|at, column| format!(
                    "c{at}::{}",
                    column_type::made(column.kind, dialect)
                )),
                self.list(|at, _| format!("${}", at + 1)),
                self.list(|at, _| format!("c{at}")),
            ),
        };
        // Every record counts as a row that is written, also where a key is all that it has.
        let is_updated = |at: usize| at != self.key || self.columns.len() == 1;
        let updates = self.columns.iter().enumerate().filter(|(at, _)| is_updated(*at));
        let updates = updates.map(|(_, column)| format!("{0} = excluded.{0}", quoted(column.name)));
        let updates = updates.collect::<Vec<_>>().join(", ");
        let (table, key) = (quoted(self.name), self.key_name());
        format!(
            "INSERT INTO {table} ({names}) {values} ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )
    }

    /// The error for a table that doesn't take every row.
    pub(super) fn leaves_out_rows(&self) -> Failure {
        Failure::other(format!(
            "{} leaves out rows that are written to it; remove the trigger or constraint that does so, \
             and run this again",
            self.name
        ))
    }

    /// The error for a table that another sync has locked. In Postgres there are other places for it.
    pub(super) fn is_being_written(&self, places: &str) -> Failure {
        Failure::other(format!(
            "another sync is writing {}; wait for its end, or name another database{places}",
            self.name
        ))
    }

    /// The error for a table that another program created.
    pub(super) fn is_another(&self, error: impl std::fmt::Display) -> Failure {
        Failure::other(format!(
            "the tables {} and {STATES} are not as this tool makes them: {error}; rename what is \
             there, or name another database (--dry-run prints the SQL)",
            self.name
        ))
    }

    pub(super) fn key_name(&self) -> String {
        quoted(self.columns[self.key].name)
    }

    /// This of each column, between commas.
    pub(super) fn list(&self, part: impl Fn(usize, &Column) -> String) -> String {
        let parts = self.columns.iter().enumerate().map(|(at, column)| part(at, column));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The records as cells.
    pub(super) fn cells(
        &self,
        rows: &[Box<dyn Row>],
        dialect: Dialect,
    ) -> Result<Vec<Cells>, Failure> {
        let all = Columns::all(self.columns);
        let cells = rows.iter().map(|row| {
            let values = all.values(row.json()?);
            Ok(values.map(|(column, value)| cell(column.kind, value, dialect)).collect())
        });
        cells.collect()
    }
}

/// Text for every type: both databases convert it to the column's type.
fn cell(kind: Kind, value: Value, dialect: Dialect) -> Option<String> {
    let value = if dialect == Dialect::Postgres { without_nul(value) } else { value };
    if kind == Kind::Json && value.is_string() {
        return Some(value.to_string());
    }
    let mut text = format::cell(kind, value)?;
    match (dialect, kind) {
        (Dialect::Postgres, Kind::Time) => text = in_microseconds(text),
        (Dialect::Sqlite, Kind::Boolean) => text = u8::from(text == "true").to_string(),
        _ => {}
    }
    Some(text)
}

/// U+0000, which no text of Postgres can hold, becomes the text of its escape in JSON.
fn without_nul(value: Value) -> Value {
    let plain = |text: String| text.replace('\0', "\\u0000");
    match value {
        Value::String(text) => plain(text).into(),
        Value::Array(entries) => entries.into_iter().map(without_nul).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (plain(name), without_nul(value))).collect()
        }
        _ => value,
    }
}

/// Postgres keeps microseconds, and would round the rest, perhaps into the next second.
pub(super) fn in_microseconds(mut time: String) -> String {
    if time.len() == NANOSECONDS.len() {
        time.replace_range(NANOSECONDS.len() - 4.., "Z");
    }
    time
}

const NANOSECONDS: &str = "2025-01-01T00:00:00.000000000Z";

fn definition(column: Column, dialect: Dialect) -> String {
    format!("{} {}", quoted(column.name), column_type::made(column.kind, dialect))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Column, Dialect, Table, cell};
    use crate::operation::{Kind, Part};

    #[test]
    fn a_row_that_is_there_and_only_a_key_counts_as_written() {
        let key = Column { name: "id", kind: Kind::Uuid, required: true, part: Part::Field };
        let table = Table { name: "ids", columns: vec![key].leak(), key: 0 };
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute(&table.create(Dialect::Sqlite), []).unwrap();

        for _ in 0..2 {
            assert_eq!(connection.execute(&table.upsert(Dialect::Sqlite), ["a"]), Ok(1));
        }
    }

    #[test]
    fn a_cell_of_any_json_is_json() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            for (value, expected) in [
                (json!("a \"b\""), Some(r#""a \"b\"""#)),
                (json!({ "a": [1, null] }), Some(r#"{"a":[1,null]}"#)),
                (json!(0.5), Some("0.5")),
                (Value::Null, None),
            ] {
                assert_eq!(cell(Kind::Json, value, dialect).as_deref(), expected);
            }
        }
    }
}
