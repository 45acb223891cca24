//! Distinguishes an empty result from an unrelated object.
//!
//! - If the array of records is present, the response is a page.
//! - If the array is absent or null, the response is a page without records only if no property
//!   outside the OpenAPI description has a value other than null. So `{}` is such a page, but
//!   `{"error":"overloaded"}` and `{"data":null,"errors":[]}` aren't, even if the response has a
//!   success status.
//! - For a response that isn't a page, a value for any property from the description is enough.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::{Operation, operation::BodyKind};

/// Checks that a response is what the operation returns, and not an unrelated object.
///
/// # Errors
///
/// If the response is an unrelated object, returns an error that reports the array of records as
/// missing. If the response isn't a page, the first property in the OpenAPI description is reported.
pub(super) fn check(operation: Operation, json: &[u8]) -> serde_json::Result<()> {
    let (properties, path) = match operation.details.body {
        BodyKind::Json(properties) => (properties, &[][..]),
        BodyKind::Page(path) => (&[][..], path),
        BodyKind::JsonOrNothing | BodyKind::Nothing => return Ok(()),
    };
    let missing = path.last().map(|(array, _)| array).or_else(|| properties.first());
    let Some(missing) = missing else { return Ok(()) };
    let mut found = Found::default();
    let object = Object { properties, path, found: &mut found };
    let mut json = serde_json::Deserializer::from_slice(json);
    let checked = object.deserialize(&mut json);
    if found.has_result {
        return Ok(());
    }
    checked?;
    if found.has_others { Err(serde_json::Error::missing_field(missing)) } else { Ok(()) }
}

/// What an object contains.
#[derive(Default)]
struct Found {
    /// Whether the array of records is present. For a response that isn't a page: whether any
    /// property from the OpenAPI description has a value.
    has_result: bool,
    /// Whether a property outside the OpenAPI description has a value.
    has_others: bool,
}

/// Reads an object's properties until the result is found.
struct Object<'a> {
    /// The properties of a response that isn't a page.
    properties: &'static [&'static str],
    /// The rest of the path to the array of records, from this object on. See [`BodyKind::Page`].
    path: &'static [(&'static str, &'static [&'static str])],
    found: &'a mut Found,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Self { properties, path, found } = self;
        let (next, known) = match path {
            [(next, known), ..] => (Some(*next), *known),
            [] => (None, properties),
        };
        while let Some(key) = object.next_key::<String>()? {
            if Some(&*key) == next && path.len() > 1 {
                object.next_value_seed(Object { properties, path: &path[1..], found })?;
                continue;
            }
            let is_result = next.map_or_else(|| known.contains(&&*key), |next| *key == *next);
            if is_result {
                found.has_result = object.next_value::<HasValue>()?.0;
                if found.has_result {
                    return Ok(());
                }
            } else {
                let has_value = object.next_value::<Option<IgnoredAny>>()?.is_some();
                let is_unknown = !known.is_empty() && !known.contains(&&*key);
                found.has_others |= has_value && is_unknown;
            }
        }
        Ok(())
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
