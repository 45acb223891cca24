//! The differences between the SQL dialects of SQLite and Postgres.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// The query for the names and types of a table's columns. Its parameter is the table's name.
    pub(super) fn columns(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT name, type FROM pragma_table_xinfo($1)",
            Self::Postgres => {
                "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                 WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped"
            }
        }
    }
}

/// A column of an existing table: its name, and its type as the database spells it.
pub(super) type Known = [String; 2];

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
