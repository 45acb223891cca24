//! What belongs to no operation: the names of schemas, servers, and security schemes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Change, Level, changed, keys};

pub(crate) fn compare(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    compare_schemas(old, new, changes);
    compare_servers(old, new, changes);
    compare_security_schemes(old, new, changes);
}

/// A schema's name is a type's name in generated code.
fn compare_schemas(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let schemas = |description: &Value| keys(description.pointer("/components/schemas"));
    let (was, is) = (schemas(old), schemas(new));
    for name in was.difference(&is) {
        changes.insert(Change::new(Level::Breaking, "schemas", format!("{name} removed")));
    }
    for name in is.difference(&was) {
        changes.insert(Change::new(Level::Addition, "schemas", format!("{name} added")));
    }
}

/// Where requests go by default: to the first server.
fn compare_servers(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let (was, is) = (servers(old), servers(new));
    let mut say = |level, what: String| {
        changes.insert(Change::new(level, "servers", what));
    };
    for (url, variables) in &was {
        match is.iter().find(|(now, _)| now == url) {
            None => say(Level::Breaking, format!("{url} removed")),
            Some((_, now)) if now != variables => {
                say(Level::Breaking, format!("the variables of {url} changed"));
            }
            Some(_) => {}
        }
    }
    for (url, _) in is.iter().filter(|(url, _)| was.iter().all(|(before, _)| before != url)) {
        say(Level::Addition, format!("{url} added"));
    }
    if let (Some((was, _)), Some((now, _))) = (was.first(), is.first())
        && was != now
    {
        say(Level::Breaking, format!("the first was {was}, is {now}"));
    }
}

/// Where tokens come from, and which scopes there are to ask for.
fn compare_security_schemes(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let schemes = "/components/securitySchemes";
    let (was, is) = (old.pointer(schemes), new.pointer(schemes));
    come_and_gone("securitySchemes", "", was, is, changes);
    for (name, was, is) in common(was, is) {
        let (was, is) = (was.get("flows"), is.get("flows"));
        come_and_gone(name, "flow ", was, is, changes);
        for (flow, was, is) in common(was, is) {
            let place = format!("{name}, {flow}");
            let (old_url, new_url) = (was.get("tokenUrl"), is.get("tokenUrl"));
            if old_url != new_url {
                let what = changed("tokenUrl", old_url, new_url);
                changes.insert(Change::new(Level::Breaking, &place, what));
            }
            come_and_gone(&place, "scope ", was.get("scopes"), is.get("scopes"), changes);
        }
    }
}

fn come_and_gone(
    place: &str,
    kind: &str,
    was: Option<&Value>,
    is: Option<&Value>,
    changes: &mut BTreeSet<Change>,
) {
    for name in keys(was).difference(&keys(is)) {
        changes.insert(Change::new(Level::Breaking, place, format!("{kind}{name} removed")));
    }
    for name in keys(is).difference(&keys(was)) {
        changes.insert(Change::new(Level::Addition, place, format!("{kind}{name} added")));
    }
}

/// The keys that both objects have, with their values.
fn common<'a>(
    was: Option<&'a Value>,
    is: Option<&'a Value>,
) -> impl Iterator<Item = (&'a str, &'a Value, &'a Value)> {
    let entries = was.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(move |(key, was)| Some((key.as_str(), was, is?.get(key)?)))
}

/// Each server's URL, and its variables without their texts.
fn servers(description: &Value) -> Vec<(&str, Value)> {
    let list = description.get("servers").and_then(Value::as_array).into_iter().flatten();
    list.map(|server| {
        let mut variables = server.get("variables").cloned().unwrap_or_default();
        for variable in variables.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
            if let Some(variable) = variable.as_object_mut() {
                variable.remove("description");
            }
        }
        (server.get("url").and_then(Value::as_str).unwrap_or_default(), variables)
    })
    .collect()
}
