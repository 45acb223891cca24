//! Every enum becomes an open one, which keeps values that it doesn't know.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{
    description::Description,
    docs,
    names::{Named, Names},
    schema::enumeration,
};

/// The names of the schemas that are enums.
pub(crate) fn names(description: &Description) -> impl Iterator<Item = &String> {
    description.schemas().filter(|(_, schema)| enumeration(schema).is_some()).map(|(name, _)| name)
}

pub(crate) fn definitions(description: &Description) -> TokenStream {
    let mut definitions = TokenStream::new();
    for (name, schema) in description.schemas() {
        let data = &schema.schema_data;
        let varnames = data.extensions.get("x-enum-varnames");
        let doc = data.description.as_deref().unwrap_or("Values of the service.");
        let enumeration_name = format_ident!("{name}");
        if let Some(values) = enumeration(schema) {
            let values: Vec<&String> = values.iter().flatten().collect();
            let variants = variants(&values, varnames);
            let value_docs = values.iter().map(|value| doc_of(value));
            definitions.extend(quote! {
                crate::decode::open_enum::open_enum! {
                    #[doc = #doc]
                    #enumeration_name { #(#[doc = #value_docs] #variants = #values,)* }
                }
            });
        }
    }
    definitions
}

fn doc_of(value: &str) -> String {
    if value.is_empty() { "The empty text.".to_owned() } else { docs::name(value) }
}

fn variants(values: &[&String], varnames: Option<&serde_json::Value>) -> Vec<Ident> {
    let varnames = varnames.and_then(serde_json::Value::as_array);
    let mut names = Names::default();
    let mut variants = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let varname = varnames.and_then(|names| names.get(index)?.as_str()).unwrap_or(value);
        variants.push(format_ident!("{}", names.give(Named::Variant, varname)));
    }
    variants
}
