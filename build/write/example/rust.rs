//! A value in JSON as an expression of Rust, by the type that it has there.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::{Map, Value};
use syn::{GenericArgument, Item, ItemMod, ItemStruct, PathArguments, Type};

use crate::model::{description::Description, schema::Schema, schemas::Form};

/// The generated types, as far as a request is made of them.
pub(crate) struct Types<'a> {
    description: &'a Description,
    records: BTreeMap<String, &'a ItemStruct>,
}

impl<'a> Types<'a> {
    pub(crate) fn of(description: &'a Description, generated: &'a ItemMod) -> Self {
        let items = generated.content.iter().flat_map(|(_, items)| items);
        let records = items.filter_map(|item| match item {
            Item::Struct(record) => Some((record.ident.to_string(), record)),
            _ => None,
        });
        Self { description, records: records.collect() }
    }

    /// What a setter takes, which converts it.
    pub(super) fn argument(&self, schema: &Schema, value: &Value) -> Option<TokenStream> {
        let of = syn::parse2(schema.entry().rust_type()).ok()?;
        if schema.array().is_none() {
            return self.converted(&of, value, false);
        }
        let entries = value.as_array().filter(|entries| !entries.is_empty())?;
        let entries = entries.iter().map(|entry| self.converted(&of, entry, true));
        let entries = entries.collect::<Option<Vec<_>>>()?;
        Some(quote! { [#(#entries),*] })
    }

    /// An expression that says its type, unless the conversion leaves only one.
    fn converted(&self, of: &Type, value: &Value, is_entry: bool) -> Option<TokenStream> {
        match self.kind(of)? {
            Kind::Text | Kind::TextEnum => value.as_str().map(|text| quote! { #text }),
            Kind::Parsed => value.as_str().map(|text| quote! { #text.parse::<#of>()? }),
            Kind::Integer(name) => {
                let number = whole(&name, value)?;
                let is_plain = name == "i32" || (!is_entry && i32::try_from(number).is_ok());
                let suffix = if is_plain { "" } else { &name };
                format!("{number}{suffix}").parse().ok()
            }
            Kind::Option(_) | Kind::Box(_) | Kind::Vec(_) | Kind::Json => {
                let json = value.to_string();
                Some(quote! { serde_json::from_str::<#of>(#json)? })
            }
            Kind::Boolean | Kind::Float | Kind::Record(_) => self.exact(of, value),
        }
    }

    /// An expression for a place that has this type.
    fn exact(&self, of: &Type, value: &Value) -> Option<TokenStream> {
        match self.kind(of)? {
            Kind::Text | Kind::TextEnum => value.as_str().map(|text| quote! { #text.into() }),
            Kind::Parsed => value.as_str().map(|text| quote! { #text.parse()? }),
            Kind::Boolean => value.as_bool().map(|truth| quote! { #truth }),
            Kind::Float => {
                let number = Literal::f64_unsuffixed(value.as_f64()?);
                Some(quote! { #number })
            }
            Kind::Integer(name) => whole(&name, value)?.to_string().parse().ok(),
            Kind::Option(_) if value.is_null() => Some(quote! { None }),
            Kind::Option(inner) => self.exact(inner, value).map(|value| quote! { Some(#value) }),
            Kind::Box(inner) => self.exact(inner, value).map(|value| quote! { Box::new(#value) }),
            Kind::Vec(inner) => {
                let entries = value.as_array()?.iter().map(|entry| self.exact(inner, entry));
                let entries = entries.collect::<Option<Vec<_>>>()?;
                // Not `vec!`: the formatter leaves macros as they are.
                Some(quote! { Vec::from([#(#entries),*]) })
            }
            Kind::Record(record) => self.record(record, value.as_object()?),
            Kind::Json => {
                let json = value.to_string();
                Some(quote! { serde_json::from_str(#json)? })
            }
        }
    }

    fn record(&self, record: &ItemStruct, values: &Map<String, Value>) -> Option<TokenStream> {
        let name = &record.ident;
        let about = self.description.record_named(&name.to_string())?;
        let mut fields = TokenStream::new();
        for field in &record.fields {
            let called = field.ident.as_ref()?;
            let about = about.field(&called.to_string());
            let value = about.and_then(|about| values.get(&about.wire)).unwrap_or(&Value::Null);
            let value = match self.kind(&field.ty)? {
                // Arrays and maps that are not there are empty.
                Kind::Vec(_) | Kind::Json if value.is_null() => quote! { Default::default() },
                _ => self.exact(&field.ty, value)?,
            };
            fields.extend(quote! { #called: #value, });
        }
        Some(quote! { types::#name { #fields } })
    }

    fn kind<'t>(&'t self, of: &'t Type) -> Option<Kind<'t>> {
        let Type::Path(path) = of else { return None };
        let mut segments = path.path.segments.iter().rev();
        let last = segments.next()?;
        let name = last.ident.to_string();
        if segments.next().is_none_or(|module| module.ident == "types") {
            if let Some(record) = self.records.get(&name) {
                return Some(Kind::Record(record));
            }
            let named = self.description.types.get(&name).map(|named| &named.form);
            if let Some(Form::Enum(_)) = named {
                return Some(Kind::TextEnum);
            }
        }
        let inner = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                GenericArgument::Type(inner) => Some(inner),
                _ => None,
            },
            _ => None,
        };
        Some(match (name.as_str(), inner) {
            ("String" | "Decimal", _) => Kind::Text,
            ("Uuid" | "DateTime" | "NaiveDate", _) => Kind::Parsed,
            ("bool", _) => Kind::Boolean,
            ("f64", _) => Kind::Float,
            ("i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64", _) => Kind::Integer(name),
            ("Option", Some(inner)) => Kind::Option(inner),
            ("Box", Some(inner)) => Kind::Box(inner),
            ("Vec", Some(inner)) => Kind::Vec(inner),
            _ => Kind::Json,
        })
    }
}

/// What a type is to whoever writes a value of it.
enum Kind<'a> {
    Text,
    /// What is parsed from a text.
    Parsed,
    Boolean,
    Float,
    Integer(String),
    TextEnum,
    Option(&'a Type),
    Box(&'a Type),
    Vec(&'a Type),
    Record(&'a ItemStruct),
    /// Anything else is read from JSON.
    Json,
}

/// The number, if an integer of this type can hold it.
fn whole(integer: &str, value: &Value) -> Option<i128> {
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))?;
    let (sign, bits) = integer.split_at(1);
    let bits: u32 = bits.parse().ok()?;
    let range = if sign == "u" { 0..1 << bits } else { -(1 << (bits - 1))..1 << (bits - 1) };
    range.contains(&number).then_some(number)
}
