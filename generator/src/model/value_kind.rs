//! The kind of a value in a parameter, a body or a column.

use super::{Description, Kind, Schema};
use crate::document::{Format, is_unsigned};

/// The kind of a value. The variants have the same names as those of the runtime's `Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Time,
    Date,
    Uuid,
    Decimal,
    Int32,
    Int64,
    /// An integer of 8 or 16 bits.
    SmallInteger,
    UnsignedInteger,
    Number,
    Boolean,
    /// A map whose values are any JSON.
    Object,
    /// A map whose values have a schema.
    Map,
    /// An array, a record, or any JSON.
    Json,
}

impl ValueKind {
    pub(crate) fn of(description: &Description, schema: &Schema) -> Self {
        match &schema.kind {
            Kind::Text(text) => match text.format {
                Format::Text => Self::Text,
                Format::Time => Self::Time,
                Format::Date => Self::Date,
                Format::Uuid => Self::Uuid,
                Format::Decimal => Self::Decimal,
            },
            Kind::Named(_) if description.enumeration(schema).is_some() => Self::Text,
            Kind::Integer(integer) => match integer.format {
                "int32" => Self::Int32,
                "int64" => Self::Int64,
                format if is_unsigned(format) => Self::UnsignedInteger,
                _ => Self::SmallInteger,
            },
            Kind::Number(_) => Self::Number,
            Kind::Boolean => Self::Boolean,
            Kind::Map(_) if schema.is_any_object() => Self::Object,
            Kind::Map(_) => Self::Map,
            Kind::Named(_) | Kind::Array(_) | Kind::Json => Self::Json,
        }
    }

    /// Returns the name of the corresponding kind of column in the command-line tool.
    pub(crate) const fn column(self) -> &'static str {
        match self {
            Self::Text => "Text",
            Self::Time => "Time",
            Self::Date => "Date",
            Self::Uuid => "Uuid",
            Self::Decimal => "Decimal",
            Self::Int32 | Self::Int64 | Self::SmallInteger | Self::UnsignedInteger => "Integer",
            Self::Number => "Number",
            Self::Boolean => "Boolean",
            Self::Object | Self::Map | Self::Json => "Json",
        }
    }
}
