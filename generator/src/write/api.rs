//! Creates the input for progenitor: a document with the schemas, and settings.
//!
//! The document omits keywords that would make the generated types reject responses. It has no
//! bounds, because the client checks bounds only before it sends a request. It has no required
//! arrays, because an absent array is read as an empty array.

use std::fmt;

use openapiv3::{
    AdditionalProperties, AnySchema, ArrayType, BooleanType, Components, Info, IntegerType,
    NumberFormat, NumberType, ObjectType, OpenAPI, ReferenceOr, Schema as Described, SchemaData,
    SchemaKind, StringFormat, StringType, Type, VariantOrUnknownOrEmpty,
};
use proc_macro2::TokenStream;
use progenitor::{Error, GenerationSettings, InterfaceStyle, TypeImpl};
use serde_json::json;
use syn::{Item, ItemMod};

use crate::{
    document::Format,
    model::{Description, Form, Kind, Record, Schema},
    write::docs,
};

/// An audited OpenAPI description, which can be converted to the input for progenitor.
pub struct Api {
    pub(crate) description: Description,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("title", &self.description.title).finish_non_exhaustive()
    }
}

const DECIMAL: &str = "decimal-text";

impl Api {
    /// Returns the document from which progenitor generates the types. The document contains no
    /// paths, because this crate generates the code for the operations.
    #[must_use]
    pub fn document(&self) -> OpenAPI {
        let schemas = self.description.iter().map(|(name, named)| {
            let description = named.description.as_deref().map(docs::doc);
            let schema = match &named.form {
                Form::Record(record) => self::record(record, description),
                Form::Enum(_) => of_type(Type::String(StringType::default())),
            };
            (name.clone(), ReferenceOr::Item(schema))
        });
        let Description { title, version, .. } = &self.description;
        OpenAPI {
            openapi: "3.0.3".to_owned(),
            info: Info { title: title.clone(), version: version.clone(), ..Info::default() },
            components: Some(Components { schemas: schemas.collect(), ..Components::default() }),
            ..OpenAPI::default()
        }
    }

    /// Returns the settings for progenitor. The settings replace progenitor's enums with open
    /// enums, and its decimals with exact decimals.
    ///
    /// # Errors
    ///
    /// Fails if this version of progenitor represents schemas differently from the pinned version.
    pub fn settings(&self) -> Result<GenerationSettings, Error> {
        let mut settings = GenerationSettings::default();
        // In this style, progenitor generates the conversions between records and their builders.
        settings.with_interface(InterfaceStyle::Builder).with_derive("PartialEq");
        // The format is `decimal-text`, because other generators read `decimal` as a float.
        let decimal = serde_json::from_value(json!({ "type": "string", "format": DECIMAL }));
        settings.with_conversion(
            decimal.map_err(|error| Error::InternalError(error.to_string()))?,
            "crate::types::Decimal",
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
        for (name, named) in self.description.iter() {
            if let Form::Enum(_) = named.form {
                let impls = [TypeImpl::Display, TypeImpl::FromStr].into_iter();
                settings.with_replacement(name, format!("crate::types::{name}"), impls);
            }
        }
        Ok(settings)
    }
}

/// Returns the module `types` from progenitor's output.
pub(crate) fn types(tokens: TokenStream) -> Result<ItemMod, Box<dyn std::error::Error>> {
    let types = syn::parse2::<syn::File>(tokens)?.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => Some(module),
        _ => None,
    });
    types.ok_or_else(|| {
        "progenitor's output has no module `types`: use the pinned version of progenitor".into()
    })
}

fn record(record: &Record, description: Option<String>) -> Described {
    let properties = record.fields.iter();
    let properties = properties.map(|field| (field.name.clone(), boxed(schema(&field.schema))));
    let required = record.fields.iter();
    let required = required.filter(|field| field.required && field.schema.array().is_none());
    let object = ObjectType {
        properties: properties.collect(),
        required: required.map(|field| field.name.clone()).collect(),
        additional_properties: record.others.as_ref().map(|others| values(schema(others))),
        ..ObjectType::default()
    };
    let mut made = of_type(Type::Object(object));
    made.schema_data.description = description;
    made
}

fn schema(of: &Schema) -> ReferenceOr<Described> {
    let mut made = match &of.kind {
        Kind::Named(name) => {
            let reference = ReferenceOr::ref_(&format!("#/components/schemas/{name}"));
            if !of.nullable {
                return reference;
            }
            let all_of = SchemaKind::AllOf { all_of: vec![reference] };
            Described { schema_data: SchemaData::default(), schema_kind: all_of }
        }
        Kind::Text(text) => of_type(Type::String(StringType {
            format: match text.format {
                Format::Text => VariantOrUnknownOrEmpty::Empty,
                Format::Time => VariantOrUnknownOrEmpty::Item(StringFormat::DateTime),
                Format::Date => VariantOrUnknownOrEmpty::Item(StringFormat::Date),
                Format::Uuid => VariantOrUnknownOrEmpty::Unknown("uuid".to_owned()),
                Format::Decimal => VariantOrUnknownOrEmpty::Unknown(DECIMAL.to_owned()),
            },
            ..StringType::default()
        })),
        Kind::Integer(integer) => {
            let format = VariantOrUnknownOrEmpty::Unknown(integer.format.to_owned());
            of_type(Type::Integer(IntegerType { format, ..IntegerType::default() }))
        }
        Kind::Number(_) => {
            let format = VariantOrUnknownOrEmpty::Item(NumberFormat::Double);
            of_type(Type::Number(NumberType { format, ..NumberType::default() }))
        }
        Kind::Boolean => of_type(Type::Boolean(BooleanType::default())),
        Kind::Array(array) => of_type(Type::Array(ArrayType {
            items: Some(boxed(schema(&array.each))),
            min_items: None,
            max_items: None,
            unique_items: false,
        })),
        Kind::Map(map) => of_type(Type::Object(ObjectType {
            additional_properties: Some(values(schema(&map.each))),
            ..ObjectType::default()
        })),
        Kind::Json => return any(),
    };
    // An array doesn't need an `Option` for null, because `or_empty` reads null as an empty array.
    made.schema_data.nullable = of.nullable && of.array().is_none();
    ReferenceOr::Item(made)
}

fn of_type(kind: Type) -> Described {
    Described { schema_data: SchemaData::default(), schema_kind: SchemaKind::Type(kind) }
}

/// Returns a schema that allows any JSON.
fn any() -> ReferenceOr<Described> {
    let schema_kind = SchemaKind::Any(AnySchema::default());
    ReferenceOr::Item(Described { schema_data: SchemaData::default(), schema_kind })
}

fn values(of: ReferenceOr<Described>) -> AdditionalProperties {
    AdditionalProperties::Schema(Box::new(of))
}

fn boxed(schema: ReferenceOr<Described>) -> ReferenceOr<Box<Described>> {
    match schema {
        ReferenceOr::Item(schema) => ReferenceOr::Item(Box::new(schema)),
        ReferenceOr::Reference { reference } => ReferenceOr::Reference { reference },
    }
}
