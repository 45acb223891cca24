//! Every string enum becomes one that survives tomorrow's value.

use heck::ToPascalCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    description::{Description, Refusal},
    schema::enumeration,
};

/// The names of the schemas that are string enums.
pub(crate) fn names(description: &Description) -> impl Iterator<Item = &String> {
    description.schemas().filter_map(|(name, schema)| enumeration(schema).is_some().then_some(name))
}

pub(crate) fn definitions(description: &Description) -> Result<TokenStream, Refusal> {
    let mut definitions = TokenStream::new();
    for (name, schema) in description.schemas() {
        let Some(values) = enumeration(schema) else { continue };
        let values: Vec<&String> = values.iter().flatten().collect();
        let variants =
            variants(name, &values, schema.schema_data.extensions.get("x-enum-varnames"))?;
        let doc = schema.schema_data.description.as_deref().unwrap_or("Values of the service.");
        let (enumeration, value_docs) =
            (format_ident!("{name}"), values.iter().map(|value| format!("`{value}`")));
        definitions.extend(quote! {
            crate::decode::open_enum::open_enum! {
                #[doc = #doc]
                #enumeration { #(#[doc = #value_docs] #variants = #values,)* }
            }
        });
    }
    Ok(definitions)
}

fn variants(
    name: &str,
    values: &[&String],
    varnames: Option<&serde_json::Value>,
) -> Result<Vec<Ident>, Refusal> {
    let names: Vec<String> = match varnames {
        Some(varnames) => serde_json::from_value(varnames.clone())
            .map_err(|_| format!("x-enum-varnames of `{name}` is not a list of names"))?,
        None => values.iter().map(|value| value.to_lowercase()).collect(),
    };
    if names.len() != values.len() {
        return Err(format!(
            "`{name}` has {} values and {} x-enum-varnames",
            values.len(),
            names.len()
        ));
    }
    let mut variants = Vec::new();
    for variant in names.iter().map(|name| name.to_lowercase().to_pascal_case()) {
        let variant: Ident = syn::parse_str(&variant)
            .map_err(|_| format!("`{name}` has a value that needs a name in x-enum-varnames"))?;
        if variant == "Unknown" || variants.contains(&variant) {
            return Err(format!("`{name}` would have two variants called `{variant}`"));
        }
        variants.push(variant);
    }
    Ok(variants)
}
