//! Finds the numbers that JSON can't express, which `serde_json` writes as null.

use std::fmt;

use serde::{
    Serialize,
    ser::{self, Serializer},
};

/// The error names the first NaN or infinity by its path.
pub(super) fn check(body: &impl Serialize) -> Result<(), String> {
    match body.serialize(Finite) {
        Err(Found { path, number: Some(number) }) => {
            Err(format!("`{}` is {number}, which JSON can't express", super::check::called(&path)))
        }
        // What can't be serialized at all is reported when it is written.
        _ => Ok(()),
    }
}

/// Writes nothing, and fails at a number that isn't finite.
struct Finite;

#[derive(Debug)]
struct Found {
    path: String,
    number: Option<f64>,
}

impl Found {
    fn within(self, part: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{part}{dot}{}", self.path), ..self }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl std::error::Error for Found {}

impl ser::Error for Found {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self { path: String::new(), number: None }
    }
}

/// The entries of an array, of which so many were finite, or the fields of an object.
struct Parts(usize);

macro_rules! finite {
    ($($method:ident($($kind:ty),*))*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<(), Found> { Ok(()) })*
    };
}

macro_rules! parts {
    ($($method:ident($($kind:ty),*))*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<Parts, Found> { Ok(Parts(0)) })*
    };
}

type Name = &'static str;

impl Serializer for Finite {
    type Ok = ();
    type Error = Found;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    finite! {
        serialize_bool(bool)
        serialize_i8(i8)
        serialize_i16(i16)
        serialize_i32(i32)
        serialize_i64(i64)
        serialize_u8(u8)
        serialize_u16(u16)
        serialize_u32(u32)
        serialize_u64(u64)
        serialize_char(char)
        serialize_str(&str)
        serialize_bytes(&[u8])
        serialize_none()
        serialize_unit()
        serialize_unit_struct(Name)
        serialize_unit_variant(Name, u32, Name)
    }

    parts! {
        serialize_seq(Option<usize>)
        serialize_tuple(usize)
        serialize_tuple_struct(Name, usize)
        serialize_tuple_variant(Name, u32, Name, usize)
        serialize_map(Option<usize>)
        serialize_struct(Name, usize)
        serialize_struct_variant(Name, u32, Name, usize)
    }

    fn serialize_f32(self, number: f32) -> Result<(), Found> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Found> {
        if number.is_finite() {
            return Ok(());
        }
        Err(Found { path: String::new(), number: Some(number) })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: Name,
        value: &T,
    ) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: Name,
        _: u32,
        _: Name,
        value: &T,
    ) -> Result<(), Found> {
        value.serialize(self)
    }
}

impl Parts {
    fn entry<T: Serialize + ?Sized>(&mut self, entry: &T) -> Result<(), Found> {
        entry.serialize(Finite).map_err(|found| found.within(&format!("[{}]", self.0)))?;
        self.0 += 1;
        Ok(())
    }
}

macro_rules! entries {
    ($($kind:ident $method:ident)*) => {$(
        impl ser::$kind for Parts {
            type Ok = ();
            type Error = Found;

            fn $method<T: Serialize + ?Sized>(&mut self, entry: &T) -> Result<(), Found> {
                self.entry(entry)
            }

            finite!(end());
        }
    )*};
}

entries! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! fields {
    ($($kind:ident)*) => {$(
        impl ser::$kind for Parts {
            type Ok = ();
            type Error = Found;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: Name,
                value: &T,
            ) -> Result<(), Found> {
                value.serialize(Finite).map_err(|found| found.within(name))
            }

            finite!(end());
        }
    )*};
}

fields!(SerializeStruct SerializeStructVariant);

impl ser::SerializeMap for Parts {
    type Ok = ();
    type Error = Found;

    finite!(end());

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Found> {
        Ok(())
    }

    /// The keys of a map are the caller's data.
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
        value.serialize(Finite).map_err(|found| found.within("*"))
    }
}
