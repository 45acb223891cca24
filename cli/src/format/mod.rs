//! The output formats, and the encoding of records in each of them.

mod csv;
mod json;
mod parquet;
mod table;

pub(crate) use self::parquet::Decimals;
use std::{io::IsTerminal, path::Path};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use crate::{columns::Columns, failure::Failure, operation::Kind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Table,
    Json,
    JsonLines,
    Csv,
    Parquet,
}

/// An encoder, which appends one record after the other to a buffer. The caller empties the buffer.
pub(crate) trait Encode: Send {
    /// Whether the encoder needs to see all records before it encodes the first one.
    fn looks_ahead(&self) -> bool {
        false
    }

    fn look(&mut self, _record: Value) {}

    /// Writes the part before the first record.
    fn begin(&mut self, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Writes the part after the last record.
    fn end(&mut self, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether another encoder could continue after the bytes in the buffer without losing a
    /// record.
    fn is_even(&self) -> bool {
        true
    }
}

/// The columns to write, and how to write them.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub format: Format,
    pub columns: Columns,
    /// Whether the user has chosen the columns.
    pub chosen: bool,
    pub safe_cells: bool,
    /// The decimal places of amounts, if amounts are written as decimal numbers instead of text.
    pub decimals: Option<Decimals>,
    /// The maximum width of a table.
    pub width: Option<u16>,
}

impl Format {
    pub(crate) const NAMED: [(&str, Self); 5] = [
        ("table", Self::Table),
        ("json", Self::Json),
        ("jsonl", Self::JsonLines),
        ("csv", Self::Csv),
        ("parquet", Self::Parquet),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// The default format. For a file, it depends on the extension. Without a file, it is a table
    /// on a terminal, and JSON Lines elsewhere. `None` if the extension is unknown.
    pub(crate) fn of(output: Option<&Path>) -> Option<Self> {
        let Some(output) = output else {
            let is_terminal = std::io::stdout().is_terminal();
            return Some(if is_terminal { Self::Table } else { Self::JsonLines });
        };
        let Some(ending) = output.extension() else { return Some(Self::JsonLines) };
        let named = Self::named(&ending.to_str()?.to_ascii_lowercase());
        named.filter(|format| *format != Self::Table)
    }
}

impl Shape {
    /// A column that the user has chosen twice. No format allows that.
    pub(crate) fn repeated(&self) -> Option<&'static str> {
        let names = self.columns.iter().map(|column| column.name).enumerate();
        let mut names = names
            .filter(|(at, name)| self.columns[..*at].iter().any(|earlier| earlier.name == *name));
        names.next().map(|(_, name)| name)
    }

    /// The properties that must be the same for one run to continue the file of another run. A
    /// Parquet file can't be continued, so its records are stored as lines of JSON until it is
    /// complete.
    pub(crate) fn form(&self) -> String {
        let format = match self.format {
            Format::Parquet => Format::JsonLines,
            other => other,
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let safe = if self.safe_cells { " with safe cells" } else { "" };
        format!("{format:?}{safe} of {}", names.join(","))
    }

    /// The encoder of a partial file. It rejects records that the format of the complete file can't
    /// represent.
    pub(crate) fn partial_encoder(&self, behind: u64) -> Box<dyn Encode> {
        match self.format {
            Format::Parquet => Box::new(parquet::Lines::new(self.columns.clone(), self.decimals)),
            _ => self.clone().encoder(behind),
        }
    }

    /// An encoder for an output that already contains this many records.
    pub(crate) fn encoder(self, behind: u64) -> Box<dyn Encode> {
        let Self { format, columns, chosen, safe_cells, decimals, width } = self;
        match format {
            Format::Table => Box::new(table::Table::new(columns, chosen, width)),
            Format::Json => Box::new(json::Array { columns, has_records: behind > 0 }),
            Format::JsonLines => Box::new(json::Lines { columns }),
            Format::Csv => Box::new(csv::Csv { columns, safe_cells }),
            Format::Parquet => Box::new(parquet::Parquet::new(columns, decimals)),
        }
    }
}

/// A time with nine fractional digits, so that all times have the same length, and their order as
/// text is their order in time.
pub(crate) fn time(text: &str) -> Option<String> {
    let time: DateTime<Utc> = text.parse().ok()?;
    Some(time.to_rfc3339_opts(SecondsFormat::Nanos, true))
}

/// A value as the text of a cell: text unchanged, lists and objects as JSON, null as `None`.
pub(crate) fn cell(kind: Kind, value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if kind == Kind::Time => Some(time(&text).unwrap_or(text)),
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
