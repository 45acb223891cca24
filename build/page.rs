//! What a listing hands out: the parts of its page, and what its records are known by.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    description::{Description, Refusal},
    schema::{is_uuid, string},
};

pub(crate) fn impls(description: &Description) -> Result<TokenStream, Refusal> {
    let mut pages = BTreeMap::new();
    let mut records = BTreeMap::new();
    let mut timed = BTreeMap::new();
    for operation in &description.operations {
        let Some(listing) = &operation.listing else { continue };
        let (page, item) =
            (format_ident!("{}", operation.answer), format_ident!("{}", listing.item));
        let array = &listing.array;
        pages.insert(
            &operation.answer,
            quote! {
                impl crate::listing::sealed::Page for types::#page {}

                impl crate::listing::Page for types::#page {
                    type Item = types::#item;

                    fn next_cursor(&self) -> Option<&str> {
                        self.next_page_cursor.as_deref()
                    }

                    fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
                        (self.#array, self.next_page_cursor)
                    }
                }
            },
        );
        records.insert(&listing.item, record(description, &listing.item)?);
        if listing.has_windows {
            timed.insert(&listing.item, quote! { impl crate::listing::Timed for types::#item {} });
        }
    }
    let impls = pages.into_values().chain(records.into_values()).chain(timed.into_values());
    Ok(quote! { #(#impls)* })
}

fn record(of: &Description, item: &str) -> Result<TokenStream, Refusal> {
    let record = format_ident!("{item}");
    let created_at = if of.is_timed(item)? {
        quote! { Some(self.created_at) }
    } else {
        quote! { None }
    };
    let id = match of.property(item, "id")? {
        Some((schema, true)) if string(&schema).is_some() && !schema.schema_data.nullable => {
            if is_uuid(&schema) {
                quote! { Some(self.id.into()) }
            } else {
                quote! { Some(self.id.as_str().into()) }
            }
        }
        _ => quote! { None },
    };
    Ok(quote! {
        impl crate::listing::sealed::Record for types::#record {}

        impl crate::listing::Record for types::#record {
            fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
                #created_at
            }

            fn id(&self) -> Option<crate::Id> {
                #id
            }
        }
    })
}
