//! Two versions of a description, and what changed for those who build on it.
//!
//! The crate `drift` walks both and says where they differ. Where it doesn't say what a difference
//! means (an enum, a bound, a list of fields) the keywords of the two schemas are compared here, and
//! so is what it doesn't look at: operation ids, scopes, tags, responses, servers, the token URL,
//! schema names, extensions. Whatever differs beyond that and isn't text is named as breaking.

mod document;
mod finding;
mod operation;
mod rest;
mod version;
pub use version::version_needed;

use std::{collections::BTreeSet, fmt};

use serde_json::Value;

/// What a change means for a client that was generated from the old version.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Level {
    /// It may fail, or no longer compile when it is generated anew.
    Breaking,
    /// It still works, and could use more.
    Addition,
    /// Only texts for people change.
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
            changes.extend(finding::judge(old, new, &found, info));
        }
    }
    operation::compare(old, new, &mut changes);
    document::compare(old, new, &mut changes);
    rest::compare(old, new, &mut changes);
    if changes.is_empty() && without_version(old) != without_version(new) {
        changes.insert(Change::new(Level::Words, "description", "texts or examples changed"));
    }
    Ok(changes.into_iter().collect())
}

fn keys(object: Option<&Value>) -> BTreeSet<String> {
    object
        .and_then(Value::as_object)
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default()
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
