//! Generates the module `operation`, with a constant for each operation.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    document::JSON,
    model::{ApiKey, Description, Operation, Record, Security},
    write::{
        docs,
        tokens::{ident, optional},
    },
};

pub(crate) fn module(description: &Description) -> TokenStream {
    let operations = &description.operations;
    let constants = operations.iter().enumerate().map(|(index, o)| constant(description, index, o));
    let names = operations.iter().map(|o| ident(&o.constant));
    let fields = fields(description).into_iter();

    quote! {
        /// The operations as constants, which can be used in patterns.
        pub mod operation {
            #[allow(unused_imports)]
            use super::{builder, codegen};

            #(#constants)*

            /// All operations in the OpenAPI description.
            pub const ALL: &[codegen::Operation] = &[#(#names),*];
        }

        /// The JSON names of all fields in the OpenAPI description. Error messages hide all other
        /// keys in a response.
        const FIELDS: &[&str] = &[#(#fields),*];
    }
}

fn constant(description: &Description, index: usize, operation: &Operation) -> TokenStream {
    let Operation { id, path, security: Security { token, scopes, api_keys }, .. } = operation;
    let [variant, constant] = [&operation.variant, &operation.constant].map(ident);
    let token = format_ident!("{token:?}");
    let doc = docs::lines(&docs::name(&format!("{} {path}", operation.method)));
    let api_keys = api_keys.iter().map(|ApiKey { header, required }| {
        let header = header.to_lowercase();
        quote! { (#header, #required) }
    });
    let method = format_ident!("{}", operation.method);
    let content_type = operation.body.as_ref().map_or(JSON, |body| &body.media_type);
    let kinds = &operation.responses.media_types;
    let accept = if kinds.is_empty() { JSON } else { &kinds.join(", ") };
    let successes = &operation.responses.statuses;
    let successes = successes.iter().map(|(first, last)| quote! { (#first, #last) });
    let body = body(description, operation);
    let idempotent = operation.idempotent;
    // The constant `LISTING` is generated in the operation's builder.
    let listing =
        optional(operation.listing.as_ref().map(|_| quote! { builder::#variant::LISTING }));
    quote! {
        #doc
        pub const #constant: codegen::Operation = codegen::operation(&codegen::Details {
                index: #index,
                id: #id,
                method: codegen::Method::#method,
                path: #path,
                scopes: &[#(#scopes),*],
                token: codegen::Token::#token,
                api_keys: &[#(#api_keys),*],
                idempotent: #idempotent,
                content_type: #content_type,
                accept: #accept,
                successes: &[#(#successes),*],
                body: codegen::BodyKind::#body,
                listing: #listing,
                fields: super::FIELDS,
        });
    }
}

/// Returns the `BodyKind` of an operation's successful responses.
fn body(description: &Description, operation: &Operation) -> TokenStream {
    let Some(schema) = &operation.responses.schema else { return quote! { Nothing } };
    if operation.responses.may_be_empty {
        return quote! { JsonOrNothing };
    }
    let record = description.record(schema);
    let Some(listing) = &operation.listing else {
        let names = record.map(names).unwrap_or_default();
        return quote! { Json(&[#(#names),*]) };
    };
    let mut record = record;
    let mut steps = Vec::new();
    for name in &listing.records {
        let Some(of) = record else { break };
        let Some(field) = of.field(name) else { break };
        let (wire, names) = (&field.wire, names(of));
        steps.push(quote! { (#wire, &[#(#names),*]) });
        record = description.record(&field.schema);
    }
    quote! { Page(&[#(#steps),*]) }
}

/// Returns the JSON names of an object's properties, sorted like the fields of the generated
/// struct. If the schema allows additional properties, no property is unknown, so the runtime
/// doesn't need the names.
fn names(record: &Record) -> Vec<&String> {
    let fields = record.fields.iter().filter(|_| record.others.is_none());
    fields.map(|field| &field.wire).collect::<BTreeSet<_>>().into_iter().collect()
}

fn fields(description: &Description) -> BTreeSet<&String> {
    description.records().flat_map(|record| &record.fields).map(|field| &field.wire).collect()
}
