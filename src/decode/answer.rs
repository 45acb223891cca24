//! Tells an answer of another kind from one without content: `{}` is a page without records, and so is
//! `{"total_count":0}`; `{"error":{"code":"overloaded"}}` is no page, whatever its status.

use std::fmt;

use serde::{
    Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;

use crate::{Operation, json, operation::BodyKind};

/// Checks that an object has a described property, or no content.
///
/// # Errors
///
/// The first described property is missing.
pub(super) fn check(operation: Operation, json: &[u8]) -> serde_json::Result<()> {
    let BodyKind::Json(properties) = operation.details.body else { return Ok(()) };
    let mut is_described = properties.is_empty();
    let keys = Keys { properties, is_described: &mut is_described };
    let checked = serde_json::Deserializer::from_slice(json).deserialize_map(keys);
    if is_described || !has_content(json) { Ok(()) } else { checked }
}

/// Reads keys up to the first that is described.
struct Keys<'a> {
    properties: &'static [&'static str],
    is_described: &'a mut bool,
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<String>()? {
            if self.properties.contains(&&*key) {
                *self.is_described = true;
                return Ok(());
            }
            object.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::missing_field(self.properties.first().copied().unwrap_or_default()))
    }
}

/// Whether a property of an object is something else than null, false, zero or empty.
fn has_content(json: &[u8]) -> bool {
    // What can't be read is content.
    json::fields(json).is_none_or(|fields| {
        fields.values().any(|value| match value {
            Value::Null => false,
            Value::Bool(value) => *value,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(entries) => !entries.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        })
    })
}
