//! The bounds that the description states, as checks of a call's parameters before it is sent.

use openapiv3::{AdditionalProperties, IntegerType, NumberType, Schema, SchemaKind, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    description::{Description, Operation, Parameter, Refusal, ident},
    schema::{array, integer, number},
};

/// Checks over the local variables of a generated request, each named like its parameter.
pub(crate) fn of(description: &Description, operation: &Operation) -> Result<TokenStream, Refusal> {
    let mut checks = TokenStream::new();
    for parameter in &operation.parameters {
        checks.extend(
            of_parameter(description, parameter).map_err(|r| format!("{}: {r}", operation.id))?,
        );
    }
    if let Some(body) = &operation.body {
        checks.extend(of_object(description, body, &quote! { body }, "", 0)?);
    }
    Ok(checks)
}

fn of_parameter(description: &Description, parameter: &Parameter) -> Result<TokenStream, Refusal> {
    let Parameter { name, field, required, in_path, schema, .. } = parameter;
    refuse_unchecked(description, name, schema)?;
    if *in_path {
        let bounds = bounds(schema).map(
            |(least, most)| quote! { crate::validate::bounds(#name, Some(#field), #least, #most)?; },
        );
        return Ok(quote! { crate::validate::segment(#name, &#field.to_string())?; #bounds });
    }
    if let Some(array) = array(schema) {
        let entries = if *required {
            quote! { Some(#field.len()) }
        } else {
            quote! { #field.as_ref().map(Vec::len) }
        };
        let least = array.min_items.unwrap_or(0).max(1);
        let most = optional(array.max_items);
        return Ok(quote! { crate::validate::entries(#name, #entries, #least, #most, __usage)?; });
    }
    let Some((least, most)) = bounds(schema) else { return Ok(quote! {}) };
    let value = if *required {
        quote! { Some(#field) }
    } else {
        quote! { #field }
    };
    Ok(quote! { crate::validate::bounds(#name, #value, #least, #most)?; })
}

fn of_object(
    description: &Description,
    object: &str,
    value: &TokenStream,
    prefix: &str,
    depth: usize,
) -> Result<TokenStream, Refusal> {
    let mut checks = TokenStream::new();
    if depth > 8 {
        return Err(format!("request schema `{object}` is nested too deep to be checked"));
    }
    for (property, slot) in &description.object(object)?.properties {
        let Some((schema, required)) = description.property(object, property)? else { continue };
        let name = format!("{prefix}{property}");
        let field = ident(property);
        refuse_unchecked(description, &name, &schema)?;
        if let Some(array) = array(&schema) {
            let least = if required { array.min_items.unwrap_or(0) } else { 0 };
            let most = optional(array.max_items);
            if least > 0 || array.max_items.is_some() {
                checks.extend(quote! {
                    crate::validate::entries(
                        #name, Some(#value.#field.len()), #least, #most, crate::validate::Use::Send,
                    )?;
                });
            }
            if let Some(items) = description.object_named(array.items.as_ref())? {
                let prefix = format!("{name}[].");
                let item = quote! { item };
                let of_item = of_object(description, &items, &item, &prefix, depth + 1)?;
                if !of_item.is_empty() {
                    checks.extend(quote! { for item in &#value.#field { #of_item } });
                }
            }
        } else if let Some(part) = description.object_named(Some(slot))? {
            let (prefix, inner) = (format!("{name}."), quote! { part });
            let of_part = of_object(description, &part, &inner, &prefix, depth + 1)?;
            let with_part = if required {
                quote! { { let part = &#value.#field; #of_part } }
            } else {
                quote! { if let Some(part) = &#value.#field { #of_part } }
            };
            if !of_part.is_empty() {
                checks.extend(with_part);
            }
        } else if let Some((least, most)) = bounds(&schema) {
            let value = if required {
                quote! { Some(#value.#field) }
            } else {
                quote! { #value.#field }
            };
            checks.extend(quote! { crate::validate::bounds(#name, #value, #least, #most)?; });
        }
    }
    Ok(checks)
}

fn bounds(schema: &Schema) -> Option<(TokenStream, TokenStream)> {
    let (least, most) = match (integer(schema), number(schema)) {
        (Some(IntegerType { minimum, maximum, .. }), _) => {
            (minimum.map(Literal::i64_unsuffixed), maximum.map(Literal::i64_unsuffixed))
        }
        (_, Some(NumberType { minimum, maximum, .. })) => {
            (minimum.map(Literal::f64_unsuffixed), maximum.map(Literal::f64_unsuffixed))
        }
        _ => return None,
    };
    (least.is_some() || most.is_some()).then(|| (optional(least), optional(most)))
}

pub(crate) fn optional<T: quote::ToTokens>(bound: Option<T>) -> TokenStream {
    bound.map_or_else(|| quote! { None }, |bound| quote! { Some(#bound) })
}

/// A bound that would be ignored is worse than none: whoever reads the description relies on it.
fn refuse_unchecked(description: &Description, name: &str, schema: &Schema) -> Result<(), Refusal> {
    let mut parts = Vec::new();
    let unchecked = match &schema.schema_kind {
        SchemaKind::Type(Type::String(s)) => {
            s.pattern.is_some() || s.min_length.is_some() || s.max_length.is_some()
        }
        SchemaKind::Type(Type::Integer(i)) => {
            i.multiple_of.is_some() || i.exclusive_minimum || i.exclusive_maximum
        }
        SchemaKind::Type(Type::Number(n)) => {
            n.multiple_of.is_some() || n.exclusive_minimum || n.exclusive_maximum
        }
        SchemaKind::Type(Type::Array(a)) => {
            parts.extend(a.items.clone().map(openapiv3::ReferenceOr::unbox));
            a.unique_items
        }
        SchemaKind::Type(Type::Object(o)) => {
            if let Some(AdditionalProperties::Schema(values)) = &o.additional_properties {
                parts.push((**values).clone());
            }
            o.min_properties.is_some() || o.max_properties.is_some()
        }
        _ => false,
    };
    let of_parts = |part: &openapiv3::ReferenceOr<Schema>| {
        let part = description.resolve(part)?;
        let has_bounds = bounds(part).is_some()
            || array(part).is_some_and(|a| a.min_items.is_some() || a.max_items.is_some());
        Ok::<_, Refusal>(has_bounds || refuse_unchecked(description, name, part).is_err())
    };
    let mut nested = false;
    for part in &parts {
        nested |= of_parts(part)?;
    }
    if unchecked || nested {
        return Err(format!(
            "`{name}` states a bound other than minimum, maximum, minItems and maxItems of a field \
             or a parameter, which nothing would check"
        ));
    }
    Ok(())
}
