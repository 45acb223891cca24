//! The bounds that a schema states: their keywords, and what they say of a value.

use serde_json::{Map, Value};

/// The bounds of a value, which are checked before it is sent.
pub(crate) const BOUNDS: [&[&str]; 4] = [TEXT, NUMBER, ARRAY, OBJECT];

pub(crate) const TEXT: &[&str] = &["minLength", "maxLength", "pattern"];
pub(crate) const NUMBER: &[&str] =
    &["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
pub(crate) const ARRAY: &[&str] = &["minItems", "maxItems", "uniqueItems"];
pub(crate) const OBJECT: &[&str] = &["minProperties", "maxProperties"];

/// How many characters, entries or properties there may be.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub least: usize,
    pub most: Option<usize>,
}

impl Size {
    /// `of` is what the bounds of this shape count, as their keywords say it: `Items`.
    pub(super) fn of(said: &Map<String, Value>, of: &str) -> Self {
        let count =
            |bound: &str| usize::try_from(said.get(&format!("{bound}{of}"))?.as_u64()?).ok();
        Self { least: count("min").unwrap_or(0), most: count("max") }
    }

    pub(crate) const fn is_any(self) -> bool {
        self.least == 0 && self.most.is_none()
    }
}

#[derive(Clone)]
pub(crate) struct Integer {
    /// The type in Rust.
    pub kind: &'static str,
    pub least: Option<i64>,
    pub most: Option<i64>,
    pub multiple_of: Option<i64>,
    /// The values of an enum.
    pub known: Vec<i64>,
}

const INTEGERS: &[(&str, &str)] = &[
    ("int8", "i8"),
    ("int16", "i16"),
    ("int32", "i32"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
];

impl Integer {
    pub(super) fn of(said: &Map<String, Value>) -> Self {
        let format = said.get("format").and_then(Value::as_str);
        let kind = INTEGERS.iter().find(|(known, _)| Some(*known) == format);
        let multiple = said.get("multipleOf").filter(|of| has_no_fraction(of));
        Self {
            kind: kind.map_or("i64", |(_, kind)| kind),
            least: end(said, "minimum", "exclusiveMinimum", f64::ceil, 1),
            most: end(said, "maximum", "exclusiveMaximum", f64::floor, -1),
            // Each integer is a multiple of a part of one.
            multiple_of: multiple.and_then(|of| rounded(of, f64::round)),
            known: integers(said).unwrap_or_default(),
        }
    }
}

/// The last integer that a bound allows. One that every 64-bit integer is within is none.
fn end(
    said: &Map<String, Value>,
    bound: &str,
    exclusive: &str,
    round: fn(f64) -> f64,
    inward: i64,
) -> Option<i64> {
    let number = said.get(bound)?;
    let end = rounded(number, round)?;
    let is_exclusive = said.get(exclusive) == Some(&true.into()) && has_no_fraction(number);
    Some(if is_exclusive { end.saturating_add(inward) } else { end })
}

fn rounded(number: &Value, round: fn(f64) -> f64) -> Option<i64> {
    let as_float = || format!("{:.0}", round(number.as_f64()?)).parse().ok();
    number.as_i64().or_else(as_float)
}

fn has_no_fraction(number: &Value) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The integers of an `enum`, if it has no others.
pub(crate) fn integers(said: &Map<String, Value>) -> Option<Vec<i64>> {
    let values = said.get("enum")?.as_array()?.iter().filter(|value| !value.is_null());
    values.map(Value::as_i64).collect()
}

#[derive(Clone)]
pub(crate) struct Number {
    pub least: Option<f64>,
    pub most: Option<f64>,
    /// Whether the least and the most are excluded themselves.
    pub above: bool,
    pub below: bool,
    pub multiple_of: Option<f64>,
}

impl Number {
    pub(super) fn of(said: &Map<String, Value>) -> Self {
        let number = |bound: &str| said.get(bound).and_then(Value::as_f64);
        let is = |exclusive: &str| said.get(exclusive) == Some(&true.into());
        Self {
            least: number("minimum"),
            most: number("maximum"),
            above: is("exclusiveMinimum"),
            below: is("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
        }
    }
}
