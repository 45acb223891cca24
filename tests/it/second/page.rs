//! Tests that the README of the runtime shows the package in `examples/parcels` as it is.

use std::{collections::BTreeSet, fs, path::Path};

const PAGE: &str = include_str!("../../../runtime/README.md");

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns each file on the page: its name, which is the heading of its section, and its text, which
/// is the first block in the section.
fn shown() -> Vec<(&'static str, &'static str)> {
    let sections = PAGE.split("\n### `").skip(1);
    let shown = sections.map(|section| {
        let (name, rest) = section.split_once('`').unwrap();
        let block = rest.split_once("\n```").unwrap().1.split_once('\n').unwrap().1;
        (name, block.split_once("```").unwrap().0)
    });
    shown.collect()
}

/// Returns the files below a directory, relative to `package`.
fn files(directory: &Path, package: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| {
        if path.is_dir() {
            return files(&path, package);
        }
        BTreeSet::from([path.strip_prefix(package).unwrap().to_str().unwrap().to_owned()])
    });
    files.collect()
}

#[test]
fn the_page_and_the_package_are_the_same_text() {
    let package = root().join("examples/parcels");
    let shown = shown();

    let names: BTreeSet<_> = shown.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, files(&package, &package));
    for (name, text) in shown {
        let file = fs::read_to_string(package.join(name)).unwrap();
        match name {
            // The page shows one operation of the description.
            "openapi.yaml" => assert!(text.contains("x-pagination:") && file.contains(text)),
            _ => assert_eq!(text, file, "{name}"),
        }
    }
}

#[test]
fn the_sandbox_on_the_page_has_at_most_sixty_lines() {
    let (_, text) = shown().into_iter().find(|(name, _)| *name == "src/sandbox.rs").unwrap();
    assert!(text.lines().count() <= 60);
}

/// Returns the names that a file re-exports from the runtime.
fn exported(file: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let exports = text.split("pub use oas_client::{").skip(1);
    let names = exports.flat_map(|rest| rest.split('}').next().unwrap().split(','));
    names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_package_exports_everything_that_programs_name() {
    let (own, other) = (exported("src/lib.rs"), exported("examples/parcels/src/lib.rs"));
    assert!(own.contains("FollowCheckpoint"));
    assert_eq!(own, other);
}

/// Returns the features that a manifest declares.
fn features(file: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let features = text.split("[features]\n").nth(1).unwrap().split("\n[").next().unwrap();
    features.lines().filter_map(|line| Some(line.split_once(" = [")?.0.to_owned())).collect()
}

#[test]
fn the_package_declares_every_feature() {
    assert_eq!(features("runtime/Cargo.toml"), features("examples/parcels/Cargo.toml"));
}
