//! The values of enums, and what docs say of a value.

use serde_json::{Map, Value};

use super::Normalizer;
use crate::{
    model::{
        bounds::integers,
        docs,
        resolved::resolved,
        schema::{Kind, Schema},
        shape::is_union,
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

impl Normalizer<'_> {
    /// What the docs say of a value: its description, and what its type doesn't say.
    pub(super) fn words(
        &self,
        schema: &Schema,
        said: &Map<String, Value>,
        description: Option<&Value>,
    ) -> Option<String> {
        let described = description.and_then(Value::as_str).map(|text| text.trim_end().to_owned());
        let words: Vec<String> = described.into_iter().chain(self.unsaid(schema, said)).collect();
        (!words.is_empty()).then(|| words.join("\n\n"))
    }

    /// What the type of a value, or of those in an array or a map, doesn't say.
    fn unsaid(&self, schema: &Schema, said: &Map<String, Value>) -> Option<String> {
        let within = match &schema.kind {
            Kind::Json if is_union(said) => return Some(UNCHECKED.to_owned()),
            Kind::Integer(_) => return known_integers(said),
            Kind::Array(_) => "items",
            Kind::Map(_) => "additionalProperties",
            _ => return None,
        };
        let said = resolved(self.document, said.get(within)?).ok()?;
        self.unsaid(schema.within()?, &said)
    }
}

/// The values of an enum of integers, which are integers in Rust, with their names.
fn known_integers(said: &Map<String, Value>) -> Option<String> {
    integers(said).filter(|known| !known.is_empty())?;
    let known = values(said).into_iter().map(|(value, name)| match name {
        Some(name) => format!("`{value}` ({})", docs::name(name)),
        None => format!("`{value}`"),
    });
    Some(format!("Known values: {}.", known.collect::<Vec<_>>().join(", ")))
}
