//! The generated types: records that are read leniently, and open enums.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Field, Fields, GenericArgument, Item, ItemMod, ItemStruct, Meta, MetaList,
    PathArguments, Token, Type, parse_quote, punctuated::Punctuated,
};

use crate::{
    model::{
        description::Description,
        docs,
        schemas::{self, Record},
    },
    write::{builders::deprecated, open_enum},
};

pub(crate) fn module(description: &Description, mut module: ItemMod) -> TokenStream {
    let items = module.content.take().map(|(_, items)| items).unwrap_or_default();
    let records: Vec<ItemStruct> = items.iter().filter_map(record_of).cloned().collect();
    let mut kept = TokenStream::new();
    for item in items {
        match item {
            Item::Struct(record) => {
                let about = description.record_named(&record.ident.to_string());
                kept.extend(about.map(|about| self::record(description, about, record)));
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
    let (names, kinds): (Vec<_>, Vec<_>) =
        description.iter().map(|(name, _)| (name, format_ident!("{name}"))).unzip();
    quote! {
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
    }
}

fn record(description: &Description, about: &Record, mut record: ItemStruct) -> TokenStream {
    let is_request = description.requests.contains(&about.name);
    for field in &mut record.fields {
        let called = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
        adapt(description, about.field(&called), field, is_request);
    }
    let is_deprecated = description.types.get(&about.name).is_some_and(|named| named.deprecated);
    let deprecated = deprecated(is_deprecated);
    let open: Option<Attribute> = (!is_request).then(|| parse_quote! { #[non_exhaustive] });
    quote! {
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #open
        #deprecated
        #record
    }
}

/// Gives a field its docs, its name on the wire and its reader. Nothing is said about `extra`, which
/// progenitor adds.
fn adapt(
    description: &Description,
    about: Option<&schemas::Field>,
    field: &mut Field,
    is_request: bool,
) {
    let doc = about.map_or_else(
        || "Properties that the description doesn't name.".to_owned(),
        |about| about.description.clone().unwrap_or_else(|| docs::name(&about.wire)),
    );
    field.attrs.retain(|attr| !attr.path().is_ident("doc"));
    field.attrs.insert(0, parse_quote! { #[doc = #doc] });
    if name_of(&field.ty).is_some_and(|kind| kind == "Map") && !is_request {
        field.attrs.push(parse_quote! { #[doc = #ANY_JSON] });
    }
    let reader = lenient_reader(description, field);
    if let Some(about) = about {
        // Progenitor was told that no array is required. Required ones are still written when empty.
        if about.null || (reader.is_some() && about.required) {
            field.attrs.iter_mut().for_each(keep_the_name_alone);
        }
        if field.ident.as_ref().is_some_and(|name| *name != about.wire) {
            let wire = &about.wire;
            field.attrs.push(parse_quote! { #[serde(rename = #wire)] });
        }
        if about.deprecated {
            field.attrs.push(parse_quote! { #[deprecated] });
        }
    }
    if let Some(reader) = reader {
        // Only one `default`: some fields have it from progenitor, and others are required.
        let has_default = [TIME, OBJECT].contains(&&*reader) || has_setting(field, &["default"]);
        field.attrs.push(if has_default {
            parse_quote! { #[serde(deserialize_with = #reader)] }
        } else {
            parse_quote! { #[serde(default, deserialize_with = #reader)] }
        });
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

/// What the docs of a field for any JSON say after its description.
const ANY_JSON: &str = "\n\nIntegers of up to 64 bits are exact; other numbers are 64-bit floats, of \
     some 15 digits. What Rust can't hold (`1e999`, half of a surrogate pair) is a string of the \
     characters that the service sent.";

const TIME: &str = "crate::decode::time::time";
const OBJECT: &str = "crate::decode::lenient::object";

/// The reader of a field that services don't always write as described.
fn lenient_reader(description: &Description, field: &Field) -> Option<String> {
    if is_record(description, &field.ty) {
        return Some(OBJECT.to_owned());
    }
    if let Some(read) = as_objects(description, &field.ty) {
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

/// Whether it is a record of the description, to which no path leads but `types`.
fn is_record(description: &Description, kind: &Type) -> bool {
    let Type::Path(path) = unboxed(kind) else { return false };
    let mut segments = path.path.segments.iter().rev();
    let record = segments.next().and_then(|name| description.record_named(&name.ident.to_string()));
    let is_own = segments.next().is_none_or(|module| module.ident == "types");
    record.is_some() && is_own && path.path.leading_colon.is_none()
}

/// What a type that holds records is read as, so that they are read from objects alone.
pub(super) fn as_objects(description: &Description, kind: &Type) -> Option<Type> {
    if is_record(description, kind) {
        return Some(parse_quote! { crate::decode::lenient::AnObject<#kind> });
    }
    let read = as_objects(description, arguments(kind).last()?)?;
    let mut kind = kind.clone();
    let Type::Path(path) = &mut kind else { return None };
    let outer = path.path.segments.last_mut()?;
    let PathArguments::AngleBracketed(arguments) = &mut outer.arguments else { return None };
    *arguments.args.last_mut()? = GenericArgument::Type(read);
    (outer.ident != "Box").then_some(kind)
}

/// Builders of the records, with the types as progenitor's own builders have them.
fn builders(description: &Description, module: &ItemMod, records: &[ItemStruct]) -> TokenStream {
    let builders = module.content.iter().flat_map(|(_, items)| items).filter_map(record_of);
    let builders = builders.map(|builder| {
        let name = &builder.ident;
        let record = records.iter().find(|record| record.ident == *name);
        let about = description.record_named(&name.to_string());
        let fields = builder.fields.iter().map(|field| {
            let (name, kind) = (&field.ident, arguments(&field.ty).next());
            let called = name.as_ref().map(Ident::to_string).unwrap_or_default();
            let is_null = about.and_then(|of| of.field(&called)).is_some_and(|field| field.null);
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
