//! Distinguishes an empty result from an unrelated object. `{}` and `{"items":[]}` are pages
//! without records. `{"error":"overloaded"}` and `{"ok":false}` aren't pages, even if the response
//! has a success status.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::{Operation, operation::BodyKind};

/// Checks that an object with unknown properties also has a value for a property from the OpenAPI
/// description.
///
/// # Errors
///
/// If no property from the OpenAPI description has a value, returns an error that reports the first
/// of these properties as missing.
pub(super) fn check(operation: Operation, json: &[u8]) -> serde_json::Result<()> {
    let BodyKind::Json(properties) = operation.details.body else { return Ok(()) };
    let mut is_described = properties.is_empty();
    let keys = Keys { properties, is_described: &mut is_described };
    let checked = serde_json::Deserializer::from_slice(json).deserialize_map(keys);
    if is_described { Ok(()) } else { checked }
}

/// A visitor that reads an object's properties until it finds a non-null property from the OpenAPI
/// description.
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
        let mut has_others = false;
        while let Some(key) = object.next_key::<String>()? {
            if !self.properties.contains(&&*key) {
                object.next_value::<IgnoredAny>()?;
                has_others = true;
            } else if object.next_value::<HasValue>()?.0 {
                *self.is_described = true;
                return Ok(());
            }
        }
        match self.properties.first() {
            Some(first) if has_others => Err(A::Error::missing_field(first)),
            _ => Ok(()),
        }
    }
}

/// Whether a JSON value isn't null. The value itself isn't parsed, so that a page isn't parsed
/// twice.
struct HasValue(bool);

impl<'de> Deserialize<'de> for HasValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(NoneOrSome)
    }
}

struct NoneOrSome;

impl<'de> Visitor<'de> for NoneOrSome {
    type Value = HasValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E>(self) -> Result<HasValue, E> {
        Ok(HasValue(false))
    }

    fn visit_some<D: Deserializer<'de>>(self, _: D) -> Result<HasValue, D::Error> {
        Ok(HasValue(true))
    }
}
