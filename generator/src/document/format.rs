//! The formats of strings that have types of their own.

use serde_json::{Map, Value};

use super::Statements;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Any other format, or none.
    Text,
    Time,
    Date,
    Uuid,
    Decimal,
}

impl Format {
    /// The format of a string.
    pub(crate) fn of(said: &Map<String, Value>) -> Self {
        match said.text("format") {
            Some("date-time") => Self::Time,
            Some("date") => Self::Date,
            Some("uuid") => Self::Uuid,
            Some("decimal-text" | "decimal") => Self::Decimal,
            _ => Self::Text,
        }
    }
}
