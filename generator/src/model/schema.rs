//! What a value is: the one form of a schema, which all that is written asks.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use serde_json::Value;

use crate::document::{Format, Integer, Number, Size, Text};

/// A value where it is used.
#[derive(Clone)]
pub(crate) struct Schema {
    pub kind: Kind,
    /// Whether null is another value of an answer, of an array or of a map.
    pub nullable: bool,
    /// An example, or the default.
    pub example: Option<Value>,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// A record or an enum, by its name in `types`.
    Named(String),
    Text(Text),
    Integer(Integer),
    Number(Number),
    Boolean,
    Array(Box<Entries>),
    Map(Box<Entries>),
    Json,
}

/// What an array or a map holds, and how many.
#[derive(Clone)]
pub(crate) struct Entries {
    pub each: Schema,
    pub size: Size,
}

impl From<Kind> for Schema {
    fn from(kind: Kind) -> Self {
        Self { kind, nullable: false, example: None }
    }
}

impl Schema {
    pub(crate) fn array(&self) -> Option<&Entries> {
        match &self.kind {
            Kind::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The values of a parameter, of which an array has several.
    pub(crate) fn entry(&self) -> &Self {
        self.array().map_or(self, |array| &array.each)
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match &self.kind {
            Kind::Text(text) => Some(text.format),
            _ => None,
        }
    }

    pub(crate) fn is_time(&self) -> bool {
        self.format() == Some(Format::Time)
    }

    pub(crate) fn is_uuid(&self) -> bool {
        self.format() == Some(Format::Uuid)
    }

    pub(crate) fn entries(&self) -> Option<&Entries> {
        match &self.kind {
            Kind::Array(entries) | Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// What an array or a map holds.
    pub(crate) fn within(&self) -> Option<&Self> {
        self.entries().map(|entries| &entries.each)
    }

    /// Whether it is an object of any values.
    pub(crate) fn is_any_object(&self) -> bool {
        matches!(&self.kind, Kind::Map(map) if matches!(map.each.kind, Kind::Json))
    }

    /// What a value has to be, as an error says it.
    pub(crate) fn in_words(&self) -> &'static str {
        match &self.kind {
            Kind::Text(Text { format: Format::Time, .. }) => "a time",
            Kind::Text(Text { format: Format::Uuid, .. }) => "a UUID",
            // A parameter and a text of a body can be enums, but no records.
            Kind::Text(_) | Kind::Named(_) => "a string",
            Kind::Integer(Integer { kind: "i32", .. }) => "a 32-bit integer",
            Kind::Integer(Integer { kind: "i64", .. }) => "a 64-bit integer",
            Kind::Integer(integer) if integer.kind.starts_with('u') => "an unsigned integer",
            Kind::Integer(_) => "an integer of its size",
            Kind::Number(_) => "a number",
            Kind::Boolean => "true or false",
            Kind::Map(_) if self.is_any_object() => "a map",
            Kind::Map(_) => "a map of its values",
            Kind::Array(_) | Kind::Json => "a value",
        }
    }

    /// The Rust type of a value.
    pub(crate) fn rust_type(&self) -> TokenStream {
        let kind = match &self.kind {
            Kind::Named(name) => {
                let name = format_ident!("{name}");
                quote! { types::#name }
            }
            Kind::Text(text) => match text.format {
                Format::Text => quote! { String },
                Format::Time => quote! { chrono::DateTime<chrono::Utc> },
                Format::Date => quote! { chrono::NaiveDate },
                Format::Uuid => quote! { uuid::Uuid },
                Format::Decimal => quote! { types::Decimal },
            },
            Kind::Integer(integer) => format_ident!("{}", integer.kind).into_token_stream(),
            Kind::Number(_) => quote! { f64 },
            Kind::Boolean => quote! { bool },
            Kind::Array(array) => {
                let items = array.each.rust_type();
                quote! { Vec<#items> }
            }
            Kind::Map(_) if self.is_any_object() => {
                quote! { serde_json::Map<String, serde_json::Value> }
            }
            Kind::Map(map) => {
                let values = map.each.rust_type();
                quote! { std::collections::HashMap<String, #values> }
            }
            Kind::Json => quote! { serde_json::Value },
        };
        if self.nullable {
            quote! { Option<#kind> }
        } else {
            kind
        }
    }
}

pub(crate) fn optional<T: ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or_else(|| quote! { None }, |value| quote! { Some(#value) })
}
