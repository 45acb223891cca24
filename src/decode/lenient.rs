//! Reads values that services write in more ways than their descriptions say.

use std::{collections::HashMap, convert::Infallible, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value},
};

/// Reads only an object. A derived record would also accept an array, by position.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// Reads records in arrays and maps, however these are nested, from objects alone. Null is the empty
/// value.
pub(crate) fn objects<'de, D, R, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    R: Deserialize<'de> + Default + ReadAs<T>,
{
    or_empty(deserializer).map(R::value)
}

/// What values are read as, so that the records in them are read from objects alone.
pub(crate) trait ReadAs<T> {
    fn value(self) -> T;
}

impl<T> ReadAs<T> for AnObject<T> {
    fn value(self) -> T {
        self.0
    }
}

impl<T, R: ReadAs<T>> ReadAs<Option<T>> for Option<R> {
    fn value(self) -> Option<T> {
        self.map(R::value)
    }
}

impl<T, R: ReadAs<T>> ReadAs<Vec<T>> for Vec<R> {
    fn value(self) -> Vec<T> {
        self.into_iter().map(R::value).collect()
    }
}

impl<T, R: ReadAs<T>> ReadAs<HashMap<String, T>> for HashMap<String, R> {
    fn value(self) -> HashMap<String, T> {
        self.into_iter().map(|(name, read)| (name, read.value())).collect()
    }
}

/// Null is the empty value.
pub(crate) fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Null and the empty text are `None`.
pub(crate) fn or_blank<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<OrBlank<T>>::deserialize(deserializer)?.and_then(|OrBlank(value)| value))
}

/// Reads a text into a type made from one.
pub(crate) fn text<'de, D: Deserializer<'de>, T: for<'a> From<&'a str>>(
    deserializer: D,
) -> Result<T, D::Error> {
    from_text(deserializer, "a string", |text| Ok::<_, Infallible>(text.into()))
}

/// Reads a text with a function. It makes no `String` if the deserializer can lend the text.
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

/// A record, read from an object alone.
pub(crate) struct AnObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for AnObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// `None` for the empty text.
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::{AnObject, ReadAs};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Size {
        size: u8,
    }

    type Read = HashMap<String, Vec<Option<AnObject<Size>>>>;

    #[test]
    fn records_are_read_from_objects_however_they_are_nested() {
        let read: Read = serde_json::from_str(r#"{"a":[{"size":1},null]}"#).unwrap();
        let read: HashMap<String, Vec<Option<Size>>> = read.value();

        assert_eq!(read["a"], [Some(Size { size: 1 }), None]);
        assert!(serde_json::from_str::<Read>(r#"{"a":[[1]]}"#).is_err());
    }
}
