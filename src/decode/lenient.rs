//! Reads values that services write in more ways than their descriptions say.

use std::{collections::HashMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IntoDeserializer, MapAccess, Visitor, value},
};

/// Reads only an object. A derived record would also accept an array, by position.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// Reads an object. Null is `None`.
pub(crate) fn object_or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(|AnObject(object)| object))
}

/// Reads an array of objects. Null is an empty one.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let objects: Vec<AnObject<T>> = or_empty(deserializer)?;
    Ok(objects.into_iter().map(|AnObject(object)| object).collect())
}

/// Reads an object of objects. Null is an empty one.
pub(crate) fn map_of_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<HashMap<String, T>, D::Error> {
    let objects: HashMap<String, AnObject<T>> = or_empty(deserializer)?;
    Ok(objects.into_iter().map(|(name, AnObject(object))| (name, object)).collect())
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
    deserializer.deserialize_option(OrBlank(PhantomData))
}

/// Reads a text into a type made from one. It makes no `String` if the deserializer can lend the
/// text.
pub(crate) fn text<'de, D: Deserializer<'de>, T: for<'a> From<&'a str>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Text(PhantomData))
}

struct Text<T>(PhantomData<T>);

impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(text.into())
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

struct AnObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for AnObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

struct OrBlank<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrBlank<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        if text.is_empty() { Ok(None) } else { T::deserialize(text.into_deserializer()).map(Some) }
    }
}
