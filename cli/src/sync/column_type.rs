//! The types of a table's columns: those that the tool makes, and those of other programs that keep
//! what it writes.

use super::dialect::Dialect;
use crate::operation::Kind;

/// The type of a column that the tool makes.
pub(super) fn made(kind: Kind, dialect: Dialect) -> &'static str {
    match (dialect, kind) {
        (Dialect::Sqlite, Kind::Integer | Kind::Boolean) => "INTEGER",
        (Dialect::Sqlite, Kind::Number) => "REAL",
        (Dialect::Sqlite, _) | (Dialect::Postgres, Kind::Text) => "TEXT",
        (Dialect::Postgres, Kind::Uuid) => "UUID",
        (Dialect::Postgres, Kind::Time) => "TIMESTAMPTZ",
        (Dialect::Postgres, Kind::Date) => "DATE",
        (Dialect::Postgres, Kind::Decimal) => "NUMERIC",
        (Dialect::Postgres, Kind::Integer) => "BIGINT",
        (Dialect::Postgres, Kind::Number) => "DOUBLE PRECISION",
        (Dialect::Postgres, Kind::Boolean) => "BOOLEAN",
        (Dialect::Postgres, Kind::Json) => "JSONB",
    }
}

/// Whether a column of this type, as the database spells it, keeps what Postgres would round, shift
/// or cut in silence, and what SQLite would make a number of, every text.
pub(super) fn keeps(kind: Kind, declared: &str, dialect: Dialect) -> bool {
    match (dialect, kind) {
        (Dialect::Sqlite, _) => made(kind, dialect) != "TEXT" || keeps_text(declared),
        (Dialect::Postgres, Kind::Time) => {
            ["timestamp with time zone", "timestamp(6) with time zone"].contains(&declared)
        }
        // Postgres refuses a text that is longer than a `character varying` allows.
        (Dialect::Postgres, _) => {
            declared.eq_ignore_ascii_case(made(kind, dialect))
                || ["text", "json"].contains(&declared)
                || declared.starts_with("character varying")
        }
    }
}

/// By the affinity of the column (<https://sqlite.org/datatype3.html>, section 3.1).
fn keeps_text(declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    let has = |word| declared.contains(word);
    !has("INT") && (declared.is_empty() || ["CHAR", "CLOB", "TEXT", "BLOB"].into_iter().any(has))
}
