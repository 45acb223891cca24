//! The optional arrays and maps of requests, which tell "not set" from "empty".

use syn::{Field, Ident, Item, ItemMod, ItemStruct, parse_quote};

use crate::model::{description::Description, schema::Kind, schemas};

/// Makes an `Option` of each array and map of a request that may be left out or null. One that may
/// not be empty has no need of it: an empty one is left out.
pub(crate) fn tell_apart(description: &Description, types: &mut ItemMod) {
    for item in types.content.iter_mut().flat_map(|(_, items)| items) {
        match item {
            Item::Struct(record) => each(description, record, |field, is_null| {
                let kind = &field.ty;
                field.ty = parse_quote! { ::std::option::Option<#kind> };
                if !is_null {
                    field.attrs.retain(|attribute| !attribute.path().is_ident("serde"));
                    field.attrs.push(parse_quote! {
                        #[serde(default, skip_serializing_if = "::std::option::Option::is_none")]
                    });
                }
            }),
            Item::Mod(builders) if builders.ident == "builder" => {
                for item in builders.content.iter_mut().flat_map(|(_, items)| items) {
                    let Item::Struct(builder) = item else { continue };
                    each(description, builder, |field, _| {
                        let Some(kind) = super::types::arguments(&field.ty).next() else { return };
                        field.ty = parse_quote! {
                            ::std::result::Result<::std::option::Option<#kind>, String>
                        };
                    });
                }
            }
            _ => {}
        }
    }
}

/// Calls `change` for each such field of a record, and says whether it may be null.
fn each(description: &Description, record: &mut ItemStruct, change: impl Fn(&mut Field, bool)) {
    let name = record.ident.to_string();
    let Some(about) = description.record_named(&name) else { return };
    if !description.requests.contains(&name) {
        return;
    }
    for field in &mut record.fields {
        let called = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
        if let Some(about) = about.field(&called).filter(|about| is_optional(about)) {
            change(field, about.null);
        }
    }
}

fn is_optional(field: &schemas::Field) -> bool {
    let size = match &field.schema.kind {
        Kind::Array(array) => array.size,
        Kind::Map(map) => map.size,
        _ => return false,
    };
    field.null || (!field.required && size.least == 0)
}
