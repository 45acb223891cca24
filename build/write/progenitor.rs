//! The types that progenitor writes.

use std::error::Error;

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use syn::{Item, ItemMod};

use crate::{
    model::description::Description,
    write::{for_typify, open_enum},
};

pub(crate) fn types(description: &Description) -> Result<ItemMod, Box<dyn Error>> {
    let spec = for_typify::for_typify(&description.spec);
    let settings = settings(description)?;
    // Panics if it meets something that it doesn't support.
    let generated = std::panic::catch_unwind(|| Generator::new(&settings).generate_tokens(&spec));
    let tokens =
        generated.map_err(|_| "progenitor can't generate a client for it: see above")??;
    let types = syn::parse2::<syn::File>(tokens)?.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => Some(module),
        _ => None,
    });
    types.ok_or_else(|| {
        "progenitor's output has another shape than that of the pinned version".into()
    })
}

fn settings(description: &Description) -> Result<GenerationSettings, Box<dyn Error>> {
    let mut settings = GenerationSettings::default();
    // This style writes the builders of the request types.
    settings.with_interface(InterfaceStyle::Builder).with_derive("PartialEq");
    // Other generators read the format `decimal` as a float.
    for format in ["decimal-text", "decimal"] {
        settings.with_conversion(
            serde_json::from_value(serde_json::json!({ "type": "string", "format": format }))?,
            "crate::types::Decimal",
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
    }
    for name in open_enum::names(description) {
        let impls = [TypeImpl::Display, TypeImpl::FromStr].into_iter();
        settings.with_replacement(name, format!("crate::types::{name}"), impls);
    }
    Ok(settings)
}
