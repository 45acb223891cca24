//! Tells an answer of another kind from one without content: `{}` is a page without records, and so is
//! `{"total_count":0}`; `{"error":{"code":"overloaded"}}` is no page, whatever its status.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error as _, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
    },
    forward_to_deserialize_any,
};

/// Reads an answer from an object that has a described property, or no content.
pub(crate) fn described<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Answer(PhantomData))
}

struct Answer<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Answer<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(Members { map, properties: &[], is_described: false, has_others: false })
    }
}

struct Members<A> {
    map: A,
    /// The described ones.
    properties: &'static [&'static str],
    /// Whether one of them is there.
    is_described: bool,
    /// Whether another one has content.
    has_others: bool,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Members<A> {
    type Error = A::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        properties: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.properties = properties;
        let value = visitor.visit_map(&mut self)?;
        match properties.first() {
            Some(first) if self.has_others && !self.is_described => {
                Err(A::Error::missing_field(first))
            }
            _ => Ok(value),
        }
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.map)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.map.next_key::<String>()? {
            if self.properties.contains(&&*name) {
                self.is_described = true;
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            self.has_others |= self.map.next_value::<HasContent>()?.0;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Whether a value is something else than null, false, zero or empty.
struct HasContent(bool);

impl<'de> Deserialize<'de> for HasContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Content).map(Self)
    }
}

struct Content;

impl<'de> Visitor<'de> for Content {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        Ok(number != 0)
    }

    fn visit_u64<E>(self, number: u64) -> Result<bool, E> {
        Ok(number != 0)
    }

    fn visit_f64<E>(self, number: f64) -> Result<bool, E> {
        Ok(number != 0.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(!text.is_empty())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<bool, A::Error> {
        let mut has_content = false;
        while array.next_element::<IgnoredAny>()?.is_some() {
            has_content = true;
        }
        Ok(has_content)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<bool, A::Error> {
        let mut has_content = false;
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            has_content = true;
        }
        Ok(has_content)
    }
}
