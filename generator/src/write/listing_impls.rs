//! Generates the implementations of `Page` for page types, and of `Record` and `Timed` for record
//! types.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    model::{Description, Field, Kind, Listing, Record},
    write::tokens::rust_type,
};

pub(crate) fn impls(description: &Description) -> TokenStream {
    // The implementations are sorted by the name of the trait, then by the name of the type.
    let mut impls = BTreeMap::new();
    for operation in &description.operations {
        let Some(listing) = &operation.listing else { continue };
        let Listing { page, item, .. } = listing;
        let item_type = rust_type(item);
        let page_impl = page_impl(description, listing, &item_type);
        let item_name = item_type.to_string();
        impls.insert(("Page", page.clone()), page_impl);
        // For records of any other kind, the runtime implements `Record`.
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

fn page_impl(description: &Description, listing: &Listing, item: &TokenStream) -> TokenStream {
    let page = format_ident!("{}", listing.page);
    let fields = |names| Fields { description, page: &listing.page, names };
    let (next, records) = (fields(&listing.next), fields(&listing.records));
    let next_cursor = next.borrowed(&quote! { as_deref() });
    let more = listing.more.as_ref().map(|more| fields(more).is_true());
    let (next_cursor, lacks_cursor) = match more {
        None => (next_cursor, None),
        Some(more) => {
            let lacks_cursor = quote! {
                fn lacks_cursor(&self) -> bool {
                    #more && #next_cursor.is_none()
                }
            };
            (quote! { #next_cursor.filter(|_| #more) }, Some(lacks_cursor))
        }
    };
    let records = records.moved();
    let into_parts = if let ([cursor], None) = (listing.next.as_slice(), &listing.more) {
        let cursor = format_ident!("{cursor}");
        quote! { (#records, self.#cursor) }
    } else {
        quote! {
            let next = codegen::Page::next_cursor(&self).map(str::to_owned);
            (#records, next)
        }
    };
    quote! {
        impl codegen::sealed::Page for types::#page {}

        impl codegen::Page for types::#page {
            type Item = #item;

            fn next_cursor(&self) -> Option<&str> {
                #next_cursor
            }

            #lacks_cursor

            fn into_parts(self) -> (Vec<Self::Item>, Option<String>) {
                #into_parts
            }
        }
    }
}

/// The path of fields from a page to one of its parts, such as its records.
struct Fields<'a> {
    description: &'a Description,
    page: &'a str,
    names: &'a [String],
}

impl Fields<'_> {
    /// Returns the fields on the path, each with a boolean that is true if the field is an
    /// `Option`.
    fn steps(&self) -> Vec<(Ident, bool)> {
        let mut record = self.description.record_named(self.page);
        let mut steps = Vec::new();
        for name in self.names {
            let Some(of) = record else { break };
            let Some(field) = of.field(name) else { break };
            let is_sent = self.description.requests.contains(&of.name);
            steps.push((format_ident!("{name}"), field.is_option(is_sent)));
            record = self.description.record(&field.schema);
        }
        steps
    }

    /// Locates the last field on the path. Returns `None` if the path has no fields. The tuple
    /// contains:
    ///
    /// - the expression for the record that contains the field
    /// - whether the expression is an `Option`
    /// - the field's name, and whether the field is an `Option`
    ///
    /// If `is_moved` is true, the expression moves the record. If not, the expression borrows it.
    fn parent(&self, is_moved: bool) -> Option<(TokenStream, bool, (Ident, bool))> {
        let mut steps = self.steps();
        let last = steps.pop()?;
        let (mut parent, mut is_option) = (quote! { self }, false);
        for (name, is_optional) in steps {
            parent = match (is_option, is_optional, is_moved) {
                (false, true, false) => quote! { #parent.#name.as_ref() },
                (false, ..) => quote! { #parent.#name },
                (true, true, true) => quote! { #parent.and_then(|it| it.#name) },
                (true, true, false) => quote! { #parent.and_then(|it| it.#name.as_ref()) },
                (true, false, true) => quote! { #parent.map(|it| it.#name) },
                (true, false, false) => quote! { #parent.map(|it| &it.#name) },
            };
            is_option |= is_optional;
        }
        Some((parent, is_option, last))
    }

    /// Returns the expression that borrows an optional part of the page. `by` is the method call
    /// that borrows the last field.
    fn borrowed(&self, by: &TokenStream) -> TokenStream {
        match self.parent(false) {
            None => quote! { None },
            Some((parent, false, (name, _))) => quote! { #parent.#name.#by },
            Some((parent, true, (name, _))) => {
                quote! { #parent.and_then(|it| it.#name.#by) }
            }
        }
    }

    /// Returns the expression that checks whether a boolean in the page is present and true.
    fn is_true(&self) -> TokenStream {
        match self.parent(false) {
            None => quote! { false },
            Some((parent, false, (name, false))) => quote! { #parent.#name },
            Some((parent, false, (name, true))) => quote! { #parent.#name == Some(true) },
            Some((parent, true, (name, false))) => quote! { #parent.is_some_and(|it| it.#name) },
            Some((parent, true, (name, true))) => {
                quote! { #parent.is_some_and(|it| it.#name == Some(true)) }
            }
        }
    }

    /// Returns the expression that moves an array out of the page.
    fn moved(&self) -> TokenStream {
        match self.parent(true) {
            None => quote! { Vec::new() },
            Some((parent, false, (name, false))) => quote! { #parent.#name },
            Some((parent, false, (name, true))) => quote! { #parent.#name.unwrap_or_default() },
            Some((parent, true, (name, false))) => {
                quote! { #parent.map(|it| it.#name).unwrap_or_default() }
            }
            Some((parent, true, (name, true))) => {
                quote! { #parent.and_then(|it| it.#name).unwrap_or_default() }
            }
        }
    }
}

fn record(of: &Description, listing: &Listing) -> TokenStream {
    let (item, item_type) = (&listing.item, rust_type(&listing.item));
    let record = of.record(item);
    let property = |name| record.and_then(|record| record.property(name));
    let created_at = listing.created_at.as_deref().and_then(property);
    let is_sent = record.is_some_and(|record| of.requests.contains(&record.name));
    let created_at = match created_at {
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
    let id = optional_id(listing.id.as_deref().and_then(property), is_sent);
    let open = record.and_then(|record| open(of, record, is_sent));
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

fn optional_id(id: Option<&Field>, is_sent: bool) -> TokenStream {
    let Some(id) = id else { return quote! { None } };
    let (field, borrowed) = (format_ident!("{}", id.name), borrowed(id, is_sent));
    match (id.required, id.schema.is_uuid()) {
        (true, true) => quote! { Some(self.#field.into()) },
        (true, false) => quote! { Some(self.#field.to_string().into()) },
        (false, true) => quote! { #borrowed.map(|id| (*id).into()) },
        (false, false) => quote! { #borrowed.map(|id| (*id).to_string().into()) },
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
