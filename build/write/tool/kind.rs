//! What the tool calls a value, by its schema, and what the setters take for it.

use openapiv3::{
    Schema, SchemaKind, StringFormat, Type,
    VariantOrUnknownOrEmpty::{Item, Unknown},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::schema::{integer, integer_type};

/// The variant of the tool's `Kind`.
pub(crate) fn kind(schema: &Schema) -> TokenStream {
    let variant = match &schema.schema_kind {
        SchemaKind::Type(Type::String(string)) => match &string.format {
            Item(StringFormat::DateTime) => "Time",
            Item(StringFormat::Date) => "Date",
            Unknown(format) if format == "uuid" => "Uuid",
            Unknown(format) if format == "decimal-text" || format == "decimal" => "Decimal",
            _ => "Text",
        },
        SchemaKind::Type(Type::Integer(_)) => "Integer",
        SchemaKind::Type(Type::Number(_)) => "Number",
        SchemaKind::Type(Type::Boolean(_)) => "Boolean",
        _ => "Json",
    };
    let variant = format_ident!("{variant}");
    quote! { Kind::#variant }
}

/// A type that a setter takes; for an array, that of its entries. Enums and decimals take text.
pub(crate) fn rust_type(schema: &Schema) -> TokenStream {
    if let Some(integer) = integer(schema) {
        return integer_type(integer);
    }
    match &schema.schema_kind {
        SchemaKind::Type(Type::Number(_)) => quote! { f64 },
        SchemaKind::Type(Type::Boolean(_)) => quote! { bool },
        SchemaKind::Type(Type::String(string)) => match &string.format {
            Item(StringFormat::DateTime) => quote! { chrono::DateTime<chrono::Utc> },
            Item(StringFormat::Date) => quote! { chrono::NaiveDate },
            Unknown(format) if format == "uuid" => quote! { uuid::Uuid },
            _ => quote! { String },
        },
        _ => quote! { String },
    }
}
