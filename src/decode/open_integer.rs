//! An open enum of integers: the known ones are variants, and any other keeps its number.

/// Defines an open enum of integers: variants by name and number, and one for unknown values.
#[allow(unused_macros, reason = "the description decides whether there is one")]
macro_rules! open_integer {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$meta])*
        ///
        /// An open enum: a value that this version doesn't know is kept as
        /// [`Unknown`](Self::Unknown), with its number, and can be sent as well. Make one with
        /// `from`, which returns the known variant of a known number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A value that this version doesn't know.
            Unknown(i64),
        }

        impl $name {
            /// The values that the description names, in its order.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// The value as it is sent.
            #[must_use]
            pub const fn as_i64(&self) -> i64 {
                match self {
                    $(Self::$variant => $number,)*
                    Self::Unknown(number) => *number,
                }
            }

            /// Whether the description names the value.
            #[must_use]
            pub const fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                match number {
                    $($number => Self::$variant,)*
                    _ => Self::Unknown(number),
                }
            }
        }

        impl From<$name> for i64 {
            fn from(value: $name) -> Self {
                value.as_i64()
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse::<i64>().map(Self::from)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.as_i64().fmt(f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.as_i64())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <i64 as serde::Deserialize>::deserialize(deserializer).map(Self::from)
            }
        }

        #[cfg(feature = "schemars")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                // As a value: the macro's own lists end at a hundred entries.
                let known: &[i64] = &[$($number),*];
                schemars::json_schema!({ "type": "integer", "anyOf": [{ "enum": known }, {}] })
            }
        }
    };
}

#[allow(unused_imports, reason = "the description decides whether there is one")]
pub(crate) use open_integer;
