//! The kind of a described value.

/// The kind of a described value, which decides how a string is converted into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string that is of no other kind, or a value of an enum.
    Text,
    /// An RFC 3339 time.
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
    /// An integer of 8 or 16 bits.
    SmallInteger,
    /// An unsigned integer.
    UnsignedInteger,
    /// A floating-point number.
    Number,
    /// True or false.
    Boolean,
    /// An object with values of any type.
    Object,
    /// An object whose values are described but whose keys aren't.
    Map,
    /// An array, a record, or any JSON.
    Json,
}

impl Kind {
    /// The words for the expected value in an error message.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text | Self::Date | Self::Decimal => "a string",
            Self::Time => "a time",
            Self::Uuid => "a UUID",
            Self::Int32 => "a 32-bit integer",
            Self::Int64 => "a 64-bit integer",
            Self::SmallInteger => "an integer of 8 or 16 bits",
            Self::UnsignedInteger => "an unsigned integer",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Object => "a map",
            Self::Map => "a map of valid values",
            Self::Json => "a valid value",
        }
    }
}
