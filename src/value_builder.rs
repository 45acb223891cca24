//! The builders of the description's types.

use std::fmt::Display;

/// Defines the builder of a type: a setter for each field, which converts, and the conversion into
/// the type, which fails if a required field wasn't set or another value couldn't be converted.
macro_rules! value_builder {
    ($name:ident { $($need:ident $field:ident: $kind:ty,)* }) => {
        #[derive(Clone, Debug)]
        pub struct $name {
            $($field: Result<$kind, String>,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: crate::value_builder::$need(stringify!($field)),)* }
            }
        }

        impl $name {
            $(pub fn $field<T>(mut self, value: T) -> Self
            where
                T: TryInto<$kind>,
                T::Error: std::fmt::Display,
            {
                self.$field = crate::value_builder::converted(stringify!($field), value);
                self
            })*
        }

        impl super::$name {
            pub fn builder() -> $name {
                Default::default()
            }
        }

        impl TryFrom<$name> for super::$name {
            type Error = super::error::ConversionError;

            fn try_from(builder: $name) -> Result<Self, super::error::ConversionError> {
                let $name { $($field,)* } = builder;
                Ok(Self { $($field: $field?,)* })
            }
        }

        impl From<super::$name> for $name {
            fn from(value: super::$name) -> Self {
                let super::$name { $($field,)* } = value;
                Self { $($field: Ok($field),)* }
            }
        }
    };
}

pub(crate) use value_builder;

pub(crate) fn required<T>(field: &str) -> Result<T, String> {
    Err(format!("`{field}` is missing"))
}

#[allow(clippy::unnecessary_wraps, reason = "`required` has the same form")]
pub(crate) fn optional<T: Default>(_: &str) -> Result<T, String> {
    Ok(T::default())
}

pub(crate) fn converted<T, U>(field: &str, value: T) -> Result<U, String>
where
    T: TryInto<U>,
    T::Error: Display,
{
    value.try_into().map_err(|error| format!("`{field}`: {error}"))
}
