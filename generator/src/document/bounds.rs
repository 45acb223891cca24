//! Reads, compares and merges the bounds in schemas.

use std::{cmp::Ordering, ops::Range};

use serde_json::{Map, Value};

use super::{Format, Statements};

/// The keywords for bounds, grouped by the type of value that they apply to. The client checks the
/// bounds before it sends a request.
pub(crate) const BOUNDS: [&[&str]; 4] = [TEXT, NUMBER, ARRAY, OBJECT];

pub(crate) const TEXT: &[&str] = &["minLength", "maxLength", "pattern"];
pub(crate) const NUMBER: &[&str] =
    &["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
pub(crate) const ARRAY: &[&str] = &["minItems", "maxItems", "uniqueItems"];
pub(crate) const OBJECT: &[&str] = &["minProperties", "maxProperties"];

/// The bounds on the number of characters in a string, entries in an array, or properties in an
/// object.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub least: usize,
    pub most: Option<usize>,
    /// Whether all entries must be different.
    pub unique: bool,
}

impl Size {
    /// Reads the bounds from a schema's keywords. `of` is the suffix of the keywords, such as
    /// `Items` for `minItems`, `maxItems` and `uniqueItems`.
    pub(crate) fn of(keywords: &Map<String, Value>, of: &str) -> Self {
        let count =
            |bound: &str| usize::try_from(keywords.get(&format!("{bound}{of}"))?.as_u64()?).ok();
        let unique = keywords.is_true(&format!("unique{of}"));
        Self { least: count("min").unwrap_or(0), most: count("max"), unique }
    }

    pub(crate) const fn is_any(self) -> bool {
        self.least == 0 && self.most.is_none() && !self.unique
    }
}

#[derive(Clone)]
pub(crate) struct Integer {
    /// The format, which determines the size of the integer. The default is `int64`.
    pub format: &'static str,
    pub least: Option<i64>,
    pub most: Option<i64>,
    pub multiple_of: Option<i64>,
    /// The integers in the schema's `enum`, without null.
    pub known: Vec<i64>,
}

/// The supported integer formats.
const INTEGERS: [&str; 8] =
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];

/// Returns whether an integer format is unsigned.
pub(crate) fn is_unsigned(format: &str) -> bool {
    format.starts_with('u')
}

/// Returns the number of bits in an integer with this format.
pub(crate) fn bits(format: &str) -> u32 {
    format.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(64)
}

/// Returns the range of integers that a format can represent.
pub(crate) fn range(format: &str) -> Range<i128> {
    let bits = bits(format);
    if is_unsigned(format) { 0..1 << bits } else { -(1 << (bits - 1))..1 << (bits - 1) }
}

impl Integer {
    pub(crate) fn of(keywords: &Map<String, Value>) -> Self {
        let format = keywords.text("format").unwrap_or_default();
        let format = INTEGERS.into_iter().find(|known| *known == format);
        let multiple = keywords.get("multipleOf").filter(|of| has_no_fraction(of));
        Self {
            format: format.unwrap_or("int64"),
            least: end(keywords, "minimum", "exclusiveMinimum", f64::ceil, 1),
            most: end(keywords, "maximum", "exclusiveMaximum", f64::floor, -1),
            // A fraction such as 0.5 is omitted, because every integer is a multiple of 0.5.
            multiple_of: multiple.and_then(|of| rounded(of, f64::round)),
            known: integers(keywords).unwrap_or_default(),
        }
    }
}

/// Returns the smallest integer that a lower bound allows, or the largest integer that an upper
/// bound allows. Returns `None` if the bound is absent or if that integer doesn't fit in 64 bits.
fn end(
    keywords: &Map<String, Value>,
    bound: &str,
    exclusive: &str,
    round: fn(f64) -> f64,
    inward: i64,
) -> Option<i64> {
    let number = keywords.get(bound)?;
    let end = rounded(number, round)?;
    let is_exclusive = keywords.is_true(exclusive) && has_no_fraction(number);
    if is_exclusive { end.checked_add(inward) } else { Some(end) }
}

fn rounded(number: &Value, round: fn(f64) -> f64) -> Option<i64> {
    let as_float = || format!("{:.0}", round(number.as_f64()?)).parse().ok();
    number.as_i64().or_else(as_float)
}

fn has_no_fraction(number: &Value) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Returns the integers in an `enum`, without null. Returns `None` if the `enum` is absent or
/// contains values other than integers and null.
pub(crate) fn integers(keywords: &Map<String, Value>) -> Option<Vec<i64>> {
    let values = keywords.get("enum")?.as_array()?.iter().filter(|value| !value.is_null());
    values.map(Value::as_i64).collect()
}

#[derive(Clone)]
pub(crate) struct Number {
    pub least: Option<f64>,
    pub most: Option<f64>,
    /// Whether the value must be greater than `least`.
    pub above: bool,
    /// Whether the value must be less than `most`.
    pub below: bool,
    pub multiple_of: Option<f64>,
}

impl Number {
    pub(crate) fn of(keywords: &Map<String, Value>) -> Self {
        Self {
            least: keywords.number("minimum"),
            most: keywords.number("maximum"),
            above: keywords.is_true("exclusiveMinimum"),
            below: keywords.is_true("exclusiveMaximum"),
            multiple_of: keywords.number("multipleOf"),
        }
    }
}

#[derive(Clone)]
pub(crate) struct Text {
    pub format: Format,
    /// Whether the format is that of a URL or of another kind of URI.
    pub is_url: bool,
    pub length: Size,
    pub pattern: Option<String>,
}

impl Text {
    pub(crate) fn of(keywords: &Map<String, Value>, format: Format) -> Self {
        let pattern = keywords.text("pattern").map(str::to_owned);
        let is_url = keywords.text("format").is_some_and(|format| {
            matches!(format, "uri" | "uri-reference" | "iri" | "iri-reference" | "url")
        });
        Self { format, is_url, length: Size::of(keywords, "Length"), pattern }
    }

    pub(crate) fn is_bounded(&self) -> bool {
        !self.length.is_any() || self.pattern.is_some()
    }
}

/// If both schemas have a `minimum`, removes the less strict one together with its
/// `exclusiveMinimum`. Does the same for `maximum`.
pub(super) fn narrow(whole: &mut Map<String, Value>, part: &mut Map<String, Value>) {
    for (bound, exclusive, narrower) in [
        ("minimum", "exclusiveMinimum", Ordering::Greater),
        ("maximum", "exclusiveMaximum", Ordering::Less),
    ] {
        let (Some(own), Some(other)) = (whole.get(bound), part.get(bound)) else { continue };
        let order = compared(own, other);
        if order == Some(narrower.reverse()) {
            whole.remove(bound);
            whole.remove(exclusive);
            continue;
        }
        part.remove(bound);
        if order == Some(narrower) {
            part.remove(exclusive);
        }
    }
}

/// Compares two bounds. Integers are compared as integers, because a float can't represent every
/// integer.
pub(crate) fn compared(own: &Value, other: &Value) -> Option<Ordering> {
    let integers = own.as_number()?.as_i128().zip(other.as_number()?.as_i128());
    let numbers = || own.as_f64().partial_cmp(&other.as_f64());
    integers.map(|(own, other)| own.cmp(&other)).or_else(numbers)
}

/// Merges two values of the same bound, or returns `None` if the values can't be merged.
pub(super) fn merged(bound: &str, own: &Value, other: &Value) -> Option<Value> {
    let is_larger = compared(own, other) == Some(Ordering::Greater);
    Some(match bound {
        // A string must match both patterns.
        "pattern" => {
            let (own, other) = (own.as_str()?, other.as_str()?);
            if is_unicode(own) != is_unicode(other) || refers_back(own) || refers_back(other) {
                return None;
            }
            format!("^(?=[^]*(?:{own}))(?=[^]*(?:{other}))").into()
        }
        "uniqueItems" | "exclusiveMinimum" | "exclusiveMaximum" => true.into(),
        _ if bound.starts_with("min") => if is_larger { own } else { other }.clone(),
        _ if bound.starts_with("max") => if is_larger { other } else { own }.clone(),
        _ => return None,
    })
}

/// Returns whether a pattern is a valid regular expression with the flag `u`.
fn is_unicode(pattern: &str) -> bool {
    regress::Regex::with_flags(pattern, "u").is_ok()
}

/// Returns whether a pattern contains a backreference. Such a pattern can't be merged with another
/// pattern, because merging changes the numbers of the groups.
fn refers_back(pattern: &str) -> bool {
    pattern.split('\\').skip(1).any(|rest| rest.starts_with(|c| matches!(c, '1'..='9' | 'k')))
}
