//! `Operation`: one variant per operation, with what the description says about it.

use openapiv3::StatusCode;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    audit::JSON,
    description::{Description, Operation},
    docs, request,
    schema::optional,
};

pub(crate) fn module(description: &Description) -> TokenStream {
    let operations = &description.operations;
    let variants: Vec<_> = operations.iter().map(|o| &o.variant).collect();
    let docs = operations.iter().map(|o| docs::name(&format!("{} {}", o.method, o.path)));
    let ids = operations.iter().map(|o| &o.id);
    let methods = operations.iter().map(|o| {
        let method = quote::format_ident!("{}", o.method);
        quote! { reqwest::Method::#method }
    });
    let paths = operations.iter().map(|o| &o.path);
    let scopes = operations.iter().map(|o| &o.scopes).map(|scopes| quote! { &[#(#scopes),*] });
    let successes = successes(operations);
    let listings = operations.iter().map(listing);
    let answers = operations.iter().map(request::answer);
    let forms = forms(description);
    let tokenless = tokenless(operations);
    let sent = media_types(operations, |o| o.body.iter().map(|body| &body.media_type).collect());
    let accepted = media_types(operations, |o| o.accepted.iter().collect());
    let properties = properties(description);

    quote! {
        /// An operation of the service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Operation { #(#[doc = #docs] #variants,)* }

        impl Operation {
            /// Every operation of the description.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The description's `operationId`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { #(Self::#variants => #ids,)* }
            }

            /// The HTTP method.
            #[must_use]
            pub const fn method(self) -> reqwest::Method {
                match self { #(Self::#variants => #methods,)* }
            }

            /// The path below the base URL, with its parameters in braces.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self { #(Self::#variants => #paths,)* }
            }

            /// The OAuth scopes that a token needs for it.
            #[must_use]
            pub const fn scopes(self) -> &'static [&'static str] {
                match self { #(Self::#variants => #scopes,)* }
            }

            /// Whether it is sent with a token.
            pub(crate) const fn needs_token(self) -> bool {
                #tokenless
            }

            /// The media type of the request's body.
            pub(crate) const fn content_type(self) -> &'static str {
                #sent
            }

            /// The media type of its answer, or several.
            pub(crate) const fn accept(self) -> &'static str {
                #accepted
            }

            /// How a success is read.
            pub(crate) const fn form(self) -> crate::decode::Form {
                #forms
            }

            /// Whether a status is that of a success.
            pub(crate) const fn is_success(self, status: u16) -> bool {
                #successes
            }

            pub(crate) const fn listing(self) -> Option<&'static crate::listing::Listing> {
                match self { #(Self::#variants => #listings,)* }
            }
        }

        impl std::fmt::Display for Operation {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.id())
            }
        }

        /// Reads a body as the success of each operation.
        #[cfg(fuzzing)]
        pub(crate) fn answers(body: &[u8]) {
            #(crate::fuzzing::read::<#answers>(Operation::#variants, body);)*
        }

        /// The names of all fields, which are safe to print; other keys are the service's data.
        pub(crate) const FIELDS: &[&str] = &[#(#properties),*];
    }
}

/// A listing's constant is in its builder.
fn listing(operation: &Operation) -> TokenStream {
    let builder = &operation.variant;
    optional(operation.listing.as_ref().map(|_| quote! { builder::#builder::LISTING }))
}

/// How answers that aren't objects are read.
fn forms(description: &Description) -> TokenStream {
    let forms = description.operations.iter().filter_map(|operation| {
        let variant = &operation.variant;
        let form = match &operation.answer {
            None => quote! { Nothing },
            Some(_) if operation.may_be_empty => quote! { AnyOrNothing },
            Some(slot) if description.record(slot).ok()?.is_some() => return None,
            Some(_) => quote! { Any },
        };
        Some(quote! { Self::#variant => crate::decode::Form::#form, })
    });
    let forms: Vec<_> = forms.collect();
    if forms.is_empty() {
        return quote! { crate::decode::Form::Object };
    }
    let others = (forms.len() < description.operations.len())
        .then(|| quote! { _ => crate::decode::Form::Object, });
    quote! { match self { #(#forms)* #others } }
}

/// Most operations succeed with 200 alone.
fn successes(operations: &[Operation]) -> TokenStream {
    let others = operations.iter().filter(|o| o.statuses != [StatusCode::Code(200)]);
    let others: Vec<_> = others
        .map(|operation| {
            let variant = &operation.variant;
            let is_range = |status: &StatusCode| matches!(status, StatusCode::Range(_));
            let codes = operation.statuses.iter().filter_map(|status| match status {
                StatusCode::Code(code) => Some(Literal::u16_unsuffixed(*code)),
                StatusCode::Range(_) => None,
            });
            let statuses = if operation.statuses.iter().any(is_range) {
                quote! { 200..=299 }
            } else {
                quote! { #(#codes)|* }
            };
            quote! { Self::#variant => matches!(status, #statuses), }
        })
        .collect();
    if others.is_empty() {
        return quote! { status == 200 };
    }
    let most = (others.len() < operations.len()).then(|| quote! { _ => status == 200, });
    quote! { match self { #(#others)* #most } }
}

fn tokenless(operations: &[Operation]) -> TokenStream {
    let tokenless = operations.iter().filter(|o| !o.needs_token).map(|o| &o.variant);
    let tokenless: Vec<_> = tokenless.collect();
    if tokenless.is_empty() {
        return quote! { true };
    }
    quote! { !matches!(self, #(Self::#tokenless)|*) }
}

/// Most operations send and read plain JSON.
fn media_types(operations: &[Operation], of: fn(&Operation) -> Vec<&String>) -> TokenStream {
    let others = operations.iter().filter(|o| of(o).iter().any(|kind| *kind != JSON));
    let others: Vec<_> = others
        .map(|operation| {
            let variant = &operation.variant;
            let kinds: Vec<&str> = of(operation).into_iter().map(String::as_str).collect();
            let kinds = kinds.join(", ");
            quote! { Self::#variant => #kinds, }
        })
        .collect();
    if others.is_empty() {
        return quote! { #JSON };
    }
    let most = (others.len() < operations.len()).then(|| quote! { _ => #JSON, });
    quote! { match self { #(#others)* #most } }
}

fn properties(description: &Description) -> Vec<&String> {
    let fields = description.fields.values().flat_map(|fields| fields.values());
    let mut names: Vec<&String> = fields.map(|field| &field.wire).collect();
    names.sort();
    names.dedup();
    names
}
