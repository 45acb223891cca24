#![doc = include_str!("../README.md")]

mod audit;
mod document;
mod model;
mod write;

use std::{cell::LazyCell, env, error::Error, fmt, fs, path::Path, thread};

use audit::Audited;
use document::{Finder, Message};
use proc_macro2::TokenStream;
use serde_json::Value;
pub use write::Api;

/// The result of reading an OpenAPI description: warnings, and the generated code or errors.
#[derive(Debug)]
pub struct Outcome {
    /// Warnings about keywords that the generator ignores or that are probably mistakes.
    pub warnings: Vec<Finding>,
    /// The generated Rust code, or the errors in the description.
    pub generated: Result<String, Vec<Finding>>,
}

/// A warning or an error about an OpenAPI description. `Display` writes the text that follows the
/// file name in a message, such as `:3:5: …`.
#[derive(Debug)]
pub struct Finding {
    /// The line and the column in the file, both counted from 1. `None` if the message isn't about
    /// a specific location.
    pub place: Option<(u64, u64)>,
    /// The message. A message about an operation begins with the operation and the steps to the
    /// affected keyword.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// The stack size of the generator's thread, in bytes. This is enough to follow a chain of
/// thousands of references.
const STACK_SIZE: usize = 1 << 28;

/// A function that uses progenitor to generate the types for a description.
type Types = dyn Fn(&Api) -> Result<TokenStream, progenitor::Error> + Sync;

/// Generates the client for an OpenAPI description, with types from progenitor. If `patterns` is
/// false, a `pattern` in the schema of a request is an error.
#[must_use]
pub fn generate(yaml: &str, patterns: bool) -> Outcome {
    outcome(yaml, patterns, &|api| {
        client(api, &|api| {
            progenitor::Generator::new(&api.settings()?).generate_tokens(&api.document())
        })
    })
}

/// Generates the table of operations for a command-line tool. `client` is the name of the client's
/// crate. If `patterns` is false, a `pattern` in the schema of a request is an error.
#[must_use]
pub fn generate_tool(yaml: &str, patterns: bool, client: &str) -> Outcome {
    outcome(yaml, patterns, &|api| Ok(write::tool::table(&api.description, client).to_string()))
}

/// A function that generates the contents of a file from a description.
type Write<'a> = &'a (dyn Fn(&Api) -> Result<String, Box<dyn Error>> + Sync);

fn client(api: &Api, types: &Types) -> Result<String, Box<dyn Error>> {
    write::client(&api.description, types(api)?)
}

fn outcome(yaml: &str, patterns: bool, write: Write<'_>) -> Outcome {
    thread::scope(|scope| {
        let made = || outcome_of(yaml, patterns, write);
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, made);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => {
                let message = panic.downcast_ref::<String>().map(String::as_str);
                let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
                rejected(None, &format!("the generator panicked: {}", message.unwrap_or_default()))
            }
            Err(error) => rejected(None, &error),
        }
    })
}

fn outcome_of(yaml: &str, patterns: bool, write: Write<'_>) -> Outcome {
    let document = match document::yaml::<Value>(yaml) {
        Ok(document) => document,
        Err(error) => {
            let place = error.location().map(|at| (at.line(), at.column()));
            return rejected(place, &document::broken(&error));
        }
    };
    let finder = LazyCell::new(|| Finder::new(yaml));
    let placed = |message: Message| {
        let place = finder.as_ref().map(|finder| finder.find(&message.trail));
        Finding { place, text: one_line(&message.to_string()) }
    };
    let findings = |messages: Vec<Message>| messages.into_iter().map(placed).collect();
    let Audited { mut warnings, mut errors, supported } = audit::audit(&document, patterns);
    let generated = match model::normalize(&document, &supported) {
        Ok(mut description) if errors.is_empty() => {
            warnings.append(&mut description.warnings);
            let unplaced = |error: Box<dyn Error>| {
                vec![Finding { place: None, text: one_line(&error.to_string()) }]
            };
            write(&Api { description }).map_err(unplaced)
        }
        made => {
            errors.extend(made.err().into_iter().flatten());
            Err(findings(errors))
        }
    };
    Outcome { warnings: findings(warnings), generated }
}

fn rejected(place: Option<(u64, u64)>, reason: &(impl ToString + ?Sized)) -> Outcome {
    let finding = Finding { place, text: one_line(&reason.to_string()) };
    Outcome { warnings: Vec::new(), generated: Err(vec![finding]) }
}

/// Replaces control characters, so that a message stays on one line even if it contains a name with
/// line breaks.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Reads and audits the OpenAPI description in the file `source`, generates its types with `types`,
/// and writes the client to `client.rs` in cargo's `OUT_DIR`.
///
/// Ignored keywords are printed as warnings, and unsupported keywords as errors. Any error makes
/// the build fail.
///
/// ```no_run
/// oas_client_build::run("openapi.yaml", |api| {
///     progenitor::Generator::new(&api.settings()?).generate_tokens(&api.document())
/// });
/// ```
pub fn run(
    source: &str,
    types: impl Fn(&Api) -> Result<TokenStream, progenitor::Error> + Sync + 'static,
) {
    build(source, "client.rs", &|api| client(api, &types));
}

/// Reads and audits the OpenAPI description in the file `source`, and writes the table of
/// operations for a command-line tool to `tool.rs` in cargo's `OUT_DIR`.
///
/// `client` is the name of the client's crate.
pub fn run_tool(source: &str, client: &str) {
    build(source, "tool.rs", &|api| Ok(write::tool::table(&api.description, client).to_string()));
}

#[allow(clippy::print_stdout, reason = "cargo reads stdout")]
fn build(source: &str, file: &str, write: Write<'_>) {
    for input in [source, "build.rs"] {
        println!("cargo::rerun-if-changed={input}");
    }
    // The generated code uses `cfg`s for features that some clients don't declare.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"sandbox\", \"schemars\"))");
    let Outcome { warnings, generated } = match fs::read(source).map(document::text) {
        Ok(Ok(yaml)) => outcome(&yaml, env::var_os("CARGO_FEATURE_PATTERN").is_some(), write),
        Ok(Err(place)) => rejected(Some(place), "is not UTF-8: save the file as UTF-8"),
        Err(error) => rejected(None, &error),
    };
    for warning in warnings {
        println!("cargo::warning={source}{warning}");
    }
    let path = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join(file);
    let unsaved = |error: std::io::Error| vec![Finding { place: None, text: error.to_string() }];
    let saved = generated.and_then(|text| fs::write(path, text).map_err(unsaved));
    for error in saved.err().into_iter().flatten() {
        println!("cargo::error={source}{error}");
    }
}
