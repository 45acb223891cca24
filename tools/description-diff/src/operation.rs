//! Operations, as far as `drift` doesn't compare them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Change, Level, changed, keys};

/// Compares the operations that both have.
pub(crate) fn compare(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let (old_operations, new_operations) = (operations(old), operations(new));
    for (place, was) in &old_operations {
        let mut say = |level, what: String| {
            changes.insert(Change::new(level, place, what));
        };
        let Some(is) = new_operations.get(place) else {
            // drift ignores the names of a path's parameters.
            if let Some(now) = new_operations.keys().find(|now| route(now) == route(place)) {
                say(Level::Breaking, format!("is now {now}"));
            }
            continue;
        };
        for keyword in ["operationId", "tags", "deprecated"] {
            if was.get(keyword) != is.get(keyword) {
                let level = if keyword == "deprecated" { Level::Addition } else { Level::Breaking };
                say(level, changed(keyword, was.get(keyword), is.get(keyword)));
            }
        }
        if was.get("security") != is.get("security") {
            say(Level::Breaking, changed("security", was.get("security"), is.get("security")));
        }
        let (old_responses, new_responses) =
            (keys(was.get("responses")), keys(is.get("responses")));
        for status in old_responses.difference(&new_responses) {
            say(Level::Breaking, format!("response {status} removed"));
        }
        for status in new_responses.difference(&old_responses) {
            say(Level::Addition, format!("response {status} added"));
        }
        let (old_parameters, new_parameters) = (parameters(old, was), parameters(new, is));
        for (name, was) in &old_parameters {
            let Some(is) = new_parameters.get(name) else { continue };
            for keyword in ["style", "explode", "allowReserved", "allowEmptyValue"] {
                if was.get(keyword) != is.get(keyword) {
                    let what = changed(keyword, was.get(keyword), is.get(keyword));
                    say(Level::Breaking, format!("parameter {name}: {what}"));
                }
            }
            let forbidden = |parameter: &Value| {
                parameter.get("x-not-with-page-cursor").and_then(Value::as_bool).unwrap_or(false)
            };
            match (forbidden(was), forbidden(is)) {
                (false, true) => {
                    say(Level::Breaking, format!("parameter {name} now forbidden beside a cursor"));
                }
                (true, false) => {
                    say(Level::Addition, format!("parameter {name} now allowed beside a cursor"));
                }
                _ => {}
            }
        }
    }
}

/// The operations by method and path, which identify them on the wire.
fn operations(description: &Value) -> BTreeMap<String, &Value> {
    let paths = description.get("paths").and_then(Value::as_object).into_iter().flatten();
    paths
        .flat_map(|(path, item)| {
            item.as_object().into_iter().flatten().map(move |(method, operation)| {
                (format!("{} {path}", method.to_uppercase()), operation)
            })
        })
        .filter(|(_, operation)| operation.get("responses").is_some())
        .collect()
}

/// A path without the names of its parameters.
fn route(path: &str) -> Vec<&str> {
    path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect()
}

/// An operation's parameters by name, with references resolved.
fn parameters<'a>(description: &'a Value, operation: &'a Value) -> BTreeMap<&'a str, &'a Value> {
    let list = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|parameter| {
        let parameter = match parameter.get("$ref").and_then(Value::as_str) {
            Some(reference) => description.pointer(reference.trim_start_matches('#'))?,
            None => parameter,
        };
        Some((parameter.get("name")?.as_str()?, parameter))
    })
    .collect()
}
