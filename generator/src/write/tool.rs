//! Generates the table of operations for the command-line tool. Each entry contains an operation's
//! command, options, columns and call. The table's Rust types are defined in the tool.

use std::{collections::BTreeSet, iter::zip};

use heck::ToKebabCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use crate::{
    document::Format,
    model::{
        Description, Kind, Listing, Operation, Order, Parameter, ParameterIn, Schema, TimeRange,
        ValueKind,
    },
    write::tokens::{ident, optional, rust_type},
};

pub(crate) fn table(description: &Description, client: &str) -> TokenStream {
    let client = format_ident!("{client}");
    let mut tables = BTreeSet::new();
    let commands = names("command", description.operations.iter().map(|operation| &operation.id));
    let operations = zip(&description.operations, commands)
        .map(|(operation, command)| self::operation(description, operation, &command, &mut tables));
    let Description { title, version, about, .. } = description;
    let about = about.as_ref().unwrap_or(title);
    quote! {
        use #client::types;

        pub(crate) const VERSION: &str = #version;
        pub(crate) const ABOUT: &str = #about;
        pub(crate) static OPERATIONS: &[Operation] = &[#(#operations),*];
    }
}

fn operation(
    description: &Description,
    operation: &Operation,
    command: &TokenStream,
    tables: &mut BTreeSet<String>,
) -> TokenStream {
    let (method, path) = (&operation.method, &operation.path);
    let summary = operation.summary.as_deref().unwrap_or(&operation.id).trim_end_matches('.');
    let about = optional(operation.description.as_ref());
    let deprecated = operation.deprecated;

    let options = names("option", operation.parameters.iter().map(|parameter| &parameter.name));
    let parameters = zip(&operation.parameters, &options);
    let parameters = parameters.map(|(parameter, option)| {
        let bound = operation.listing.as_ref().and_then(|listing| bound(listing, parameter));
        self::parameter(description, parameter, option, bound)
    });
    let body = optional(operation.body.as_ref().map(|body| {
        let example = optional(body.example.as_ref().map(Value::to_string));
        let required = body.required;
        quote! { Body { example: #example, required: #required } }
    }));
    let build = build(operation, &options);
    let call = if let Some(listing) = &operation.listing {
        self::listing(description, operation, listing, &options, &build, tables)
    } else {
        quote! {
            Call::Answer(|args| {
                #build
                Ok(Box::pin(async move { Ok(answer(&call.send().await?.into_inner())) }))
            })
        }
    };
    quote! {
        Operation {
            command: #command,
            method: #method,
            path: #path,
            summary: #summary,
            description: #about,
            deprecated: #deprecated,
            parameters: &[#(#parameters),*],
            body: #body,
            call: #call,
        }
    }
}

fn parameter(
    description: &Description,
    parameter: &Parameter,
    option: &TokenStream,
    bound: Option<TokenStream>,
) -> TokenStream {
    let name = &parameter.name;
    let bound = optional(bound);
    let about = parameter.description.as_deref().unwrap_or_default();
    let (many, required) = (parameter.schema.array().is_some(), parameter.required);
    let entry = parameter.schema.entry();
    let kind = kind(description, entry);
    let values = description.enumeration(entry).into_iter().flat_map(|of| &of.values);
    let values = values.map(|(_, value)| value);
    let default = optional(parameter.default.as_ref().map(text));
    let (minimum, maximum) = match &parameter.schema.kind {
        Kind::Integer(integer) => (integer.least, integer.most),
        _ => (None, None),
    };
    let (minimum, maximum) = (optional(minimum), optional(maximum));
    let examples = parameter.example.iter().flat_map(|value| match value {
        Value::Array(values) => values.iter().map(text).collect(),
        value => vec![text(value)],
    });
    quote! {
        Parameter {
            name: #name,
            option: #option,
            description: #about,
            kind: #kind,
            values: &[#(#values),*],
            examples: &[#(#examples),*],
            default: #default,
            minimum: #minimum,
            maximum: #maximum,
            many: #many,
            required: #required,
            bound: #bound,
        }
    }
}

/// Returns the column and the SQL operator that correspond to a time bound of the listing. Returns
/// `None` if the parameter isn't a time bound.
fn bound(listing: &Listing, parameter: &Parameter) -> Option<TokenStream> {
    let (range, column) = (listing.time_range.as_ref()?, listing.created_at.as_ref()?);
    let is = |name: &str| parameter.location == ParameterIn::Query && parameter.name == name;
    let operator = match range {
        _ if is(&range.from) => ">=",
        _ if !is(&range.until) => return None,
        TimeRange { until_inclusive: true, .. } => "<=",
        _ => "<",
    };
    Some(quote! { Bound { column: #column, operator: #operator } })
}

/// Returns the statements that create a builder and set its parameters from the command line.
fn build(operation: &Operation, options: &[TokenStream]) -> TokenStream {
    let start = ident(&operation.function);
    let mut setters = TokenStream::new();
    for (Parameter { setter, schema, .. }, option) in zip(&operation.parameters, options) {
        let (setter, kind) = (ident(setter), argument_type(schema.entry()));
        setters.extend(if schema.array().is_some() {
            quote! {
                if let Some(values) = args.all::<#kind>(#option)? {
                    call = call.#setter(values);
                }
            }
        } else {
            quote! {
                if let Some(value) = args.one::<#kind>(#option)? {
                    call = call.#setter(value);
                }
            }
        });
    }
    if let Some(body) = &operation.body {
        let kind = rust_type(&body.schema);
        let set = quote! { call = call.body(args.body::<#kind>()?); };
        setters.extend(if body.required {
            set
        } else {
            quote! { if args.body.is_some() { #set } }
        });
    }
    quote! {
        #[allow(unused_mut)]
        let mut call = args.client.#start();
        #setters
    }
}

fn listing(
    description: &Description,
    operation: &Operation,
    listing: &Listing,
    options: &[TokenStream],
    build: &TokenStream,
    tables: &mut BTreeSet<String>,
) -> TokenStream {
    let columns = columns(description, listing);
    let created_at = optional(listing.created_at.as_ref());
    let windows = listing.has_windows();
    let items = if windows {
        quote! {
            let items = call.items().concurrency(requests);
            Ok(match round {
                Some(round) => Box::new(round.of(items)),
                None => Box::new(items),
            })
        }
    } else {
        quote! { Ok(Box::new(call.items())) }
    };
    let option = |name: &String| {
        let is_it = |p: &Parameter| p.location == ParameterIn::Query && p.name == *name;
        operation.parameters.iter().position(is_it).map(|at| &options[at])
    };
    let cursor = option(&listing.cursor);
    let size = optional(listing.size.as_ref().and_then(|size| option(&size.parameter)));
    let order = optional(listing.order.as_ref().map(|order| {
        let Order { parameter, ascending, descending, key, .. } = order;
        let parameter = option(parameter);
        let by = optional(key.as_ref().and_then(|key| option(&key.parameter)));
        quote! {
            Order {
                option: #parameter,
                ascending: #ascending,
                descending: #descending,
                by: #by,
            }
        }
    }));
    // The database table's name omits the operation's verb: `listParcels` fills `parcels`.
    let name = operation.id.to_kebab_case();
    let name = name.split_once('-').map_or(name.as_str(), |(_, rest)| rest);
    let table = unique(&name.replace('-', "_"), tables);
    quote! {
        Call::Listing(Listing {
            columns: &[#(#columns),*],
            created_at: #created_at,
            cursor: #cursor,
            size: #size,
            order: #order,
            windows: #windows,
            table: #table,
            #[allow(unused_variables)]
            rows: |args, requests, round| {
                #build
                #items
            },
        })
    }
}

/// Returns a column for each field of a record, and a column for additional properties if the
/// schema allows them.
fn columns(description: &Description, listing: &Listing) -> Vec<TokenStream> {
    let column =
        |name: &str, kind: &TokenStream, required: bool, empty: &TokenStream, part: &str| {
            let is_id = part == "Field" && listing.id.as_deref() == Some(name);
            let part = format_ident!("{part}");
            quote! {
                Column {
                    name: #name,
                    kind: #kind,
                    required: #required,
                    is_id: #is_id,
                    empty: #empty,
                    part: Part::#part,
                }
            }
        };
    let (json, none) = (quote! { Kind::Json }, quote! { None });
    let Some(record) = description.record(&listing.item) else {
        return vec![column("value", &json, true, &none, "Whole")];
    };
    let fields = record.fields.iter();
    let mut columns: Vec<_> = fields
        .map(|field| {
            let empty = match &field.schema.kind {
                _ if field.is_option(false) => none.clone(),
                Kind::Array(_) => quote! { Some(Empty::Array) },
                Kind::Map(_) => quote! { Some(Empty::Object) },
                _ => none.clone(),
            };
            let kind = kind(description, &field.schema);
            column(&field.wire, &kind, field.required, &empty, "Field")
        })
        .collect();
    if record.others.is_some() {
        let mut names: BTreeSet<_> = record.fields.iter().map(|field| field.wire.clone()).collect();
        columns.push(column(&unique("extra", &mut names), &json, false, &none, "Others"));
    }
    columns
}

/// Returns the variant of the tool's `Kind` for a schema.
fn kind(description: &Description, schema: &Schema) -> TokenStream {
    let variant = format_ident!("{}", ValueKind::of(description, schema).column());
    quote! { Kind::#variant }
}

/// Returns the type of the value that is passed to a setter. For enums and decimals, the value is a
/// string, which the setter converts.
fn argument_type(schema: &Schema) -> TokenStream {
    match &schema.kind {
        Kind::Text(text) if text.format != Format::Decimal => rust_type(schema),
        Kind::Integer(_) | Kind::Number(_) | Kind::Boolean => rust_type(schema),
        _ => quote! { String },
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the names of commands or options, each with an alternative name. The tool uses the
/// alternative if one of its own commands or options already has the name.
fn names<'a>(function: &str, described: impl Iterator<Item = &'a String>) -> Vec<TokenStream> {
    let function = format_ident!("{function}");
    let mut taken = BTreeSet::new();
    let names: Vec<_> = described.map(|name| unique(&name.to_kebab_case(), &mut taken)).collect();
    let pairs = names.iter().map(|name| (name, unique(name, &mut taken)));
    pairs.map(|(name, other)| quote! { words::#function(#name, #other) }).collect()
}

/// Returns the name, followed by a number if the name is already in `taken`. Adds the returned name
/// to `taken`.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}
