//! Generates the typed client from `openapi.yaml` and nothing else.

#[path = "build/audit/mod.rs"]
mod audit;
#[path = "build/body.rs"]
mod body;
#[path = "build/bounds.rs"]
mod bounds;
#[path = "build/description.rs"]
mod description;
#[path = "build/docs.rs"]
mod docs;
#[path = "build/effective.rs"]
mod effective;
#[path = "build/example/mod.rs"]
mod example;
#[path = "build/listing.rs"]
mod listing;
#[path = "build/names.rs"]
mod names;
#[path = "build/open_enum.rs"]
mod open_enum;
#[path = "build/operation.rs"]
mod operation;
#[path = "build/page.rs"]
mod page;
#[path = "build/parameter.rs"]
mod parameter;
#[path = "build/plain/mod.rs"]
mod plain;
#[path = "build/progenitor.rs"]
mod progenitor;
#[path = "build/reference.rs"]
mod reference;
#[path = "build/refusal.rs"]
mod refusal;
#[path = "build/relaxed_copy.rs"]
mod relaxed_copy;
#[path = "build/request.rs"]
mod request;
#[path = "build/rules.rs"]
mod rules;
#[path = "build/schema.rs"]
mod schema;
#[path = "build/schemas.rs"]
mod schemas;
#[path = "build/tool/mod.rs"]
mod tool;
#[path = "build/types.rs"]
mod types;

use std::{
    env,
    error::Error,
    fs,
    panic::resume_unwind,
    path::Path,
    thread::{self, JoinHandle},
};

use description::Description;
use example::Types;
use quote::quote;
use refusal::Refusal;
use rules::Rules;
use serde_json::Value;

const SOURCE: &str = "openapi.yaml";

/// Enough bytes for schemas that refer to one another in a chain of thousands.
const STACK: usize = 1 << 28;

fn main() {
    for input in [SOURCE, "build.rs", "build"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let made = match thread::Builder::new().stack_size(STACK).spawn(made).map(JoinHandle::join) {
        Ok(Ok(made)) => made,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(error) => Err(vec![error.to_string()]),
    };
    for refusal in made.err().into_iter().flatten() {
        println!("cargo::error={SOURCE}: {refusal}");
    }
}

fn made() -> Result<(), Vec<Refusal>> {
    let one = |problem: Box<dyn Error>| vec![problem.to_string()];
    let document = read().map_err(one)?;
    let findings = audit::audit(&document);
    for warning in &findings.warnings {
        println!("cargo::warning={SOURCE}: {warning}");
    }
    if !findings.refusals.is_empty() {
        return Err(findings.refusals);
    }
    let plain = plain::plain(&document).map_err(|refusal| vec![refusal])?;
    let description = Description::of(plain)?;
    println!("cargo::rustc-check-cfg=cfg(unused_parts)");
    if !description.uses_all_parts() {
        println!("cargo::rustc-cfg=unused_parts");
    }
    generate(&description).map_err(one)
}

fn read() -> Result<Value, Box<dyn Error>> {
    // In YAML 1.2, `yes` and `n` are strings.
    let options = serde_saphyr::options! { strict_booleans: true };
    Ok(serde_saphyr::from_str_with_options(&fs::read_to_string(SOURCE)?, options)?)
}

fn generate(description: &Description) -> Result<(), Box<dyn Error>> {
    let rules = Rules::of(description)?;

    let types = progenitor::types(description)?;
    let builders = request::module(description, &rules, &Types::of(description, &types))?;
    let types = types::module(description, types)?;
    let starts = request::starts(description);
    let rules = rules.module()?;
    let operation = operation::module(description);
    let pages = page::impls(description)?;

    let out = env::var("OUT_DIR")?;
    if env::var_os("CARGO_FEATURE_TOOL").is_some() {
        let tool = tool::table(description)?;
        fs::write(Path::new(&out).join("tool.rs"), tool.to_string())?;
    }
    let file = syn::parse2(quote! { #operation #types #starts #builders #rules #pages })?;
    fs::write(Path::new(&out).join("client.rs"), prettyplease::unparse(&file))?;
    Ok(())
}
