//! CSV as in RFC 4180: a header, a row per record, and lines that end in CRLF.

use csv::{Terminator, Writer, WriterBuilder};
use serde_json::Value;

use super::{Encode, cell};
use crate::{columns::Columns, failure::Failure, operation::Kind};

pub(super) struct Csv {
    pub columns: Columns,
    pub safe_cells: bool,
}

impl Encode for Csv {
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        row(out, self.columns.iter().map(|column| column.name))
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        let cells = self.columns.values(record).map(|(column, value)| {
            let cell = cell(column.kind, value).unwrap_or_default();
            if self.safe_cells { safe(column.kind, cell) } else { cell }
        });
        row(out, cells)
    }
}

fn row<T: AsRef<[u8]>>(out: &mut Vec<u8>, cells: impl Iterator<Item = T>) -> Result<(), Failure> {
    let mut writer: Writer<&mut Vec<u8>> =
        WriterBuilder::new().terminator(Terminator::CRLF).buffer_capacity(1 << 10).from_writer(out);
    writer.write_record(cells)?;
    writer.flush()?;
    Ok(())
}

/// The characters that start a formula in a spreadsheet, or that a spreadsheet skips before a
/// formula. The last four characters are the full-width forms of the first four.
const FORMULAS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Puts a single quote before text that a spreadsheet would run as a formula. Numbers stay
/// unchanged, even negative ones.
fn safe(kind: Kind, cell: String) -> String {
    let is_number =
        matches!(kind, Kind::Decimal | Kind::Integer | Kind::Number) && is_number(&cell);
    if cell.starts_with(FORMULAS) && !is_number { format!("'{cell}") } else { cell }
}

/// Whether a text is a decimal number: digits with an optional sign, decimal point and exponent.
fn is_number(text: &str) -> bool {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let has_only_digits = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
    };
    has_only_digits(&digits.replacen('.', "", 1)) && has_only_digits(exponent)
}

#[cfg(test)]
mod tests {
    use super::safe;
    use crate::operation::Kind;

    #[test]
    fn a_formula_is_made_harmless_and_a_number_stays_one() {
        for (kind, cell, expected) in [
            (Kind::Text, "=1+1", "'=1+1"),
            (Kind::Text, "@SUM(A1)", "'@SUM(A1)"),
            (Kind::Text, "-5", "'-5"),
            (Kind::Decimal, "-5.20", "-5.20"),
            (Kind::Decimal, "-1E-8", "-1E-8"),
            (Kind::Decimal, "-1.5e+8", "-1.5e+8"),
            (Kind::Number, "-1e8", "-1e8"),
            (Kind::Decimal, "-1E", "'-1E"),
            (Kind::Decimal, "-E5", "'-E5"),
            (Kind::Decimal, "-1E5E5", "'-1E5E5"),
            (Kind::Decimal, "-1E+5+A1", "'-1E+5+A1"),
            (Kind::Decimal, "-5+cmd|' /C calc'!A0", "'-5+cmd|' /C calc'!A0"),
            (Kind::Text, "\n=1+1", "'\n=1+1"),
            (Kind::Text, "＝1+1", "'＝1+1"),
            (Kind::Text, "＋1", "'＋1"),
            (Kind::Decimal, "－1", "'－1"),
            (Kind::Text, "＠SUM(A1)", "'＠SUM(A1)"),
            (Kind::Text, "plain = text", "plain = text"),
        ] {
            assert_eq!(safe(kind, cell.to_owned()), expected);
        }
    }
}
