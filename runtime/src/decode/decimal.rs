//! A decimal number as a string.

use std::{fmt, str::FromStr};

use smol_str::SmolStr;

/// A decimal number as a string, byte for byte as the service sent it.
///
/// A `Decimal` isn't normalized: `1.50` and `1.5` are different strings and compare unequal. A
/// `Decimal` has no arithmetic, but you can [`parse`](Self::parse) it into a number type from any
/// decimal crate.
///
/// The features `rust_decimal` and `bigdecimal` add exact conversions to and from the number types
/// of these crates. `TryFrom<&Decimal>` fails if the string isn't a number, or if the crate's type
/// can't hold the number. `From` converts the crate's numbers to a `Decimal`.
///
/// **`rust_decimal` rounds silently beyond 28 digits**, both when it parses (with `FromStr`, which
/// `parse` uses) and when it adds (even with `checked_add`). For money, convert with `TryFrom` or
/// `from_str_exact`, which return an error instead of rounding. To add amounts,
/// [sum](Iterator::sum) them into a `Result`: with these features, you get the exact sum or an
/// error. The crate `bigdecimal` never rounds when it parses or adds.
///
/// ```
/// # use oas_client::Decimal;
/// use rust_decimal::Decimal as Number;
///
/// let price = Decimal::from("64250.10");
///
/// assert_eq!(price, "64250.10");
/// assert_eq!(price.parse::<f64>(), Ok(64_250.1));
/// # #[cfg(feature = "rust_decimal")]
/// assert_eq!(Number::try_from(&price)?, Number::new(64_250_10, 2));
/// assert_eq!(Number::from_str_exact(price.as_str())?, Number::new(64_250_10, 2));
///
/// let amounts = ["60000000000.000000000000000001", "0.0000000000000000001"].map(Decimal::from);
/// # #[cfg(feature = "rust_decimal")]
/// assert!(amounts.iter().sum::<Result<Number, _>>().is_err());
/// # #[cfg(feature = "bigdecimal")] {
/// let total = amounts.iter().sum::<Result<bigdecimal::BigDecimal, _>>();
/// assert_eq!(total.unwrap().to_string(), "60000000000.0000000000000000011");
///
/// // `to_string` prints small numbers with an exponent, and `to_plain_string` doesn't.
/// let small = ["0.000000000000000001", "0.000000000000000002"].map(Decimal::from);
/// let total = small.iter().sum::<Result<bigdecimal::BigDecimal, _>>().unwrap();
/// assert_eq!((total.to_string().as_str(), total.to_plain_string().as_str()), ("3E-18", "0.000000000000000003"));
/// # }
/// # Ok::<(), rust_decimal::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Decimal(SmolStr);

impl Decimal {
    /// The string as the service sent it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the string into a type of your choice.
    ///
    /// # Errors
    ///
    /// The error from `T` if the string isn't a number, or if `T` can't hold the number. Some types
    /// round instead of failing.
    pub fn parse<T: FromStr>(&self) -> Result<T, T::Err> {
        self.0.parse()
    }
}

__text_value! { Decimal }

impl From<&str> for Decimal {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<Decimal> for String {
    fn from(decimal: Decimal) -> Self {
        decimal.0.into()
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Decimal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "decimal-text" })
    }
}
