//! The columns of a listing's records.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{kind, unique};
use crate::model::{description::Description, listing::Listing};

/// A column for each field that the description names, and one for what else it allows.
pub(super) fn columns(description: &Description, listing: &Listing) -> Vec<TokenStream> {
    let column = |name: &str, kind: &TokenStream, required: bool, part: &str| {
        let part = format_ident!("{part}");
        quote! { Column { name: #name, kind: #kind, required: #required, part: Part::#part } }
    };
    let json = quote! { Kind::Json };
    let Some(record) = description.record(&listing.item) else {
        return vec![column("value", &json, true, "Whole")];
    };
    let fields = record.fields.iter();
    let mut columns: Vec<_> = fields
        .map(|field| {
            column(&field.wire, &kind(description, &field.schema), field.required, "Field")
        })
        .collect();
    if record.has_others {
        let mut names: BTreeSet<_> = record.fields.iter().map(|field| field.wire.clone()).collect();
        columns.push(column(&unique("extra", &mut names), &json, false, "Others"));
    }
    columns
}
