//! A macro that writes the command-line tool's table of operations: the command, options and columns
//! of each, and how to call it. Its types are the tool's.

mod column;
mod kind;

use std::{collections::BTreeSet, iter::zip};

use heck::ToKebabCase;
use openapiv3::Schema;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use self::{
    column::columns,
    kind::{kind, rust_type},
};
use crate::{
    model::{
        description::{Description, Operation},
        listing::Listing,
        parameter::{Parameter, Place},
        schema::{self, array, enumeration, integer, optional},
    },
    read::Unsupported,
};

/// The tool's own words, which no operation or parameter can have.
const COMMANDS: &[&str] =
    &["check", "completions", "description", "help", "man", "sandbox", "status", "sync", "verify"];
const OPTIONS: &[&str] = &[
    "body",
    "columns",
    "concurrency",
    "decimals",
    "dry-run",
    "env-file",
    "every",
    "force",
    "format",
    "from",
    "header",
    "help",
    "max",
    "max-age",
    "of",
    "output",
    "overlap",
    "quiet",
    "rate",
    "recheck",
    "resume",
    "retries",
    "safe-cells",
    "sandbox",
    "timeout",
    "to",
    "verbose",
    "version",
];

pub(crate) fn table(description: &Description) -> Result<TokenStream, Unsupported> {
    let mut commands = taken(COMMANDS);
    let mut tables = BTreeSet::new();
    let operations = description.operations.iter().map(|operation| {
        let of = |refusal| format!("{}: {refusal}", operation.id);
        self::operation(description, operation, &mut commands, &mut tables).map_err(of)
    });
    let operations = operations.collect::<Result<Vec<_>, _>>()?;
    let (title, version) = (&description.spec.info.title, &description.spec.info.version);
    let about = description.spec.info.description.as_deref().unwrap_or(title);
    Ok(quote! {
        /// The tool's table of operations.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __operations {
            () => {
                pub(crate) const VERSION: &str = #version;
                pub(crate) const ABOUT: &str = #about;
                pub(crate) static OPERATIONS: &[Operation] = &[#(#operations),*];
            };
        }
    })
}

fn operation(
    description: &Description,
    operation: &Operation,
    commands: &mut BTreeSet<String>,
    tables: &mut BTreeSet<String>,
) -> Result<TokenStream, Unsupported> {
    let path = &operation.path;
    let command = unique(&operation.id.to_kebab_case(), commands);
    let method = &operation.method;
    let summary = operation.summary.as_deref().unwrap_or(&operation.id).trim_end_matches('.');
    let about = optional(operation.description.as_ref());
    let deprecated = operation.deprecated;

    let mut options = taken(OPTIONS);
    let option = |parameter: &Parameter| unique(&parameter.name.to_kebab_case(), &mut options);
    let options: Vec<String> = operation.parameters.iter().map(option).collect();
    let parameters = zip(&operation.parameters, &options);
    let parameters =
        parameters.map(|(parameter, option)| self::parameter(description, parameter, option));
    let parameters = parameters.collect::<Result<Vec<_>, _>>()?;
    let body = optional(operation.body.as_ref().map(|body| {
        let example = optional(body.example.as_ref().map(Value::to_string));
        let required = body.required;
        quote! { Body { example: #example, required: #required } }
    }));
    let build = build(description, operation, &options)?;
    let call = if let Some(listing) = &operation.listing {
        self::listing(description, operation, listing, &options, &build, tables)?
    } else {
        quote! {
            Call::Answer(|given| {
                #build
                Ok(Box::pin(async move { Ok(answer(&call.send().await?.into_inner())) }))
            })
        }
    };
    Ok(quote! {
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
    })
}

fn parameter(
    description: &Description,
    parameter: &Parameter,
    option: &str,
) -> Result<TokenStream, Unsupported> {
    let name = &parameter.name;
    let about = parameter.description.as_deref().unwrap_or_default();
    let entry = entry(description, &parameter.schema)?;
    let (many, required) = (array(&parameter.schema).is_some(), parameter.required);
    let kind = kind(&entry);
    let values = enumeration(&entry).into_iter().flatten().flatten();
    let default = optional(parameter.default.as_ref().map(text));
    let (minimum, maximum) =
        integer(&parameter.schema).map_or((None, None), crate::write::bounds::range);
    let (minimum, maximum) = (optional(minimum), optional(maximum));
    let examples = parameter.example.iter().flat_map(|value| match value {
        Value::Array(values) => values.iter().map(text).collect(),
        value => vec![text(value)],
    });
    Ok(quote! {
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
        }
    })
}

/// The statements that fill the crate's builder from the command line.
fn build(
    description: &Description,
    operation: &Operation,
    options: &[String],
) -> Result<TokenStream, Unsupported> {
    let start = &operation.function;
    let mut setters = TokenStream::new();
    for (Parameter { setter, schema, .. }, option) in zip(&operation.parameters, options) {
        let entry = entry(description, schema)?;
        let kind = rust_type(&entry);
        setters.extend(if array(schema).is_some() {
            quote! { if let Some(values) = given.all::<#kind>(#option)? { call = call.#setter(values); } }
        } else {
            quote! { if let Some(value) = given.one::<#kind>(#option)? { call = call.#setter(value); } }
        });
    }
    if let Some(body) = &operation.body {
        let kind = schema::rust_type(&body.schema);
        let set = quote! { call = call.body(given.body::<#kind>()?); };
        setters.extend(if body.required {
            set
        } else {
            quote! { if given.body.is_some() { #set } }
        });
    }
    Ok(quote! {
        #[allow(unused_imports)]
        use $crate::types;
        #[allow(unused_mut)]
        let mut call = given.client.#start();
        #setters
    })
}

fn listing(
    description: &Description,
    operation: &Operation,
    listing: &Listing,
    options: &[String],
    build: &TokenStream,
    tables: &mut BTreeSet<String>,
) -> Result<TokenStream, Unsupported> {
    let columns = columns(description, listing)?;
    let windows = listing.has_windows;
    let items = if windows {
        quote! {
            let items = call.items().concurrency(requests);
            Ok(match follow {
                Some(follow) => Box::new(items.follow(follow)),
                None => Box::new(items),
            })
        }
    } else {
        quote! { Ok(Box::new(call.items())) }
    };
    let directions = ["ASC", "DESC"];
    let order = zip(&operation.parameters, options).find(|(parameter, _)| {
        let values: Vec<_> =
            enumeration(&parameter.schema).into_iter().flatten().flatten().collect();
        parameter.name == "order"
            && parameter.place == Place::Query
            && directions.iter().all(|known| values.iter().any(|v| v == known))
    });
    let order = optional(order.map(|(_, option)| option));
    // Without the verb: `listDepositAddresses` fills the table `deposit_addresses`.
    let name = operation.id.to_kebab_case();
    let name = name.split_once('-').map_or(name.as_str(), |(_, rest)| rest);
    let table = unique(&name.replace('-', "_"), tables);
    Ok(quote! {
        Call::Listing(Listing {
            columns: &[#(#columns),*],
            order: #order,
            windows: #windows,
            table: #table,
            #[allow(unused_variables)]
            rows: |given, requests, follow| {
                #build
                #items
            },
        })
    })
}

/// The schema of a single value of a parameter: for an array, that of its entries.
fn entry(description: &Description, schema: &Schema) -> Result<Schema, Unsupported> {
    match array(schema).and_then(|array| array.items.as_ref()) {
        Some(items) => description.resolve_box(items),
        None => Ok(schema.clone()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn taken(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The name, with a number after it if it is taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}
