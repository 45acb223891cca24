//! Compiles the examples in the docs of generated code without rustdoc.

use std::{fs, path::Path};

/// Returns the code of the examples in a generated file.
pub(super) fn of(generated: &str) -> Vec<String> {
    // Docs that a comment can't represent are attributes.
    let is_attribute = |line: &&str| line.trim_start().starts_with("#[doc = \"");
    let attributes = generated.lines().filter(is_attribute).map(unescaped);
    let comments = generated.lines().filter(|line| !is_attribute(line)).collect::<Vec<_>>();
    let docs = attributes.chain([comments.join("\n")]);
    docs.flat_map(|docs| {
        let examples = docs.split("\n```no_run\n").skip(1).map(|example| {
            let code = example.split("\n```").next().unwrap_or_default();
            let lines = code.lines().map(|line| line.strip_prefix("# ").unwrap_or(line));
            lines.flat_map(|line| [line, "\n"]).collect()
        });
        examples.collect::<Vec<String>>()
    })
    .collect()
}

fn unescaped(attribute: &str) -> String {
    let mut text = String::new();
    let mut characters = attribute.chars();
    while let Some(character) = characters.next() {
        match (character, if character == '\\' { characters.next() } else { None }) {
            (_, Some('n')) => text.push('\n'),
            (_, Some(escaped)) => text.push(escaped),
            (plain, None) => text.push(plain),
        }
    }
    text
}

/// Adds examples to a copy of the crate.
pub(super) fn compile_in(copy: &Path, examples: impl Iterator<Item = String>) {
    let mut module = String::from("#![allow(dead_code, deprecated)]\n");
    for example in examples {
        module += "const _: () = {\n";
        module += &example;
        module += "};\n";
    }
    fs::write(copy.join("src/examples.rs"), module).unwrap();
    let lib = copy.join("src/lib.rs");
    let root = fs::read_to_string(&lib).unwrap();
    fs::write(&lib, root + "extern crate self as digital_assets;\nmod examples;\n").unwrap();
}
