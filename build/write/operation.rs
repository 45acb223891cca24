//! The constants of `Operation`: what the description says about each.

use openapiv3::StatusCode;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::{
    model::{
        description::{Description, Operation},
        docs,
        schema::optional,
    },
    read::audit::JSON,
};

pub(crate) fn module(description: &Description) -> TokenStream {
    let operations = &description.operations;
    let constants = operations.iter().enumerate().map(|(index, o)| constant(description, index, o));
    let names = operations.iter().map(|o| &o.variant);
    let fields = fields(description);

    quote! {
        impl Operation {
            #(#constants)*

            /// Every operation of the description.
            pub const ALL: &'static [Self] = &[#(Self::#names),*];
        }

        /// The names of all fields, which are safe to print; other keys are the service's data.
        const FIELDS: &[&str] = &[#(#fields),*];
    }
}

fn constant(description: &Description, index: usize, operation: &Operation) -> TokenStream {
    let Operation { variant, id, path, scopes, needs_token, .. } = operation;
    let doc = docs::name(&format!("{} {path}", operation.method));
    let method = format_ident!("{}", operation.method);
    let content_type = operation.body.as_ref().map_or(JSON, |body| &body.media_type);
    let accept = if operation.accepted.is_empty() { JSON } else { &operation.accepted.join(", ") };
    let successes = operation.statuses.iter().map(|status| {
        let (first, last) = match status {
            StatusCode::Code(code) => (*code, *code),
            StatusCode::Range(_) => (200, 299),
        };
        quote! { (#first, #last) }
    });
    let body = body(description, operation);
    // A listing's constant is in its builder.
    let listing =
        optional(operation.listing.as_ref().map(|_| quote! { builder::#variant::LISTING }));
    quote! {
        #[doc = #doc]
        pub const #variant: Self = Self {
            details: &crate::operation::Details {
                index: #index,
                id: #id,
                method: reqwest::Method::#method,
                path: #path,
                scopes: &[#(#scopes),*],
                needs_token: #needs_token,
                content_type: #content_type,
                accept: #accept,
                successes: &[#(#successes),*],
                body: crate::operation::BodyKind::#body,
                listing: #listing,
                fields: FIELDS,
            },
        };
    }
}

/// How a successful answer is read.
fn body(description: &Description, operation: &Operation) -> Ident {
    let is_object = |answer| description.record(answer).is_ok_and(|record| record.is_some());
    format_ident!(
        "{}",
        match &operation.answer {
            None => "Nothing",
            Some(_) if operation.may_be_empty => "AnyOrNothing",
            Some(answer) if is_object(answer) => "Object",
            Some(_) => "Any",
        }
    )
}

fn fields(description: &Description) -> Vec<&String> {
    let fields = description.fields.values().flat_map(|fields| fields.values());
    let mut names: Vec<&String> = fields.map(|field| &field.wire).collect();
    names.sort();
    names.dedup();
    names
}
