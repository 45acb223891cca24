//! Open enums: each known value is a variant, and any other value is kept as a string.

use std::fmt;

use smol_str::SmolStr;

/// The string of an enum value that this version of the crate doesn't know.
///
/// An `Unknown` never contains the string of a known value, because `From<&str>` turns such a
/// string into the known variant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown(pub(crate) SmolStr);

impl Unknown {
    /// The value's string, as it appears in requests and responses.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Defines open enums. Each known value has its own variant, and `Unknown` holds the string of any
/// other value.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enums {
    ($($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    })*) => {$(
        $(#[$meta])*
        // These docs are `doc` attributes, like the captured docs. If they were a doc comment,
        // rustdoc would indent the captured lines by one more space. A line that has three spaces
        // of indentation would then become a code block, which rustdoc runs as a test.
        #[doc = ""]
        #[doc = " An open enum. A value that this version doesn't know is kept as"]
        #[doc = " [`Unknown`](Self::Unknown) with its string, and can be sent like any known value."]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A value that this version of the crate doesn't know.
            Unknown($crate::codegen::Unknown),
        }

        impl $name {
            /// The values that the OpenAPI description lists, in the same order.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// The value's string, as it appears in requests and responses.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text.as_str(),
                }
            }

            /// Whether the OpenAPI description lists this value.
            #[must_use]
            pub const fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::Unknown($crate::codegen::unknown(text)),
                }
            }
        }

        $crate::codegen::text_value! { $name }

        // The generated client has its own feature `schemars`. The runtime's feature of the same
        // name may have been enabled by another client in the same program.
        #[cfg(feature = "schemars")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                // The list is in a variable, because a list inside `json_schema!` can't have more
                // than a hundred entries.
                let known = [$($text),*].as_slice();
                schemars::json_schema!({ "type": "string", "anyOf": [{ "enum": known }, {}] })
            }
        }
    )*};
}

/// Wraps the string of a value that the OpenAPI description doesn't list.
#[must_use]
pub fn unknown(text: &str) -> Unknown {
    Unknown(text.into())
}
