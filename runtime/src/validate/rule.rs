//! The bounds that the OpenAPI description sets for a value.

use super::pattern::Pattern;

/// The rule for a value, including the rules for its parts.
#[allow(missing_docs, reason = "the fields correspond to JSON Schema keywords")]
#[derive(Debug)]
pub enum Rule {
    Text {
        /// The minimum number of characters.
        least: usize,
        most: Option<usize>,
        pattern: Option<&'static Pattern>,
    },
    Integer {
        least: Option<i64>,
        most: Option<i64>,
        multiple_of: Option<i64>,
    },
    Number {
        least: Option<f64>,
        /// Whether the minimum itself is excluded.
        above: bool,
        most: Option<f64>,
        below: bool,
        multiple_of: Option<f64>,
        /// Whether the number may be null. In JSON, NaN and the infinities become null.
        null: bool,
    },
    Array {
        least: usize,
        most: Option<usize>,
        unique: bool,
        items: Option<&'static Self>,
    },
    Object {
        least: usize,
        most: Option<usize>,
        properties: &'static [(&'static str, &'static Self)],
        /// The rule for the values of all other properties.
        values: Option<&'static Self>,
    },
    /// A timestamp or a date.
    Time {
        /// The bounds for the string that contains the time or the date.
        text: Option<&'static Self>,
    },
    /// Any value.
    Any,
    /// No value except null is allowed, because only the service sets this property.
    ReadOnly,
}
