//! Generates a client from the text of a description, or reports what isn't supported.
//!
//! A build script calls [`run`].

mod audit;
mod document;
mod model;
mod write;

use std::{cell::LazyCell, env, fmt, fs, path::Path, thread};

use audit::Audited;
use document::Finder;
use model::Description;
use serde_json::Value;

/// What is written for a description.
#[derive(Debug)]
pub struct Generated {
    /// The client.
    pub client: String,
    /// The command-line tool's table of operations.
    pub tool: String,
}

/// What is written for a description, or what can't be served.
#[derive(Debug)]
pub struct Outcome {
    /// What is ignored in the description.
    pub warnings: Vec<Finding>,
    /// The Rust, or the refusals.
    pub generated: Result<Generated, Vec<Finding>>,
}

/// A line about something in a description. It is printed after the name of the file.
#[derive(Debug)]
pub struct Finding {
    /// The line and the column in the file, from 1 on.
    pub place: Option<(u64, u64)>,
    /// The operation, what leads from it to the statement, and a sentence.
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

/// Enough bytes for schemas that refer to one another in a chain of thousands.
const STACK_SIZE: usize = 1 << 28;

/// Generates the client of a description. Without `patterns`, one with a `pattern` is refused.
#[must_use]
pub fn generate(yaml: &str, patterns: bool) -> Outcome {
    thread::scope(|scope| {
        let made = || outcome(yaml, patterns);
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, made);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                refused(None, &format!("the generator panicked: {}", said.unwrap_or_default()))
            }
            Err(error) => refused(None, &error),
        }
    })
}

fn outcome(yaml: &str, patterns: bool) -> Outcome {
    let document = match document::yaml::<Value>(yaml) {
        Ok(document) => document,
        Err(error) => {
            let place = error.location().map(|at| (at.line(), at.column()));
            return refused(place, &error.without_snippet());
        }
    };
    let finder = LazyCell::new(|| Finder::new(yaml));
    let placed = |text: String| {
        let trail = text.split(": ").next().unwrap_or_default();
        let place = finder.as_ref().map(|finder| finder.find(trail));
        // One line, whatever characters the names in it have.
        let text = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        Finding { place, text }
    };
    let findings = |lines: Vec<String>| lines.into_iter().map(placed).collect();
    let Audited { warnings, mut refusals, served } = audit::audit(&document, patterns);
    let generated = match model::normalize(&document, &served) {
        Ok(description) if refusals.is_empty() => written(&description),
        made => {
            refusals.extend(made.err().into_iter().flatten());
            Err(refusals)
        }
    };
    Outcome { warnings: findings(warnings), generated: generated.map_err(findings) }
}

fn refused(place: Option<(u64, u64)>, reason: &(impl ToString + ?Sized)) -> Outcome {
    let finding = Finding { place, text: reason.to_string() };
    Outcome { warnings: Vec::new(), generated: Err(vec![finding]) }
}

fn written(description: &Description) -> Result<Generated, Vec<String>> {
    let one = |error: Box<dyn std::error::Error>| vec![error.to_string()];
    Ok(Generated {
        client: write::client(description).map_err(one)?,
        tool: write::tool::table(description).to_string(),
    })
}

/// Writes the client of a description to cargo's `OUT_DIR`, and prints what is ignored or refused.
#[allow(clippy::print_stdout, reason = "cargo reads it")]
pub fn run(source: &str) {
    for input in [source, "build.rs"] {
        println!("cargo::rerun-if-changed={input}");
    }
    // Generated code has parts for features that a client needn't have.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"sandbox\", \"schemars\"))");
    let Outcome { warnings, generated } = match fs::read_to_string(source) {
        Ok(yaml) => generate(&yaml, env::var_os("CARGO_FEATURE_PATTERN").is_some()),
        Err(error) => refused(None, &error),
    };
    for warning in warnings {
        println!("cargo::warning={source}{warning}");
    }
    let unsaved = |error: std::io::Error| vec![Finding { place: None, text: error.to_string() }];
    let saved = generated.and_then(|generated| saved(&generated).map_err(unsaved));
    for refusal in saved.err().into_iter().flatten() {
        println!("cargo::error={source}{refusal}");
    }
}

fn saved(generated: &Generated) -> std::io::Result<()> {
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let out = Path::new(&out);
    if env::var_os("CARGO_FEATURE_TOOL").is_some() {
        fs::write(out.join("tool.rs"), &generated.tool)?;
    }
    fs::write(out.join("client.rs"), &generated.client)
}
