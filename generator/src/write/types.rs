//! The generated types: records that are read leniently, and open enums.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Field, GenericArgument, Item, ItemMod, ItemStruct, Path, PathArguments, Token, Type,
    parse_quote, punctuated::Punctuated,
};

use crate::{
    model::{self, Description, Form, Format, NEXT_CURSOR, Record, docs},
    write::builders::deprecated,
};

pub(crate) fn module(description: &Description, mut module: ItemMod) -> TokenStream {
    let items = module.content.take().map(|(_, items)| items).unwrap_or_default();
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
                kept.extend(self::builders(description, &builders));
            }
            other => kept.extend(other.into_token_stream()),
        }
    }
    let enums = enums(description);
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

/// Every enum becomes an open one, which keeps values that it doesn't know.
fn enums(description: &Description) -> TokenStream {
    let mut definitions = TokenStream::new();
    for (name, named) in description.iter() {
        let Form::Enum(of) = &named.form else { continue };
        let name = format_ident!("{name}");
        let doc = docs::doc(named.description.as_deref().unwrap_or("Values of the service."));
        let deprecated = deprecated(named.deprecated);
        let (variants, values): (Vec<_>, Vec<_>) = of.values.iter().cloned().unzip();
        let docs = values.iter().map(|value| doc_of(value));
        definitions.extend(quote! {
            crate::decode::open_enum::open_enum! {
                #[doc = #doc]
                #deprecated
                #name { #(#[doc = #docs] #variants = #values,)* }
            }
        });
    }
    definitions
}

fn doc_of(value: &str) -> String {
    if value.is_empty() { "The empty text.".to_owned() } else { docs::name(value) }
}

fn record(description: &Description, about: &Record, mut record: ItemStruct) -> TokenStream {
    let is_request = description.requests.contains(&about.name);
    for field in &mut record.fields {
        match about.field(&called(field)) {
            Some(about) => adapt(about, field, is_request),
            None => adapt_others(field, is_request),
        }
    }
    let is_deprecated = description.types.get(&about.name).is_some_and(|named| named.deprecated);
    let deprecated = deprecated(is_deprecated);
    let open: Option<Attribute> = (!is_request).then(|| parse_quote! { #[non_exhaustive] });
    record.attrs.iter_mut().for_each(without_deserialize);
    let fields = record.fields.iter().map(|field| {
        let (attributes, Field { ident, ty, .. }) = (of_serde(field), field);
        quote! { #(#attributes)* #ident: #ty, }
    });
    let name = &record.ident;
    let reader = quote! { crate::decode::lenient::from_object! { #name { #(#fields)* } } };
    quote! {
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #open
        #deprecated
        #record

        #reader
    }
}

fn of_serde(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde"))
}

/// Leaves the reader out of what is derived.
fn without_deserialize(attribute: &mut Attribute) {
    let derived = attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    if let (true, Ok(derived)) = (attribute.path().is_ident("derive"), derived) {
        let is_kept =
            |path: &&Path| path.segments.last().is_some_and(|it| it.ident != "Deserialize");
        let kept = derived.iter().filter(is_kept);
        *attribute = parse_quote! { #[derive(#(#kept),*)] };
    }
}

/// Gives a field its docs, its name on the wire and its reader.
fn adapt(about: &model::Field, field: &mut Field, is_request: bool) {
    let doc = about.description.as_deref().map_or_else(|| docs::name(&about.wire), docs::doc);
    // Progenitor was told that no array is required. Required ones are still written when empty.
    let is_written = about.null || about.required;
    let left_out = of_serde(field).filter(|_| !is_written);
    let mut left_out = quote! { #(#left_out)* };
    if about.tells_unset(is_request) {
        let kind = &field.ty;
        field.ty = parse_quote! { ::std::option::Option<#kind> };
        if !is_written {
            left_out = quote! {
                #[serde(default, skip_serializing_if = "::std::option::Option::is_none")]
            };
        }
    }
    let any_json = any_json(!is_request && about.schema.is_any_object());
    let wire = Some(&about.wire).filter(|wire| **wire != about.name).into_iter();
    let deprecated = deprecated(about.deprecated);
    let reader = lenient_reader(about, is_request).map(|reader| {
        // Only one `default`: arrays and maps have it from progenitor, and others are required.
        let has_default = about.schema.within().is_some() && !is_written;
        let default = (!has_default && reader != TIME).then(|| quote! { default, });
        quote! { #[serde(#default deserialize_with = #reader)] }
    });
    field.attrs = parse_quote! {
        #[doc = #doc] #left_out #any_json #(#[serde(rename = #wire)])* #deprecated #reader
    };
}

/// Gives docs and a reader to `extra`, which progenitor adds.
fn adapt_others(field: &mut Field, is_request: bool) {
    let (flattened, any_json) = (of_serde(field), any_json(!is_request));
    field.attrs = parse_quote! {
        #[doc = "Properties that the description doesn't name."] #(#flattened)* #any_json
        #[serde(default, deserialize_with = #OR_EMPTY)]
    };
}

fn any_json(is: bool) -> Option<TokenStream> {
    is.then(|| quote! { #[doc = #ANY_JSON] })
}

/// What the docs of a field for any JSON say after its description.
const ANY_JSON: &str = "\n\nIntegers of up to 64 bits are exact; other numbers are 64-bit floats, of \
     some 15 digits. What Rust can't hold (`1e999`, half of a surrogate pair) is a string of the \
     characters that the service sent.";

const TIME: &str = "crate::decode::time::time";
const OR_EMPTY: &str = "crate::decode::lenient::or_empty";
const OR_BLANK: &str = "crate::decode::lenient::or_blank";

/// The reader of a field that services don't always write as described.
fn lenient_reader(about: &model::Field, is_request: bool) -> Option<&'static str> {
    let is_option = about.is_option(is_request);
    Some(match (is_option, about.schema.format()) {
        (false, _) if about.schema.within().is_some() => OR_EMPTY,
        (false, Some(Format::Time)) => TIME,
        (true, Some(Format::Time)) => "crate::decode::time::or_blank_time",
        (true, Some(Format::Uuid)) => OR_BLANK,
        (true, Some(Format::Text)) if about.wire == NEXT_CURSOR => OR_BLANK,
        _ => return None,
    })
}

/// Builders of the records, with the types as progenitor's own builders have them.
fn builders(description: &Description, module: &ItemMod) -> TokenStream {
    let builders = module.content.iter().flat_map(|(_, items)| items);
    let builders = builders.filter_map(|builder| {
        let Item::Struct(builder) = builder else { return None };
        let name = &builder.ident;
        let about = description.record_named(&name.to_string())?;
        let is_request = description.requests.contains(&about.name);
        let fields = builder.fields.iter().map(|field| {
            let (name, about) = (&field.ident, about.field(&called(field)));
            let mut kind = argument(&field.ty).map(ToTokens::to_token_stream);
            if about.is_some_and(|about| about.tells_unset(is_request)) {
                kind = Some(quote! { ::std::option::Option<#kind> });
            }
            let is_optional = about.is_some_and(model::Field::may_be_left_out);
            let need = format_ident!("{}", if is_optional { "optional" } else { "required" });
            quote! { #need #name: #kind, }
        });
        let cfg: Option<Attribute> =
            (!is_request).then(|| parse_quote! { #[cfg(feature = "sandbox")] });
        Some(quote! {
            #cfg
            crate::value_builder::value_builder! { #name { #(#fields)* } }
        })
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

fn called(field: &Field) -> String {
    field.ident.as_ref().map(Ident::to_string).unwrap_or_default()
}

/// `T` of `Result<T, String>`.
fn argument(kind: &Type) -> Option<&GenericArgument> {
    let Type::Path(path) = kind else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.first()
}
