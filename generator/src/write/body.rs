//! Generates the parts of a builder that handle the request body, such as the field and the
//! setters.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    model::{Body, Description, Schema, ValueKind},
    write::{
        docs,
        rules::Rules,
        tokens::{ident, optional, rust_type},
    },
};

/// The parts of a builder's code that handle the request body.
#[derive(Default)]
pub(crate) struct Sent {
    pub field: TokenStream,
    pub initial: TokenStream,
    pub setters: TokenStream,
    /// The generated code that adds the body to the request.
    pub written: TokenStream,
}

impl Sent {
    pub(crate) fn of(description: &Description, body: &Body, rules: &Rules<'_>) -> Self {
        let kind = rust_type(&body.schema);
        let rule = optional(rules.slot(&body.schema));
        let required = body.required;
        let words = ["The request body."].into_iter().chain(body.description.as_deref());
        let doc = docs::lines(&docs::doc(&words.collect::<Vec<_>>().join("\n\n")));
        let (held, setters) = match description.record(&body.schema) {
            Some(record) => of_record(&format_ident!("{}", record.name)),
            None => (kind.clone(), taken(description, &body.schema, &kind)),
        };
        let is_begun = required && description.record(&body.schema).is_some();
        let initial = optional(is_begun.then(|| quote! { Ok(Default::default()) }));
        Self {
            field: quote! { body: Option<Result<#held, String>>, },
            initial: quote! { body: #initial },
            setters: quote! {
                /// The bounds of the body in the OpenAPI description.
                pub(crate) const BODY: Option<&'static codegen::Rule> = #rule;

                #doc
                #setters
            },
            written: quote! {
                .and_then(|start| start.with_body::<#kind, _>(self.body, #required, Self::BODY))
            },
        }
    }
}

/// Returns the type of a record's builder, and the setter for a body of this record type.
fn of_record(record: &Ident) -> (TokenStream, TokenStream) {
    let setters = quote! {
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: TryInto<types::#record>,
            V::Error: std::fmt::Display,
        {
            let body = value.try_into().map(From::from);
            self.body = Some(body.map_err(|e| format!("`body` can't be converted: {e}")));
            self
        }
    };
    (quote! { types::builder::#record }, setters)
}

/// Returns the setter for a body that isn't a record.
fn taken(description: &Description, schema: &Schema, kind: &TokenStream) -> TokenStream {
    if let Some(array) = schema.array() {
        let entry = rust_type(&array.each);
        return quote! {
            pub fn body(mut self, entries: impl IntoIterator<Item = impl Into<#entry>>) -> Self {
                self.body = Some(Ok(entries.into_iter().map(Into::into).collect()));
                self
            }
        };
    }
    let described = ident(&format!("{:?}", ValueKind::of(description, schema)));
    quote! {
        pub fn body(mut self, value: impl TryInto<#kind>) -> Self {
            let rejected = || format!("`body` is not {}", codegen::Kind::#described.words());
            self.body = Some(value.try_into().map_err(|_| rejected()));
            self
        }
    }
}
