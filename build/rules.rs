//! The description's bounds on what is sent, as `crate::validate::Rule`s.

use std::collections::BTreeSet;

use openapiv3::{
    AdditionalProperties, ArrayType, ObjectType, ReferenceOr, Schema, SchemaKind, Type,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    bounds,
    description::Description,
    refusal::Refusal,
    schema::{enumeration, integers, named, optional, other_values, parts},
    schemas::{Union, Variant},
};

/// The rules of the description. Those of records and unions have names.
pub(crate) struct Rules<'a> {
    description: &'a Description,
    /// The named schemas and unions that state a bound, or lead to one that does.
    bound: BTreeSet<String>,
    /// What a union with bounds leads to. These rules are whole: they tell its variants apart.
    whole: BTreeSet<String>,
}

/// Where a rule stands.
#[derive(Clone, Copy)]
struct At {
    /// Beside the rules that have names, not in a builder.
    within: bool,
    /// Where a value without a bound has a rule, too.
    whole: bool,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(description: &'a Description) -> Result<Self, Refusal> {
        let mut rules = Self { description, bound: BTreeSet::new(), whole: BTreeSet::new() };
        loop {
            let before = rules.bound.len();
            for name in &description.requests {
                if rules.named(name)?.is_some() {
                    rules.bound.insert(name.clone());
                }
            }
            if rules.bound.len() == before {
                break;
            }
        }
        for union in rules.bound.iter().filter_map(|name| description.unions.get(name)) {
            for variant in &union.variants {
                description.reach(&variant.schema, true, &mut rules.whole)?;
            }
        }
        Ok(rules)
    }

    /// A module with the rules of records, if there are any.
    pub(crate) fn module(&self) -> Result<TokenStream, Refusal> {
        let mut statics = TokenStream::new();
        for name in self.bound.union(&self.whole) {
            let ident = format_ident!("{name}");
            let rule = self.named(name)?;
            statics.extend(quote! { pub(super) static #ident: Rule = #rule; });
        }
        if statics.is_empty() {
            return Ok(statics);
        }
        // Nothing names a union whose variants are all among those of another.
        Ok(quote! {
            /// The bounds of the requests.
            #[allow(dead_code, non_upper_case_globals)]
            mod rules {
                use crate::validate::Rule;

                #statics
            }
        })
    }

    /// The rule of a value, named from within the builders.
    pub(crate) fn slot(&self, slot: &ReferenceOr<Schema>) -> Result<Option<TokenStream>, Refusal> {
        self.at(slot, At { within: false, whole: false })
    }

    fn at(&self, slot: &ReferenceOr<Schema>, at: At) -> Result<Option<TokenStream>, Refusal> {
        match slot {
            ReferenceOr::Reference { reference } => Ok(self.reference(&named(reference)?, at)),
            ReferenceOr::Item(schema) => self.unnamed(schema, at),
        }
    }

    fn reference(&self, name: &str, at: At) -> Option<TokenStream> {
        let ident = format_ident!("{name}");
        let has_rule = self.bound.contains(name) || (at.whole && self.whole.contains(name));
        has_rule.then(|| {
            if at.within {
                quote! { #ident }
            } else {
                quote! { super::rules::#ident }
            }
        })
    }

    /// The rule of a named schema or union.
    fn named(&self, name: &str) -> Result<Option<TokenStream>, Refusal> {
        let at = At { within: true, whole: self.whole.contains(name) };
        if let Some(union) = self.description.unions.get(name) {
            return self.union(union, at);
        }
        let schema = self.description.schema(name)?;
        match &schema.schema_kind {
            SchemaKind::Type(Type::Object(object)) => {
                let values = other_values(schema);
                self.record(name, object, values.as_ref(), at)
            }
            _ if !at.whole => self.unnamed(schema, at),
            _ => {
                let values = enumeration(schema).into_iter().flatten().flatten();
                let numbers = integers(schema).into_iter().flatten().flatten();
                Ok(Some(quote! { crate::validate::Rule::Known(&[#(#values),*], &[#(#numbers),*]) }))
            }
        }
    }

    fn record(
        &self,
        name: &str,
        object: &ObjectType,
        values: Option<&ReferenceOr<Schema>>,
        at: At,
    ) -> Result<Option<TokenStream>, Refusal> {
        let values = values.map(|values| self.at(values, at)).transpose()?.flatten();
        // The properties that have a name are not among the others.
        let free = values.as_ref().map(|_| quote! { crate::validate::Rule::Any });
        let mut properties = Vec::new();
        for (field, slot) in &object.properties {
            let Some(about) = self.description.fields.get(name).and_then(|f| f.get(field)) else {
                continue;
            };
            let rule = self.at(&slot.clone().unbox(), at)?;
            if let Some(rule) = rule.or_else(|| free.clone()) {
                let wire = &about.wire;
                properties.push(quote! { (#wire, &#rule) });
            }
        }
        Ok(Self::object(object, &properties, values, at))
    }

    /// None if no variant states a bound, unless it has to be whole.
    fn union(&self, union: &Union, at: At) -> Result<Option<TokenStream>, Refusal> {
        let mut is_bound = at.whole;
        let mut variants = Vec::new();
        for Variant { tags, schema } in self.variants(union, &mut Vec::new()) {
            is_bound |= self.at(schema, At { within: true, whole: false })?.is_some();
            let rule = optional(
                self.at(schema, At { within: true, whole: true })?.map(|rule| quote! { &#rule }),
            );
            let required = self.required(schema)?;
            variants.push(quote! {
                crate::validate::Variant { tags: &[#(#tags),*], required: &[#(#required),*], rule: #rule }
            });
        }
        let tag = optional(union.tag.as_ref());
        Ok(is_bound.then(|| {
            quote! { crate::validate::Rule::Union { tag: #tag, variants: &[#(#variants),*] } }
        }))
    }

    /// The variants of a union, and of the unions among them.
    fn variants(&self, union: &'a Union, passed: &mut Vec<&'a String>) -> Vec<&'a Variant> {
        let mut variants = Vec::new();
        for variant in &union.variants {
            let item = variant.schema.as_item();
            match item.and_then(|schema| self.description.union(schema)) {
                None => variants.push(variant),
                // Another property tells its variants apart.
                Some((_, inner)) if inner.tag.is_some() && inner.tag != union.tag => {
                    variants.push(variant);
                }
                Some((name, _)) if passed.contains(&name) => {}
                Some((name, inner)) => {
                    passed.push(name);
                    variants.extend(self.variants(inner, passed));
                }
            }
        }
        variants
    }

    /// The properties that a record has to have.
    fn required(&self, slot: &ReferenceOr<Schema>) -> Result<Vec<&str>, Refusal> {
        let Some(name) = self.description.record(slot)? else { return Ok(Vec::new()) };
        let required = &self.description.object(&name)?.required;
        let fields = self.description.fields.get(&name).into_iter().flatten();
        let is_required = |field: &String| required.contains(field);
        Ok(fields.filter(|(f, _)| is_required(f)).map(|(_, about)| about.wire.as_str()).collect())
    }

    fn unnamed(&self, schema: &Schema, at: At) -> Result<Option<TokenStream>, Refusal> {
        match &schema.schema_kind {
            SchemaKind::Type(Type::String(string)) => Ok(bounds::text(string, at.whole)),
            SchemaKind::Type(Type::Integer(integer)) => Ok(bounds::integer(integer, at.whole)),
            SchemaKind::Type(Type::Number(number)) => Ok(bounds::number(number, at.whole)),
            SchemaKind::Type(Type::Boolean(_)) if at.whole => {
                Ok(Some(quote! { crate::validate::Rule::Truth }))
            }
            SchemaKind::Type(Type::Array(array)) => self.array(array, at),
            SchemaKind::Type(Type::Object(object)) => {
                let values = match &object.additional_properties {
                    Some(AdditionalProperties::Schema(values)) => self.at(values, at)?,
                    _ => None,
                };
                Ok(Self::object(object, &[], values, at))
            }
            SchemaKind::AllOf { .. } => match parts(schema).first() {
                Some(part) => self.at(part, at),
                None => Ok(None),
            },
            _ => Ok(self.description.union(schema).and_then(|(name, _)| self.reference(name, at))),
        }
    }

    fn array(&self, array: &ArrayType, at: At) -> Result<Option<TokenStream>, Refusal> {
        let items = match &array.items {
            Some(items) => self.at(&items.clone().unbox(), at)?,
            None => None,
        };
        let least = array.min_items.unwrap_or(0);
        let (most, unique) = (array.max_items, array.unique_items);
        if !at.whole && items.is_none() && least == 0 && most.is_none() && !unique {
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
        at: At,
    ) -> Option<TokenStream> {
        let least = object.min_properties.unwrap_or(0);
        let most = object.max_properties;
        let is_free = properties.is_empty() && values.is_none() && least == 0 && most.is_none();
        if is_free && !at.whole {
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
