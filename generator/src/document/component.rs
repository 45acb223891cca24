//! Detects schemas that only refer to a component.

use serde_json::Value;

use super::{Unsupported, is_annotation, reference};

/// Returns the name of the component that a schema refers to, either directly or in its only part.
/// Returns `None` for any other schema.
pub(crate) fn component(document: &Value, schema: &Value) -> Result<Option<String>, Unsupported> {
    if schema.get("$ref").is_some() {
        return reference::resolve(document, "schemas", schema).map(|(name, _)| Some(name));
    }
    only_part(schema).map_or(Ok(None), |part| component(document, part))
}

/// Returns the only entry of a schema's `allOf`, `oneOf` or `anyOf`. Returns `None` if there isn't
/// exactly one entry, or if the schema has other keywords that restrict its values.
pub(crate) fn only_part(schema: &Value) -> Option<&Value> {
    let statements = schema.as_object()?;
    let (only, part) = ["allOf", "oneOf", "anyOf"].iter().find_map(|keyword| {
        let [part] = statements.get(*keyword)?.as_array()?.as_slice() else { return None };
        Some((*keyword, part))
    })?;
    // Annotations don't restrict the values.
    statements.keys().all(|keyword| keyword == only || is_annotation(keyword)).then_some(part)
}
