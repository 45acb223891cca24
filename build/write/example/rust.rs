//! A value in JSON as an expression of Rust, by the type that it has there.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::{Map, Value};

use crate::model::{
    description::Description,
    schema::{Format, Kind, Schema},
    schemas::{Field, Record},
};

/// What a setter takes, which converts it.
pub(super) fn argument(
    description: &Description,
    schema: &Schema,
    value: &Value,
) -> Option<TokenStream> {
    let of = schema.entry();
    if schema.array().is_none() {
        return converted(description, of, value, false);
    }
    let entries = value.as_array().filter(|entries| !entries.is_empty())?;
    let entries = entries.iter().map(|entry| converted(description, of, entry, true));
    let entries = entries.collect::<Option<Vec<_>>>()?;
    Some(quote! { [#(#entries),*] })
}

/// An expression that says its type, unless the conversion leaves only one.
fn converted(
    description: &Description,
    schema: &Schema,
    value: &Value,
    is_entry: bool,
) -> Option<TokenStream> {
    let of = schema.rust_type();
    match &schema.kind {
        Kind::Array(_) | Kind::Map(_) | Kind::Json => Some(from_json(value, &quote! { ::<#of> })),
        _ if schema.nullable => Some(from_json(value, &quote! { ::<#of> })),
        Kind::Integer(integer) => {
            let number = whole(integer.kind, value)?;
            let is_plain = integer.kind == "i32" || (!is_entry && i32::try_from(number).is_ok());
            let suffix = if is_plain { "" } else { integer.kind };
            format!("{number}{suffix}").parse().ok()
        }
        Kind::Text(text) if !is_parsed(text.format) => value.as_str().map(|text| quote! { #text }),
        Kind::Text(_) => value.as_str().map(|text| quote! { #text.parse::<#of>()? }),
        Kind::Named(_) if description.record(schema).is_none() => {
            value.as_str().map(|text| quote! { #text })
        }
        Kind::Boolean | Kind::Number(_) | Kind::Named(_) => exact(description, schema, value),
    }
}

/// An expression for a place in a record that has this type.
fn exact(description: &Description, schema: &Schema, value: &Value) -> Option<TokenStream> {
    match &schema.kind {
        Kind::Array(array) => {
            let entries = value.as_array()?.iter();
            let entries = entries.map(|entry| exact(description, &array.items, entry));
            let entries = entries.collect::<Option<Vec<_>>>()?;
            // Not `vec!`: the formatter leaves macros as they are.
            Some(quote! { Vec::from([#(#entries),*]) })
        }
        _ if schema.nullable && value.is_null() => Some(quote! { None }),
        _ if schema.nullable => {
            let value = exact(description, &Schema { nullable: false, ..schema.clone() }, value)?;
            Some(quote! { Some(#value) })
        }
        Kind::Text(text) if is_parsed(text.format) => {
            value.as_str().map(|text| quote! { #text.parse()? })
        }
        Kind::Boolean => value.as_bool().map(|truth| quote! { #truth }),
        Kind::Number(_) => {
            let number = Literal::f64_unsuffixed(value.as_f64()?);
            Some(quote! { #number })
        }
        Kind::Integer(integer) => whole(integer.kind, value)?.to_string().parse().ok(),
        Kind::Map(_) | Kind::Json => Some(from_json(value, &quote! {})),
        Kind::Text(_) | Kind::Named(_) => match description.record(schema) {
            Some(of) => record(description, of, value.as_object()?),
            None => value.as_str().map(|text| quote! { #text.into() }),
        },
    }
}

fn record(
    description: &Description,
    of: &Record,
    values: &Map<String, Value>,
) -> Option<TokenStream> {
    let mut fields: Vec<_> = of.fields.iter().collect();
    fields.sort_by_key(|field| &field.name);
    let fields = fields.into_iter().map(|field| {
        let value = values.get(&field.wire).unwrap_or(&Value::Null);
        let (name, value) =
            (format_ident!("{}", field.name), self::field(description, of, field, value)?);
        Some(quote! { #name: #value })
    });
    let mut fields = fields.collect::<Option<Vec<_>>>()?;
    if of.others.is_some() {
        fields.push(quote! { extra: Default::default() });
    }
    let name = format_ident!("{}", of.name);
    Some(quote! { types::#name { #(#fields),* } })
}

fn field(
    description: &Description,
    of: &Record,
    field: &Field,
    value: &Value,
) -> Option<TokenStream> {
    let is_option = field.is_option(description.requests.contains(&of.name));
    let schema = &field.schema;
    if value.is_null() {
        let has_default = schema.within().is_some() || matches!(schema.kind, Kind::Json);
        return if is_option {
            Some(quote! { None })
        } else {
            has_default.then(|| quote! { Default::default() })
        };
    }
    let mut within = BTreeSet::new();
    description.reach(schema, false, &mut within);
    if matches!(schema.kind, Kind::Named(_)) && within.contains(&of.name) {
        // Progenitor boxes some fields of records that contain themselves.
        return Some(from_json(value, &quote! {}));
    }
    let value = exact(description, schema, value)?;
    Some(if is_option {
        quote! { Some(#value) }
    } else {
        value
    })
}

fn from_json(value: &Value, of: &TokenStream) -> TokenStream {
    let json = value.to_string();
    quote! { serde_json::from_str #of(#json)? }
}

/// Whether a text becomes a value of another type.
fn is_parsed(format: Format) -> bool {
    matches!(format, Format::Time | Format::Date | Format::Uuid)
}

/// The number, if an integer of this type can hold it.
fn whole(integer: &str, value: &Value) -> Option<i128> {
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))?;
    let (sign, bits) = integer.split_at(1);
    let bits: u32 = bits.parse().ok()?;
    let range = if sign == "u" { 0..1 << bits } else { -(1 << (bits - 1))..1 << (bits - 1) };
    range.contains(&number).then_some(number)
}
