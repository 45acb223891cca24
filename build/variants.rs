//! The variants of a union, and what a discriminator calls them.

use serde_json::{Map, Value, json};

use crate::{
    effective::{effective, is_word},
    plain::only_part,
    reference::{self, Section},
};

/// The variants of a union, each with what is stated beside the union; none if it isn't one.
pub(crate) fn variants(document: &Value, union: &Map<String, Value>) -> Vec<Value> {
    let mut beside = union.clone();
    beside.remove(if union.contains_key("oneOf") { "oneOf" } else { "anyOf" });
    beside.retain(|keyword, _| !is_word(keyword) && keyword != "discriminator");
    let kind = beside.remove("type");
    let joined = |variant: &Value| {
        let own = effective(document, variant).unwrap_or_default();
        let mut beside = beside.clone();
        let other = kind.clone().filter(|kind| own.get("type") != Some(kind));
        beside.extend(other.map(|kind| ("type".to_owned(), kind)));
        let whole = effective(document, &json!({ "allOf": [variant, beside] }));
        // A variant that says all of it itself keeps its name.
        if whole.is_ok_and(|whole| whole == own) {
            variant.clone()
        } else {
            json!({ "allOf": [beside, variant] })
        }
    };
    described(union).iter().map(joined).collect()
}

/// The variants of a union as they are described.
pub(crate) fn described(union: &Map<String, Value>) -> &[Value] {
    let variants = union.get("oneOf").or_else(|| union.get("anyOf"));
    variants.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What tells that a value is this variant, as it is described: what the discriminator maps to it,
/// or its names.
pub(crate) fn tags(document: &Value, union: &Map<String, Value>, variant: &Value) -> Vec<String> {
    let mapped = mapping(union).filter(|(_, target)| is_it(document, target, variant));
    let tags: Vec<String> = mapped.map(|(tag, _)| tag.clone()).collect();
    if tags.is_empty() { names(document, variant) } else { tags }
}

/// What a discriminator says of each tag.
pub(crate) fn mapping(union: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mapping = union.get("discriminator").and_then(|told| told.get("mapping")?.as_object());
    mapping.into_iter().flatten()
}

/// Whether what a mapping says leads to the component that a variant is.
pub(crate) fn is_it(document: &Value, target: &Value, variant: &Value) -> bool {
    let mut target_names = names(document, &json!({ "$ref": target }));
    if let Some(name) = target.as_str().filter(|_| target_names.is_empty()) {
        target_names = names(document, &json!({ "$ref": format!("#/components/schemas/{name}") }));
    }
    target_names.last().is_some_and(|target| names(document, variant).last() == Some(target))
}

/// The name of the component that a schema refers to, and those that it is another name for.
fn names(document: &Value, schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = Some(schema);
    while let Some(schema) = at {
        at = match reference::once(document, Section::Schemas, schema) {
            Ok((name, _)) if names.contains(&name) => None,
            Ok((name, target)) => {
                names.push(name);
                Some(target)
            }
            Err(_) => only_part(schema),
        };
    }
    names
}
