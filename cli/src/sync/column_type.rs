//! The SQL types of the columns that the tool creates.

use super::dialect::Dialect;
use crate::operation::Kind;

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
