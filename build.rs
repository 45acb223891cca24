//! From `openapi.yaml` to the typed client: what the description says, and nothing else, decides.

#[path = "build/audit/mod.rs"]
mod audit;
#[path = "build/checks.rs"]
mod checks;
#[path = "build/description.rs"]
mod description;
#[path = "build/effective.rs"]
mod effective;
#[path = "build/inline_schemas.rs"]
mod inline_schemas;
#[path = "build/listing.rs"]
mod listing;
#[path = "build/open_enum.rs"]
mod open_enum;
#[path = "build/operation.rs"]
mod operation;
#[path = "build/page.rs"]
mod page;
#[path = "build/reference.rs"]
mod reference;
#[path = "build/relaxed_copy.rs"]
mod relaxed_copy;
#[path = "build/repeats.rs"]
mod repeats;
#[path = "build/request.rs"]
mod request;
#[path = "build/schema.rs"]
mod schema;
#[path = "build/tool/mod.rs"]
mod tool;
#[path = "build/types.rs"]
mod types;
#[path = "build/visit.rs"]
mod visit;

use std::{env, error::Error, fs, path::Path};

use description::Description;
use quote::quote;
use serde_json::Value;

const SOURCE: &str = "openapi.yaml";

fn main() {
    for input in [SOURCE, "build.rs", "build"] {
        println!("cargo::rerun-if-changed={input}");
    }
    match read() {
        Ok(document) => {
            let findings = audit::audit(&document);
            for warning in &findings.warnings {
                println!("cargo::warning={SOURCE}: {warning}");
            }
            for refusal in &findings.refusals {
                println!("cargo::error={SOURCE}: {refusal}");
            }
            if findings.refusals.is_empty()
                && let Err(problem) = generate(document)
            {
                println!("cargo::error={SOURCE}: {problem}");
            }
        }
        Err(problem) => println!("cargo::error={SOURCE}: {problem}"),
    }
}

fn read() -> Result<Value, Box<dyn Error>> {
    // YAML 1.2: `yes` and `n` are texts.
    let options = serde_saphyr::options! { strict_booleans: true };
    Ok(serde_saphyr::from_str_with_options(&fs::read_to_string(SOURCE)?, options)?)
}

fn generate(document: Value) -> Result<(), Box<dyn Error>> {
    let description = Description::read(document)?;
    let generated = request::Generated::by_progenitor(&description)?;

    let types = types::module(&description, generated.types)?;
    let builder = request::module(&description, generated.builder)?;
    let starts = request::starts(&description, generated.starts)?;
    let operation = operation::module(&description);
    let pages = page::impls(&description)?;

    let out = env::var("OUT_DIR")?;
    if env::var_os("CARGO_FEATURE_TOOL").is_some() {
        let tool = tool::table(&description)?;
        fs::write(Path::new(&out).join("tool.rs"), tool.to_string())?;
    }
    let file = syn::parse2(quote! { #operation #types #starts #builder #pages })?;
    fs::write(Path::new(&out).join("client.rs"), prettyplease::unparse(&file))?;
    Ok(())
}
