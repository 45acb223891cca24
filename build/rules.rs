//! The description's bounds on what is sent, as `crate::validate::Rule`s.

use std::collections::BTreeSet;

use openapiv3::{
    AdditionalProperties, ArrayType, IntegerType, NumberType, ObjectType, ReferenceOr, Schema,
    SchemaKind, StringType, Type,
};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{
    description::Description,
    refusal::Refusal,
    schema::{array, named, optional, parts},
};

/// The rules of the description. Those of records have names.
pub(crate) struct Rules<'a> {
    description: &'a Description,
    /// The named schemas that state a bound, or lead to one that does.
    bound: BTreeSet<String>,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(description: &'a Description) -> Result<Self, Refusal> {
        let mut rules = Self { description, bound: BTreeSet::new() };
        loop {
            let before = rules.bound.len();
            for name in &description.requests {
                let schema = description.schema(name)?;
                if rules.schema(name, schema)?.is_some() {
                    rules.bound.insert(name.clone());
                }
            }
            if rules.bound.len() == before {
                return Ok(rules);
            }
        }
    }

    /// A module with the rules of records, if there are any.
    pub(crate) fn module(&self) -> Result<TokenStream, Refusal> {
        let mut statics = TokenStream::new();
        for name in &self.bound {
            let ident = format_ident!("{name}");
            let rule = self.schema(name, self.description.schema(name)?)?;
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

    /// The rule of a value, named from within the builders.
    pub(crate) fn slot(&self, slot: &ReferenceOr<Schema>) -> Result<Option<TokenStream>, Refusal> {
        self.at(slot, &quote! { super::rules:: })
    }

    fn at(
        &self,
        slot: &ReferenceOr<Schema>,
        module: &TokenStream,
    ) -> Result<Option<TokenStream>, Refusal> {
        match slot {
            ReferenceOr::Reference { reference } => {
                let name = named(reference)?;
                let ident = format_ident!("{name}");
                Ok(self.bound.contains(&name).then(|| quote! { #module #ident }))
            }
            ReferenceOr::Item(schema) => self.unnamed(schema, module),
        }
    }

    /// The rule of a named schema.
    fn schema(&self, name: &str, schema: &Schema) -> Result<Option<TokenStream>, Refusal> {
        let SchemaKind::Type(Type::Object(object)) = &schema.schema_kind else { return Ok(None) };
        let mut properties = Vec::new();
        for (field, slot) in &object.properties {
            let Some(about) = self.description.fields.get(name).and_then(|f| f.get(field)) else {
                continue;
            };
            let required = object.required.contains(field);
            let slot = slot.clone().unbox();
            let schema = self.description.resolve(&slot)?;
            // An array that isn't required is left out when it is empty.
            let rule = match array(schema) {
                Some(array) if !required => self.array(&without_least(array), &quote! {})?,
                _ => self.at(&slot, &quote! {})?,
            };
            if let Some(rule) = rule {
                let wire = &about.wire;
                properties.push(quote! { (#wire, &#rule) });
            }
        }
        Ok(Self::object(object, &properties, None))
    }

    fn unnamed(
        &self,
        schema: &Schema,
        module: &TokenStream,
    ) -> Result<Option<TokenStream>, Refusal> {
        match &schema.schema_kind {
            SchemaKind::Type(Type::String(string)) => Ok(text(string)),
            SchemaKind::Type(Type::Integer(integer)) => Ok(whole(integer)),
            SchemaKind::Type(Type::Number(number)) => Ok(self::number(number)),
            SchemaKind::Type(Type::Array(array)) => self.array(array, module),
            SchemaKind::Type(Type::Object(object)) => {
                let values = match &object.additional_properties {
                    Some(AdditionalProperties::Schema(values)) => self.at(values, module)?,
                    _ => None,
                };
                Ok(Self::object(object, &[], values))
            }
            SchemaKind::AllOf { .. } => match parts(schema).first() {
                Some(part) => self.at(part, module),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn array(
        &self,
        array: &ArrayType,
        module: &TokenStream,
    ) -> Result<Option<TokenStream>, Refusal> {
        let items = match &array.items {
            Some(items) => self.at(&items.clone().unbox(), module)?,
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
        if properties.is_empty() && values.is_none() && least == 0 && most.is_none() {
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

fn without_least(array: &ArrayType) -> ArrayType {
    ArrayType { min_items: None, ..array.clone() }
}

fn text(string: &StringType) -> Option<TokenStream> {
    let StringType { min_length, max_length, pattern, .. } = string;
    let least = min_length.unwrap_or(0);
    if least == 0 && max_length.is_none() && pattern.is_none() {
        return None;
    }
    let most = optional(*max_length);
    let pattern = optional(pattern.as_ref().map(|pattern| {
        // Compiled once, at its first use.
        quote! {
            {
                static PATTERN: crate::validate::Pattern = crate::validate::Pattern::new(#pattern);
                &PATTERN
            }
        }
    }));
    Some(quote! {
        crate::validate::Rule::Text { least: #least, most: #most, pattern: #pattern }
    })
}

fn whole(integer: &IntegerType) -> Option<TokenStream> {
    let IntegerType { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, .. } =
        integer;
    let literal = |bound: Option<i64>| optional(bound.map(Literal::i64_unsuffixed));
    let least = minimum.map(|least| least.saturating_add(i64::from(*exclusive_minimum)));
    let most = maximum.map(|most| most.saturating_sub(i64::from(*exclusive_maximum)));
    if least.is_none() && most.is_none() && multiple_of.is_none() {
        return None;
    }
    let (least, most, multiple) = (literal(least), literal(most), literal(*multiple_of));
    Some(quote! {
        crate::validate::Rule::Integer { least: #least, most: #most, multiple_of: #multiple }
    })
}

fn number(number: &NumberType) -> Option<TokenStream> {
    let NumberType { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, .. } =
        number;
    let literal = |bound: Option<f64>| optional(bound.map(Literal::f64_suffixed));
    if minimum.is_none() && maximum.is_none() && multiple_of.is_none() {
        return None;
    }
    let (least, most, multiple) = (literal(*minimum), literal(*maximum), literal(*multiple_of));
    let (above, below) = (exclusive_minimum, exclusive_maximum);
    Some(quote! {
        crate::validate::Rule::Number {
            least: #least, above: #above, most: #most, below: #below, multiple_of: #multiple,
        }
    })
}
