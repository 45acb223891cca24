//! Generates the code for a builder's parameters: their entries in the table `PARAMETERS`, and
//! their setters.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::{Description, Kind, Listing, Operation, Parameter, ParameterIn, ValueKind},
    write::{
        docs,
        rules::Rules,
        tokens::{deprecated, ident, optional, rust_type},
    },
};

/// Returns the path parameters in the order of the path, then the query parameters sorted by name,
/// and then the headers sorted by name.
pub(crate) fn sorted(operation: &Operation) -> Vec<&Parameter> {
    let mut parameters: Vec<_> = operation.parameters.iter().collect();
    let location = |p: &Parameter| match p.location {
        ParameterIn::Path => (0, operation.path.find(&format!("{{{}}}", p.name))),
        ParameterIn::Query => (1, None),
        ParameterIn::Header => (2, None),
    };
    parameters
        .sort_by(|one, other| (location(one), &one.name).cmp(&(location(other), &other.name)));
    parameters
}

pub(crate) fn entry(
    description: &Description,
    parameter: &Parameter,
    rules: &Rules<'_>,
) -> TokenStream {
    let Parameter { name, location, required, schema, .. } = parameter;
    let kind = ident(&format!("{:?}", ValueKind::of(description, schema.entry())));
    let mut entry = match location {
        ParameterIn::Path => quote! { codegen::Parameter::path(#name, codegen::Kind::#kind) },
        ParameterIn::Query => quote! { codegen::Parameter::query(#name, codegen::Kind::#kind) },
        ParameterIn::Header => quote! { codegen::Parameter::header(#name, codegen::Kind::#kind) },
    };
    if *required && *location != ParameterIn::Path {
        entry.extend(quote! { .required() });
    }
    if let Some(array) = schema.array() {
        let least = array.size.least;
        let (most, unique) = (optional(array.size.most), array.size.unique);
        entry.extend(quote! { .entries(#least, #most, #unique) });
        if let Some(separator) = parameter.separator.filter(|_| *location == ParameterIn::Query) {
            entry.extend(quote! { .separated(#separator) });
        }
    }
    // A string without bounds needs no rule here. If it is a time or a date, the runtime adds the
    // rule for all times and dates.
    let has_own = !matches!(&schema.entry().kind, Kind::Text(text) if !text.is_bounded());
    if let Some(rule) = rules.slot(schema.entry()).filter(|_| has_own) {
        entry.extend(quote! { .within(#rule) });
    }
    entry
}

/// The sentence that lists the accepted types in the docs of a time parameter's setter.
const TIMES: &str = "Accepts a [`DateTime`](chrono::DateTime) with any offset, or a \
    [`SystemTime`](std::time::SystemTime). ";

/// Returns a note for the docs of a parameter that is omitted from requests with a cursor. For any
/// other parameter, the note is empty.
fn omitted_note(parameter: &Parameter, listing: Option<&Listing>) -> String {
    let forbids = |listing: &&Listing| {
        parameter.location == ParameterIn::Query
            && listing.not_with_cursor.contains(&parameter.name)
    };
    let of = |listing: &Listing| {
        let cursor = docs::name(&listing.cursor);
        format!(" The client omits it from requests with a {cursor}.")
    };
    listing.filter(forbids).map(of).unwrap_or_default()
}

/// Generates the setter of a parameter. The setter of an array accepts any iterator.
pub(crate) fn setter(
    index: usize,
    parameter: &Parameter,
    listing: Option<&Listing>,
) -> TokenStream {
    let Parameter { name, description, schema, .. } = parameter;
    let setter = ident(&parameter.setter);
    let description = docs::doc(description.as_deref().unwrap_or("A parameter of the operation."));
    let (kind, is_time) = (rust_type(schema.entry()), schema.entry().is_time());
    let takes = if is_time { TIMES } else { "" };
    let omitted = omitted_note(parameter, listing);
    let doc = format!("{description}\n\n{takes}Sent as {}.{omitted}", docs::name(name));
    let doc = docs::lines(&doc);
    let as_text = is_time.then(|| quote! { .map(|time| codegen::rfc3339(&time)) });
    let deprecated = deprecated(parameter.deprecated);
    if schema.array().is_some() {
        return quote! {
            #doc
            #deprecated
            pub fn #setter(
                mut self,
                entries: impl IntoIterator<Item = impl TryInto<#kind>>,
            ) -> Self {
                let entries = entries.into_iter().map(|entry| entry.try_into().ok() #as_text);
                self.draft.set_all(#index, entries);
                self
            }
        };
    }
    quote! {
        #doc
        #deprecated
        pub fn #setter(mut self, value: impl TryInto<#kind>) -> Self {
            self.draft.set(#index, value.try_into().ok() #as_text);
            self
        }
    }
}
