//! Differences that nothing else has named: breaking, until somebody has read them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Change, Level};

/// Keywords that only people read.
const WORDS: [&str; 10] = [
    "description",
    "summary",
    "title",
    "example",
    "examples",
    "contact",
    "license",
    "termsOfService",
    "externalDocs",
    "x-logo",
];

/// Objects whose keys are names, and can be any word.
const NAMED: [&str; 13] = [
    "paths",
    "properties",
    "responses",
    "content",
    "headers",
    "variables",
    "scopes",
    "flows",
    "schemas",
    "parameters",
    "requestBodies",
    "securitySchemes",
    "patternProperties",
];

/// A path's operations; drift names those that came or went.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Names each difference that no change so far accounts for, by its JSON pointer.
pub(crate) fn compare(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let mut found = Vec::new();
    walk(&mut Vec::new(), false, Some(old), Some(new), &mut found);
    let explained = |pointer: &str| changes.iter().any(|change| explains(&change.place, pointer));
    found.retain(|pointer| !explained(pointer));
    for pointer in found {
        changes.insert(Change::new(Level::Breaking, &pointer, "something else changed"));
    }
}

/// A change inside of what differs, or of the very schema whose keyword differs.
fn explains(place: &str, pointer: &str) -> bool {
    let place = place.replace("/request_body", "/requestBody");
    let inside = place.strip_prefix(pointer);
    if inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return true;
    }
    let Some(rest) = pointer.strip_prefix(&place).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    let schema = place.contains("/components/schemas/") || place.contains("/schema");
    if schema {
        rest.strip_prefix("properties/").unwrap_or(rest).split('/').count() == 1
    } else {
        // drift names a parameter or a body that is now required, or no longer, as a whole.
        matches!(rest, "required" | "requestBody" | "requestBody/required")
    }
}

/// Collects the pointers at which two descriptions differ in more than words.
fn walk(
    path: &mut Vec<String>,
    names: bool,
    old: Option<&Value>,
    new: Option<&Value>,
    found: &mut Vec<String>,
) {
    if old == new || named_elsewhere(path, old.is_none() || new.is_none()) {
        return;
    }
    match (old, new) {
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let keys: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            for key in keys {
                if !names && WORDS.contains(&key.as_str()) {
                    continue;
                }
                path.push(key.clone());
                let names = !names && NAMED.contains(&key.as_str());
                walk(path, names, was.get(key), is.get(key), found);
                path.pop();
            }
        }
        // Parameters are known by name, not by their place in the list.
        (Some(Value::Array(was)), Some(Value::Array(is)))
            if path.last().is_some_and(|key| key == "parameters") =>
        {
            let of = |list: &[Value], name| list.iter().position(|it| name_of(it) == name);
            let both: BTreeSet<_> = was.iter().chain(is).map(name_of).collect();
            for name in both {
                // One that came or went, drift names.
                if let (Some(i), Some(j)) = (of(was, name), of(is, name)) {
                    path.push(j.to_string());
                    walk(path, false, was.get(i), is.get(j), found);
                    path.pop();
                }
            }
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) if same_elements(was, is) => {}
        _ => found.push(path.iter().fold(String::new(), |pointer, key| {
            pointer + "/" + &key.replace('~', "~0").replace('/', "~1")
        })),
    }
}

/// Keywords that are compared elsewhere, where a difference is named or means nothing.
fn named_elsewhere(path: &[String], one_sided: bool) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        // An operation's tags are compared with the operation.
        ["info", "version"]
        | ["servers" | "tags"]
        | ["paths", _, _, "operationId" | "tags" | "deprecated" | "security"]
        | ["components", "securitySchemes", _, "flows", _, "tokenUrl"]
        | ["components", "securitySchemes", _, "flows", _, "scopes", _] => true,
        ["paths", _, _, "parameters", _, keyword] | ["components", "parameters", _, keyword] => {
            matches!(
                keyword,
                "style"
                    | "explode"
                    | "allowReserved"
                    | "allowEmptyValue"
                    | "x-not-with-page-cursor"
            )
        }
        ["paths", _, method] => one_sided && METHODS.contains(&method),
        // Whatever refers to a component differs too.
        ["paths" | "components", _]
        | ["paths", _, _, "responses", _]
        | ["components"]
        | ["components", _, _]
        | ["components", "securitySchemes", _, "flows", _] => one_sided,
        _ => false,
    }
}

fn name_of(element: &Value) -> &str {
    let name = element.get("name").or_else(|| element.get("$ref"));
    name.and_then(Value::as_str).unwrap_or_default()
}

fn same_elements(was: &[Value], is: &[Value]) -> bool {
    was.len() == is.len() && was.iter().all(|element| is.contains(element))
}
