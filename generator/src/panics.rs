//! Where a description has what the generator, or a library below it, panics at.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

use crate::document::{METHODS, Statements};

/// What it made, or what it said when it panicked.
pub(crate) fn caught<T>(made: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(made)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref().map(|text: &&str| (*text).to_owned()));
        said.unwrap_or_default()
    })
}

/// The first operation that panics without the others, its part, and the schema that does even where
/// all others are any JSON.
pub(crate) fn place(document: &Value, panics: impl Fn(&Value) -> bool) -> Option<String> {
    for (path, item) in document.object("paths") {
        for method in METHODS {
            let Some(operation) = item.get(*method) else { continue };
            let alone = |operation: Value| {
                let item =
                    with(&json!({ *method: operation }), "parameters", item["parameters"].clone());
                with(document, "paths", json!({ path: item }))
            };
            let whole = alone(operation.clone());
            if !panics(&whole) {
                continue;
            }
            let parts = [("requestBody", Value::Null), ("responses", json!({ "204": {} }))];
            let part = parts
                .into_iter()
                .find(|(part, nothing)| !panics(&alone(with(operation, part, nothing.clone()))));
            let id = operation.text("operationId");
            let mut place = vec![id.unwrap_or(path)];
            place.extend(part.map(|(part, _)| part));
            place.extend(schema(&whole, &panics));
            return Some(place.join(" → "));
        }
    }
    None
}

/// The schema that panics alone, and without which the document doesn't.
fn schema(document: &Value, panics: impl Fn(&Value) -> bool) -> Option<&str> {
    let components = document.get("components")?;
    let schemas = components.get("schemas")?.as_object()?;
    let of = |schemas: Value| with(document, "components", with(components, "schemas", schemas));
    let found = schemas.iter().find(|(name, schema)| {
        let nothing = schemas.keys().map(|name| (name.clone(), json!({})));
        let alone = with(&nothing.collect::<Map<_, _>>().into(), name, (*schema).clone());
        let others = with(&schemas.clone().into(), name, json!({}));
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        let content = json!({ "content": { "application/json": { "schema": reference } } });
        let operation =
            json!({ "operationId": "a", "requestBody": content, "responses": { "200": content } });
        panics(&with(&of(alone), "paths", json!({ "/": { "put": operation } })))
            && !panics(&of(others))
    });
    found.map(|(name, _)| name.as_str())
}

fn with(object: &Value, keyword: &str, value: Value) -> Value {
    let mut object = object.clone();
    if let Some(object) = object.as_object_mut() {
        if value.is_null() {
            object.remove(keyword);
        } else {
            object.insert(keyword.to_owned(), value);
        }
    }
    object
}
