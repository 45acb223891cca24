//! Two versions of a description, and what changed for those who build on it.
//!
//! The crate `drift` walks both and says where they differ. Where it leaves open what a difference
//! means (an enum, a bound, a list of fields) the keywords of the two schemas are compared here, and
//! so is what it doesn't look at: operation ids, scopes, tags, responses, servers, the token URL,
//! schema names, extensions. Whatever differs beyond that and isn't text is named as breaking.

mod rest;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use drift::{ChangeClass, ChangeComparison};
use serde_json::{Map, Value};

/// What a change means for a client that was generated from the old version.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Level {
    /// It may fail, or no longer compile when it is generated anew.
    Breaking,
    /// It goes on working; there is more that it could use.
    Addition,
    /// Nothing changes but what people read.
    Words,
}

/// One change, named.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Change {
    /// What it means for an existing client.
    pub level: Level,
    /// Where it is: an operation, or a JSON pointer into the description.
    pub place: String,
    /// What was removed, added or changed.
    pub what: String,
}

impl Change {
    fn new(level: Level, place: &str, what: impl Into<String>) -> Self {
        Self { level, place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Breaking => "BREAKING",
            Level::Addition => "addition",
            Level::Words => "words   ",
        };
        write!(f, "{level}  {}: {}", self.place.replace("~1", "/"), self.what)
    }
}

/// Every change from `old` to `new`, the breaking ones first.
///
/// # Errors
///
/// When one of them isn't a description in `OpenAPI` 3.0.
pub fn compare(old: &Value, new: &Value) -> Result<Vec<Change>, String> {
    let mut changes = BTreeSet::new();
    for found in drift::compare(old, new).map_err(|error| format!("{error:#}"))? {
        for info in &found.changes {
            changes.extend(judge(old, new, &found, info));
        }
    }
    compare_operations(old, new, &mut changes);
    compare_schemas(old, new, &mut changes);
    compare_servers(old, new, &mut changes);
    compare_security_schemes(old, new, &mut changes);
    rest::compare(old, new, &mut changes);
    if changes.is_empty() && without_version(old) != without_version(new) {
        changes.insert(Change::new(Level::Words, "description", "texts or examples changed"));
    }
    Ok(changes.into_iter().collect())
}

/// The sentence that says which `info.version` is needed, or nothing when it is high enough.
///
/// # Errors
///
/// When a version isn't three numbers with dots between.
pub fn version_needed(
    old: &Value,
    new: &Value,
    changes: &[Change],
) -> Result<Option<String>, String> {
    let (was, is) = (version(old)?, version(new)?);
    let [major, minor, patch] = was;
    let least = match changes.iter().map(|change| change.level).min() {
        Some(Level::Breaking) => [major + 1, 0, 0],
        Some(Level::Addition) => [major, minor + 1, 0],
        Some(Level::Words) => [major, minor, patch + 1],
        None => was,
    };
    let write = |[major, minor, patch]: [u64; 3]| format!("{major}.{minor}.{patch}");
    Ok((is < least).then(|| {
        format!(
            "info.version is {} and was {}: these changes need {} or higher",
            write(is),
            write(was),
            write(least)
        )
    }))
}

/// How drift says that a response came or went.
const RESPONSES: [&str; 4] = [
    "operation added a new response code",
    "operation no longer responds with status",
    "operation added a default response",
    "operation removed a default response",
];

/// What one finding of drift means. Differences that it names but doesn't judge are judged keyword
/// by keyword; one that can't be looked up is breaking until somebody has read it.
fn judge(old: &Value, new: &Value, found: &drift::Change, info: &drift::ChangeInfo) -> Vec<Change> {
    let Some(path) = found.paths.first() else { return Vec::new() };
    let pointer = |base: &str, subpath: &str| match subpath {
        "" => base.trim_start_matches('#').to_owned(),
        _ => format!("{}/{subpath}", base.trim_start_matches('#')),
    };
    let at_old = pointer(path.old.base_and_subpath().0, &info.old_subpath);
    let at_new = pointer(path.new.base_and_subpath().0, &info.new_subpath);
    let place = if at_old.contains("/parameters/") { &at_new } else { &at_old };
    // What these mean to it is the other way round: `compare_operations` names them.
    if RESPONSES.iter().any(|message| info.message.starts_with(message)) {
        return Vec::new();
    }

    match info.class {
        ChangeClass::BackwardIncompatible | ChangeClass::Incompatible => {
            vec![Change::new(Level::Breaking, place, &info.message)]
        }
        ChangeClass::ForwardIncompatible => {
            vec![Change::new(Level::Addition, place, &info.message)]
        }
        ChangeClass::Trivial | ChangeClass::Unhandled => {
            let schemas = (look_up(old, &at_old), look_up(new, &at_new));
            let (Some(Value::Object(was)), Some(Value::Object(is))) = schemas else {
                let unknown = info.class == ChangeClass::Unhandled;
                let level = if unknown { Level::Breaking } else { Level::Words };
                return vec![Change::new(level, place, &info.message)];
            };
            let seen = |as_what| found.paths.iter().any(|path| path.comparison == as_what);
            let direction = Direction {
                sent: seen(ChangeComparison::Input),
                received: seen(ChangeComparison::Output),
            };
            compare_keywords(place, was, is, direction)
        }
    }
}

/// Whether clients send what a schema describes, receive it, or both.
#[derive(Clone, Copy)]
struct Direction {
    sent: bool,
    received: bool,
}

impl Direction {
    /// What is allowed became less: a client may send what is now refused.
    fn narrower(self) -> Level {
        if self.sent { Level::Breaking } else { Level::Addition }
    }

    /// What is allowed became more: a client may receive what it doesn't know.
    fn wider(self) -> Level {
        if self.received { Level::Breaking } else { Level::Addition }
    }
}

/// Compares the keywords of one schema; what lies below it, drift reports on its own.
fn compare_keywords(
    place: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    direction: Direction,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut say = |level, what: String| changes.push(Change::new(level, place, what));
    let keywords: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for keyword in keywords {
        let (was, is) = (old.get(keyword), new.get(keyword));
        if was == is {
            continue;
        }
        let (gone, come) = (missing(was, is), missing(is, was));
        match keyword.as_str() {
            // drift walks into these.
            "items" | "additionalProperties" | "allOf" => {}
            "description" | "example" | "title" => {
                say(Level::Words, format!("{keyword} changed"));
            }
            // Clients keep values that they don't know, so that one more breaks none.
            "enum" => {
                for value in gone {
                    say(Level::Breaking, format!("value {value} removed"));
                }
                for value in come {
                    say(Level::Addition, format!("value {value} added"));
                }
            }
            "properties" => {
                for name in keys(was).difference(&keys(is)) {
                    say(Level::Breaking, format!("field {name} removed"));
                }
                for name in keys(is).difference(&keys(was)) {
                    say(Level::Addition, format!("field {name} added"));
                }
            }
            "required" => {
                for name in gone {
                    say(direction.wider(), format!("field {name} is no longer required"));
                }
                for name in come {
                    say(direction.narrower(), format!("field {name} is now required"));
                }
            }
            "maximum" | "maxItems" | "maxLength" | "maxProperties" => {
                let bound = |v: Option<&Value>| v.and_then(Value::as_f64).unwrap_or(f64::INFINITY);
                let tighter = bound(is) < bound(was);
                let level = if tighter { direction.narrower() } else { direction.wider() };
                say(level, changed(keyword, was, is));
            }
            "minimum" | "minItems" | "minLength" | "minProperties" => {
                let bound = |v: Option<&Value>| v.and_then(Value::as_f64).unwrap_or(-f64::INFINITY);
                let tighter = bound(is) > bound(was);
                let level = if tighter { direction.narrower() } else { direction.wider() };
                say(level, changed(keyword, was, is));
            }
            // Matched by position, as the values are; values that are gone are named above.
            "x-enum-varnames" => {
                let (was, is) = (names_of_values(old), names_of_values(new));
                for (value, name) in &was {
                    if let Some(now) = is.get(value).filter(|now| *now != name) {
                        say(Level::Breaking, format!("value {value} was named {name}, is {now}"));
                    }
                }
            }
            // A promise of the service: less of it breaks, more of it doesn't.
            "x-repeats-request" => {
                let is_whole = |v: Option<&Value>| v == Some(&Value::Bool(true));
                if is_whole(was) {
                    say(Level::Breaking, "is no longer repeated as a whole".to_owned());
                } else if is_whole(is) {
                    say(Level::Addition, "is now repeated as a whole".to_owned());
                }
                for name in gone {
                    say(Level::Breaking, format!("{name} is no longer repeated"));
                }
                for name in come {
                    say(Level::Addition, format!("{name} is now repeated"));
                }
            }
            _ => say(Level::Breaking, changed(keyword, was, is)),
        }
    }
    changes
}

/// What drift doesn't compare of the operations that both have.
fn compare_operations(old: &Value, new: &Value, changes: &mut BTreeSet<Change>) {
    let (old_operations, new_operations) = (operations(old), operations(new));
    for (place, was) in &old_operations {
        let mut say = |level, what: String| {
            changes.insert(Change::new(level, place, what));
        };
        let Some(is) = new_operations.get(place) else {
            // To drift a path is the same whatever its parameters are called.
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

/// A schema's name is a type's name in what is generated.
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

/// Where requests go, as long as nobody says otherwise: the first server is the default one.
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

/// What both objects have, by its key.
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

/// The operations by method and path, which is what the wire knows them by.
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

/// An operation's parameters by name, references followed.
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

/// The schema at a pointer of drift, which writes the request body's key in its own way.
fn look_up<'a>(description: &'a Value, pointer: &str) -> Option<&'a Value> {
    description
        .pointer(pointer)
        .or_else(|| description.pointer(&pointer.replace("/request_body/", "/requestBody/")))
}

fn keys(object: Option<&Value>) -> BTreeSet<String> {
    object
        .and_then(Value::as_object)
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default()
}

/// The elements of one array that another lacks.
fn missing(of: Option<&Value>, from: Option<&Value>) -> Vec<Value> {
    let elements = |v: Option<&Value>| v.and_then(Value::as_array).cloned().unwrap_or_default();
    let from = elements(from);
    elements(of).into_iter().filter(|element| !from.contains(element)).collect()
}

fn names_of_values(schema: &Map<String, Value>) -> BTreeMap<String, String> {
    let list = |keyword: &str| -> Vec<String> {
        let values = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        values.map(ToString::to_string).collect()
    };
    let (values, names) = (list("enum"), list("x-enum-varnames"));
    let name_of = |(i, value): (usize, String)| {
        let name = names.get(i).cloned().unwrap_or_else(|| value.clone());
        (value, name)
    };
    values.into_iter().enumerate().map(name_of).collect()
}

fn changed(keyword: &str, was: Option<&Value>, is: Option<&Value>) -> String {
    let write = |v: Option<&Value>| v.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    format!("{keyword} was {}, is {}", write(was), write(is))
}

fn without_version(description: &Value) -> Value {
    let mut description = description.clone();
    if let Some(info) = description.get_mut("info").and_then(Value::as_object_mut) {
        info.remove("version");
    }
    description
}

fn version(description: &Value) -> Result<[u64; 3], String> {
    let text = description.pointer("/info/version").and_then(Value::as_str).unwrap_or_default();
    let numbers: Result<Vec<u64>, _> = text.split('.').map(str::parse).collect();
    numbers
        .ok()
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("info.version `{text}` isn't three numbers"))
}
