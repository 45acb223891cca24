//! Generates tokens for many parts of the generated code: types, identifiers, `Option`s and
//! attributes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::{
    document::{Format, bits, is_unsigned},
    model::{Kind, Schema},
};

/// Returns the Rust type for a schema.
pub(crate) fn rust_type(schema: &Schema) -> TokenStream {
    let kind = match &schema.kind {
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
        Kind::Integer(integer) => ident(&integer_type(integer.format)).into_token_stream(),
        Kind::Number(_) => quote! { f64 },
        Kind::Boolean => quote! { bool },
        Kind::Array(array) => {
            let items = rust_type(&array.each);
            quote! { Vec<#items> }
        }
        Kind::Map(_) if schema.is_any_object() => {
            quote! { serde_json::Map<String, serde_json::Value> }
        }
        Kind::Map(map) => {
            let values = rust_type(&map.each);
            quote! { std::collections::HashMap<String, #values> }
        }
        Kind::Json => quote! { serde_json::Value },
    };
    if schema.nullable {
        quote! { Option<#kind> }
    } else {
        kind
    }
}

/// Returns the Rust type for an integer format.
pub(crate) fn integer_type(format: &str) -> String {
    let sign = if is_unsigned(format) { 'u' } else { 'i' };
    format!("{sign}{}", bits(format))
}

/// Converts a name to an identifier.
pub(crate) fn ident(name: &String) -> Ident {
    format_ident!("{name}")
}

pub(crate) fn optional<T: ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or_else(|| quote! { None }, |value| quote! { Some(#value) })
}

pub(crate) fn deprecated(is: bool) -> Option<TokenStream> {
    is.then(|| quote! { #[deprecated] })
}
