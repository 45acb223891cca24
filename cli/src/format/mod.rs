//! The output formats, and an encoder for each format.

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

/// An encoder that appends records to a buffer, one at a time. The caller has to write the buffer
/// to the output, and to clear the buffer.
pub(crate) trait Encode: Send {
    /// Whether the encoder needs to see all records before it encodes the first one.
    fn looks_ahead(&self) -> bool {
        false
    }

    fn look(&mut self, _record: Value) {}

    /// Writes the beginning of the output, such as a header, before the first record.
    fn begin(&mut self, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Writes the end of the output, after the last record.
    fn end(&mut self, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether another encoder, for example in a later run, could continue the output after the
    /// bytes that this encoder has written.
    fn is_resumable(&self) -> bool {
        true
    }
}

/// The columns to write, and how to write them.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub format: Format,
    pub columns: Columns,
    /// Whether the user has chosen the columns with `--columns`.
    pub chosen: bool,
    pub safe_cells: bool,
    /// The number of decimal places, if amounts are written as decimal numbers. `None` means that
    /// amounts are written as text.
    pub decimals: Option<Decimals>,
    /// The maximum width of a table, in characters. `None` means no limit.
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

    /// The default format of an output:
    ///
    /// - For a file, the format with the file's extension. `None` if the extension is unknown, and
    ///   JSON Lines if there is no extension.
    /// - For stdout, a table if stdout is a terminal, and JSON Lines otherwise.
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
    /// The name of the first column that the user has chosen more than once. `None` if there is no
    /// such column. Repeated columns aren't allowed in any format.
    pub(crate) fn repeated(&self) -> Option<&'static str> {
        let names = self.columns.iter().map(|column| column.name).enumerate();
        let mut names = names
            .filter(|(at, name)| self.columns[..*at].iter().any(|earlier| earlier.name == *name));
        names.next().map(|(_, name)| name)
    }

    /// The format and the columns, as text. A run can continue a file from an earlier run only if
    /// this text hasn't changed.
    ///
    /// For Parquet, the text is the same as for JSON Lines, because a partial Parquet file contains
    /// lines of JSON.
    pub(crate) fn form(&self) -> String {
        let format = match self.format {
            Format::Parquet => Format::JsonLines,
            other => other,
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let safe = if self.safe_cells { " with safe cells" } else { "" };
        format!("{format:?}{safe} of {}", names.join(","))
    }

    /// An encoder for a partial file that already contains `behind` records. The encoder rejects
    /// records that the format of the complete file can't represent.
    pub(crate) fn partial_encoder(&self, behind: u64) -> Box<dyn Encode> {
        match self.format {
            Format::Parquet => Box::new(parquet::Lines::new(self.columns.clone(), self.decimals)),
            _ => self.clone().encoder(behind),
        }
    }

    /// An encoder for an output that already contains `behind` records.
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

/// Formats a timestamp with nine fractional digits, so that alphabetical order is chronological
/// order. Returns `None` if the text isn't a timestamp.
pub(crate) fn time(text: &str) -> Option<String> {
    if let Some(time) = padded(text) {
        return Some(time);
    }
    let time: DateTime<Utc> = text.parse().ok()?;
    Some(time.to_rfc3339_opts(SecondsFormat::Nanos, true))
}

/// Adds zeros to the fraction of a time in UTC. `None` if the text doesn't have the usual form of a
/// time, or if not every month has this day, so that the time has to be parsed.
fn padded(text: &str) -> Option<String> {
    let (whole, fraction) = text.strip_suffix('Z')?.split_at_checked(19)?;
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let has_form =
        |(byte, form): (u8, &u8)| if *form == b'0' { is_digit(byte) } else { byte == *form };
    let part = |at: usize| whole.get(at..at + 2)?.parse::<u8>().ok();
    let is_date = (1..=12).contains(&part(5)?) && (1..=28).contains(&part(8)?);
    let is_time = part(11)? < 24 && part(14)? < 60 && part(17)? < 60;
    let digits = if fraction.is_empty() { "" } else { fraction.strip_prefix('.')? };
    let is_fraction = fraction != "." && digits.len() <= 9 && digits.bytes().all(is_digit);
    let is_plain = whole.bytes().zip(b"0000-00-00T00:00:00").all(has_form);
    (is_date && is_time && is_fraction && is_plain).then(|| format!("{whole}.{digits:0<9}Z"))
}

/// Converts a value to the text of a cell. Strings stay unchanged, except that times get nine
/// fractional digits. Null becomes `None`, and all other values are written as JSON.
pub(crate) fn cell(kind: Kind, value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if kind == Kind::Time => Some(time(&text).unwrap_or(text)),
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn a_time_has_nine_digits_whether_it_is_padded_or_parsed() {
        for (text, expected) in [
            ("2025-06-01T12:00:00Z", Some("2025-06-01T12:00:00.000000000Z")),
            ("2025-06-01T12:00:00.5Z", Some("2025-06-01T12:00:00.500000000Z")),
            ("2025-06-01T12:00:00.123456789Z", Some("2025-06-01T12:00:00.123456789Z")),
            ("2025-06-30T12:00:00Z", Some("2025-06-30T12:00:00.000000000Z")),
            ("2025-06-01T14:00:00+02:00", Some("2025-06-01T12:00:00.000000000Z")),
            ("2025-02-29T12:00:00Z", None),
            ("2025-06-01T24:00:00Z", None),
            ("2025-13-01T12:00:00Z", None),
            ("2025-06-01T12:00:00.Z", None),
            ("2025-06-01", None),
        ] {
            assert_eq!(time(text).as_deref(), expected, "{text}");
        }
    }
}
