//! Exact conversions between [`Decimal`] and the decimal crates.

use super::decimal::Decimal;

#[cfg(feature = "rust_decimal")]
mod by_rust_decimal {
    use rust_decimal::{Decimal as Number, Error};

    use super::Decimal;

    /// Converts exactly or fails. `rust_decimal` has 28 fraction digits and a 96-bit mantissa.
    impl TryFrom<&Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: &Decimal) -> Result<Self, Error> {
            let text = decimal.as_str();
            match text.split_once(['e', 'E']) {
                // `from_scientific` rounds the digits before the exponent, and only those.
                Some((digits, _)) => {
                    Self::from_str_exact(digits).and_then(|_| Self::from_scientific(text))
                }
                None => Self::from_str_exact(text),
            }
        }
    }

    /// Converts exactly or fails, as from a reference.
    impl TryFrom<Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: Decimal) -> Result<Self, Error> {
            Self::try_from(&decimal)
        }
    }

    /// Keeps every digit, trailing zeros included.
    impl From<&Number> for Decimal {
        fn from(number: &Number) -> Self {
            number.to_string().into()
        }
    }

    /// Keeps every digit, trailing zeros included.
    impl From<Number> for Decimal {
        fn from(number: Number) -> Self {
            (&number).into()
        }
    }
}

#[cfg(feature = "bigdecimal")]
mod by_bigdecimal {
    use bigdecimal::{BigDecimal as Number, ParseBigDecimalError as Error};

    use super::Decimal;

    /// The most zeros that a number is padded with to write it without an exponent.
    const MOST_PLACES: u64 = 1_000;

    /// Exact for every decimal number. Fails for other text.
    impl TryFrom<&Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: &Decimal) -> Result<Self, Error> {
            decimal.parse()
        }
    }

    /// Exact for every decimal number, as from a reference.
    impl TryFrom<Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: Decimal) -> Result<Self, Error> {
            Self::try_from(&decimal)
        }
    }

    /// Keeps every digit, trailing zeros included. Written without an exponent, unless it would
    /// take more than 1,000 zeros.
    impl From<&Number> for Decimal {
        fn from(number: &Number) -> Self {
            let places = number.fractional_digit_count().unsigned_abs();
            let text = if places <= MOST_PLACES {
                number.to_plain_string()
            } else {
                number.to_scientific_notation()
            };
            text.into()
        }
    }

    /// Keeps every digit, trailing zeros included. Written without an exponent, unless it would
    /// take more than 1,000 zeros.
    impl From<Number> for Decimal {
        fn from(number: Number) -> Self {
            (&number).into()
        }
    }
}
