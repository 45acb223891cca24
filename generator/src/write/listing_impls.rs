//! Generates the implementations of `Paging` for the builders of listings, and of `Record` and
//! `Timed` for record types.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Description, Field, Kind, Listing, More, Next, Operation, Record},
    write::tokens::{ident, rust_type},
};

pub(crate) fn impls(description: &Description) -> TokenStream {
    let listings: Vec<_> = description
        .operations
        .iter()
        .filter_map(|operation| Some((operation, operation.listing.as_ref()?)))
        .collect();
    let pagings =
        listings.iter().map(|(operation, listing)| paging(description, operation, listing));
    // The implementations are sorted by the name of the type.
    let (mut records, mut timed) = (BTreeMap::new(), BTreeMap::new());
    for (_, listing) in &listings {
        let item = rust_type(&listing.item);
        // For records of any other kind, the runtime implements `Record`.
        if let Kind::Named(name) = &listing.item.kind {
            let created_at = listing.created_at.as_deref();
            let (known, id) = records.entry(name).or_insert((None, listing.id.as_deref()));
            *known = known.or(created_at);
            *id = id.or(listing.id.as_deref());
        }
        if listing.has_windows() {
            timed.insert(item.to_string(), quote! { impl codegen::Timed for #item {} });
        }
    }
    let records = records.into_iter().map(|(name, (created_at, id))| {
        // An enum has neither a time nor an identifier.
        let enumeration = || record_impl(name, &quote! { None }, &quote! { None }, None);
        let of = description.record_named(name);
        of.map_or_else(enumeration, |of| record(description, of, created_at, id))
    });
    let timed = timed.into_values();
    quote! { #(#pagings)* #(#records)* #(#timed)* }
}

fn paging(description: &Description, operation: &Operation, listing: &Listing) -> TokenStream {
    let (builder, page) = (ident(&operation.variant), format_ident!("{}", listing.page));
    let item = rust_type(&listing.item);
    let fields = |names| Fields { description, record: &listing.page, names };
    let cursor = match &listing.next {
        Next::OfPage(next) => fields(next).reference(&quote! { page }),
        Next::OfLastRecord(next) => {
            let records = fields(&listing.records).reference(&quote! { page });
            let last = match &listing.item.kind {
                Kind::Named(record) => Fields { description, record, names: next },
                _ => fields(&[]),
            };
            let cursor = last.reference(&quote! { record });
            quote! { #records.and_then(|records| records.last()).and_then(|record| #cursor) }
        }
    };
    let has_more = listing.more.as_ref().map(|More { field, is_end }| {
        let is_true = fields(field).is_true(&quote! { page });
        let not = is_end.then(|| quote! { ! });
        let is_true = is_end.then(|| quote! { (#is_true) }).unwrap_or(is_true);
        quote! {
            fn has_more(page: &Self::Page) -> Option<bool> {
                Some(#not #is_true)
            }
        }
    });
    let records = fields(&listing.records).moved(&quote! { page });
    quote! {
        impl codegen::Paging for builder::#builder {
            type Page = types::#page;
            type Item = #item;

            fn cursor(page: &Self::Page) -> Option<String> {
                #cursor.map(ToString::to_string)
            }

            #has_more

            fn records(page: Self::Page) -> Vec<Self::Item> {
                #records
            }
        }
    }
}

/// A path of fields from a record to one of its parts, such as from a page to its records.
struct Fields<'a> {
    description: &'a Description,
    record: &'a str,
    names: &'a [String],
}

impl Fields<'_> {
    /// Returns the fields on the path, each with the number of `Option`s around its type.
    fn steps(&self) -> impl Iterator<Item = (TokenStream, usize)> {
        let mut record = self.description.record_named(self.record);
        self.names.iter().map_while(move |name| {
            let of = record?;
            let field = of.field(name)?;
            let is_sent = self.description.requests.contains(&of.name);
            record = self.description.record(&field.schema);
            let (name, is_option) = (format_ident!("{name}"), field.is_option(is_sent));
            let options = usize::from(is_option) + usize::from(field.distinguishes_null(is_sent));
            Some((quote! { #name }, options))
        })
    }

    /// Returns the expression for the last field on the path from `root`, and whether the
    /// expression is an `Option`, which then contains a reference.
    fn borrowed(&self, root: &TokenStream) -> (TokenStream, bool) {
        self.steps().fold((root.clone(), false), |(at, is_option), (name, options)| {
            let null = (options > 1).then(|| quote! { .and_then(Option::as_ref) });
            let at = match (is_option, options) {
                (false, 0) => quote! { #at.#name },
                (false, _) => quote! { #at.#name.as_ref() #null },
                (true, 0) => quote! { #at.map(|it| &it.#name) },
                (true, _) => quote! { #at.and_then(|it| it.#name.as_ref()) #null },
            };
            (at, is_option || options > 0)
        })
    }

    /// Returns the expression for an optional reference to the last field on the path.
    fn reference(&self, root: &TokenStream) -> TokenStream {
        match self.borrowed(root) {
            (field, true) => field,
            (field, false) => quote! { Some(&#field) },
        }
    }

    /// Returns the expression that checks whether a boolean is present and true.
    fn is_true(&self, root: &TokenStream) -> TokenStream {
        match self.borrowed(root) {
            (field, true) => quote! { #field == Some(&true) },
            (field, false) => field,
        }
    }

    /// Returns the expression that moves an array out of the record `root`.
    fn moved(&self, root: &TokenStream) -> TokenStream {
        let begin = (root.clone(), false);
        let (array, is_option) =
            self.steps().fold(begin, |(at, is_option), (name, options)| {
                match (is_option, options) {
                    (false, _) => (quote! { #at.#name }, options > 0),
                    (true, 0) => (quote! { #at.map(|it| it.#name) }, true),
                    (true, _) => (quote! { #at.and_then(|it| it.#name) }, true),
                }
            });
        let or_empty = is_option.then(|| quote! { .unwrap_or_default() });
        quote! { #array #or_empty }
    }
}

fn record(
    of: &Description,
    record: &Record,
    created_at: Option<&str>,
    id: Option<&str>,
) -> TokenStream {
    let property = |name| record.property(name);
    let is_sent = of.requests.contains(&record.name);
    let created_at = match created_at.and_then(property) {
        None => quote! { None },
        Some(time) => {
            let field = format_ident!("{}", time.name);
            match (time.required, time.distinguishes_null(is_sent)) {
                (true, _) => quote! { Some(self.#field) },
                (false, false) => quote! { self.#field },
                (false, true) => quote! { self.#field.flatten() },
            }
        }
    };
    let id = optional_id(id.and_then(property), is_sent);
    record_impl(&record.name, &created_at, &id, open(of, record, is_sent).as_ref())
}

fn record_impl(
    name: &str,
    created_at: &TokenStream,
    id: &TokenStream,
    open: Option<&TokenStream>,
) -> TokenStream {
    let name = format_ident!("{name}");
    quote! {
        impl codegen::sealed::Record for types::#name {}

        impl codegen::Record for types::#name {
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

fn optional_id(id: Option<&Field>, is_sent: bool) -> TokenStream {
    let Some(id) = id else { return quote! { None } };
    let (field, borrowed) = (format_ident!("{}", id.name), borrowed(id, is_sent));
    match (id.required, id.schema.is_uuid()) {
        (true, true) => quote! { Some(self.#field.into()) },
        (false, true) => quote! { #borrowed.map(|id| (*id).into()) },
        // An empty text identifies no record.
        (true, false) => {
            quote! { Some(self.#field.to_string()).filter(|id| !id.is_empty()).map(Into::into) }
        }
        (false, false) => quote! {
            #borrowed.map(ToString::to_string).filter(|id| !id.is_empty()).map(Into::into)
        },
    }
}

/// Returns the expression that borrows an optional field of `self`. The expression is an
/// `Option<&T>`.
fn borrowed(field: &Field, is_sent: bool) -> TokenStream {
    let name = format_ident!("{}", field.name);
    let null = field.distinguishes_null(is_sent).then(|| quote! { .and_then(Option::as_ref) });
    quote! { self.#name.as_ref() #null }
}

/// Generates the method `is_open`, or returns `None` if no property of the record is an enum with
/// `x-open-values`.
fn open(of: &Description, record: &Record, is_sent: bool) -> Option<TokenStream> {
    let is_open = record.fields.iter().filter_map(|field| {
        let open = of.enumeration(&field.schema).map(|values| &values.open)?;
        let name = format_ident!("{}", field.name);
        Some(match open.as_slice() {
            [] => return None,
            open if field.required => quote! { matches!(self.#name.as_str(), #(#open)|*) },
            open => {
                let borrowed = borrowed(field, is_sent);
                quote! { #borrowed.is_some_and(|now| matches!(now.as_str(), #(#open)|*)) }
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
