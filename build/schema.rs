//! A schema of the description, seen as the one kind that it is.

use openapiv3::{
    ArrayType, IntegerFormat, IntegerType, NumberType, ObjectType, Schema, SchemaKind,
    StringFormat, StringType, Type, VariantOrUnknownOrEmpty,
};

use crate::description::Refusal;

pub(crate) fn named(reference: &str, section: &str) -> Result<String, Refusal> {
    reference
        .strip_prefix(&format!("#/components/{section}/"))
        .map(str::to_owned)
        .ok_or_else(|| format!("`{reference}` does not point into components.{section}"))
}

pub(crate) fn object(schema: &Schema) -> Option<&ObjectType> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::Object(object)) => Some(object),
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

pub(crate) fn number(schema: &Schema) -> Option<&NumberType> {
    match &schema.schema_kind {
        SchemaKind::Type(Type::Number(number)) => Some(number),
        _ => None,
    }
}

/// The values of a string enum.
pub(crate) fn enumeration(schema: &Schema) -> Option<&[Option<String>]> {
    string(schema).map(|s| s.enumeration.as_slice()).filter(|values| !values.is_empty())
}

pub(crate) fn is_time(schema: &Schema) -> bool {
    string(schema)
        .is_some_and(|s| s.format == VariantOrUnknownOrEmpty::Item(StringFormat::DateTime))
}

pub(crate) fn is_uuid(schema: &Schema) -> bool {
    string(schema).is_some_and(|s| s.format == VariantOrUnknownOrEmpty::Unknown("uuid".into()))
}

/// What a value has to be, in the words of an error.
pub(crate) fn in_words(schema: &Schema) -> &'static str {
    if let Some(integer) = integer(schema) {
        return match &integer.format {
            VariantOrUnknownOrEmpty::Item(IntegerFormat::Int32) => "a 32-bit integer",
            _ => "a 64-bit integer",
        };
    }
    match &schema.schema_kind {
        _ if is_time(schema) => "a time",
        _ if is_uuid(schema) => "a UUID",
        SchemaKind::Type(Type::Number(_)) => "a number",
        SchemaKind::Type(Type::Boolean(_)) => "true or false",
        _ => "a text",
    }
}
