//! The generated types: records that are read leniently, and open enums.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Field, Fields, GenericArgument, Item, ItemMod, ItemStruct, Meta, MetaList,
    PathArguments, Token, Type, parse_quote, punctuated::Punctuated,
};

use crate::{
    model::{description::Description, schema::object, schemas},
    read::Unsupported,
    write::{builders::deprecated, open_enum},
};

pub(crate) fn module(
    description: &Description,
    mut module: ItemMod,
) -> Result<TokenStream, Unsupported> {
    let is_request = |name: &str| description.requests.contains(name);
    let is_object = |name: &str| description.schema(name).ok().is_some_and(|s| object(s).is_some());
    let items = module.content.take().map(|(_, items)| items).unwrap_or_default();
    let records: Vec<ItemStruct> = items.iter().filter_map(record_of).cloned().collect();
    let mut kept = TokenStream::new();
    for item in items {
        match item {
            Item::Struct(record) => {
                let request = is_request(&record.ident.to_string());
                let record = documented(description, record)?;
                kept.extend(self::record(description, record, request, &is_object));
            }
            // `builder()`, which the builders below have.
            Item::Impl(block) if block.trait_.is_none() => {}
            Item::Mod(builders) if builders.ident == "builder" => {
                kept.extend(self::builders(description, &builders, &records));
            }
            other => kept.extend(other.into_token_stream()),
        }
    }
    let enums = open_enum::definitions(description);
    let names: Vec<&String> = description.schemas().map(|(name, _)| name).collect();
    let kinds: Vec<Ident> = names.iter().map(|name| format_ident!("{name}")).collect();
    Ok(quote! {
        /// The records, requests and values of the description.
        pub mod types {
            pub use crate::decode::{decimal::Decimal, open_enum::Unknown};

            #enums
            #kept

            /// The JSON Schema of every type, by its name in the description.
            #[cfg(feature = "schemars")]
            #[must_use]
            pub fn schemas() -> std::collections::BTreeMap<&'static str, schemars::Schema> {
                [#((#names, schemars::schema_for!(#kinds))),*].into()
            }
        }
    })
}

fn record(
    description: &Description,
    mut record: ItemStruct,
    request: bool,
    is_object: &dyn Fn(&str) -> bool,
) -> TokenStream {
    let name = record.ident.to_string();
    let required = description.object(&name).map(|object| object.required.as_slice());
    let required = required.unwrap_or_default();
    let fields = description.fields.get(&name);
    for field in &mut record.fields {
        if name_of(&field.ty).is_some_and(|kind| kind == "Map") && !request {
            field.attrs.push(parse_quote! { #[doc = #ANY_JSON] });
        }
        let called = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
        let about = fields.and_then(|fields| fields.get(&called));
        let is_null = about.is_some_and(|about| about.null);
        let reader = lenient_reader(field, is_object);
        // Progenitor was told that no array is required. Required ones are still written when empty.
        if is_null || (reader.is_some() && required.contains(&called)) {
            field.attrs.iter_mut().for_each(keep_the_name_alone);
        }
        if let Some(schemas::Field { wire, .. }) = about.filter(|about| about.wire != called) {
            field.attrs.push(parse_quote! { #[serde(rename = #wire)] });
        }
        if about.is_some_and(|about| about.deprecated) {
            field.attrs.push(parse_quote! { #[deprecated] });
        }
        if let Some(reader) = reader {
            // Only one `default`: some fields have it from progenitor, and others are required.
            let has_default =
                [TIME, OBJECT].contains(&&*reader) || has_setting(field, &["default"]);
            field.attrs.push(if has_default {
                parse_quote! { #[serde(deserialize_with = #reader)] }
            } else {
                parse_quote! { #[serde(default, deserialize_with = #reader)] }
            });
        }
    }
    let is_deprecated = description.schema(&name).is_ok_and(|schema| schema.schema_data.deprecated);
    let deprecated = deprecated(is_deprecated);
    let open: Option<Attribute> = (!request).then(|| parse_quote! { #[non_exhaustive] });
    quote! {
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #open
        #deprecated
        #record
    }
}

/// Removes everything from a serde attribute but the name on the wire.
fn keep_the_name_alone(attr: &mut Attribute) {
    let Meta::List(list) = &mut attr.meta else { return };
    if list.path.is_ident("serde") {
        let names = metas(list).filter(|meta| meta.path().is_ident("rename"));
        list.tokens = quote! { #(#names),* };
    }
}

fn metas(list: &MetaList) -> impl Iterator<Item = Meta> + use<> {
    let told = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    told.into_iter().flatten()
}

/// Whether a serde attribute of a field names one of these settings.
fn has_setting(field: &Field, names: &[&str]) -> bool {
    let serde = field.attrs.iter().filter(|attr| attr.path().is_ident("serde"));
    let mut told = serde.filter_map(|attr| attr.meta.require_list().ok()).flat_map(metas);
    told.any(|meta| names.iter().any(|name| meta.path().is_ident(name)))
}

/// Gives a field without a description of its own that of its schema.
fn documented(
    description: &Description,
    mut record: ItemStruct,
) -> Result<ItemStruct, Unsupported> {
    let name = record.ident.to_string();
    if description.object(&name).is_err() {
        return Ok(record);
    }
    for field in &mut record.fields {
        let called = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
        let Some(about) = description.fields.get(&name).and_then(|of| of.get(&called)) else {
            if !field.attrs.iter().any(|attr| attr.path().is_ident("doc")) {
                let doc = match called.as_str() {
                    "extra" => "Properties that the description doesn't name.".to_owned(),
                    _ => format!("`{called}`"),
                };
                field.attrs.insert(0, parse_quote! { #[doc = #doc] });
            }
            continue;
        };
        let slot = description.object(&name)?.properties.get(&called);
        let schema = slot.map(|slot| description.resolve_box(slot)).transpose()?;
        let of_schema = schema.and_then(|schema| schema.schema_data.description);
        let doc = about.description.clone().or(of_schema);
        let doc = doc.unwrap_or_else(|| crate::model::docs::name(&about.wire));
        field.attrs.retain(|attr| !attr.path().is_ident("doc"));
        field.attrs.insert(0, parse_quote! { #[doc = #doc] });
    }
    Ok(record)
}

/// What the docs of a field for any JSON say after its description.
const ANY_JSON: &str = "\n\nIntegers of up to 64 bits are exact; other numbers are 64-bit floats, of \
     some 15 digits. What Rust can't hold (`1e999`, half of a surrogate pair) is a string of the \
     characters that the service sent.";

const TIME: &str = "crate::decode::time::time";
const OBJECT: &str = "crate::decode::lenient::object";

/// The reader of a field that services don't always write as described.
fn lenient_reader(field: &Field, is_object: &dyn Fn(&str) -> bool) -> Option<String> {
    if is_record(&field.ty, is_object) {
        return Some(OBJECT.to_owned());
    }
    if let Some(read) = as_objects(&field.ty, is_object) {
        let read = read.to_token_stream().to_string().replace(' ', "");
        return Some(format!("crate::decode::lenient::objects::<_, {read}, _>"));
    }
    let outer = name_of(&field.ty)?;
    let reader = match (outer.as_str(), arguments(&field.ty).last().and_then(name_of).as_deref()) {
        ("Vec" | "Map" | "HashMap", _) => "crate::decode::lenient::or_empty",
        ("DateTime", _) => TIME,
        ("Option", Some("DateTime")) => "crate::decode::time::or_blank_time",
        ("Option", Some("Uuid")) => "crate::decode::lenient::or_blank",
        _ => return None,
    };
    Some(reader.to_owned())
}

fn is_record(kind: &Type, is_object: &dyn Fn(&str) -> bool) -> bool {
    ident(unboxed(kind)).is_some_and(|record| is_object(&record.to_string()))
}

/// What a type that holds records is read as, so that they are read from objects alone.
fn as_objects(kind: &Type, is_object: &dyn Fn(&str) -> bool) -> Option<Type> {
    if is_record(kind, is_object) {
        return Some(parse_quote! { crate::decode::lenient::AnObject<#kind> });
    }
    name_of(kind).filter(|name| matches!(&**name, "Option" | "Vec" | "HashMap"))?;
    let read = as_objects(arguments(kind).last()?, is_object)?;
    let mut kind = kind.clone();
    let Type::Path(path) = &mut kind else { return None };
    let PathArguments::AngleBracketed(arguments) = &mut path.path.segments.last_mut()?.arguments
    else {
        return None;
    };
    *arguments.args.last_mut()? = GenericArgument::Type(read);
    Some(kind)
}

/// Builders of the records, with the types as progenitor's own builders have them.
fn builders(description: &Description, module: &ItemMod, records: &[ItemStruct]) -> TokenStream {
    let builders = module.content.iter().flat_map(|(_, items)| items).filter_map(record_of);
    let builders = builders.map(|builder| {
        let name = &builder.ident;
        let record = records.iter().find(|record| record.ident == *name);
        let fields = builder.fields.iter().map(|field| {
            let (name, kind) = (&field.ident, arguments(&field.ty).next());
            let called = name.as_ref().map(Ident::to_string).unwrap_or_default();
            let about = description.fields.get(&builder.ident.to_string());
            let is_null = about.and_then(|of| of.get(&called)).is_some_and(|about| about.null);
            let optional =
                !is_null && record.is_some_and(|record| may_be_left_out(record, name.as_ref()));
            let need = format_ident!("{}", if optional { "optional" } else { "required" });
            quote! { #need #name: #kind, }
        });
        let cfg: Option<Attribute> = (!description.requests.contains(&name.to_string()))
            .then(|| parse_quote! { #[cfg(feature = "sandbox")] });
        quote! {
            #cfg
            crate::value_builder::value_builder! { #name { #(#fields)* } }
        }
    });
    quote! {
        /// Builders of the request types, for those who prefer them to struct literals. With the
        /// feature `sandbox`, also of response types, for your own tests.
        ///
        /// The conversion into the type fails if a required field wasn't set or another value
        /// couldn't be converted. A required array that wasn't set is empty; a required field that may
        /// be null has to be set, to `None` for null. Bounds are checked by `send()`.
        #[allow(missing_docs)]
        pub mod builder { #(#builders)* }
    }
}

fn record_of(item: &Item) -> Option<&ItemStruct> {
    match item {
        Item::Struct(record) if matches!(record.fields, Fields::Named(_)) => Some(record),
        _ => None,
    }
}

fn may_be_left_out(record: &ItemStruct, name: Option<&Ident>) -> bool {
    let field = record.fields.iter().find(|field| field.ident.as_ref() == name);
    field.is_some_and(|field| has_setting(field, &["default", "skip_serializing_if"]))
}

/// `T` of `Vec<T>`, and those of any other type with arguments.
pub(super) fn arguments(kind: &Type) -> impl DoubleEndedIterator<Item = &Type> {
    let segment = match kind {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let arguments = match segment.map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

fn unboxed(kind: &Type) -> &Type {
    let is_box = name_of(kind).is_some_and(|name| name == "Box");
    arguments(kind).next().filter(|_| is_box).unwrap_or(kind)
}

/// The name of a type of a library, whose paths begin at a crate's name.
fn name_of(kind: &Type) -> Option<String> {
    let Type::Path(path) = kind else { return None };
    path.path.leading_colon?;
    Some(path.path.segments.last()?.ident.to_string())
}

/// The name of a type of the module itself, which no path leads to.
fn ident(kind: &Type) -> Option<&Ident> {
    let Type::Path(path) = kind else { return None };
    path.path.get_ident()
}
