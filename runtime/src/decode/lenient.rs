//! Reads values that services often send in a form that differs from their OpenAPI description.

use std::{convert::Infallible, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer, MapAccess, Unexpected, Visitor, value},
};
use serde_json::Value;

/// Reads a struct from an object. A derived `Deserialize` by itself would also accept an array.
pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// Reads a value. Null becomes the type's default.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads an optional value. Null and the empty string become `None`.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn or_blank<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<OrBlank<T>>::deserialize(deserializer)?.and_then(|OrBlank(value)| value))
}

/// Reads the value of an optional property that may be null. Null becomes `Some(None)`. If the
/// property is absent, this function isn't called, and the field is `None`.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Reads the value of an optional property that may be null. Null and the empty string become
/// `Some(None)`. If the property is absent, this function isn't called, and the field is `None`.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn or_null_or_blank<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    or_blank(deserializer).map(Some)
}

/// Reads an optional integer, which some services send as a string or with a decimal point: `3`,
/// `"3"` and `3.0` are all read as 3. Null and the empty string become `None`.
///
/// # Errors
///
/// Any error from the deserializer, and an error for a value that isn't a whole number.
pub fn or_whole<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    // A `Value` holds a number whether or not serde_json's feature `arbitrary_precision` is enabled.
    // With this feature, serde_json passes other types a float as a map.
    let text = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        Value::Number(number) if !number.is_f64() => number.to_string(),
        // `Display` writes the float `3.0` as "3". A larger float may be rounded.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.abs() < MAX_EXACT_FLOAT => float.to_string(),
            _ => return Err(not_whole()),
        },
        _ => return Err(not_whole()),
    };
    let text = text.trim();
    let digits = text.split_once('.').filter(|(_, rest)| rest.bytes().all(|it| it == b'0'));
    let digits = digits.map_or(text, |(whole, _)| whole);
    match (digits.parse::<u64>(), digits.parse::<i64>()) {
        _ if digits.is_empty() => Ok(None),
        (Ok(number), _) => T::deserialize(number.into_deserializer()).map(Some),
        (_, Ok(number)) => T::deserialize(number.into_deserializer()).map(Some),
        _ => Err(not_whole()),
    }
}

/// From this number on, a float may stand for several integers.
const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

fn not_whole<E: Error>() -> E {
    E::invalid_type(Unexpected::Other("another value"), &"an integer")
}

/// Reads a string, and converts it with `From<&str>`.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn text<'de, D: Deserializer<'de>, T: for<'a> From<&'a str>>(
    deserializer: D,
) -> Result<T, D::Error> {
    from_text(deserializer, "a string", |text| Ok::<_, Infallible>(text.into()))
}

/// Reads a string, and converts it with `read`. If the deserializer can lend the string, no copy is
/// made.
pub(super) fn from_text<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    deserializer: D,
    expected: &'static str,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(FromText { expected, read })
}

struct FromText<F> {
    expected: &'static str,
    read: F,
}

impl<T, E: fmt::Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for FromText<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<R: Error>(self, text: &str) -> Result<T, R> {
        (self.read)(text).map_err(R::custom)
    }
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(value::MapAccessDeserializer::new(map))
    }
}

/// A value, or `None` for the empty string.
struct OrBlank<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrBlank<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "a string or null", |text| match text {
            "" => Ok(None),
            _ => T::deserialize(value::StrDeserializer::<value::Error>::new(text)).map(Some),
        })
        .map(Self)
    }
}
