//! The string formats that have their own Rust types.

use serde_json::{Map, Value};

use super::Statements;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// No format, or a format without its own Rust type.
    Text,
    Time,
    Date,
    Uuid,
    Decimal,
}

impl Format {
    /// Returns the format of a string schema.
    pub(crate) fn of(keywords: &Map<String, Value>) -> Self {
        match keywords.text("format") {
            Some("date-time") => Self::Time,
            Some("date") => Self::Date,
            Some("uuid") => Self::Uuid,
            Some("decimal-text" | "decimal") => Self::Decimal,
            _ => Self::Text,
        }
    }
}
