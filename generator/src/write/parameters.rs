//! The parameters of a builder: their table, and their setters.

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

/// Path parameters in the order of the path, then the others by name.
pub(crate) fn sorted(operation: &Operation) -> Vec<&Parameter> {
    let mut parameters: Vec<_> = operation.parameters.iter().collect();
    let place = |p: &Parameter| match p.place {
        ParameterIn::Path => (0, operation.path.find(&format!("{{{}}}", p.name))),
        ParameterIn::Query => (1, None),
        ParameterIn::Header => (2, None),
    };
    parameters.sort_by(|one, other| (place(one), &one.name).cmp(&(place(other), &other.name)));
    parameters
}

pub(crate) fn entry(
    description: &Description,
    parameter: &Parameter,
    rules: &Rules<'_>,
) -> TokenStream {
    let Parameter { name, place, required, schema, .. } = parameter;
    let kind = ident(&format!("{:?}", ValueKind::of(description, schema.entry())));
    let mut entry = match place {
        ParameterIn::Path => quote! { codegen::Parameter::path(#name, codegen::Kind::#kind) },
        ParameterIn::Query => quote! { codegen::Parameter::query(#name, codegen::Kind::#kind) },
        ParameterIn::Header => quote! { codegen::Parameter::header(#name, codegen::Kind::#kind) },
    };
    if *required && *place != ParameterIn::Path {
        entry.extend(quote! { .required() });
    }
    if let Some(array) = schema.array() {
        let least = array.size.least;
        let (most, unique) = (optional(array.size.most), array.size.unique);
        entry.extend(quote! { .entries(#least, #most, #unique) });
        if let Some(separator) = parameter.separator.filter(|_| *place == ParameterIn::Query) {
            entry.extend(quote! { .separated(#separator) });
        }
    }
    // The runtime itself adds the rule that all times and dates have.
    let has_own = !matches!(&schema.entry().kind, Kind::Text(text) if !text.is_bounded());
    if let Some(rule) = rules.slot(schema.entry()).filter(|_| has_own) {
        entry.extend(quote! { .within(#rule) });
    }
    entry
}

/// The types that the setter of a time takes.
const TIMES: &str = "A [`DateTime`](chrono::DateTime) of any offset, or a \
    [`SystemTime`](std::time::SystemTime). ";

/// What the docs say of a parameter that is left out if a cursor is sent.
fn left_out(parameter: &Parameter, listing: Option<&Listing>) -> String {
    let forbids = |listing: &&Listing| {
        parameter.place == ParameterIn::Query && listing.not_with_cursor.contains(&parameter.name)
    };
    let of = |listing: &Listing| {
        let cursor = docs::name(&listing.cursor);
        format!(", but not beside a {cursor}: the client leaves it out there")
    };
    listing.filter(forbids).map(of).unwrap_or_default()
}

/// A setter of an array takes anything that can be iterated.
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
    let left_out = left_out(parameter, listing);
    let doc = format!("{description}\n\n{takes}Sent as {}{left_out}.", docs::name(name));
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
