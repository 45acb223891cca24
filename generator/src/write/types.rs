//! Generates the types: records and open enums. Records tolerate common deviations from the OpenAPI
//! description in responses. Open enums keep unknown values.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Field, Item, ItemMod, ItemStruct, Path, Token, parse_quote, punctuated::Punctuated,
};

use crate::{
    document::Format,
    model::{self, Description, Form, Kind, Record},
    write::{
        docs, macros,
        tokens::{deprecated, ident},
    },
};

pub(crate) fn module(description: &Description, mut module: ItemMod) -> TokenStream {
    let items = module.content.take().map(|(_, items)| items).unwrap_or_default();
    let mut structs = Vec::new();
    let mut kept = TokenStream::new();
    for item in items {
        match item {
            Item::Struct(record) => structs.push(record),
            // Omits progenitor's method `builder()`, because the macro `records` generates it.
            Item::Impl(block) if block.trait_.is_none() => {}
            Item::Mod(module) if module.ident == "builder" => {}
            other => kept.extend(other.into_token_stream()),
        }
    }
    let mut records = TokenStream::new();
    let mut builders = TokenStream::new();
    let mut open = TokenStream::new();
    for record in structs {
        let name = record.ident.clone();
        let Some(about) = description.record_named(&name.to_string()) else { continue };
        let is_request = description.requests.contains(&about.name);
        let builder = builder_name(description, &about.name);
        let cfg: Option<Attribute> =
            (!is_request).then(|| parse_quote! { #[cfg(feature = "sandbox")] });
        builders.extend(quote! { #cfg pub use super::#builder as #name; });
        records.extend(self::record(description, about, record, &builder));
        if is_request && about.others.is_some() {
            open.extend(properties(about));
        }
    }
    let enums = enums(description);
    let (names, kinds): (Vec<_>, Vec<_>) =
        description.iter().map(|(name, _)| (name, format_ident!("{name}"))).unzip();
    let enums = macros::group("open_enums", &enums);
    let records = macros::group("records", &records);
    quote! {
        /// The types in the OpenAPI description: records and enums.
        pub mod types {
            #[allow(unused_imports)]
            use super::codegen;
            #[doc(inline)]
            pub use super::codegen::{Decimal, Unknown};

            #enums
            #records
            #open
            #kept

            /// Builders for the request types, as an alternative to struct literals. The feature
            /// `sandbox` adds builders for the response types, for use in your tests.
            ///
            /// Converting a builder to its type fails if a required field isn't set or a value
            /// can't be converted. The bounds are checked later, by `send()`.
            ///
            /// - Required arrays are an exception: an array that isn't set is empty.
            /// - A required field that may be null must still be set. For null, set it to `None`.
            pub mod builder {
                #builders
            }

            /// Returns the JSON Schema of every type. The keys are the names of the types.
            #[cfg(feature = "schemars")]
            #[must_use]
            pub fn schemas() -> std::collections::BTreeMap<&'static str, schemars::Schema> {
                [#((#names, schemars::schema_for!(#kinds))),*].into()
            }
        }
    }
}

/// Returns a name for a record's builder that isn't also the name of a type.
fn builder_name(description: &Description, record: &str) -> Ident {
    let mut name = format!("{record}Builder");
    while description.types.contains_key(&name) {
        name.push('_');
    }
    format_ident!("{name}")
}

/// Generates the open enums, which keep unknown values.
fn enums(description: &Description) -> TokenStream {
    let mut definitions = TokenStream::new();
    for (name, named) in description.iter() {
        let Form::Enum(of) = &named.form else { continue };
        let name = format_ident!("{name}");
        let doc = docs::lines(&docs::doc(
            named.description.as_deref().unwrap_or("Values that the service defines."),
        ));
        let deprecated = deprecated(named.deprecated);
        let (variants, values): (Vec<_>, Vec<_>) =
            of.values.iter().map(|(variant, value)| (ident(variant), value)).unzip();
        let docs = values.iter().map(|value| docs::lines(&doc_of(value)));
        definitions.extend(quote! {
            #doc
            #deprecated
            pub enum #name { #(#docs #variants = #values,)* }
        });
    }
    definitions
}

fn doc_of(value: &str) -> String {
    if value.is_empty() { "The empty string.".to_owned() } else { docs::name(value) }
}

/// Generates a record as input for the runtime's macro. Attributes state the record's role (request
/// or response) and its builder, and mark each field as required or optional.
fn record(
    description: &Description,
    about: &Record,
    mut record: ItemStruct,
    builder: &Ident,
) -> TokenStream {
    let is_request = description.requests.contains(&about.name);
    for field in &mut record.fields {
        let described = about.field(&called(field));
        match described {
            Some(about) => adapt(about, field, is_request),
            None => adapt_others(about, field, is_request),
        }
        let is_optional = described.is_none_or(model::Field::may_be_left_out);
        let need = format_ident!("{}", if is_optional { "optional" } else { "required" });
        field.attrs.insert(0, parse_quote! { #[#need] });
    }
    let is_deprecated = description.types.get(&about.name).is_some_and(|named| named.deprecated);
    let deprecated = deprecated(is_deprecated);
    record.attrs.iter_mut().for_each(without_deserialize);
    let (docs, others): (Vec<_>, Vec<_>) =
        record.attrs.drain(..).partition(|attribute| attribute.path().is_ident("doc"));
    let docs = docs.iter().map(docs::split);
    let role = format_ident!("{}", if is_request { "request" } else { "response" });
    quote! {
        #[#role(#builder)]
        #(#docs)*
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #deprecated
        #(#others)*
        #record
    }
}

/// Generates the implementation of `codegen::Open`, which lists the named properties of a record
/// that may have additional properties.
fn properties(record: &Record) -> TokenStream {
    let name = &record.name;
    let (ident, named) = (format_ident!("{name}"), record.fields.iter().map(|field| &field.wire));
    let named = named.chain(&record.unsent);
    quote! {
        impl codegen::Open for #ident {
            const NAME: &'static str = #name;
            const PROPERTIES: &'static [&'static str] = &[#(#named),*];
        }
    }
}

fn of_serde(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde"))
}

/// Removes `Deserialize` from the derived traits.
fn without_deserialize(attribute: &mut Attribute) {
    let derived = attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    if let (true, Ok(derived)) = (attribute.path().is_ident("derive"), derived) {
        let is_kept =
            |path: &&Path| path.segments.last().is_some_and(|it| it.ident != "Deserialize");
        let kept = derived.iter().filter(is_kept);
        *attribute = parse_quote! { #[derive(#(#kept),*)] };
    }
}

/// Sets the attributes of a field: its docs, its JSON name and its `deserialize_with` function.
/// Also wraps the field's type in an `Option` where necessary.
fn adapt(about: &model::Field, field: &mut Field, is_request: bool) {
    let mut doc = about.description.as_deref().map_or_else(|| docs::name(&about.wire), docs::doc);
    if about.distinguishes_null(is_request) {
        doc.push_str(NULL);
    }
    // Progenitor omits empty arrays, because its input has no required arrays. A required array
    // must be written even if it is empty.
    let is_written = about.null || about.required;
    let left_out = of_serde(field).filter(|_| !is_written);
    let mut left_out = quote! { #(#left_out)* };
    for _ in 0..options(about, is_request) {
        let kind = &field.ty;
        field.ty = parse_quote! { ::std::option::Option<#kind> };
    }
    let is_array = about.schema.within().is_some();
    if about.distinguishes_unset(is_request) && !is_written {
        left_out = quote! {
            #[serde(default, skip_serializing_if = "::std::option::Option::is_none")]
        };
    }
    let any_json = any_json(!is_request && about.schema.is_any_object());
    let wire = Some(&about.wire).filter(|wire| **wire != about.name).into_iter();
    let deprecated = deprecated(about.deprecated);
    let reader = lenient_reader(about, is_request).map(|reader| {
        // `default` may appear only once, and progenitor already adds it to optional arrays and
        // maps.
        let has_default = is_array && !is_written;
        let default = (!has_default && reader != TIME).then(|| quote! { default, });
        quote! { #[serde(#default deserialize_with = #reader)] }
    });
    let doc = docs::lines(&doc);
    field.attrs = parse_quote! {
        #doc #any_json #left_out #(#[serde(rename = #wire)])* #deprecated #reader
    };
}

/// Returns how many `Option`s must be wrapped around the type that progenitor generates for a
/// field.
fn options(about: &model::Field, is_request: bool) -> usize {
    usize::from(about.distinguishes_unset(is_request))
        + usize::from(about.distinguishes_null(is_request))
}

/// Sets the attributes of `extra`, the field that progenitor adds for additional properties.
fn adapt_others(about: &Record, field: &mut Field, is_request: bool) {
    let (flattened, any_json) = (of_serde(field), any_json(!is_request));
    let mut doc = "Properties that the OpenAPI description doesn't name.".to_owned();
    let writer = is_request.then(|| {
        doc.push_str(" If `extra` contains a property that the description names, sending fails.");
        let writer = format!("codegen::others::<_, _, _, {}>", about.name);
        quote! { serialize_with = #writer, }
    });
    let doc = docs::lines(&doc);
    field.attrs = parse_quote! {
        #doc #any_json #(#flattened)*
        #[serde(default, #writer deserialize_with = #OR_EMPTY)]
    };
}

fn any_json(is: bool) -> Option<TokenStream> {
    is.then(|| docs::lines(ANY_JSON))
}

/// The text added to the docs of a field that can contain any JSON.
const ANY_JSON: &str = "
Every number is exact. A number that neither a 64-bit integer nor a 64-bit float represents
exactly, such as `1e999` or one with 20 digits, is a string with the characters that the service
sent. An unpaired surrogate becomes the text of its escape sequence.";

/// The text added to the docs of a field that can be either null or omitted.
const NULL: &str = "
\n`None` omits the property, `Some(None)` sends null, and `Some(Some(value))` sends the value.";

const TIME: &str = "codegen::time";
const OR_EMPTY: &str = "codegen::or_empty";
const OR_BLANK: &str = "codegen::or_blank";

/// Returns the path of the `deserialize_with` function for a field. Only fields that services often
/// send in a different form than described need such a function. For other fields, returns `None`.
fn lenient_reader(about: &model::Field, is_request: bool) -> Option<&'static str> {
    let is_option = about.is_option(is_request);
    if about.distinguishes_null(is_request) {
        return Some(match about.schema.format() {
            Some(Format::Time) => "codegen::or_null_time",
            Some(Format::Uuid) => "codegen::or_null_or_blank",
            _ => "codegen::or_null",
        });
    }
    Some(match (is_option, about.schema.format()) {
        (false, _) if about.schema.within().is_some() => OR_EMPTY,
        (false, Some(Format::Time)) => TIME,
        (true, Some(Format::Time)) => "codegen::or_blank_time",
        (true, Some(Format::Uuid)) => OR_BLANK,
        (true, Some(Format::Text)) if about.next_cursor => OR_BLANK,
        // A page shouldn't fail because of the form of an optional integer, such as a total count.
        (true, _) if !is_request && matches!(about.schema.kind, Kind::Integer(_)) => {
            "codegen::or_whole"
        }
        _ => return None,
    })
}

fn called(field: &Field) -> String {
    field.ident.as_ref().map(Ident::to_string).unwrap_or_default()
}
