//! The columns of a listing's records.

use std::collections::BTreeSet;

use openapiv3::AdditionalProperties;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{kind::kind, unique};
use crate::{
    model::{description::Description, listing::Listing},
    read::Unsupported,
};

/// A column for each field that the description names, and one for what else it allows.
pub(super) fn columns(
    description: &Description,
    listing: &Listing,
) -> Result<Vec<TokenStream>, Unsupported> {
    let column = |name: &str, kind: &TokenStream, required: bool, part: &str| {
        let part = format_ident!("{part}");
        quote! { Column { name: #name, kind: #kind, required: #required, part: Part::#part } }
    };
    let json = quote! { Kind::Json };
    let Some(name) = description.record(&listing.item)? else {
        return Ok(vec![column("value", &json, true, "Whole")]);
    };
    let record = description.object(&name)?;
    let mut columns = Vec::new();
    let mut names = BTreeSet::new();
    for (field, property) in &record.properties {
        let schema = description.resolve_box(property)?;
        let about = description.fields.get(&name).and_then(|fields| fields.get(field));
        let wire = about.map_or(field, |about| &about.wire);
        names.insert(wire.clone());
        columns.push(column(wire, &kind(&schema), record.required.contains(field), "Field"));
    }
    if let Some(AdditionalProperties::Schema(_)) = record.additional_properties {
        columns.push(column(&unique("extra", &mut names), &json, false, "Others"));
    }
    Ok(columns)
}
