//! Exact conversions between [`Decimal`] and the number types of the decimal crates.

use super::decimal::Decimal;

/// The digit separator from Rust's number literals. Both decimal crates accept this separator in
/// strings, but it isn't valid in the numbers that a service sends.
const SEPARATOR: char = '_';

/// Implements the by-value conversions in terms of the by-reference conversions.
macro_rules! by_value {
    ($number:ty, $error:ty) => {
        /// Converts the number exactly, or returns an error, like the conversion from `&Decimal`.
        impl TryFrom<Decimal> for $number {
            type Error = $error;

            fn try_from(decimal: Decimal) -> Result<Self, $error> {
                Self::try_from(&decimal)
            }
        }

        /// Keeps every digit, like the conversion from a reference.
        impl From<$number> for Decimal {
            fn from(number: $number) -> Self {
                (&number).into()
            }
        }
    };
}

#[cfg(feature = "rust_decimal")]
mod by_rust_decimal {
    use std::iter::Sum;

    use rust_decimal::{Decimal as Number, Error};

    use super::{Decimal, SEPARATOR};

    /// Converts the number exactly, or returns an error. A number in `rust_decimal` has at most 28
    /// fraction digits and a 96-bit mantissa.
    impl TryFrom<&Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: &Decimal) -> Result<Self, Error> {
            let text = decimal.as_str();
            if text.contains(SEPARATOR) {
                return Err("the text is not a number".into());
            }
            match text.split_once(['e', 'E']) {
                // `from_scientific` may round the digits before the exponent, so `from_str_exact`
                // checks them first.
                Some((digits, _)) => {
                    Self::from_str_exact(digits).and_then(|_| Self::from_scientific(text))
                }
                None => Self::from_str_exact(text),
            }
        }
    }

    /// Adds the numbers exactly. Fails if a string isn't a number, or if `Number` can't hold the
    /// sum or a partial sum.
    impl<'a> Sum<&'a Decimal> for Result<Number, Error> {
        fn sum<I: Iterator<Item = &'a Decimal>>(mut amounts: I) -> Self {
            amounts.try_fold(Number::ZERO, |total, amount| {
                let amount = Number::try_from(amount)?;
                let sum = exact_sum(total, amount);
                let sum = sum.or_else(|| exact_sum(total.normalize(), amount.normalize()));
                sum.ok_or_else(|| "the exact sum has too many digits for this type".into())
            })
        }
    }

    /// Adds two numbers exactly. Returns `None` if the sum has too many digits. In contrast,
    /// `checked_add` rounds such a sum.
    fn exact_sum(one: Number, other: Number) -> Option<Number> {
        let mut scale = one.scale().max(other.scale());
        let units = |number: Number| {
            number.mantissa().checked_mul(10_i128.checked_pow(scale - number.scale())?)
        };
        let mut sum = units(one)?.checked_add(units(other)?)?;
        while sum.unsigned_abs() >> 96 > 0 && sum % 10 == 0 && scale > 0 {
            (sum, scale) = (sum / 10, scale - 1);
        }
        Number::try_from_i128_with_scale(sum, scale).ok()
    }

    /// Keeps every digit, including trailing zeros.
    impl From<&Number> for Decimal {
        fn from(number: &Number) -> Self {
            number.to_string().into()
        }
    }

    by_value! { Number, Error }
}

#[cfg(feature = "bigdecimal")]
mod by_bigdecimal {
    use std::iter::Sum;

    use bigdecimal::{BigDecimal as Number, ParseBigDecimalError as Error};

    use super::{Decimal, SEPARATOR};

    /// The maximum number of digits after the decimal point, and also of trailing zeros before the
    /// decimal point. A number that exceeds this maximum can't be added, and is formatted with an
    /// exponent.
    const MAX_PLACES: u64 = 1_000;

    /// Converts every decimal number exactly. Fails for any other string.
    impl TryFrom<&Decimal> for Number {
        type Error = Error;

        fn try_from(decimal: &Decimal) -> Result<Self, Error> {
            if decimal.as_str().contains(SEPARATOR) {
                return Err(Error::Other("the text is not a number".to_owned()));
            }
            decimal.parse()
        }
    }

    /// Adds the numbers exactly. Fails if a string isn't a number.
    ///
    /// Also fails if a number has more than 1,000 digits after the decimal point, or more than
    /// 1,000 trailing zeros before the decimal point (as in `1e2000`). Adding such a number would
    /// take a lot of memory.
    impl<'a> Sum<&'a Decimal> for Result<Number, Error> {
        fn sum<I: Iterator<Item = &'a Decimal>>(amounts: I) -> Self {
            let amounts = amounts.map(|amount| {
                let number = Number::try_from(amount)?;
                if number.fractional_digit_count().unsigned_abs() <= MAX_PLACES {
                    Ok(number)
                } else {
                    Err(Error::Other("the number has too many digits to be added".to_owned()))
                }
            });
            amounts.sum()
        }
    }

    /// Keeps every digit, including trailing zeros. The string has an exponent only if the number
    /// has more than 1,000 digits after the decimal point, or more than 1,000 trailing zeros before
    /// the decimal point.
    impl From<&Number> for Decimal {
        fn from(number: &Number) -> Self {
            let places = number.fractional_digit_count().unsigned_abs();
            let text = if places <= MAX_PLACES {
                number.to_plain_string()
            } else {
                number.to_scientific_notation()
            };
            text.into()
        }
    }

    by_value! { Number, Error }
}
