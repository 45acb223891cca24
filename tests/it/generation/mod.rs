//! The description decides: what is added to `openapi.yaml` alone is served whole, and what can't
//! be served stops the build with a sentence.

mod depth;
mod documentation;
mod listings;
mod matrix;
mod media_types;
mod public;
mod refusals;
mod rules;
mod script;
mod types;
mod whole;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A copy of the crate, built into the same target directory so that no dependency is built again.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> Self {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&copy);
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let parts =
            ["Cargo.toml", "Cargo.lock", "README.md", "openapi.yaml", "build.rs", "build", "src"];
        for part in parts {
            copy_all(&source.join(part), &copy.join(part));
        }
        // Under a name of its own: cargo takes packages of one name for each other, wherever they
        // are.
        let own = format!("digital-assets-{name}");
        let manifest = fs::read_to_string(copy.join("Cargo.toml")).unwrap();
        let manifest = manifest
            .replace("name = \"digital-assets\"", &format!("name = \"{own}\""))
            .replace("{ path = \".\"", &format!("{{ package = \"{own}\", path = \".\""))
            .replace("\n[features]", "\n[lib]\nname = \"digital_assets\"\n\n[features]");
        // Neither benches nor examples of its own, and no other members.
        let (lints, manifest) = (manifest.find("\n[workspace.lints").unwrap(), manifest);
        let manifest = manifest.split("\n[[").next().unwrap().to_owned() + &manifest[lints..];
        let alone = manifest.lines().filter(|line| !line.starts_with("members = "));
        fs::write(copy.join("Cargo.toml"), alone.collect::<Vec<_>>().join("\n")).unwrap();
        Self(copy)
    }

    fn yaml(&self) -> String {
        fs::read_to_string(self.0.join("openapi.yaml")).unwrap()
    }

    fn describe(&self, yaml: &str) {
        fs::write(self.0.join("openapi.yaml"), yaml).unwrap();
    }

    /// The target directory, which is that of the crate itself.
    fn target() -> &'static Path {
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        self.cargo_with(arguments, &[])
    }

    fn cargo_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--target-dir"])
            .arg(Self::target())
            .current_dir(&self.0)
            .env("CARGO_TERM_COLOR", "never")
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Of the operations that are added.
const SCOPES: &str = "            'transfer:read_transfer': Read transfers.
            'transfer:write_transfer': Make transfers.
";

#[test]
fn operations_that_are_added_to_the_description_alone_are_served_whole() {
    let copy = Copy::new("more-operations");
    let yaml = copy
        .yaml()
        .replace("\ncomponents:\n", &format!("\n{}components:\n", include_str!("more.yaml")))
        .replace("\n  schemas:\n", &format!("\n  schemas:\n{}", include_str!("more_schemas.yaml")))
        .replace("\n          scopes:\n", &format!("\n          scopes:\n{SCOPES}"));
    copy.describe(&yaml);
    fs::create_dir_all(copy.0.join("examples")).unwrap();
    fs::write(copy.0.join("examples/more.rs"), include_str!("more.rs")).unwrap();

    let run = copy.cargo(&["run", "--example", "more"]);

    assert!(run.status.success(), "{}", text(&run));
}

#[test]
fn operations_of_a_description_as_real_ones_are_served_whole() {
    let copy = Copy::new("grown");
    // Beside the crate's own operations, of which the sandbox knows.
    let mut whole: Value = serde_saphyr::from_str(&copy.yaml()).unwrap();
    let grown: Value = serde_saphyr::from_str(include_str!("grown.yaml")).unwrap();
    for part in ["/paths", "/components/schemas"] {
        let more = grown.pointer(part).unwrap().as_object().unwrap().clone();
        whole.pointer_mut(part).unwrap().as_object_mut().unwrap().extend(more);
    }
    copy.describe(&whole.to_string());
    fs::create_dir_all(copy.0.join("examples")).unwrap();
    fs::write(copy.0.join("examples/grown.rs"), include_str!("grown.rs")).unwrap();

    let run = copy.cargo(&["run", "--features", "pattern", "--example", "grown"]);
    let examples = copy.cargo(&["test", "--doc", "--features", "pattern", "generated::builder"]);

    assert!(run.status.success(), "{}", text(&run));
    assert!(text(&examples).contains("test result: ok. 13 passed"), "{}", text(&examples));
}

#[test]
fn what_cannot_be_served_stops_the_build_with_a_sentence() {
    let yaml = include_str!("../../../openapi.yaml");
    let twice =
        "        items:\n          type: array\n          description: The records of this page.";
    let cases = [
        (
            "      operationId: listQuoteExecutions\n",
            "",
            "GET /v2/profiles/{profile_id}/quote-executions: has no operationId",
        ),
        (
            twice,
            "        others:\n          type: array\n          items:\n            $ref: \
             '#/components/schemas/QuoteExecution'\n        these:\n          type: array\n          \
             description: The records of this page.",
            "listQuoteExecutions → responses → QuoteExecutionPage: has 2 arrays, of which \
             `x-items: true` marks none",
        ),
        (
            "x-not-with-page-cursor: true",
            "x-not-with-page-cursor: 'true'",
            "listQuoteExecutions → query limit → x-not-with-page-cursor: is not a boolean",
        ),
        ("        - PENGUUSD\n", "", "Market → x-enum-varnames: has 28 names for 27 values"),
    ];
    for (number, (from, to, sentence)) in cases.into_iter().enumerate() {
        assert!(yaml.contains(from), "the description has no {from}");

        let outcome = script::run(&format!("refused-{number}"), &yaml.replacen(from, to, 1));

        let told = outcome.refusals.join("\n");
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
}

#[test]
fn a_changed_description_builds_again_and_an_unchanged_one_does_not() {
    let copy = Copy::new("built-twice");
    let built = |output: Output| {
        assert!(output.status.success(), "{}", text(&output));
        text(&output).contains("digital-assets-built-twice v")
    };

    assert!(built(copy.cargo(&["check", "--lib"])));
    assert!(!built(copy.cargo(&["check", "--lib"])));

    copy.describe(&copy.yaml().replace("A trade executed", "One trade executed"));

    assert!(built(copy.cargo(&["check", "--lib"])));
}
