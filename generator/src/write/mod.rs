//! Generates the Rust code of the client: its types, builders, operations, listings and request
//! rules. Also generates the table of operations for a command-line tool.

mod api;
mod body;
mod builders;
mod docs;
mod example;
mod example_ids;
mod listing;
mod listing_impls;
mod macros;
mod operation;
mod parameters;
mod rules;
mod rustdoc;
mod tokens;
pub(crate) mod tool;
mod types;

use std::error::Error;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, parse_quote};

pub use self::api::Api;
use self::rules::Rules;
use crate::model::Description;

/// Generates the code of the client. `types` is the output of progenitor.
pub(crate) fn client(
    description: &Description,
    types: TokenStream,
) -> Result<String, Box<dyn Error>> {
    let rules = Rules::of(description);
    let types = types::module(description, api::types(types)?);
    let builders = builders::module(description, &rules);
    let starts = builders::starts(description);
    let rules = rules.module();
    let operation = operation::module(description);
    let listings = listing_impls::impls(description);
    let ids = example_ids::table(description);
    let mut file: syn::File = syn::parse2(
        quote! { use oas_client::codegen; #operation #types #starts #builders #rules #listings #ids },
    )?;
    allow_lints(&mut file);
    Ok(macros::called(&prettyplease::unparse(&file)))
}

/// Allows, on each item, the lints that a team may have enabled for its own code. The generated code
/// also uses items that the description deprecates.
fn allow_lints(file: &mut syn::File) {
    let allow: syn::Attribute = parse_quote! {
        #[allow(
            deprecated, elided_lifetimes_in_paths, unreachable_pub, unused_mut,
            unused_qualifications, clippy::all, clippy::nursery, clippy::pedantic,
            clippy::restriction
        )]
    };
    for item in &mut file.items {
        let attributes = match item {
            Item::Const(item) => &mut item.attrs,
            Item::Impl(item) => &mut item.attrs,
            Item::Mod(item) => &mut item.attrs,
            Item::Static(item) => &mut item.attrs,
            _ => continue,
        };
        attributes.push(allow.clone());
    }
}
