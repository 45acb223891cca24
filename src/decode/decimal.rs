//! A decimal number carried as text.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};

/// A decimal number carried as text, byte for byte as the service sent it.
///
/// It isn't normalised, and no arithmetic is built in: parse it with the decimal crate of your
/// choice. `rust_decimal`'s `FromStr` rounds silently beyond 28 digits; its `from_str_exact`
/// refuses instead, and is the one to take for money.
///
/// ```
/// use digital_assets::types::Decimal;
/// use rust_decimal::Decimal as Exact;
///
/// let price = Decimal::from("64250.10");
///
/// assert_eq!(price.as_str(), "64250.10");
/// assert_eq!(Exact::from_str_exact(&price)?, Exact::new(64_250_10, 2));
/// # Ok::<(), rust_decimal::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(String);

impl Decimal {
    /// The text as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Decimal {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Decimal {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Decimal {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Decimal {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Decimal> for String {
    fn from(decimal: Decimal) -> Self {
        decimal.0
    }
}

impl std::str::FromStr for Decimal {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(text))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
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
