//! The builders of calls, and the methods of `Client` that begin them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Description, Listing, Operation, Schema, Token},
    write::{
        body::Sent,
        docs, example,
        listing::value,
        parameters::{entry, setter, sorted},
        rules::Rules,
        tokens::{deprecated, ident, rust_type},
    },
};

/// `Client::list_…()`: where a call begins.
pub(crate) fn starts(description: &Description) -> TokenStream {
    let starts = description.operations.iter().map(|operation| {
        let [function, variant] = [&operation.function, &operation.variant].map(ident);
        let (doc, deprecated) =
            (docs::lines(&start_doc(operation)), deprecated(operation.deprecated));
        quote! {
            #doc
            #deprecated
            pub fn #function(&self) -> builder::#variant {
                builder::#variant::new(codegen::sender(&self.0))
            }
        }
    });
    quote! {
        impl Client {
            /// What the client says of its service.
            pub(crate) const SERVICE: &'static codegen::Service = &codegen::Service {
                user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")),
                operations: operation::ALL,
            };

            #(#starts)*
        }
    }
}

fn start_doc(operation: &Operation) -> String {
    let Operation { summary, description, method, path, .. } = operation;
    let words = [summary, description].into_iter().flatten().map(|text| docs::doc(text));
    let sent = format!("Sends a `{method}` request to {}.", docs::name(path));
    let scopes: Vec<String> = operation.scopes.iter().map(|scope| docs::name(scope)).collect();
    let of_scopes = match scopes.as_slice() {
        [] => "a token of any scope".to_owned(),
        [scope] => format!("the scope {scope}"),
        scopes => format!("the scopes {}", scopes.join(", ")),
    };
    let scopes = match operation.token {
        Token::Never => "Needs no token.".to_owned(),
        Token::IfAny => {
            format!("Needs no token. A client with credentials sends one: {of_scopes}.")
        }
        Token::Always => format!("Needs {of_scopes}."),
    };
    words.chain([sent, scopes]).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

pub(crate) fn module(description: &Description, rules: &Rules<'_>) -> TokenStream {
    let builders = description.operations.iter();
    let builders = builders.map(|operation| builder(description, operation, rules));
    quote! {
        /// One builder per operation: set its parameters, then `send` it or list its pages.
        pub mod builder {
            #[allow(unused_imports)]
            use super::{codegen, operation, types};

            #(#builders)*
        }
    }
}

fn builder(description: &Description, operation: &Operation, rules: &Rules<'_>) -> TokenStream {
    let [variant, constant] = [&operation.variant, &operation.constant].map(ident);
    let function = &operation.function;
    let begun = format!("The call that [`Client::{function}`](crate::Client::{function}) begins.");
    let doc = [begun]
        .into_iter()
        .chain(example::of(description, operation))
        .collect::<Vec<_>>()
        .join("\n\n");
    let doc = docs::lines(&doc);
    let parameters = sorted(operation);
    let table = parameters.iter().map(|parameter| entry(description, parameter, rules));
    let setters = parameters.iter().enumerate().map(|(index, parameter)| setter(index, parameter));
    let body = operation.body.as_ref().map(|body| Sent::of(description, body, rules));
    let Sent { field, initial, setters: of_body, written } = body.unwrap_or_default();
    let (answer, listed) = (answer(operation), operation.listing.as_ref().map(listed));
    // `#[inline]`: compiled for the programs that call it, not for the library.
    quote! {
        #doc
        #[derive(Clone)]
        #[must_use = "a call does nothing until it is sent or listed"]
        pub struct #variant {
            draft: codegen::Draft,
            #field
        }

        /// Prints no parameters: they are the caller's data.
        impl std::fmt::Debug for #variant {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!(#variant)).finish_non_exhaustive()
            }
        }

        impl #variant {
            /// What the description says of each parameter.
            pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[#(#table),*];

            pub(crate) fn new(sender: codegen::Sender) -> Self {
                Self { draft: codegen::Draft::new(sender), #initial }
            }

            #(#setters)*
            #of_body

            fn __prepare(self, mode: codegen::Mode) -> Result<codegen::PreparedCall, codegen::Error> {
                self.draft.prepare(operation::#constant, Self::PARAMETERS, mode) #written
            }

            /// Options of this call or listing. What they name overrides the client's.
            pub fn options(mut self, options: codegen::CallOptions) -> Self {
                self.draft.options(options);
                self
            }

            /// Calls a setter if there is a value: `.maybe(limit, Self::limit)`.
            pub fn maybe<V>(self, value: Option<V>, set: impl FnOnce(Self, V) -> Self) -> Self {
                match value {
                    Some(value) => set(self, value),
                    None => self,
                }
            }

            /// Checks what `send` checks before it sends, and sends nothing.
            ///
            /// # Errors
            ///
            /// `InvalidRequest`, as that of `send`.
            pub fn check(&self) -> Result<(), codegen::Error> {
                self.clone().__prepare(codegen::Mode::Send)?.check()
            }

            /// Sends the request and reads its answer.
            ///
            /// # Errors
            ///
            /// `InvalidRequest`, before anything is sent, if a parameter is missing, couldn't be
            /// converted or is outside the description's bounds, or if an array of the query is empty,
            /// which would be no filter at all; otherwise see [`ErrorKind`](crate::ErrorKind).
            #[inline]
            pub async fn send(self) -> Result<codegen::ResponseValue<#answer>, codegen::Error> {
                self.__prepare(codegen::Mode::Send)?.send().await
            }

            #listed
        }
    }
}

/// The type of an operation's answer.
fn answer(operation: &Operation) -> TokenStream {
    match &operation.answer.schema {
        None => quote! { () },
        Some(schema) => {
            // One that may be empty is an option.
            let nullable = schema.nullable || operation.answer.may_be_empty;
            rust_type(&Schema { nullable, ..schema.clone() })
        }
    }
}

const LAZY: &str = "\n\nNothing is sent before the first poll. An empty filter array is an empty \
    listing, without a request.";

fn listed(listing: &Listing) -> TokenStream {
    let (page, item) = (format_ident!("{}", listing.page), rust_type(&listing.item));
    let value = value(listing);
    let at_scale = if listing.has_windows() {
        "\n\nWith [`concurrency`](crate::Items::concurrency) many requests list it concurrently."
    } else {
        ""
    };
    let split = if listing.is_split() {
        "\n\nA filter with more entries than one request may carry is split over several, and \
         their records are merged in order."
    } else {
        ""
    };
    let [size, whole] = if listing.has_limit() {
        [
            "\n\n[`limit`](Self::limit) is the size of a page.",
            " `.limit(10).items()` is the whole listing, ten records to a page.",
        ]
    } else {
        ["", ""]
    };
    let pages_doc = docs::lines(&format!("The listing page by page, as a stream.{LAZY}{size}"));
    let items_doc = docs::lines(&format!(
        "Every record of the listing, from page to page, as a stream.\
         {LAZY}{size}{whole}{split}{at_scale}"
    ));
    quote! {
        pub(crate) const LISTING: &'static codegen::Listing = &#value;

        #pages_doc
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> codegen::Pages<types::#page> {
            codegen::pages(self.__prepare(codegen::Mode::Pages))
        }

        #items_doc
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> codegen::Items<#item> {
            codegen::items::<types::#page>(Self::LISTING, self.__prepare(codegen::Mode::Items))
        }
    }
}
