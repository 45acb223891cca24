//! The layers of the generator. Each layer imports only from lower layers, and only `write` uses
//! the crates that generate Rust.

use std::{fs, path::Path};

/// The layers, from the lowest. Layers at the same level don't import from each other.
const LAYERS: [&[&str]; 3] = [&["document"], &["audit", "model"], &["write"]];

/// The crates that generate Rust.
const RUST: [&str; 3] = ["proc_macro2", "quote::", "syn::"];

#[test]
fn every_layer_imports_only_from_those_below_it() {
    let mut imports = 0;
    for (level, layers) in LAYERS.iter().enumerate() {
        let below = LAYERS[..level].concat();
        for &layer in *layers {
            for (file, code) in files(layer) {
                for name in imported(&code) {
                    imports += 1;
                    let is_allowed = name == layer || below.contains(&name);
                    assert!(is_allowed, "{file} imports from {name}");
                }
            }
        }
    }

    assert!(imports > 30, "only {imports} imports were found");
}

#[test]
fn only_what_writes_rust_names_the_crates_for_it() {
    for layer in LAYERS[..2].concat() {
        for (file, code) in files(layer) {
            for name in RUST {
                assert!(!code.contains(name), "{file} names {name}");
            }
        }
    }
}

/// Returns the layers that a file's code imports from.
fn imported(code: &str) -> Vec<&'static str> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let mut found = Vec::new();
    for path in code.split("crate::").skip(1) {
        let path = path.split(';').next().unwrap();
        for name in LAYERS.concat() {
            let starts = path.starts_with(&format!("{name}::"));
            let is_in_group = path.starts_with('{')
                && ["{", ","].iter().any(|before| path.contains(&format!("{before}{name}::")));
            if starts || is_in_group {
                found.push(name);
            }
        }
    }
    found
}

/// Returns the name and the code of each file in a layer.
fn files(layer: &str) -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(layer)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "{layer} has no files");
    found
}
