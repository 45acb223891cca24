//! Compares the public API of the crate and its runtime, including the features that docs.rs shows,
//! to the files in `tests/golden`.
//!
//! Each change to the API shows up as a difference, even a type from another crate that users come
//! to depend on.

#![allow(missing_docs, clippy::unwrap_used)]

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use public_api::Builder;
use serde_json::Value;

/// Every public item, one per line, except those that only generated code uses.
static ITEMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let items = ["digital-assets", "oas-client"].into_iter().flat_map(|package| {
        let api = Builder::from_rustdoc_json(rustdoc_json(package));
        let api = api.omit_blanket_impls(true).omit_auto_trait_impls(true).build();
        api.unwrap().items().map(ToString::to_string).collect::<Vec<_>>()
    });
    items.filter(|item| !item.contains("oas_client::codegen::")).collect()
});

#[test]
fn the_public_api_is_the_one_that_was_read() {
    assert_golden("api.txt", &ITEMS);
}

#[test]
fn the_types_of_other_crates_are_those_that_were_read() {
    let types: BTreeSet<String> = ITEMS.iter().flat_map(|item| foreign(item)).collect();

    assert_golden("foreign.txt", &Vec::from_iter(types));
}

#[test]
fn a_foreign_type_is_found_wherever_it_stands() {
    let item = "pub fn digital_assets::A::b(&self, &core::option::Option<uuid::Uuid>) -> \
                core::result::Result<http::method::Method, std::io::Error>";
    let found = |item| foreign(item).collect::<Vec<_>>();
    assert_eq!(found(item), ["uuid::Uuid", "http::method::Method"]);

    let of_another = "pub fn bigdecimal::BigDecimal::try_from(&digital_assets::types::Decimal)";
    assert_eq!(found(of_another), ["bigdecimal::BigDecimal"]);
}

/// Returns the paths of the types and traits that come neither from this project nor from the
/// standard library.
fn foreign(item: &str) -> impl Iterator<Item = String> {
    let is_part_of_path = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
    let paths = item.split(move |char| !is_part_of_path(char)).filter(|text| text.contains("::"));
    let ours = ["digital_assets", "oas_client", "core", "alloc", "std", ""];
    paths.filter_map(move |path| {
        let segments: Vec<&str> = path.split("::").collect();
        let name = segments.iter().position(|segment| segment.starts_with(char::is_uppercase))?;
        (name > 0 && !ours.contains(&segments[0])).then(|| segments[..=name].join("::"))
    })
}

#[track_caller]
fn assert_golden(name: &str, lines: &[String]) {
    let text = lines.join("\n") + "\n";
    let golden = root().join("tests/golden").join(name);
    if env::var_os("RENEW_GOLDEN").is_some() {
        fs::write(&golden, &text).unwrap();
    }

    let read = fs::read_to_string(&golden).unwrap_or_default();

    let [read, lines] = [read.lines().collect(), text.lines().collect::<BTreeSet<_>>()];
    let gone: Vec<_> = read.difference(&lines).map(|line| format!("- {line}")).collect();
    let new: Vec<_> = lines.difference(&read).map(|line| format!("+ {line}")).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "the public API differs from tests/golden/{name}. If the change is intended, renew the \
         file and read the difference: RENEW_GOLDEN=1 cargo test --package surface\n{}\n{}",
        gone.join("\n"),
        new.join("\n"),
    );
}

fn rustdoc_json(name: &str) -> PathBuf {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_slice(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == name).unwrap();
    let features = package["metadata"]["docs"]["rs"]["features"].as_array().unwrap();
    let features: Vec<&str> = features.iter().map(|feature| feature.as_str().unwrap()).collect();
    let features = format!("--features={}", features.join(","));
    let json = ["-Zunstable-options", "--output-format=json"];
    cargo(&["rustdoc", "--package", name, "--lib", &features, "--", json[0], json[1]]);
    let target = Path::new(metadata["target_directory"].as_str().unwrap());
    target.join("doc").join(name.replace('-', "_")).with_extension("json")
}

fn cargo(arguments: &[&str]) -> Vec<u8> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).current_dir(root());
    cargo.env("RUSTDOC", concat!(env!("CARGO_MANIFEST_DIR"), "/rustdoc"));
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
