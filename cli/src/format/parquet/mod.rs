//! The Parquet format: a column for each field, in row groups of limited size.

mod cells;
mod decimals;
pub(crate) use decimals::Decimals;
mod value;

use std::sync::Arc;

use parquet::{
    basic::Compression,
    errors::ParquetError,
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::types::Type,
};
use serde_json::Value;

use self::{cells::Cells, value::MOST_DIGITS};
use super::Encode;
use crate::{
    columns::Columns,
    failure::Failure,
    operation::{Column, Kind},
};

/// The maximum number of records in a row group. A row group is kept in memory until it is written.
const ROW_GROUP: usize = 50_000;

/// The columns of a Parquet file, and how many records they have been given.
struct Fit {
    columns: Columns,
    decimals: Option<Decimals>,
    /// The number of records so far, including the current one.
    records: u64,
}

impl Fit {
    fn new(columns: Columns, decimals: Option<Decimals>) -> Self {
        Self { columns, decimals, records: 0 }
    }

    /// Checks that the columns can store the values of the next record.
    ///
    /// # Errors
    ///
    /// If the record has a value that its column can't store.
    fn check(&mut self, record: &Value) -> Result<(), Failure> {
        self.records += 1;
        for column in self.columns.iter() {
            // A column can store any string, UUID, Boolean, array or object.
            let is_text =
                matches!(column.kind, Kind::Text | Kind::Uuid | Kind::Boolean | Kind::Json);
            let value = (!is_text).then(|| self.columns.value(*column, record));
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            value::check(column.kind, self.decimals, &value::text(&value))
                .map_err(|reason| self.refused(*column, record, &reason))?;
        }
        Ok(())
    }

    /// The failure if a column can't store the current record's value.
    fn refused(&self, column: Column, record: &Value, reason: &str) -> Failure {
        let id = self.columns.id(record).unwrap_or_else(|| format!("number {}", self.records));
        Failure::other(format!("the {} of the record {id}: {reason}", column.name))
    }
}

/// An encoder for a partial Parquet file, which contains each record as a line of JSON. The encoder
/// rejects records that a Parquet file can't store.
pub(super) struct Lines {
    fit: Fit,
    lines: super::json::Lines,
}

impl Lines {
    pub(super) fn new(columns: Columns, decimals: Option<Decimals>) -> Self {
        Self { fit: Fit::new(columns.clone(), decimals), lines: super::json::Lines { columns } }
    }
}

impl Encode for Lines {
    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.fit.check(&record)?;
        self.lines.record(record, out)
    }
}

pub(super) struct Parquet {
    fit: Fit,
    /// For each column, the number of digits that its values need before and after the decimal
    /// point.
    digits: Vec<(u32, u32)>,
    /// For each column, the cells that will be written in the next row group. Empty before `begin`.
    cells: Vec<Cells>,
    /// The Parquet writer, whose buffer contains the bytes that haven't been moved to the output
    /// yet. `None` before `begin` and after `end`.
    writer: Option<SerializedFileWriter<Vec<u8>>>,
}

impl Parquet {
    pub(super) fn new(columns: Columns, decimals: Option<Decimals>) -> Self {
        let digits = vec![(0, 0); columns.len()];
        Self { fit: Fit::new(columns, decimals), digits, cells: Vec::new(), writer: None }
    }

    fn write_group(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut group = writer.next_row_group()?;
        for cells in &mut self.cells {
            cells.write(&mut group)?;
        }
        group.close()?;
        // The writer's buffer may be emptied, because the writer doesn't use the buffer's length as
        // its position in the file.
        out.append(writer.inner_mut());
        Ok(())
    }
}

impl Encode for Parquet {
    fn looks_ahead(&self) -> bool {
        self.fit.decimals == Some(Decimals::Found)
    }

    fn look(&mut self, record: Value) {
        for ((column, value), digits) in self.fit.columns.values(record).zip(&mut self.digits) {
            if let (Kind::Decimal, Some(text)) = (column.kind, value.as_str()) {
                let (before, behind) = value::digits(text);
                *digits = (digits.0.max(before), digits.1.max(behind));
            }
        }
    }

    fn begin(&mut self, _: &mut Vec<u8>) -> Result<(), Failure> {
        for (column, (before, behind)) in self.fit.columns.iter().zip(&self.digits) {
            if before.saturating_add(*behind) > MOST_DIGITS {
                return Err(Failure::other(format!(
                    "{} needs {before} digits before the decimal point and {behind} after it, but at most \
                     {MOST_DIGITS} digits in total can be stored; {}",
                    column.name,
                    value::AS_TEXT,
                )));
            }
        }
        let columns = self.fit.columns.iter().zip(&self.digits);
        let cells = columns.map(|(column, &(_, behind))| {
            let scale = self.fit.decimals.map(|decimals| match decimals {
                Decimals::Scale(scale) => scale,
                Decimals::Found => behind,
            });
            Cells::new(*column, scale)
        });
        self.cells = cells.collect();
        let fields = self.cells.iter().map(|cells| Ok(Arc::new(cells.field()?)));
        let fields = fields.collect::<Result<_, ParquetError>>()?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(Vec::new(), schema.into(), properties.into())?;
        self.writer = Some(writer);
        Ok(())
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.fit.records += 1;
        for cells in &mut self.cells {
            let value = self.fit.columns.value(cells.column, &record);
            cells
                .push(&value)
                .map_err(|reason| self.fit.refused(cells.column, &record, &reason))?;
        }
        if self.cells.first().is_some_and(|cells| cells.len() >= ROW_GROUP) {
            self.write_group(out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        if self.cells.first().is_some_and(|cells| cells.len() > 0) {
            self.write_group(out)?;
        }
        if let Some(writer) = self.writer.take() {
            out.append(&mut writer.into_inner()?);
        }
        Ok(())
    }

    fn is_resumable(&self) -> bool {
        false
    }
}
