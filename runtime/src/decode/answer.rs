//! Tells an answer of another kind from one without content: `{}` is a page without records, and so is
//! `{"total_count":0}`; `{"error":{"code":"overloaded"}}` is no page, whatever its status.

use std::fmt;

use serde::{
    Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{Operation, operation::BodyKind};

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
    if is_described { Ok(()) } else { checked }
}

/// Reads properties up to the first that is described.
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
        let mut has_content = false;
        while let Some(key) = object.next_key::<String>()? {
            if self.properties.contains(&&*key) {
                *self.is_described = true;
                return Ok(());
            }
            has_content |= is_content(object.next_value::<&RawValue>()?.get());
        }
        match self.properties.first() {
            Some(first) if has_content => Err(A::Error::missing_field(first)),
            _ => Ok(()),
        }
    }
}

/// Whether a value is something else than null, false, zero or empty.
fn is_content(json: &str) -> bool {
    match json.as_bytes() {
        [b'n' | b'f', ..] | b"\"\"" => false,
        [b'[' | b'{', inner @ .., _] => !inner.trim_ascii().is_empty(),
        _ => json.parse() != Ok(0.0),
    }
}
