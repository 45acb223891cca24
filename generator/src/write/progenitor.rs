//! The types that progenitor writes, from the schemas in JSON, without what would make a client less
//! tolerant than it should be: bounds are checked before sending, and an absent array is an empty one.

use std::error::Error;

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use serde_json::{Map, Value, json};
use syn::{Item, ItemMod};

use crate::{
    document::Format,
    model::{Description, Form, Kind, Record, Schema},
    write::docs,
};

const DECIMAL: &str = "decimal-text";

pub(crate) fn types(description: &Description) -> Result<ItemMod, Box<dyn Error>> {
    let spec = serde_json::from_value(document(description))?;
    let settings = settings(description)?;
    let tokens = Generator::new(&settings).generate_tokens(&spec)?;
    let types = syn::parse2::<syn::File>(tokens)?.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => Some(module),
        _ => None,
    });
    types.ok_or_else(|| {
        "progenitor's output has another shape than that of the pinned version".into()
    })
}

/// The calls are generated here, so it has no paths.
fn document(description: &Description) -> Value {
    let schemas = description.iter().map(|(name, named)| {
        let description = named.description.as_deref().map(docs::doc);
        let schema = match &named.form {
            Form::Record(record) => self::record(record, description.as_deref()),
            Form::Enum(_) => json!({ "type": "string" }),
        };
        (name.clone(), schema)
    });
    json!({
        "openapi": "3.0.3",
        "info": { "title": description.title, "version": description.version },
        "paths": {},
        "components": { "schemas": schemas.collect::<Map<_, _>>() },
    })
}

fn record(record: &Record, description: Option<&str>) -> Value {
    let properties = record.fields.iter().map(|field| (field.name.clone(), schema(&field.schema)));
    let required = record.fields.iter();
    let required = required.filter(|field| field.required && field.schema.array().is_none());
    let required: Vec<_> = required.map(|field| &field.name).collect();
    let mut made = json!({
        "type": "object",
        "description": description,
        "properties": properties.collect::<Map<_, _>>(),
        "required": required,
    });
    if record.has_others {
        // A service may add properties of any kind.
        made["additionalProperties"] = json!({});
    }
    made
}

fn schema(of: &Schema) -> Value {
    let mut made = match &of.kind {
        Kind::Named(name) => {
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            if of.nullable { json!({ "allOf": [reference] }) } else { reference }
        }
        Kind::Text(text) => match text.format {
            Format::Text => json!({ "type": "string" }),
            Format::Time => json!({ "type": "string", "format": "date-time" }),
            Format::Date => json!({ "type": "string", "format": "date" }),
            Format::Uuid => json!({ "type": "string", "format": "uuid" }),
            Format::Decimal => json!({ "type": "string", "format": DECIMAL }),
        },
        Kind::Integer(integer) => {
            json!({ "type": "integer", "format": integer.format })
        }
        Kind::Number(_) => json!({ "type": "number", "format": "double" }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Array(array) => json!({ "type": "array", "items": schema(&array.each) }),
        Kind::Map(map) => {
            json!({ "type": "object", "additionalProperties": schema(&map.each) })
        }
        Kind::Json => json!({}),
    };
    // `lenient` reads null as an empty array.
    if of.nullable && of.array().is_none() {
        made["nullable"] = true.into();
    }
    made
}

fn settings(description: &Description) -> Result<GenerationSettings, Box<dyn Error>> {
    let mut settings = GenerationSettings::default();
    // This style writes the builders of the request types.
    settings.with_interface(InterfaceStyle::Builder).with_derive("PartialEq");
    // Other generators read the format `decimal` as a float.
    settings.with_conversion(
        serde_json::from_value(json!({ "type": "string", "format": DECIMAL }))?,
        "crate::types::Decimal",
        [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
    );
    for (name, named) in description.iter() {
        if let Form::Enum(_) = named.form {
            let impls = [TypeImpl::Display, TypeImpl::FromStr].into_iter();
            settings.with_replacement(name, format!("crate::types::{name}"), impls);
        }
    }
    Ok(settings)
}
