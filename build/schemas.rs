//! The schemas of the plain description, and how one leads to another.

use std::collections::BTreeMap;

use openapiv3::{ObjectType, OpenAPI, ReferenceOr, Schema};

use crate::{
    refusal::Refusal,
    schema::{named, object},
};

pub(crate) struct Schemas {
    pub spec: OpenAPI,
    pub fields: Fields,
}

/// The fields of each type, by their names in Rust.
pub(crate) type Fields = BTreeMap<String, BTreeMap<String, Field>>;

pub(crate) struct Field {
    /// The name on the wire.
    pub wire: String,
    pub description: Option<String>,
    pub deprecated: bool,
    /// Whether the field is required but may be null.
    pub null: bool,
}

impl Schemas {
    pub(crate) fn schemas(&self) -> impl Iterator<Item = (&String, &Schema)> {
        let schemas = self.spec.components.iter().flat_map(|components| &components.schemas);
        schemas.filter_map(|(name, schema)| Some((name, schema.as_item()?)))
    }

    pub(crate) fn schema(&self, name: &str) -> Result<&Schema, Refusal> {
        self.schemas()
            .find_map(|(known, schema)| (known == name).then_some(schema))
            .ok_or_else(|| format!("there is no schema `{name}` under components.schemas"))
    }

    pub(crate) fn object(&self, name: &str) -> Result<&ObjectType, Refusal> {
        object(self.schema(name)?).ok_or_else(|| format!("schema `{name}` is not an object"))
    }

    pub(crate) fn resolve<'a>(
        &'a self,
        schema: &'a ReferenceOr<Schema>,
    ) -> Result<&'a Schema, Refusal> {
        match schema {
            ReferenceOr::Item(schema) => Ok(schema),
            ReferenceOr::Reference { reference } => self.schema(&named(reference)?),
        }
    }

    pub(crate) fn resolve_box(&self, schema: &ReferenceOr<Box<Schema>>) -> Result<Schema, Refusal> {
        self.resolve(&schema.clone().unbox()).cloned()
    }

    /// The name of a record that is referred to.
    pub(crate) fn record(&self, slot: &ReferenceOr<Schema>) -> Result<Option<String>, Refusal> {
        let ReferenceOr::Reference { reference } = slot else { return Ok(None) };
        let name = named(reference)?;
        Ok(object(self.schema(&name)?).map(|_| name))
    }

    /// The schema of a property, and whether it is required.
    pub(crate) fn property(
        &self,
        object: &str,
        wire: &str,
    ) -> Result<Option<(String, Schema, bool)>, Refusal> {
        let described = self.object(object)?;
        let Some(field) = self.field(object, wire) else { return Ok(None) };
        let Some(property) = described.properties.get(field) else { return Ok(None) };
        let required = described.required.iter().any(|required| required == field);
        Ok(Some((field.to_owned(), self.resolve_box(property)?, required)))
    }

    /// A property's name in Rust.
    pub(crate) fn field(&self, object: &str, wire: &str) -> Option<&str> {
        let mut fields = self.fields.get(object)?.iter();
        fields.find_map(|(field, about)| (about.wire == wire).then_some(field.as_str()))
    }
}
