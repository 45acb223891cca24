//! What a finding of `drift` means.

use std::collections::{BTreeMap, BTreeSet};

use drift::{ChangeClass, ChangeComparison};
use serde_json::{Map, Value};

use crate::{Change, Level, changed, keys};

/// How drift says that a response came or went.
const RESPONSES: [&str; 4] = [
    "operation added a new response code",
    "operation no longer responds with status",
    "operation added a default response",
    "operation removed a default response",
];

/// What one finding of drift means. Differences that it names but doesn't judge are judged keyword
/// by keyword; one that can't be looked up counts as breaking.
pub(crate) fn judge(
    old: &Value,
    new: &Value,
    found: &drift::Change,
    info: &drift::ChangeInfo,
) -> Vec<Change> {
    let Some(path) = found.paths.first() else { return Vec::new() };
    let pointer = |base: &str, subpath: &str| match subpath {
        "" => base.trim_start_matches('#').to_owned(),
        _ => format!("{}/{subpath}", base.trim_start_matches('#')),
    };
    let at_old = pointer(path.old.base_and_subpath().0, &info.old_subpath);
    let at_new = pointer(path.new.base_and_subpath().0, &info.new_subpath);
    let place = if at_old.contains("/parameters/") { &at_new } else { &at_old };
    // drift sees the opposite meaning in these: `operation::compare` names them.
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
    /// Less is allowed: a client may send what is now refused.
    fn narrower(self) -> Level {
        if self.sent { Level::Breaking } else { Level::Addition }
    }

    /// More is allowed: a client may receive what it doesn't know.
    fn wider(self) -> Level {
        if self.received { Level::Breaking } else { Level::Addition }
    }
}

/// Compares the keywords of one schema. drift reports what is below it separately.
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
            // Clients keep values that they don't know, so a new one breaks none.
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
            _ => say(Level::Breaking, changed(keyword, was, is)),
        }
    }
    changes
}

/// The schema at a pointer of drift, which writes the request body's key in its own way.
fn look_up<'a>(description: &'a Value, pointer: &str) -> Option<&'a Value> {
    description
        .pointer(pointer)
        .or_else(|| description.pointer(&pointer.replace("/request_body/", "/requestBody/")))
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
