//! The description's bounds on what is sent, as `crate::validate::Rule`s.

use std::collections::BTreeSet;

use openapiv3::{
    AdditionalProperties, ArrayType, ObjectType, ReferenceOr, Schema, SchemaKind, Type,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{
        description::Description,
        schema::{named, optional, other_values, parts},
    },
    read::Unsupported,
    write::bounds,
};

/// The rules of the description. Those of records have names.
pub(crate) struct Rules<'a> {
    description: &'a Description,
    /// The named schemas that state a bound, or lead to one that does.
    bound: BTreeSet<String>,
}

/// From where a rule is named.
#[derive(Clone, Copy)]
enum From {
    Builders,
    Rules,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(description: &'a Description) -> Result<Self, Unsupported> {
        let mut rules = Self { description, bound: BTreeSet::new() };
        loop {
            let before = rules.bound.len();
            for name in &description.requests {
                if rules.named(name)?.is_some() {
                    rules.bound.insert(name.clone());
                }
            }
            if rules.bound.len() == before {
                return Ok(rules);
            }
        }
    }

    /// A module with the rules of records, if there are any.
    pub(crate) fn module(&self) -> Result<TokenStream, Unsupported> {
        let mut statics = TokenStream::new();
        for name in &self.bound {
            let ident = format_ident!("{name}");
            let rule = self.named(name)?;
            statics.extend(quote! { pub(super) static #ident: Rule = #rule; });
        }
        if statics.is_empty() {
            return Ok(statics);
        }
        Ok(quote! {
            /// The bounds of the requests.
            #[allow(non_upper_case_globals)]
            mod rules {
                use crate::validate::Rule;

                #statics
            }
        })
    }

    /// A reference to the rule of a value, for use in the builders.
    pub(crate) fn slot(
        &self,
        slot: &ReferenceOr<Schema>,
    ) -> Result<Option<TokenStream>, Unsupported> {
        let rule = self.at(slot, From::Builders)?;
        Ok(rule.map(|rule| match slot {
            ReferenceOr::Reference { .. } => quote! { &#rule },
            // A temporary value would last no longer than its expression.
            ReferenceOr::Item(_) => {
                quote! { { static RULE: crate::validate::Rule = #rule; &RULE } }
            }
        }))
    }

    fn at(
        &self,
        slot: &ReferenceOr<Schema>,
        from: From,
    ) -> Result<Option<TokenStream>, Unsupported> {
        let reference = match slot {
            ReferenceOr::Reference { reference } => reference,
            ReferenceOr::Item(schema) => return self.unnamed(schema, from),
        };
        let name = named(reference)?;
        let ident = format_ident!("{name}");
        Ok(self.bound.contains(&name).then(|| match from {
            From::Builders => quote! { super::rules::#ident },
            From::Rules => quote! { #ident },
        }))
    }

    /// The rule of a named schema.
    fn named(&self, name: &str) -> Result<Option<TokenStream>, Unsupported> {
        let schema = self.description.schema(name)?;
        let SchemaKind::Type(Type::Object(object)) = &schema.schema_kind else {
            return self.unnamed(schema, From::Rules);
        };
        let values = other_values(schema);
        let values = values.map(|values| self.at(&values, From::Rules)).transpose()?.flatten();
        // The properties that have a name are not among the others.
        let free = values.as_ref().map(|_| quote! { crate::validate::Rule::Any });
        let mut properties = Vec::new();
        for (field, slot) in &object.properties {
            let Some(about) = self.description.fields.get(name).and_then(|f| f.get(field)) else {
                continue;
            };
            let wire = &about.wire;
            if about.read_only {
                properties.push(quote! { (#wire, &crate::validate::Rule::ReadOnly) });
                continue;
            }
            let mut slot = slot.clone().unbox();
            if let ReferenceOr::Item(schema) = &mut slot {
                schema.schema_data.nullable |= about.null;
            }
            let rule = self.at(&slot, From::Rules)?;
            if let Some(rule) = rule.or_else(|| free.clone()) {
                properties.push(quote! { (#wire, &#rule) });
            }
        }
        Ok(Self::object(object, &properties, values))
    }

    fn unnamed(&self, schema: &Schema, from: From) -> Result<Option<TokenStream>, Unsupported> {
        match &schema.schema_kind {
            SchemaKind::Type(Type::String(string)) => Ok(bounds::text(string)),
            SchemaKind::Type(Type::Integer(integer)) => Ok(bounds::integer(integer)),
            SchemaKind::Type(Type::Number(number)) => {
                Ok(Some(bounds::number(number, schema.schema_data.nullable)))
            }
            SchemaKind::Type(Type::Array(array)) => self.array(array, from),
            SchemaKind::Type(Type::Object(object)) => {
                let values = match &object.additional_properties {
                    Some(AdditionalProperties::Schema(values)) => self.at(values, from)?,
                    _ => None,
                };
                Ok(Self::object(object, &[], values))
            }
            SchemaKind::AllOf { .. } => match parts(schema).first() {
                Some(part) => self.at(part, from),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn array(&self, array: &ArrayType, from: From) -> Result<Option<TokenStream>, Unsupported> {
        let items = match &array.items {
            Some(items) => self.at(&items.clone().unbox(), from)?,
            None => None,
        };
        let least = array.min_items.unwrap_or(0);
        let (most, unique) = (array.max_items, array.unique_items);
        if items.is_none() && least == 0 && most.is_none() && !unique {
            return Ok(None);
        }
        let most = optional(most);
        let items = optional(items.map(|items| quote! { &#items }));
        Ok(Some(quote! {
            crate::validate::Rule::Array { least: #least, most: #most, unique: #unique, items: #items }
        }))
    }

    fn object(
        object: &ObjectType,
        properties: &[TokenStream],
        values: Option<TokenStream>,
    ) -> Option<TokenStream> {
        let least = object.min_properties.unwrap_or(0);
        let most = object.max_properties;
        let is_free = properties.is_empty() && values.is_none() && least == 0 && most.is_none();
        if is_free {
            return None;
        }
        let most = optional(most);
        let values = optional(values.map(|values| quote! { &#values }));
        Some(quote! {
            crate::validate::Rule::Object {
                least: #least, most: #most, properties: &[#(#properties),*], values: #values,
            }
        })
    }
}
