//! What a listing hands out: the parts of its page, and how its records are identified.

use std::collections::BTreeMap;

use openapiv3::Schema;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{
        description::Description,
        listing::Listing,
        schema::{integer, is_uuid, string},
    },
    read::Unsupported,
};

pub(crate) fn impls(description: &Description) -> Result<TokenStream, Unsupported> {
    let mut pages = BTreeMap::new();
    let mut records = BTreeMap::new();
    let mut timed = BTreeMap::new();
    for operation in &description.operations {
        let Some(listing) = &operation.listing else { continue };
        let Listing { page, array, cursor, item_type, .. } = listing;
        let page_type = format_ident!("{page}");
        pages.insert(
            page,
            quote! {
                impl crate::listing::sealed::Page for types::#page_type {}

                impl crate::listing::Page for types::#page_type {
                    type Item = #item_type;

                    fn next_cursor(&self) -> Option<&str> {
                        self.#cursor.as_deref()
                    }

                    fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
                        (self.#array, self.#cursor)
                    }
                }
            },
        );
        records.insert(item_type.to_string(), record(description, listing)?);
        if listing.has_windows {
            let timed_impl = quote! { impl crate::listing::Timed for #item_type {} };
            timed.insert(item_type.to_string(), timed_impl);
        }
    }
    let impls = pages.into_values().chain(records.into_values()).chain(timed.into_values());
    Ok(quote! { #(#impls)* })
}

/// A listing's values may also be something other than objects.
fn record(of: &Description, listing: &Listing) -> Result<TokenStream, Unsupported> {
    let Listing { item, item_type, .. } = listing;
    let created_at = match of.created_at(item)? {
        None => quote! { None },
        Some(created_at) => {
            let field = created_at.field;
            if created_at.is_optional {
                quote! { self.#field }
            } else {
                quote! { Some(self.#field) }
            }
        }
    };
    let id = match of.record(item)? {
        Some(record) => of.property(&record, "id")?,
        None => None,
    };
    let id = match id {
        Some((field, schema, is_required)) if is_identifier(&schema) => {
            let field = format_ident!("{field}");
            let id = |of: TokenStream| {
                if is_uuid(&schema) {
                    quote! { #of.into() }
                } else {
                    quote! { #of.to_string().into() }
                }
            };
            if is_required {
                let id = id(quote! { self.#field });
                quote! { Some(#id) }
            } else {
                let id = id(quote! { (*id) });
                quote! { self.#field.as_ref().map(|id| #id) }
            }
        }
        _ => quote! { None },
    };
    let open = open(of, listing)?;
    Ok(quote! {
        impl crate::listing::sealed::Record for #item_type {}

        impl crate::listing::Record for #item_type {
            fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
                #created_at
            }

            fn id(&self) -> Option<crate::Id> {
                #id
            }

            #open
        }
    })
}

/// Whether a record is open, by the properties whose values say so.
fn open(of: &Description, listing: &Listing) -> Result<TokenStream, Unsupported> {
    let Some(record) = of.record(&listing.item)? else { return Ok(TokenStream::new()) };
    let mut is_open = Vec::new();
    for wire in of.fields.get(&record).into_iter().flatten().map(|(_, about)| &about.wire) {
        let Some((field, schema, is_required)) = of.property(&record, wire)? else { continue };
        let values = schema.schema_data.extensions.get("x-open-values");
        let Some(values) = values.and_then(|values| values.as_array()) else { continue };
        let (field, values) = (format_ident!("{field}"), values.iter().filter_map(|v| v.as_str()));
        is_open.push(if is_required {
            quote! { matches!(self.#field.as_str(), #(#values)|*) }
        } else {
            quote! { self.#field.as_ref().is_some_and(|now| matches!(now.as_str(), #(#values)|*)) }
        });
    }
    let is_open = is_open.into_iter().reduce(|one, other| quote! { #one || #other });
    Ok(is_open.map_or_else(TokenStream::new, |is_open| {
        quote! {
            fn is_open(&self) -> bool {
                #is_open
            }
        }
    }))
}

/// A text or a number, of which an enum would name a kind of record.
fn is_identifier(schema: &Schema) -> bool {
    string(schema).is_some_and(|string| string.enumeration.is_empty())
        || integer(schema).is_some_and(|integer| integer.enumeration.is_empty())
}
