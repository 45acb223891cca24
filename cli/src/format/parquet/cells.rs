//! The cells of one column that will be written in the next row group.

use std::mem;

use parquet::{
    basic::{LogicalType, Repetition, TimeUnit, Type as Physical},
    data_type::{
        BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
        FixedLenByteArrayType, Int32Type, Int64Type,
    },
    errors::ParquetError,
    file::writer::SerializedRowGroupWriter,
    schema::types::Type,
};
use serde_json::Value;

use super::value::{self, PRECISION};
use crate::operation::{Column, Kind};

pub(super) struct Cells {
    pub column: Column,
    /// For each cell, 1. For a null, 0.
    defined: Vec<i16>,
    /// The values of the cells that aren't null.
    values: Values,
}

enum Values {
    Times(Vec<i64>),
    Dates(Vec<i32>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Booleans(Vec<bool>),
    /// Decimal numbers, multiplied by 10 to the power of `scale`.
    Decimals {
        scale: u32,
        numbers: Vec<i128>,
    },
    /// All texts in one buffer, because an allocation for each text costs more than the rest of the
    /// conversion.
    Texts {
        bytes: Vec<u8>,
        /// For each text, its end in the buffer.
        ends: Vec<usize>,
    },
}

impl Cells {
    /// No cells yet. Amounts are decimal numbers with `scale` decimal places, or text if `scale` is
    /// `None`.
    pub(super) fn new(column: Column, scale: Option<u32>) -> Self {
        let values = match (column.kind, scale) {
            (Kind::Time, _) => Values::Times(Vec::new()),
            (Kind::Date, _) => Values::Dates(Vec::new()),
            (Kind::Integer, _) => Values::Integers(Vec::new()),
            (Kind::Number, _) => Values::Numbers(Vec::new()),
            (Kind::Boolean, _) => Values::Booleans(Vec::new()),
            (Kind::Decimal, Some(scale)) => Values::Decimals { scale, numbers: Vec::new() },
            _ => Values::Texts { bytes: Vec::new(), ends: Vec::new() },
        };
        Self { column, defined: Vec::new(), values }
    }

    pub(super) fn len(&self) -> usize {
        self.defined.len()
    }

    /// Returns the description of the column in the file's schema.
    pub(super) fn field(&self) -> Result<Type, ParquetError> {
        let nanoseconds = || LogicalType::timestamp(true, TimeUnit::NANOS);
        let (physical, logical) = match self.values {
            Values::Times(_) => (Physical::INT64, Some(nanoseconds())),
            Values::Dates(_) => (Physical::INT32, Some(LogicalType::Date)),
            Values::Integers(_) => (Physical::INT64, None),
            Values::Numbers(_) => (Physical::DOUBLE, None),
            Values::Booleans(_) => (Physical::BOOLEAN, None),
            Values::Decimals { scale, .. } => {
                let scale = i32::try_from(scale).unwrap_or(PRECISION);
                let decimal = LogicalType::decimal(scale, PRECISION);
                return Type::primitive_type_builder(
                    self.column.name,
                    Physical::FIXED_LEN_BYTE_ARRAY,
                )
                .with_length(16)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(decimal))
                .with_precision(PRECISION)
                .with_scale(scale)
                .build();
            }
            Values::Texts { .. } => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(self.column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }

    /// Converts a value to what Parquet stores, and appends it.
    ///
    /// # Errors
    ///
    /// If the column can't store the value. The error is a message that says why.
    pub(super) fn push(&mut self, json: &Value) -> Result<(), String> {
        self.defined.push(i16::from(!json.is_null()));
        if json.is_null() {
            return Ok(());
        }
        let text = value::text(json);
        match &mut self.values {
            Values::Times(times) => times.push(value::time(&text)?),
            Values::Dates(dates) => dates.push(value::date(&text)?),
            Values::Integers(integers) => integers.push(value::integer(&text)?),
            Values::Numbers(numbers) => numbers.push(value::number(&text)?),
            Values::Booleans(booleans) => booleans.push(text == "true"),
            Values::Decimals { scale, numbers } => numbers.push(value::decimal(&text, *scale)?),
            Values::Texts { bytes, ends } => {
                bytes.extend_from_slice(text.as_bytes());
                ends.push(bytes.len());
            }
        }
        Ok(())
    }

    /// Writes the cells as the next column of the row group, and removes them.
    pub(super) fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) -> Result<(), ParquetError> {
        let defined = mem::take(&mut self.defined);
        match &mut self.values {
            Values::Times(times) => write::<Int64Type>(group, &defined, &mem::take(times)),
            Values::Dates(dates) => write::<Int32Type>(group, &defined, &mem::take(dates)),
            Values::Integers(integers) => write::<Int64Type>(group, &defined, &mem::take(integers)),
            Values::Numbers(numbers) => write::<DoubleType>(group, &defined, &mem::take(numbers)),
            Values::Booleans(booleans) => write::<BoolType>(group, &defined, &mem::take(booleans)),
            Values::Decimals { numbers, .. } => {
                let numbers = mem::take(numbers);
                let ends = (1..=numbers.len()).map(|number| number * size_of::<i128>());
                let bytes = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
                let values: Vec<_> = slices(bytes, ends).map(FixedLenByteArray::from).collect();
                write::<FixedLenByteArrayType>(group, &defined, &values)
            }
            Values::Texts { bytes, ends } => {
                let values: Vec<_> = slices(mem::take(bytes), mem::take(ends)).collect();
                write::<ByteArrayType>(group, &defined, &values)
            }
        }
    }
}

/// Splits a buffer at these ends. The slices share the buffer.
fn slices(
    bytes: Vec<u8>,
    ends: impl IntoIterator<Item = usize>,
) -> impl Iterator<Item = ByteArray> {
    let bytes = ByteArray::from(bytes);
    let mut start = 0;
    ends.into_iter().map(move |end| {
        let slice = bytes.slice(start, end - start);
        start = end;
        slice
    })
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    defined: &[i16],
    values: &[T::T],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, Some(defined), None)?;
    column.close()
}
