//! Recognizes OpenAPI 3.1 syntax and suggests the equivalent in OpenAPI 3.0.

use serde_json::Value;

use super::ObjectKind;

/// Returns the reason to reject a keyword that uses OpenAPI 3.1 syntax. The reason says what to
/// write in OpenAPI 3.0. Returns `None` for any other keyword.
pub(super) fn instead(kind: &ObjectKind, keyword: &str, value: &Value) -> Option<String> {
    let instead = match (kind.name, keyword, value) {
        ("the document", "webhooks", _) => {
            "remove `webhooks`, because the client can't receive requests".to_owned()
        }
        ("a schema", "const", value) => format!("write `enum: [{value}]`"),
        ("a schema", "type", Value::Array(types)) => one_type(types),
        ("a schema", "examples", Value::Array(examples)) => examples
            .first()
            .map_or_else(|| "remove it".into(), |one| format!("write `example: {one}`")),
        ("a schema", "exclusiveMinimum", Value::Number(bound)) => {
            format!("write `minimum: {bound}` and `exclusiveMinimum: true`")
        }
        ("a schema", "exclusiveMaximum", Value::Number(bound)) => {
            format!("write `maximum: {bound}` and `exclusiveMaximum: true`")
        }
        _ => return None,
    };
    Some(format!("is OpenAPI 3.1 syntax: {instead}"))
}

fn one_type(types: &[Value]) -> String {
    let (null, others): (Vec<_>, Vec<_>) =
        types.iter().filter_map(Value::as_str).partition(|kind| *kind == "null");
    match others.as_slice() {
        [kind] if null.is_empty() => format!("write `type: {kind}`"),
        [kind] => format!("write `type: {kind}` and `nullable: true`"),
        _ => "write `oneOf`, with a schema for each type".to_owned(),
    }
}
