//! The extensions that this crate reads. It takes no others into account.

use serde_json::{Map, Value};

use super::{Audit, Kind};
use crate::model::{
    resolved::resolved,
    shape::{Shape, shape},
};

type Check = fn(&Value) -> Result<(), &'static str>;

/// Where an extension stands, by the name of its kind of object, and what it holds.
const READ: &[(&str, &[&str], Check)] = &[
    ("not-with-page-cursor", &["a parameter"], boolean),
    ("created-at-from", &["a parameter"], boolean),
    ("created-at-until", &["a parameter"], boolean),
    ("created-at", &["a schema"], boolean),
    ("items", &["a schema"], boolean),
    ("enum-varnames", &["a schema"], strings),
    ("open-values", &["a schema"], strings),
];

impl Audit<'_> {
    pub(super) fn extension(&mut self, kind: &Kind, name: &str, value: &Value) {
        let Some((_, places, shape)) = READ.iter().find(|(known, ..)| *known == name) else {
            return;
        };
        self.at(format!("x-{name}"), |audit| {
            if !places.contains(&kind.name) {
                return audit.refuse(format!(
                    "belongs in {}, not in {}",
                    places.join(", "),
                    kind.name
                ));
            }
            if let Err(reason) = shape(value) {
                audit.refuse(reason);
            }
            let of_listings =
                matches!(name, "not-with-page-cursor" | "created-at-from" | "created-at-until");
            if of_listings && !audit.listing && *value != Value::Bool(false) {
                audit.refuse("the operation is not a listing: it takes no `page_cursor`");
            }
        });
    }

    /// Refuses a mark on a value that nothing would look for it on.
    pub(super) fn marks(&mut self, schema: &Map<String, Value>) {
        let is_array = shape(schema) == Shape::Array;
        self.mark(schema, "x-items", is_array, "an array");
        self.mark(schema, "x-created-at", is_time(schema), "a `date-time`");
    }

    pub(super) fn marks_of_parameter(&mut self, parameter: &Value, in_query: bool, schema: &Value) {
        let Some(parameter) = parameter.as_object() else { return };
        let is_time = resolved(self.document, schema).is_ok_and(|schema| is_time(&schema));
        self.mark(parameter, "x-not-with-page-cursor", in_query, "a parameter in the query");
        for mark in ["x-created-at-from", "x-created-at-until"] {
            self.mark(parameter, mark, in_query && is_time, "a `date-time` in the query");
        }
    }

    fn mark(&mut self, marked: &Map<String, Value>, mark: &str, is_found: bool, on: &str) {
        if marked.get(mark) == Some(&Value::Bool(true)) && !is_found {
            self.at(mark, |audit| audit.refuse(format!("is only allowed on {on}")));
        }
    }
}

fn is_time(schema: &Map<String, Value>) -> bool {
    shape(schema) == Shape::String && schema.get("format") == Some(&Value::from("date-time"))
}

fn boolean(value: &Value) -> Result<(), &'static str> {
    if value.is_boolean() { Ok(()) } else { Err("is not a boolean") }
}

fn strings(value: &Value) -> Result<(), &'static str> {
    let texts = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    if texts { Ok(()) } else { Err("is not a list of names") }
}
