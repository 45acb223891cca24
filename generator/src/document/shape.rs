//! Classifies resolved schemas by the shape of their values.

use serde_json::{Map, Value};

use super::{Statements, bounds, integers};

/// Returns whether a keyword is an annotation, which doesn't restrict the values of a schema.
pub(crate) fn is_annotation(keyword: &str) -> bool {
    const ANNOTATIONS: &str = "title description example default externalDocs nullable readOnly \
         writeOnly deprecated xml";
    keyword.starts_with("x-") || ANNOTATIONS.split(' ').any(|known| known == keyword)
}

/// The keywords that describe a value's properties or entries.
pub(crate) const PARTS: &[&str] = &["properties", "required", "additionalProperties", "items"];

/// The kind of value that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object with properties.
    Record,
    /// An object with arbitrary keys.
    Map,
    Array,
    String,
    Integer,
    Number,
    Boolean,
    /// A string from a fixed list.
    StringEnum,
    /// Any JSON value, including the values of a union.
    Json,
}

impl Shape {
    /// Returns the keywords for bounds on values of this shape.
    pub(crate) const fn bounds(self) -> &'static [&'static str] {
        match self {
            Self::String | Self::StringEnum => bounds::TEXT,
            Self::Integer | Self::Number => bounds::NUMBER,
            Self::Array => bounds::ARRAY,
            Self::Record | Self::Map => bounds::OBJECT,
            Self::Boolean | Self::Json => &[],
        }
    }

    /// Returns the keywords for the properties or entries of values with this shape.
    pub(crate) const fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Record | Self::Map => &["properties", "required", "additionalProperties"],
            Self::Array => &["items"],
            _ => &[],
        }
    }
}

/// Returns whether a schema is a union, whose values match one of several schemas.
pub(crate) fn is_union(schema: &Map<String, Value>) -> bool {
    ["oneOf", "anyOf", "discriminator"].iter().any(|keyword| schema.contains_key(*keyword))
}

/// Returns the shape of a resolved schema. Without a `type`, a schema with `items` or with
/// `additionalProperties` is any JSON, because these keywords allow values of all other types.
pub(crate) fn shape(schema: &Map<String, Value>) -> Shape {
    let mut values = schema.list("enum").iter().filter(|value| !value.is_null()).peekable();
    let is_enum = values.peek().is_some();
    let all_text = is_enum && values.all(Value::is_string);
    let all_integers = is_enum && integers(schema).is_some();
    let records = schema.object("properties").next().is_some();
    match schema.text("type") {
        _ if is_union(schema) => Shape::Json,
        Some("object") | None if records => Shape::Record,
        Some("object") => Shape::Map,
        Some("array") => Shape::Array,
        Some("string") | None if all_text => Shape::StringEnum,
        Some("string") => Shape::String,
        Some("integer") => Shape::Integer,
        None if all_integers => Shape::Integer,
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Boolean,
        _ => Shape::Json,
    }
}
