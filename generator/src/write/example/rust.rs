//! Converts an example's JSON value to the equivalent Rust expression.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use serde_json::{Map, Value};

use crate::{
    document::{Format, Text, range},
    model::{Description, Field, Kind, Record, Schema},
    write::tokens::{integer_type, rust_type},
};

/// The code that receives the value of an expression. The kind of receiver determines whether the
/// expression must name its type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// A setter, which converts its argument.
    Setter,
    /// An array that is passed to a setter. The expression is an entry of the array.
    Entry,
    /// A field of a record.
    Field,
}

/// Returns the expression for a setter's argument, or `None` if the value doesn't fit the schema.
pub(super) fn argument(of: &Description, schema: &Schema, value: &Value) -> Option<TokenStream> {
    let Some(array) = schema.array() else {
        return expression(of, schema, value, Receiver::Setter);
    };
    let entries = value.as_array().filter(|entries| !entries.is_empty())?.iter();
    let entries = entries.map(|entry| expression(of, &array.each, entry, Receiver::Entry));
    let entries = entries.collect::<Option<Vec<_>>>()?;
    Some(quote! { [#(#entries),*] })
}

fn expression(
    of: &Description,
    schema: &Schema,
    value: &Value,
    receiver: Receiver,
) -> Option<TokenStream> {
    let is_field = receiver == Receiver::Field;
    let kind = rust_type(schema);
    let kind = if is_field {
        quote! {}
    } else {
        quote! { ::<#kind> }
    };
    Some(match &schema.kind {
        Kind::Array(array) if is_field => {
            let entries = value.as_array()?.iter();
            let entries = entries.map(|entry| expression(of, &array.each, entry, receiver));
            let entries = entries.collect::<Option<Vec<_>>>()?;
            // Not `vec!`, because the formatter doesn't format macros.
            quote! { Vec::from([#(#entries),*]) }
        }
        _ if is_field && schema.nullable && value.is_null() => quote! { None },
        _ if is_field && schema.nullable => {
            let schema = Schema { nullable: false, ..schema.clone() };
            let value = expression(of, &schema, value, receiver)?;
            quote! { Some(#value) }
        }
        Kind::Array(_) | Kind::Map(_) | Kind::Json => from_json(value, &kind),
        _ if schema.nullable => from_json(value, &kind),
        Kind::Boolean => value.as_bool()?.into_token_stream(),
        Kind::Number(_) => Literal::f64_unsuffixed(value.as_f64()?).into_token_stream(),
        Kind::Integer(integer) => {
            let number = whole(integer.format, value)?;
            let is_short = receiver == Receiver::Setter && i32::try_from(number).is_ok();
            let is_plain = is_field || is_short || integer.format == "int32";
            let suffix = if is_plain { String::new() } else { integer_type(integer.format) };
            format!("{number}{suffix}").parse().ok()?
        }
        Kind::Text(Text { format: Format::Time | Format::Date | Format::Uuid, .. }) => {
            let text = value.as_str()?;
            quote! { #text.parse #kind()? }
        }
        Kind::Text(_) | Kind::Named(_) => match (of.record(schema), value.as_str()) {
            (Some(record), _) => self::record(of, record, value.as_object()?)?,
            (None, text) if is_field => text.map(|text| quote! { #text.into() })?,
            (None, text) => text?.into_token_stream(),
        },
    })
}

fn record(
    description: &Description,
    of: &Record,
    values: &Map<String, Value>,
) -> Option<TokenStream> {
    let mut fields: Vec<_> = of.fields.iter().collect();
    fields.sort_by_key(|field| &field.name);
    let fields = fields.into_iter().map(|field| {
        let value = values.get(&field.wire);
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
    value: Option<&Value>,
) -> Option<TokenStream> {
    let is_sent = description.requests.contains(&of.name);
    let (is_option, distinguishes_null) =
        (field.is_option(is_sent), field.distinguishes_null(is_sent));
    let schema = &field.schema;
    let Some(value) = value.filter(|value| !value.is_null()) else {
        let has_default = schema.within().is_some() || matches!(schema.kind, Kind::Json);
        let default = has_default.then(|| quote! { Default::default() });
        let none = if distinguishes_null && value.is_some() {
            quote! { Some(None) }
        } else {
            quote! { None }
        };
        return if is_option { Some(none) } else { default };
    };
    let mut within = BTreeSet::new();
    description.reach(schema, &mut within);
    if matches!(schema.kind, Kind::Named(_)) && within.contains(&of.name) {
        // The field may be boxed: progenitor boxes some fields of records that contain themselves.
        return Some(from_json(value, &quote! {}));
    }
    let value = expression(description, schema, value, Receiver::Field)?;
    Some(match (is_option, distinguishes_null) {
        (true, true) => quote! { Some(Some(#value)) },
        (true, false) => quote! { Some(#value) },
        (false, _) => value,
    })
}

fn from_json(value: &Value, of: &TokenStream) -> TokenStream {
    let json = value.to_string();
    quote! { serde_json::from_str #of(#json)? }
}

/// Returns the value as an integer, or `None` if an integer with this format can't represent the
/// value.
fn whole(format: &str, value: &Value) -> Option<i128> {
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))?;
    range(format).contains(&number).then_some(number)
}
