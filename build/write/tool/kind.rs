//! What the tool calls a value, by its schema, and what the setters take for it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::{
    description::Description,
    schema::{Format, Kind, Schema},
};

/// The variant of the tool's `Kind`.
pub(crate) fn kind(description: &Description, schema: &Schema) -> TokenStream {
    let variant = match &schema.kind {
        Kind::Text(text) => &format!("{:?}", text.format),
        Kind::Named(_) if description.enumeration(schema).is_some() => "Text",
        Kind::Integer(_) => "Integer",
        Kind::Number(_) => "Number",
        Kind::Boolean => "Boolean",
        Kind::Named(_) | Kind::Array(_) | Kind::Map(_) | Kind::Json => "Json",
    };
    let variant = format_ident!("{variant}");
    quote! { Kind::#variant }
}

/// A type that a setter takes. Enums and decimals take text.
pub(crate) fn rust_type(schema: &Schema) -> TokenStream {
    match &schema.kind {
        Kind::Text(text) if text.format != Format::Decimal => schema.rust_type(),
        Kind::Integer(_) | Kind::Number(_) | Kind::Boolean => schema.rust_type(),
        _ => quote! { String },
    }
}
