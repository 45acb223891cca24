//! The Parquet format: a column for each field, in row groups of limited size.

mod decimals;
pub(crate) use decimals::Decimals;
mod value;

use std::sync::Arc;

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical},
    data_type::{
        BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
        FixedLenByteArrayType, Int32Type, Int64Type,
    },
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::Type,
};
use serde_json::Value;

use self::value::{MOST_DIGITS, PRECISION};
use super::{Encode, cell};
use crate::{
    columns::Columns,
    failure::Failure,
    operation::{Column, Kind, Part},
};

/// The maximum number of records in a row group. A row group is kept in memory until it is written.
const ROW_GROUP: usize = 50_000;

/// Checks records for values that the columns of a Parquet file can't store.
struct Fit {
    columns: Columns,
    decimals: Option<Decimals>,
    /// The number of records that have been checked so far.
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
            let value = match column.part {
                Part::Field => record.get(column.name),
                Part::Whole => Some(record),
                Part::Others => None,
            };
            // A column can store any string, UUID, Boolean, array or object.
            let is_text =
                matches!(column.kind, Kind::Text | Kind::Uuid | Kind::Boolean | Kind::Json);
            let Some(value) = value.filter(|_| !is_text) else { continue };
            let checked = match value {
                Value::Null => continue,
                Value::String(text) => value::check(column.kind, self.decimals, text),
                other => value::check(column.kind, self.decimals, &other.to_string()),
            };
            checked.map_err(|reason| {
                let id =
                    self.columns.id(record).unwrap_or_else(|| format!("number {}", self.records));
                Failure::other(format!("the {} of the record {id}: {reason}", column.name))
            })?;
        }
        Ok(())
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
    /// For each column, the cells that will be written in the next row group.
    cells: Vec<Vec<Option<String>>>,
    /// The Parquet writer, whose buffer contains the bytes that haven't been moved to the output
    /// yet. `None` before `begin` and after `end`.
    writer: Option<SerializedFileWriter<Vec<u8>>>,
}

impl Parquet {
    pub(super) fn new(columns: Columns, decimals: Option<Decimals>) -> Self {
        let cells = columns.iter().map(|_| Vec::new()).collect();
        let digits = vec![(0, 0); columns.len()];
        let fit = Fit::new(columns, decimals);
        Self { fit, digits, cells, writer: None }
    }

    /// The columns, each with its number of decimal places. The number is `None` if amounts are
    /// written as text.
    fn scaled(&self) -> Vec<(Column, Option<u32>)> {
        let scale = |found: u32| match self.fit.decimals? {
            Decimals::Scale(scale) => Some(scale),
            Decimals::Found => Some(found),
        };
        self.fit
            .columns
            .iter()
            .zip(&self.digits)
            .map(|(column, &(_, behind))| (*column, scale(behind)))
            .collect()
    }

    fn write_group(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let columns = self.scaled();
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut group = writer.next_row_group()?;
        for ((column, scale), cells) in columns.into_iter().zip(&mut self.cells) {
            write_column(&mut group, column, scale, &std::mem::take(cells))?;
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
        let fields = self.scaled().into_iter();
        let fields = fields.map(|(column, scale)| Ok(Arc::new(field(column, scale)?)));
        let fields = fields.collect::<Result<_, ParquetError>>()?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(Vec::new(), schema.into(), properties.into())?;
        self.writer = Some(writer);
        Ok(())
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.fit.check(&record)?;
        for ((column, value), cells) in self.fit.columns.values(record).zip(&mut self.cells) {
            // A time isn't formatted, because it is parsed again.
            let kind = if column.kind == Kind::Time { Kind::Text } else { column.kind };
            cells.push(cell(kind, value));
        }
        if self.cells.first().is_some_and(|cells| cells.len() >= ROW_GROUP) {
            self.write_group(out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        if self.cells.first().is_some_and(|cells| !cells.is_empty()) {
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

fn field(column: Column, scale: Option<u32>) -> Result<Type, ParquetError> {
    let (physical, logical) = match (column.kind, scale) {
        (Kind::Time, _) => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::NANOS))),
        (Kind::Date, _) => (Physical::INT32, Some(LogicalType::Date)),
        (Kind::Integer, _) => (Physical::INT64, None),
        (Kind::Number, _) => (Physical::DOUBLE, None),
        (Kind::Boolean, _) => (Physical::BOOLEAN, None),
        (Kind::Decimal, Some(scale)) => {
            let scale = i32::try_from(scale).unwrap_or(PRECISION);
            return Type::primitive_type_builder(column.name, Physical::FIXED_LEN_BYTE_ARRAY)
                .with_length(16)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::decimal(scale, PRECISION)))
                .with_precision(PRECISION)
                .with_scale(scale)
                .build();
        }
        _ => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    column: Column,
    scale: Option<u32>,
    cells: &[Option<String>],
) -> Result<(), Failure> {
    let name = column.name;
    match (column.kind, scale) {
        (Kind::Time, _) => write::<Int64Type>(group, name, cells, value::time),
        (Kind::Date, _) => write::<Int32Type>(group, name, cells, value::date),
        (Kind::Integer, _) => write::<Int64Type>(group, name, cells, value::integer),
        (Kind::Number, _) => write::<DoubleType>(group, name, cells, value::number),
        (Kind::Boolean, _) => write::<BoolType>(group, name, cells, |text| Ok(text == "true")),
        (Kind::Decimal, Some(scale)) => {
            write::<FixedLenByteArrayType>(group, name, cells, |text| {
                Ok(FixedLenByteArray::from(value::decimal(text, scale)?.to_be_bytes().to_vec()))
            })
        }
        _ => write::<ByteArrayType>(group, name, cells, |text| Ok(ByteArray::from(text))),
    }
}

/// Writes one column of a row group. A cell that is `None` becomes null. The function `value`
/// converts the text of any other cell to the value that Parquet stores.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    name: &str,
    cells: &[Option<String>],
    value: impl Fn(&str) -> Result<T::T, String>,
) -> Result<(), Failure> {
    let values = cells.iter().flatten().map(|text| value(text)).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|reason| Failure::other(format!("a {name}: {reason}")))?;
    let defined: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&defined), None)?;
    Ok(column.close()?)
}
