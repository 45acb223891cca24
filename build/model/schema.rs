//! A plain schema as the one kind that it is.

use openapiv3::{
    AdditionalProperties, ArrayType, IntegerFormat, IntegerType, ObjectType, ReferenceOr, Schema,
    SchemaKind, StringFormat, StringType, Type, VariantOrUnknownOrEmpty,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::read::Unsupported;

pub(crate) fn named(reference: &str) -> Result<String, Unsupported> {
    reference
        .strip_prefix("#/components/schemas/")
        .map(str::to_owned)
        .ok_or_else(|| format!("`{reference}` does not point into components.schemas"))
}

pub(crate) fn object(schema: &Schema) -> Option<&ObjectType> {
    match &schema.schema_kind {
        // A map has no properties.
        SchemaKind::Type(Type::Object(object)) if !object.properties.is_empty() => Some(object),
        _ => None,
    }
}

pub(crate) fn array(schema: &Schema) -> Option<&ArrayType> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::Array(array)) => Some(array),
        _ => None,
    }
}

pub(crate) fn string(schema: &Schema) -> Option<&StringType> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::String(string)) => Some(string),
        _ => None,
    }
}

pub(crate) fn integer(schema: &Schema) -> Option<&IntegerType> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::Integer(integer)) => Some(integer),
        _ => None,
    }
}

/// The values of a string enum.
pub(crate) fn enumeration(schema: &Schema) -> Option<&[Option<String>]> {
    string(schema).map(|s| s.enumeration.as_slice()).filter(|values| !values.is_empty())
}

pub(crate) fn is_any_text(schema: &Schema) -> bool {
    string(schema).is_some_and(|s| s.format == VariantOrUnknownOrEmpty::Empty)
}

pub(crate) fn is_time(schema: &Schema) -> bool {
    string(schema)
        .is_some_and(|s| s.format == VariantOrUnknownOrEmpty::Item(StringFormat::DateTime))
}

pub(crate) fn is_uuid(schema: &Schema) -> bool {
    string(schema).is_some_and(|s| s.format == VariantOrUnknownOrEmpty::Unknown("uuid".into()))
}

/// What a schema is made of.
pub(crate) fn parts(schema: &Schema) -> Vec<ReferenceOr<Schema>> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::Object(object)) => {
            let values = match &object.additional_properties {
                Some(AdditionalProperties::Schema(values)) => Some((**values).clone()),
                _ => None,
            };
            let properties = object.properties.values().map(|part| part.clone().unbox());
            properties.chain(values).collect()
        }
        SchemaKind::Type(Type::Array(array)) => {
            array.items.iter().map(|items| items.clone().unbox()).collect()
        }
        SchemaKind::AllOf { all_of } => all_of.clone(),
        _ => Vec::new(),
    }
}

/// What the properties of a record without a name are, if that is said.
pub(crate) fn other_values(record: &Schema) -> Option<ReferenceOr<Schema>> {
    serde_json::from_value(record.schema_data.extensions.get("x-values")?.clone()).ok()
}

/// What a value has to be, as an error says it.
pub(crate) fn in_words(schema: &Schema) -> &'static str {
    if let Some(integer) = integer(schema) {
        return match &integer.format {
            VariantOrUnknownOrEmpty::Item(IntegerFormat::Int32) => "a 32-bit integer",
            VariantOrUnknownOrEmpty::Unknown(format) if format.starts_with("uint") => {
                "an unsigned integer"
            }
            VariantOrUnknownOrEmpty::Unknown(_) => "an integer of its size",
            _ => "a 64-bit integer",
        };
    }
    match &schema.schema_kind {
        _ if is_time(schema) => "a time",
        _ if is_uuid(schema) => "a UUID",
        SchemaKind::Type(Type::Number(_)) => "a number",
        SchemaKind::Type(Type::Boolean(_)) => "true or false",
        SchemaKind::Type(Type::String(_)) => "a string",
        _ => "a value",
    }
}

/// The Rust type of a value.
pub(crate) fn rust_type(slot: &ReferenceOr<Schema>) -> TokenStream {
    let schema = match slot {
        ReferenceOr::Reference { reference } => {
            let name = format_ident!("{}", reference.rsplit('/').next().unwrap_or_default());
            return quote! { types::#name };
        }
        ReferenceOr::Item(schema) => schema,
    };
    let kind = match &schema.schema_kind {
        SchemaKind::Type(Type::String(string)) => text_type(string),
        SchemaKind::Type(Type::Integer(integer)) => integer_type(integer),
        SchemaKind::Type(Type::Number(_)) => quote! { f64 },
        SchemaKind::Type(Type::Boolean(_)) => quote! { bool },
        SchemaKind::Type(Type::Array(array)) => {
            let items = array.items.clone().map(ReferenceOr::unbox);
            let entry =
                items.map_or_else(|| quote! { serde_json::Value }, |items| rust_type(&items));
            quote! { Vec<#entry> }
        }
        SchemaKind::Type(Type::Object(object)) => {
            let json = quote! { serde_json::Value };
            let value = match &object.additional_properties {
                Some(AdditionalProperties::Schema(values)) => rust_type(values),
                _ => json.clone(),
            };
            if value.to_string() == json.to_string() {
                quote! { serde_json::Map<String, #json> }
            } else {
                quote! { std::collections::HashMap<String, #value> }
            }
        }
        SchemaKind::AllOf { all_of } => {
            all_of.first().map_or_else(|| quote! { serde_json::Value }, rust_type)
        }
        _ => quote! { serde_json::Value },
    };
    if schema.schema_data.nullable {
        quote! { Option<#kind> }
    } else {
        kind
    }
}

fn text_type(string: &StringType) -> TokenStream {
    match &string.format {
        VariantOrUnknownOrEmpty::Item(StringFormat::DateTime) => {
            quote! { chrono::DateTime<chrono::Utc> }
        }
        VariantOrUnknownOrEmpty::Item(StringFormat::Date) => quote! { chrono::NaiveDate },
        VariantOrUnknownOrEmpty::Unknown(format) if format == "uuid" => quote! { uuid::Uuid },
        VariantOrUnknownOrEmpty::Unknown(format) if format.starts_with("decimal") => {
            quote! { types::Decimal }
        }
        _ => quote! { String },
    }
}

pub(crate) fn integer_type(integer: &IntegerType) -> TokenStream {
    match &integer.format {
        VariantOrUnknownOrEmpty::Item(IntegerFormat::Int32) => quote! { i32 },
        VariantOrUnknownOrEmpty::Unknown(format) => {
            let size: String = format.chars().filter(char::is_ascii_digit).collect();
            let kind = format_ident!("{}{size}", if format.starts_with('u') { "u" } else { "i" });
            quote! { #kind }
        }
        _ => quote! { i64 },
    }
}

pub(crate) fn optional<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or_else(|| quote! { None }, |value| quote! { Some(#value) })
}
