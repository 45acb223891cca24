//! The body of a call, and the setters that its builder has for it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Body, Description, Schema, docs, optional},
    write::rules::Rules,
};

/// What a builder has for a body.
#[derive(Default)]
pub(crate) struct Sent {
    pub field: TokenStream,
    pub initial: TokenStream,
    pub setters: TokenStream,
    /// The expression that adds it to the call.
    pub written: TokenStream,
}

impl Sent {
    pub(crate) fn of(description: &Description, body: &Body, rules: &Rules<'_>) -> Self {
        let kind = body.schema.rust_type();
        let rule = optional(rules.slot(&body.schema));
        let required = body.required;
        let words = ["The request's body."].into_iter().chain(body.description.as_deref());
        let doc = docs::doc(&words.collect::<Vec<_>>().join("\n\n"));
        let Some(record) = description.record(&body.schema) else {
            let setter = taken(&body.schema, &kind);
            return Self {
                field: quote! { body: Option<Result<#kind, String>>, },
                initial: quote! { body: None },
                setters: quote! {
                    #[doc = #doc]
                    #setter
                },
                written: quote! { .and_then(|start| start.with_body(self.body, #required, #rule)) },
            };
        };
        let record = format_ident!("{}", record.name);
        let initial = if required {
            quote! { body: Some(Ok(Default::default())) }
        } else {
            quote! { body: None }
        };
        Self {
            field: quote! { body: Option<Result<types::builder::#record, String>>, },
            initial,
            setters: quote! {
                /// The description's rules for the body.
                pub(crate) const BODY: Option<&'static crate::validate::Rule> = #rule;

                #[doc = #doc]
                pub fn body<V>(mut self, value: V) -> Self
                where
                    V: TryInto<types::#record>,
                    V::Error: std::fmt::Display,
                {
                    let body = value.try_into().map(From::from);
                    self.body = Some(body.map_err(|e| format!("`body` can't be converted: {e}")));
                    self
                }

                /// Changes the request's body.
                pub fn body_map<F>(mut self, change: F) -> Self
                where
                    F: FnOnce(types::builder::#record) -> types::builder::#record,
                {
                    self.body = Some(self.body.unwrap_or_else(|| Ok(Default::default())).map(change));
                    self
                }
            },
            written: quote! {
                .and_then(|start| {
                    let body = self.body.map(|body| {
                        body.and_then(|body| types::#record::try_from(body).map_err(|e| e.to_string()))
                    });
                    start.with_body(body, #required, Self::BODY)
                })
            },
        }
    }
}

/// The setter of a body that isn't a record.
fn taken(schema: &Schema, kind: &TokenStream) -> TokenStream {
    if let Some(array) = schema.array() {
        let entry = array.each.rust_type();
        return quote! {
            pub fn body(mut self, entries: impl IntoIterator<Item = impl Into<#entry>>) -> Self {
                self.body = Some(Ok(entries.into_iter().map(Into::into).collect()));
                self
            }
        };
    }
    let problem = format!("`body` is not {}", schema.in_words());
    quote! {
        pub fn body(mut self, value: impl TryInto<#kind>) -> Self {
            self.body = Some(value.try_into().map_err(|_| #problem.to_owned()));
            self
        }
    }
}
