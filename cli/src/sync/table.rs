//! The table of a listing, with its SQL statements for SQLite and Postgres.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::de::DeserializeSeed;
use serde_json::{Deserializer, Value};

use super::{
    cells::{Cells, Fields},
    column_type,
    dialect::{Dialect, Known, quoted},
    difference::{Difference, listed},
    state::{self, STATES},
};
use crate::{
    columns::Columns,
    failure::Failure,
    format,
    operation::{Column, Kind, Listing, Part},
    rows::Row,
};

/// The table that contains the records of a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [Column],
    /// The index of the key column in `columns`.
    pub key: usize,
}

/// A map from column names to column types, as the database spells the types.
pub(super) type Types = BTreeMap<String, String>;

impl Table {
    pub(super) fn of(listing: &Listing) -> Option<Self> {
        Some(Self { name: listing.table, columns: listing.columns, key: listing.key()? })
    }

    /// The `CREATE TABLE IF NOT EXISTS` statements for this table and for the table of states.
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

    /// The columns that an existing table lacks, for example because it was created from an older
    /// OpenAPI description.
    pub(super) fn missing(&self, known: &[Known], dialect: Dialect) -> Vec<Column> {
        let is_missing = |column: &&Column| declared(known, column.name, dialect).is_none();
        self.columns.iter().filter(is_missing).copied().collect()
    }

    /// The types of this table's columns, as the database spells them.
    pub(super) fn types(&self, known: &[Known], dialect: Dialect) -> Types {
        let types = self.columns.iter().filter_map(|column| {
            let declared = declared(known, column.name, dialect)?;
            Some((column.name.to_owned(), declared.to_owned()))
        });
        types.collect()
    }

    /// The statement that adds a column.
    pub(super) fn add(&self, column: Column, dialect: Dialect) -> String {
        format!("ALTER TABLE {} ADD COLUMN {}", quoted(self.name), definition(column, dialect))
    }

    /// The statement that inserts a record, or replaces the row that has the same key. In SQLite,
    /// its parameters are the cells of one record. In Postgres, its parameters are arrays of cells,
    /// one array per column.
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
        let is_updated = |at: usize| at != self.key || self.columns.len() == 1;
        let updates = self.columns.iter().enumerate().filter(|(at, _)| is_updated(*at));
        let updates = updates.map(|(_, column)| format!("{0} = excluded.{0}", quoted(column.name)));
        let updates = updates.collect::<Vec<_>>().join(", ");
        let (table, key) = (quoted(self.name), self.key_name());
        format!(
            "INSERT INTO {table} ({names}) {values} ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )
    }

    /// The SQLite statement that inserts a record if no row has the same key.
    pub(super) fn insert_new(&self) -> String {
        let names = self.list(|_, column| quoted(column.name));
        let values = self.list(|at, _| format!("${}", at + 1));
        let (table, key) = (quoted(self.name), self.key_name());
        format!("INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT ({key}) DO NOTHING")
    }

    /// The error for a table that changes or drops rows as they are written.
    pub(super) fn changes_rows(&self, difference: &Difference) -> Failure {
        let how = match difference {
            Difference::Missing(id) | Difference::Additional(id) => {
                format!("drops rows that are written to it, such as {id}")
            }
            Difference::Changed(id, columns) => {
                format!("changes rows that are written to it, such as {id}: {}", listed(columns))
            }
        };
        Failure::other(format!(
            "{} {how}; remove the trigger, constraint or column type that does this, and run \
             the command again",
            self.name
        ))
    }

    /// The message for a table that has lost rows.
    pub(super) fn has_lost(&self, rows: i64, written: i64) -> String {
        format!("{} has {rows} of the {written} rows that were written", self.name)
    }

    /// The error for a table that another sync has locked. The message suggests another database,
    /// and `places` is text to append to that suggestion.
    pub(super) fn is_being_written(&self, places: &str) -> Failure {
        Failure::other(format!(
            "another sync is writing to {}; wait until that sync has finished, or name another \
             database{places}",
            self.name
        ))
    }

    /// The error for an existing table whose columns or key differ from those that this tool would
    /// create.
    pub(super) fn is_another(&self, error: impl std::fmt::Display) -> Failure {
        Failure::other(format!(
            "the tables {} and {STATES} differ from those that this tool creates: {error}; rename \
             the existing tables, or name another database (--dry-run prints the SQL)",
            self.name
        ))
    }

    pub(super) fn key_name(&self) -> String {
        quoted(self.columns[self.key].name)
    }

    /// A comma-separated list of the texts that `part` returns for the columns.
    pub(super) fn list(&self, part: impl Fn(usize, &Column) -> String) -> String {
        let parts = self.columns.iter().enumerate().map(|(at, column)| part(at, column));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Converts records to cells, and sorts them by key. If several records have the same key, only
    /// the last of them is kept.
    pub(super) fn records(
        &self,
        rows: &[Box<dyn Row>],
        dialect: Dialect,
    ) -> Result<Vec<Cells>, Failure> {
        let cell = |column: Column, value| cell(column.kind, value, dialect);
        let are_fields = self.columns.iter().all(|column| column.part == Part::Field);
        let all = Columns::all(self.columns);
        let mut json = Vec::new();
        let cells = rows.iter().rev().map(|row| {
            if are_fields {
                json.clear();
                row.write(&mut json)?;
                let fields = Fields { columns: self.columns, cell };
                return Ok(fields.deserialize(&mut Deserializer::from_slice(&json))?);
            }
            let values = all.values(row.json()?);
            Ok(values.map(|(column, value)| cell(column, value)).collect())
        });
        let mut records = cells.collect::<Result<Vec<Cells>, Failure>>()?;
        records.sort_by(|one, other| one[self.key].cmp(&other[self.key]));
        records.dedup_by(|later, kept| later[self.key] == kept[self.key]);
        Ok(records)
    }
}

/// The type of the column with this name. `None` if the table has no such column.
fn declared<'a>(known: &'a [Known], name: &str, dialect: Dialect) -> Option<&'a str> {
    let is_it = |known: &str| match dialect {
        Dialect::Sqlite => known.eq_ignore_ascii_case(name),
        Dialect::Postgres => known == name,
    };
    known.iter().find(|[known, _]| is_it(known)).map(|[_, declared]| &**declared)
}

/// Converts a value of any type to text. The database then converts the text to the type of the
/// column.
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

/// Replaces the character U+0000, which Postgres can't store, with its JSON escape.
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

/// Truncates a time to microseconds. Postgres would round it, perhaps into the next second.
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
        let key = Column {
            name: "id",
            kind: Kind::Uuid,
            required: true,
            is_id: true,
            empty: None,
            part: Part::Field,
        };
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
