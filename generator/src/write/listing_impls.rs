//! The trait implementations of a listing: the parts of its page, and the identity of its records.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Description, Field, Kind, Listing, Record, Schema},
    write::tokens::rust_type,
};

pub(crate) fn impls(description: &Description) -> TokenStream {
    // Of each trait, in the order of their names.
    let mut impls = BTreeMap::new();
    for operation in &description.operations {
        let Some(listing) = &operation.listing else { continue };
        let Listing { page, array, cursor, item, .. } = listing;
        let item_type = rust_type(item);
        let rows = description.record_named(page).and_then(|page| page.field(array));
        let [page_type, array, cursor] = [page, array, cursor].map(|name| format_ident!("{name}"));
        let is_sent = description.requests.contains(page);
        let or_none = rows.filter(|rows| rows.is_option(is_sent));
        let or_none = or_none.map(|_| quote! { .unwrap_or_default() });
        let page_impl = quote! {
            impl codegen::sealed::Page for types::#page_type {}

            impl codegen::Page for types::#page_type {
                type Item = #item_type;

                fn next_cursor(&self) -> Option<&str> {
                    self.#cursor.as_deref()
                }

                fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
                    (self.#array #or_none, self.#cursor)
                }
            }
        };
        let item_name = item_type.to_string();
        impls.insert(("Page", page.clone()), page_impl);
        // The runtime has those of values that aren't objects of the description.
        if let Kind::Named(_) = listing.item.kind {
            impls.insert(("Record", item_name.clone()), record(description, listing));
        }
        if listing.has_windows() {
            let timed = quote! { impl codegen::Timed for #item_type {} };
            impls.insert(("Timed", item_name), timed);
        }
    }
    impls.into_values().collect()
}

fn record(of: &Description, listing: &Listing) -> TokenStream {
    let (item, item_type) = (&listing.item, rust_type(&listing.item));
    let record = of.record(item);
    let property = |name| record.and_then(|record| record.property(name));
    let created_at = listing.created_at.as_deref().and_then(property);
    let created_at = created_at.map(|time| (format_ident!("{}", time.name), time.required));
    let created_at = match created_at {
        None => quote! { None },
        Some((field, true)) => quote! { Some(self.#field) },
        Some((field, false)) => quote! { self.#field },
    };
    let id = optional_id(property("id").filter(|id| is_identifier(&id.schema)));
    let open = record.and_then(|record| open(of, record));
    quote! {
        impl codegen::sealed::Record for #item_type {}

        impl codegen::Record for #item_type {
            fn created_at(&self) -> Option<chrono::DateTime<chrono::Utc>> {
                #created_at
            }

            fn id(&self) -> Option<codegen::Id> {
                #id
            }

            #open
        }
    }
}

fn optional_id(id: Option<&Field>) -> TokenStream {
    let Some(id) = id else { return quote! { None } };
    let field = format_ident!("{}", id.name);
    match (id.required, id.schema.is_uuid()) {
        (true, true) => quote! { Some(self.#field.into()) },
        (true, false) => quote! { Some(self.#field.to_string().into()) },
        (false, true) => quote! { self.#field.as_ref().map(|id| (*id).into()) },
        (false, false) => quote! { self.#field.as_ref().map(|id| (*id).to_string().into()) },
    }
}

/// Whether a record is open, by the properties whose values say so.
fn open(of: &Description, record: &Record) -> Option<TokenStream> {
    let is_open = record.fields.iter().filter_map(|field| {
        let open = of.enumeration(&field.schema).map(|values| &values.open)?;
        let name = format_ident!("{}", field.name);
        Some(match open.as_slice() {
            [] => return None,
            open if field.required => quote! { matches!(self.#name.as_str(), #(#open)|*) },
            open => {
                quote! { self.#name.as_ref().is_some_and(|now| matches!(now.as_str(), #(#open)|*)) }
            }
        })
    });
    let is_open = is_open.reduce(|one, other| quote! { #one || #other })?;
    Some(quote! {
        fn is_open(&self) -> bool {
            #is_open
        }
    })
}

/// Whether a value is a string or a number. An enum would be a kind of record, not an identifier.
fn is_identifier(schema: &Schema) -> bool {
    match &schema.kind {
        Kind::Text(_) => true,
        Kind::Integer(integer) => integer.known.is_empty(),
        _ => false,
    }
}
