//! Tests that compile and run the generated code.

mod copy;
mod documentation;
mod matrix;
mod public;
mod spector;

use std::{fs, process::Output};

use serde_json::Value;

use self::copy::{Copy, text};

const YAML: &str = include_str!("../../../../openapi.yaml");

/// The scopes of the added operations.
const SCOPES: &str = "            'transfer:read_transfer': Read transfers.
            'transfer:write_transfer': Make transfers.
";

/// Adds a program to a copy of the crate, with the server that the program calls.
fn add_program(copy: &Copy, folder: &str, code: &str) {
    let folder = copy.0.join(folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("main.rs"), code).unwrap();
    fs::write(folder.join("server.rs"), include_str!("server.rs")).unwrap();
}

#[test]
fn operations_that_are_added_to_the_description_alone_are_served_whole() {
    let copy = Copy::new("grown");
    let yaml = YAML
        .replace("\ncomponents:\n", &format!("\n{}components:\n", include_str!("more.yaml")))
        .replace("\n  schemas:\n", &format!("\n  schemas:\n{}", include_str!("more_schemas.yaml")))
        .replace("\n          scopes:\n", &format!("\n          scopes:\n{SCOPES}"));
    let mut whole: Value = serde_saphyr::from_str(&yaml).unwrap();
    let own = YAML.lines().filter(|line| line.starts_with("      operationId: ")).count();
    // These operations have features that real OpenAPI descriptions use.
    let added = [include_str!("grown.yaml"), include_str!("sent.yaml"), include_str!("paged.yaml")];
    for grown in added {
        let grown: Value = serde_saphyr::from_str(grown).unwrap();
        for part in ["/paths", "/components/schemas"] {
            let more = grown.pointer(part).unwrap().as_object().unwrap().clone();
            whole.pointer_mut(part).unwrap().as_object_mut().unwrap().extend(more);
        }
    }
    copy.describe(&whole.to_string());
    add_program(&copy, "examples/more", include_str!("more.rs"));
    add_program(&copy, "examples/grown", include_str!("grown.rs"));
    add_program(&copy, "examples/sent", include_str!("sent.rs"));

    add_program(&copy, "examples/paged", include_str!("paged.rs"));

    for program in ["more", "grown", "sent", "paged"] {
        let run = copy.cargo(&["run", "--features", "pattern", "--example", program]);
        assert!(run.status.success(), "{}", text(&run));
    }
    let examples = copy.cargo(&["test", "--doc", "--features", "pattern", "generated::builder"]);
    // Twenty-eight of the added operations have an example.
    let passed = format!("test result: ok. {} passed", own + 28);
    assert!(text(&examples).contains(&passed), "{passed}: {}", text(&examples));
}

#[test]
fn operations_that_need_no_token_are_called_without_credentials() {
    let copy = Copy::new("open");
    copy.describe(include_str!("open.yaml"));
    // This isn't an example program, because examples are built with the sandbox, which needs the
    // crate's own operations.
    add_program(&copy, "src/bin/open", include_str!("open.rs"));
    let manifest = fs::read_to_string(copy.0.join("Cargo.toml")).unwrap();
    let tokio = "tokio = { version = \"1\", default-features = false, features = [\"rt\"] }";
    let manifest = manifest.replace("\n[dependencies]\n", &format!("\n[dependencies]\n{tokio}\n"));
    fs::write(copy.0.join("Cargo.toml"), manifest).unwrap();

    let run = copy.cargo(&["run", "--bin", "open"]);

    assert!(run.status.success(), "{}", text(&run));
}

#[test]
fn code_that_is_generated_from_deprecated_items_does_not_warn() {
    let copy = Copy::new("deprecated");
    copy.describe(include_str!("deprecated.yaml"));
    let lib = copy.0.join("src/lib.rs");
    let code = fs::read_to_string(&lib).unwrap();
    fs::write(&lib, format!("#![deny(warnings, clippy::unwrap_used)]\n{code}")).unwrap();

    let checked = copy.cargo(&["clippy", "--lib", "--features", "schemars"]);

    assert!(checked.status.success(), "{}", text(&checked));
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

    copy.describe(&YAML.replace("A trade executed", "One trade executed"));

    assert!(built(copy.cargo(&["check", "--lib"])));
}
