//! Generates the example in the docs of each builder: a call that sets all required parameters.
//!
//! The values are examples from the OpenAPI description, or small generated values. The example is
//! compiled as a doctest.

mod minimal;
mod rust;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    model::{Description, Operation},
    write::{docs::CRATE, tokens::ident},
};

/// The modules of the generated crate that an example can import.
const MODULES: &[&str] = &["chrono", "serde_json", "types", "uuid"];

/// Returns the example as Markdown, or `None` if no value can be found for a required parameter or
/// a required body.
pub(crate) fn of(description: &Description, operation: &Operation) -> Option<String> {
    let mut setters = TokenStream::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let example = parameter.example.clone();
        let value = example.or_else(|| minimal::value(description, &parameter.schema))?;
        let (setter, value) =
            (ident(&parameter.setter), rust::argument(description, &parameter.schema, &value)?);
        setters.extend(quote! { .#setter(#value) });
    }
    if let Some(body) = &operation.body {
        let example = body.example.clone();
        let value = example.or_else(|| minimal::value(description, &body.schema));
        match value.and_then(|value| rust::argument(description, &body.schema, &value)) {
            Some(value) => setters.extend(quote! { .body(#value) }),
            None if body.required => return None,
            None => {}
        }
    }
    let function = ident(&operation.function);
    let call = quote! { client.#function()#setters };
    let example = if operation.listing.is_some() {
        quote! {
            let mut items = #call.items();
            while let Some(item) = items.next().await {
                let item = item?;
                println!("{item:?}");
            }
        }
    } else if operation.responses.schema.is_some() {
        quote! {
            let response = #call.send().await?.into_inner();
            println!("{response:?}");
        }
    } else {
        quote! { #call.send().await?; }
    };
    markdown(&example)
}

fn markdown(example: &TokenStream) -> Option<String> {
    let text = example.to_string();
    let modules = MODULES.iter().filter(|module| text.contains(&format!("{module} ::")));
    let modules: Vec<_> = modules.map(|module| format_ident!("{module}")).collect();
    let imports = match modules.as_slice() {
        [] => quote! {},
        [module] => quote! { use __crate::#module; },
        modules => quote! { use __crate::{#(#modules),*}; },
    };
    let file = syn::parse2(quote! { async fn example() { #imports #example } }).ok()?;
    let file = prettyplease::unparse(&file);
    let lines: Vec<_> = file.lines().collect();
    let (_, lines) = lines.split_first()?;
    let (_, lines) = lines.split_last()?;

    let mut doc = format!("```no_run\n# async fn example(client: {CRATE}::Client)");
    doc.push_str(" -> Result<(), Box<dyn std::error::Error>> {\n");
    for line in lines {
        let line = line.strip_prefix("    ").unwrap_or(line);
        doc.push_str(&line.replacen("use __crate::", &format!("use {CRATE}::"), 1));
        doc.push_str(if line.trim_start().starts_with("use ") { "\n\n" } else { "\n" });
    }
    doc.push_str("# Ok(())\n# }\n```");
    Some(doc)
}
