//! Every enum becomes an open one, which keeps values that it doesn't know.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::{description::Description, docs, schemas::Form};

pub(crate) fn definitions(description: &Description) -> TokenStream {
    let mut definitions = TokenStream::new();
    for (name, named) in description.iter() {
        let Form::Enum(of) = &named.form else { continue };
        let name = format_ident!("{name}");
        let doc = named.description.as_deref().unwrap_or("Values of the service.");
        let (variants, values): (Vec<_>, Vec<_>) = of.values.iter().cloned().unzip();
        let docs = values.iter().map(|value| doc_of(value));
        definitions.extend(quote! {
            crate::decode::open_enum::open_enum! {
                #[doc = #doc]
                #name { #(#[doc = #docs] #variants = #values,)* }
            }
        });
    }
    definitions
}

fn doc_of(value: &str) -> String {
    if value.is_empty() { "The empty text.".to_owned() } else { docs::name(value) }
}
