//! The kinds of values in an OpenAPI description.

/// The kind of a value in the OpenAPI description. The kind determines how a string is converted to
/// such a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain string or an enum value.
    Text,
    /// An RFC 3339 timestamp.
    Time,
    /// An RFC 3339 date.
    Date,
    /// A UUID.
    Uuid,
    /// A decimal number as a string.
    Decimal,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// An 8-bit or 16-bit integer.
    SmallInteger,
    /// An unsigned integer.
    UnsignedInteger,
    /// A floating-point number.
    Number,
    /// True or false.
    Boolean,
    /// An object with arbitrary keys, whose values may have any type.
    Object,
    /// An object with arbitrary keys, whose values have the type specified in the OpenAPI
    /// description.
    Map,
    /// An array, a record, or a value of any JSON type.
    Json,
}

impl Kind {
    /// The phrase for this kind of value in error messages, such as "a UUID".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text | Self::Date | Self::Decimal => "a string",
            Self::Time => "a time",
            Self::Uuid => "a UUID",
            Self::Int32 => "a 32-bit integer",
            Self::Int64 => "a 64-bit integer",
            Self::SmallInteger => "an 8-bit or 16-bit integer",
            Self::UnsignedInteger => "an unsigned integer",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Object => "a map",
            Self::Map => "a map of valid values",
            Self::Json => "a valid value",
        }
    }
}
