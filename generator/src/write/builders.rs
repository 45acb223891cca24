//! Generates the builders for calls, and the methods of `Client` that return the builders.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{
        ApiKey, Description, Listing, Operation, Parameter, ParameterIn, Schema, Security, Token,
    },
    write::{
        body::Sent,
        docs, example,
        listing::value,
        parameters::{entry, setter, sorted},
        rules::Rules,
        tokens::{deprecated, ident, rust_type},
    },
};

/// Generates the methods of `Client` that return the builders.
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
            /// The service that the client is generated for.
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
    let Security { token, scopes, api_keys } = &operation.security;
    let scopes: Vec<String> = scopes.iter().map(|scope| docs::name(scope)).collect();
    let of_scopes = match scopes.as_slice() {
        [] => "a token with any scope".to_owned(),
        [scope] => format!("the scope {scope}"),
        scopes => format!("the scopes {}", scopes.join(", ")),
    };
    let scopes = match token {
        Token::Never if api_keys.is_empty() => "Needs no token.".to_owned(),
        Token::Never => String::new(),
        Token::IfAny => {
            format!("Needs no token. A client with credentials requests {of_scopes}.")
        }
        Token::Always => format!("Needs {of_scopes}."),
    };
    let keys = api_keys.iter().map(|ApiKey { header, required }| {
        let sends = if *required { "Needs" } else { "Sends" };
        format!("{sends} the API key in the header {}.", docs::name(header))
    });
    words
        .chain([sent, scopes])
        .chain(keys)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

pub(crate) fn module(description: &Description, rules: &Rules<'_>) -> TokenStream {
    let builders = description.operations.iter();
    let builders = builders.map(|operation| builder(description, operation, rules));
    quote! {
        /// The builders for calls, one per operation. Set the parameters, then call `send`, or
        /// `items` for a listing.
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
    let begun =
        format!("The builder that [`Client::{function}`](crate::Client::{function}) returns.");
    let doc = [begun]
        .into_iter()
        .chain(example::of(description, operation))
        .collect::<Vec<_>>()
        .join("\n\n");
    let doc = docs::lines(&doc);
    let parameters = sorted(operation);
    let table = parameters.iter().map(|parameter| entry(description, parameter, rules));
    let setters = parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| setter(index, parameter, operation.listing.as_ref()));
    let body = operation.body.as_ref().map(|body| Sent::of(description, body, rules));
    let Sent { field, initial, setters: of_body, written } = body.unwrap_or_default();
    let (response, listed) =
        (response_type(operation), operation.listing.as_ref().map(|it| listed(operation, it)));
    let optional = operation.parameters.iter().rfind(|parameter| !parameter.required);
    let example =
        optional.map(|Parameter { setter, .. }| format!(": `.maybe({setter}, Self::{setter})`"));
    let maybe = format!(" Calls a setter if `value` is `Some`{}.", example.unwrap_or_default());
    // `#[inline]` compiles a method only in the programs that call it, not in the library.
    quote! {
        #doc
        #[derive(Clone)]
        #[must_use = "a call does nothing until it is sent or listed"]
        pub struct #variant {
            draft: codegen::Draft,
            #field
        }

        /// Omits the parameters, because they are the caller's data.
        impl std::fmt::Debug for #variant {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!(#variant)).finish_non_exhaustive()
            }
        }

        impl #variant {
            /// The parameters of the operation, with the rules for their values.
            pub(crate) const PARAMETERS: &'static [codegen::Parameter] = &[#(#table),*];

            pub(crate) fn new(sender: codegen::Sender) -> Self {
                Self { draft: codegen::Draft::new(sender), #initial }
            }

            #(#setters)*
            #of_body

            fn __prepare(
                self,
                mode: codegen::Mode,
            ) -> Result<codegen::PreparedCall, codegen::Error> {
                self.draft.prepare(operation::#constant, Self::PARAMETERS, mode) #written
            }

            /// Sets the options of this call or listing, which override the client's options.
            pub fn options(mut self, options: codegen::CallOptions) -> Self {
                self.draft.options(options);
                self
            }

            #[doc = #maybe]
            pub fn maybe<V>(self, value: Option<V>, set: impl FnOnce(Self, V) -> Self) -> Self {
                match value {
                    Some(value) => set(self, value),
                    None => self,
                }
            }

            /// Checks the request as `send` does, without sending it.
            ///
            /// # Errors
            ///
            /// `InvalidRequest`, in the same cases as `send`.
            pub fn check(&self) -> Result<(), codegen::Error> {
                self.clone().__prepare(codegen::Mode::Send)?.check()
            }

            /// Sends the request and reads the response.
            ///
            /// # Errors
            ///
            /// `InvalidRequest`, before anything is sent, if a parameter is missing, can't be
            /// converted or violates the OpenAPI description. An array in the query must not be
            /// empty, because the service would read it as "no filter". For other errors, see
            /// [`ErrorKind`](crate::ErrorKind).
            #[inline]
            pub async fn send(self) -> Result<codegen::ResponseValue<#response>, codegen::Error> {
                self.__prepare(codegen::Mode::Send)?.send().await
            }

            #listed
        }
    }
}

/// Returns the Rust type of an operation's response.
fn response_type(operation: &Operation) -> TokenStream {
    match &operation.responses.schema {
        None => quote! { () },
        Some(schema) => {
            // If the response may be empty, its type is an `Option`.
            let nullable = schema.nullable || operation.responses.may_be_empty;
            rust_type(&Schema { nullable, ..schema.clone() })
        }
    }
}

const LAZY: &str = "\n\nNothing is sent before the first poll. If a filter array is empty, the \
    stream is empty and sends no request.";

fn listed(operation: &Operation, listing: &Listing) -> TokenStream {
    let (page, item) = (format_ident!("{}", listing.page), rust_type(&listing.item));
    let value = value(listing);
    let at_scale = if listing.has_windows() {
        "\n\nWith [`concurrency`](crate::Items::concurrency), the stream sends several requests at \
         once."
    } else {
        ""
    };
    let split = if listing.is_split() {
        "\n\nIf a filter has too many entries for one request, the filter is split over several \
         requests, and the records are merged in order."
    } else {
        ""
    };
    let is_size = |p: &&Parameter| {
        p.location == ParameterIn::Query
            && listing.size.as_ref().is_some_and(|it| it.parameter == p.name)
    };
    let size = operation.parameters.iter().find(is_size).map(|size| &size.setter);
    let [size, whole] = size.map_or_else(Default::default, |size| {
        [
            format!("\n\n[`{size}`](Self::{size}) sets the page size."),
            format!(" `.{size}(10).items()` returns the whole listing, ten records per page."),
        ]
    });
    let pages_doc = docs::lines(&format!("Returns a stream of the listing's pages.{LAZY}{size}"));
    let items_doc = docs::lines(&format!(
        "Returns a stream of all records of the listing, across its pages.\
         {LAZY}{size}{whole}{split}{at_scale}"
    ));
    quote! {
        pub(crate) const LISTING: &'static codegen::Listing = &#value;

        #pages_doc
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn pages(self) -> codegen::Pages<types::#page> {
            codegen::pages::<Self>(self.__prepare(codegen::Mode::Pages))
        }

        #items_doc
        #[must_use = "streams do nothing unless polled"]
        #[inline]
        pub fn items(self) -> codegen::Items<#item> {
            codegen::items::<Self>(Self::LISTING, self.__prepare(codegen::Mode::Items))
        }
    }
}
