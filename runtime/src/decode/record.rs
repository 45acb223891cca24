//! Macros that define records: the structs for the object schemas in an OpenAPI description. Each
//! record implements `Deserialize` and may have a builder.

use std::fmt::Display;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use super::lenient;

/// Defines records: structs that implement `Deserialize` and may have a builder.
///
/// - A record that is used in requests can be created with a struct literal, and always has a
///   builder.
/// - A record that is used only in responses is `non_exhaustive`, because later versions may add
///   fields. It has a builder only if the feature `sandbox` is enabled, for tests.
#[doc(hidden)]
#[macro_export]
macro_rules! __records {
    ($(
        #[$direction:ident($builder:ident)]
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(#[$need:ident] $(#[$attribute:meta])* pub $field:ident: $kind:ty,)*
        }
    )*) => {
        $($crate::codegen::$direction! {
            $builder
            $(#[$meta])*
            pub struct $name {
                $(#[$need] $(#[$attribute])* pub $field: $kind,)*
            }
        })*
    };
}

/// Defines a record that programs send in requests.
#[doc(hidden)]
#[macro_export]
macro_rules! __request {
    ($builder:ident $(#[$meta:meta])* pub struct $name:ident {
        $(#[$need:ident] $(#[$attribute:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$attribute])* pub $field: $kind,)*
        }

        $crate::codegen::read_from_object! { $name { $($(#[$attribute])* $field: $kind,)* } }
        $crate::codegen::record_builder! { $builder $name { $($need $field: $kind,)* } }
    };
}

/// Defines a record that programs receive in responses.
#[doc(hidden)]
#[macro_export]
macro_rules! __response {
    ($builder:ident $(#[$meta:meta])* pub struct $name:ident {
        $(#[$need:ident] $(#[$attribute:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $name {
            $($(#[$attribute])* pub $field: $kind,)*
        }

        $crate::codegen::read_from_object! { $name { $($(#[$attribute])* $field: $kind,)* } }
        #[cfg(feature = "sandbox")]
        $crate::codegen::record_builder! { $builder $name { $($need $field: $kind,)* } }
    };
}

/// Implements `Deserialize` for a record so that only an object is accepted. A derived
/// implementation would also accept an array of the field values. Also implements `MayBeRounded`.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_from_object {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* }) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<__D>(deserializer: __D) -> Result<Self, __D::Error>
            where
                __D: serde::Deserializer<'de>,
            {
                #[derive(serde::Deserialize)]
                struct __Fields {
                    $($(#[$attribute])* $field: $kind,)*
                }

                let __Fields { $($field,)* } = $crate::codegen::from_object(deserializer)?;
                Ok(Self { $($field,)* })
            }
        }

        impl $crate::codegen::MayBeRounded for $name {
            fn may_be_rounded(&self) -> bool {
                let Self { $($field,)* } = self;
                false $(|| $crate::codegen::MayBeRounded::may_be_rounded($field))*
            }
        }
    };
}

/// Defines the builder for a record.
///
/// The builder has a setter for each field, which converts its argument to the field's type.
/// `TryFrom` converts the builder to the record. This conversion fails if a required field wasn't
/// set, or if a setter's argument couldn't be converted.
#[doc(hidden)]
#[macro_export]
macro_rules! __record_builder {
    ($builder:ident $name:ident { $($need:ident $field:ident: $kind:ty,)* }) => {
        #[doc = concat!("Builds a [`", stringify!($name), "`].")]
        #[derive(Clone, Debug)]
        pub struct $builder {
            $($field: Result<$kind, String>,)*
        }

        impl Default for $builder {
            fn default() -> Self {
                Self { $($field: $crate::codegen::$need(stringify!($field)),)* }
            }
        }

        #[allow(missing_docs)]
        impl $builder {
            $(pub fn $field<T>(mut self, value: T) -> Self
            where
                T: TryInto<$kind>,
                T::Error: std::fmt::Display,
            {
                self.$field = $crate::codegen::converted(stringify!($field), value);
                self
            })*
        }

        #[allow(missing_docs)]
        impl $name {
            pub fn builder() -> $builder {
                Default::default()
            }
        }

        impl TryFrom<$builder> for $name {
            type Error = error::ConversionError;

            fn try_from(builder: $builder) -> Result<Self, error::ConversionError> {
                let $builder { $($field,)* } = builder;
                Ok(Self { $($field: $field?,)* })
            }
        }

        impl From<$name> for $builder {
            fn from(value: $name) -> Self {
                let $name { $($field,)* } = value;
                Self { $($field: Ok($field),)* }
            }
        }
    };
}

/// A record that is used in requests and may have properties that the OpenAPI description doesn't
/// define.
pub trait Open {
    /// The record's name.
    const NAME: &'static str;
    /// The JSON names of the properties that the OpenAPI description defines.
    const PROPERTIES: &'static [&'static str];
}

/// Serializes a record's additional properties, which the OpenAPI description doesn't define.
///
/// # Errors
///
/// If `extra` contains a property that the OpenAPI description defines, an error that names this
/// property. Without this check, the property would be sent twice.
pub fn others<E: Serialize, V, S: Serializer, R: Open>(
    extra: &E,
    serializer: S,
) -> Result<S::Ok, S::Error>
where
    for<'a> &'a E: IntoIterator<Item = (&'a String, &'a V)>,
{
    let mut keys = extra.into_iter().map(|(key, _)| key.as_str());
    match keys.find(|key| R::PROPERTIES.contains(key)) {
        None => extra.serialize(serializer),
        Some(key) => Err(ser::Error::custom(format_args!(
            "`extra` of `{}` contains `{key}`, which the description already defines: remove it",
            R::NAME
        ))),
    }
}

/// Reads a record, which must be a JSON object.
///
/// # Errors
///
/// Any error from the deserializer.
pub fn from_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    lenient::object(deserializer)
}

/// Returns the initial state of a required field in a builder: an error, which the field's setter
/// replaces.
///
/// # Errors
///
/// Always, with a message that names the field.
pub fn required<T>(field: &str) -> Result<T, String> {
    Err(format!("`{field}` is missing"))
}

/// Returns the initial state of an optional field in a builder: the default of the field's type.
///
/// # Errors
///
/// Never.
#[allow(clippy::unnecessary_wraps, reason = "`required` has the same signature")]
pub fn optional<T: Default>(_: &str) -> Result<T, String> {
    Ok(T::default())
}

/// Converts a value to the type of a builder's field.
///
/// # Errors
///
/// A message that names the field, if the value can't be converted.
pub fn converted<T, U>(field: &str, value: T) -> Result<U, String>
where
    T: TryInto<U>,
    T::Error: Display,
{
    value.try_into().map_err(|error| format!("`{field}`: {error}"))
}
