//! The schemas of the plain description, and how one leads to another.

use std::collections::{BTreeMap, BTreeSet};

use openapiv3::{ObjectType, OpenAPI, ReferenceOr, Schema, SchemaKind, Type};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::schema::{named, object, other_values, parts, rust_type},
    read::Unsupported,
};

pub(crate) struct Schemas {
    pub spec: OpenAPI,
    pub fields: Fields,
}

/// The fields of each type, by their names in Rust.
pub(crate) type Fields = BTreeMap<String, BTreeMap<String, Field>>;

#[allow(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
pub(crate) struct Field {
    /// The name on the wire.
    pub wire: String,
    pub description: Option<String>,
    pub deprecated: bool,
    /// Whether the field is required but may be null.
    pub null: bool,
    /// Which side has to have the field, where only one does.
    pub required_of: Option<Side>,
    /// Whether only the service sets it.
    pub read_only: bool,
    /// `x-created-at`: whether the field says when the record was created.
    pub created_at: bool,
}

/// Who sends a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Service,
}

impl Schemas {
    /// Notes a schema and what it is made of, by name. `sent` says whether that includes properties
    /// without a name, which are any JSON, but checked.
    pub(crate) fn reach(
        &self,
        slot: &ReferenceOr<Schema>,
        sent: bool,
        reached: &mut BTreeSet<String>,
    ) -> Result<(), Unsupported> {
        if let ReferenceOr::Reference { reference } = slot
            && !reached.insert(named(reference)?)
        {
            return Ok(());
        }
        let schema = self.resolve(slot)?;
        let mut parts = parts(schema);
        parts.extend(other_values(schema).filter(|_| sent));
        parts.iter().try_for_each(|part| self.reach(part, sent, reached))
    }

    /// How many named types lead to the farthest one that a value is made of, each by the shortest way.
    pub(crate) fn depth(&self, slot: &ReferenceOr<Schema>) -> Result<usize, Unsupported> {
        let mut seen = BTreeSet::new();
        let (mut here, mut within) = (vec![slot.clone()], Vec::new());
        let mut depth = 0;
        while let Some(slot) = here.pop() {
            for part in parts(self.resolve(&slot)?) {
                match &part {
                    ReferenceOr::Item(_) => here.push(part),
                    ReferenceOr::Reference { reference } if seen.insert(named(reference)?) => {
                        within.push(part);
                    }
                    ReferenceOr::Reference { .. } => {}
                }
            }
            if here.is_empty() && !within.is_empty() {
                depth += 1;
                here.append(&mut within);
            }
        }
        Ok(depth)
    }

    /// Requires the fields that one side has to have, in types that only that side sends.
    pub(crate) fn require<'a>(&mut self, of: Side, types: impl Iterator<Item = &'a String>) {
        for name in types {
            let Some((object, fields)) = self.record_mut(name) else { continue };
            let needed = fields.iter().filter(|(_, about)| about.required_of == Some(of));
            object.required.extend(needed.map(|(field, _)| field.clone()));
        }
    }

    /// Leaves out what only the service sets, in types that only the client sends.
    pub(crate) fn leave_out_read_only<'a>(&mut self, types: impl Iterator<Item = &'a String>) {
        for name in types {
            let Some((object, fields)) = self.record_mut(name) else { continue };
            if fields.values().any(|about| !about.read_only) {
                fields.retain(|_, about| !about.read_only);
                object.properties.retain(|field, _| fields.contains_key(field));
            }
        }
    }

    fn record_mut(
        &mut self,
        name: &str,
    ) -> Option<(&mut ObjectType, &mut BTreeMap<String, Field>)> {
        let schema = self.spec.components.as_mut()?.schemas.get_mut(name)?;
        let ReferenceOr::Item(Schema { schema_kind, .. }) = schema else { return None };
        let SchemaKind::Type(Type::Object(object)) = schema_kind else { return None };
        Some((object, self.fields.get_mut(name)?))
    }

    pub(crate) fn schemas(&self) -> impl Iterator<Item = (&String, &Schema)> {
        let schemas = self.spec.components.iter().flat_map(|components| &components.schemas);
        schemas.filter_map(|(name, schema)| Some((name, schema.as_item()?)))
    }

    pub(crate) fn schema(&self, name: &str) -> Result<&Schema, Unsupported> {
        let schemas = self.spec.components.as_ref().map(|components| &components.schemas);
        schemas
            .and_then(|schemas| schemas.get(name)?.as_item())
            .ok_or_else(|| format!("there is no schema `{name}` under components.schemas"))
    }

    pub(crate) fn object(&self, name: &str) -> Result<&ObjectType, Unsupported> {
        object(self.schema(name)?).ok_or_else(|| format!("schema `{name}` is not an object"))
    }

    pub(crate) fn resolve<'a>(
        &'a self,
        schema: &'a ReferenceOr<Schema>,
    ) -> Result<&'a Schema, Unsupported> {
        match schema {
            ReferenceOr::Item(schema) => Ok(schema),
            ReferenceOr::Reference { reference } => self.schema(&named(reference)?),
        }
    }

    pub(crate) fn resolve_box(
        &self,
        schema: &ReferenceOr<Box<Schema>>,
    ) -> Result<Schema, Unsupported> {
        self.resolve(&schema.clone().unbox()).cloned()
    }

    /// The name of a record that is referred to.
    pub(crate) fn record(&self, slot: &ReferenceOr<Schema>) -> Result<Option<String>, Unsupported> {
        let ReferenceOr::Reference { reference } = slot else { return Ok(None) };
        let name = named(reference)?;
        Ok(object(self.schema(&name)?).map(|_| name))
    }

    /// What a value that holds records is read as, so that they are read from objects alone.
    pub(crate) fn as_objects(&self, slot: &ReferenceOr<Schema>) -> Option<TokenStream> {
        let ReferenceOr::Item(schema) = slot else {
            let record = self.record(slot).ok()?.map(|_| rust_type(slot))?;
            return Some(quote! { crate::decode::lenient::AnObject<#record> });
        };
        let read = match &schema.schema_kind {
            SchemaKind::Type(Type::Array(array)) => {
                let items = self.as_objects(&array.items.clone()?.unbox())?;
                quote! { Vec<#items> }
            }
            SchemaKind::Type(Type::Object(_)) => {
                let values = self.as_objects(parts(schema).first()?)?;
                quote! { std::collections::HashMap<String, #values> }
            }
            SchemaKind::AllOf { all_of } => self.as_objects(all_of.first()?)?,
            _ => return None,
        };
        Some(if schema.schema_data.nullable {
            quote! { Option<#read> }
        } else {
            read
        })
    }

    /// The schema of a property, and whether it is required.
    pub(crate) fn property(
        &self,
        object: &str,
        wire: &str,
    ) -> Result<Option<(String, Schema, bool)>, Unsupported> {
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
