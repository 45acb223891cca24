//! The values of enums, and what docs say of a value.

use serde_json::{Map, Value};

use crate::{
    model::{
        bounds::integers,
        docs,
        shape::{Shape, is_union, shape},
    },
    read::statements::Statements,
};

const UNCHECKED: &str = "The description allows one of several forms. It is any JSON here, and the \
     client doesn't check it.";

/// The values of an enum with their names, each once and without null.
pub(super) fn values(said: &Map<String, Value>) -> Vec<(&Value, Option<&str>)> {
    let names = said.list("x-enum-varnames");
    let mut values: Vec<(&Value, Option<&str>)> = Vec::new();
    for (at, value) in said.list("enum").iter().enumerate() {
        if !value.is_null() && !values.iter().any(|(known, _)| *known == value) {
            values.push((value, names.get(at).and_then(Value::as_str)));
        }
    }
    values
}

/// What the docs say of a value: its description, and what its type doesn't say.
pub(super) fn words(said: &Map<String, Value>, description: Option<&Value>) -> Option<String> {
    let described = description.and_then(Value::as_str).map(docs::doc);
    let more = if is_union(said) { Some(UNCHECKED.to_owned()) } else { known_integers(said) };
    let words: Vec<String> = described.into_iter().chain(more).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// The values of an enum of integers, which are integers in Rust, with their names.
fn known_integers(said: &Map<String, Value>) -> Option<String> {
    integers(said).filter(|known| !known.is_empty() && shape(said) == Shape::Integer)?;
    let known = values(said).into_iter().map(|(value, name)| match name {
        Some(name) => format!("`{value}` ({})", docs::name(name)),
        None => format!("`{value}`"),
    });
    Some(format!("Known values: {}.", known.collect::<Vec<_>>().join(", ")))
}
