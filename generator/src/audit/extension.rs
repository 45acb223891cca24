//! The extensions that the generator reads. It ignores all others.

use serde_json::{Map, Value};

use super::{Audit, BOOL, ObjectKind, Statements, ValueType, is_strings};
use crate::document::{Shape, component, resolved, shape};

const NAMES: ValueType = ValueType { name: "a list of names", fits: is_strings };

/// Each extension, with the kind of object that it belongs in and the type of its value.
const READ: &[(&str, &str, ValueType)] = &[
    ("not-with-page-cursor", "a parameter", BOOL),
    ("created-at-from", "a parameter", BOOL),
    ("created-at-until", "a parameter", BOOL),
    ("created-at", "a schema", BOOL),
    ("items", "a schema", BOOL),
    ("enum-varnames", "a schema", NAMES),
    ("open-values", "a schema", NAMES),
];

impl Audit<'_> {
    pub(super) fn extension(&mut self, kind: &ObjectKind, name: &str, value: &Value) {
        let Some((_, place, expected)) = READ.iter().find(|(known, ..)| *known == name) else {
            return;
        };
        self.at(format!("x-{name}"), |audit| {
            if kind.name != *place {
                return audit.refuse(format!("belongs in {place}, not in {}", kind.name));
            }
            audit.expect(expected, value);
            // All marks on parameters are about listings.
            let says_no = *value == Value::Bool(false);
            if *place == "a parameter" && !audit.listing && !says_no {
                audit.refuse("the operation is not a listing: it takes no `page_cursor`");
            }
        });
    }

    /// Refuses marks on values where nothing reads them.
    pub(super) fn marks(&mut self, schema: &Map<String, Value>) {
        let is_array = shape(schema) == Shape::Array;
        self.mark(schema, "x-items", is_array, "an array");
        self.mark(schema, "x-created-at", is_time(schema), "a `date-time`");
    }

    /// Refuses statements about an enum beside a reference to it. The type of the value is that of
    /// the component.
    pub(super) fn beside_enum(&mut self, schema: &Value) {
        if !matches!(component(self.document, schema), Ok(Some(_))) {
            return;
        }
        for stated in ["x-enum-varnames", "x-open-values"] {
            if schema.get(stated).is_some() {
                self.refuse_at(stated, "belongs on the enum itself, not beside a reference to it");
            }
        }
    }

    pub(super) fn marks_of_parameter(&mut self, parameter: &Value, in_query: bool, schema: &Value) {
        let is_time = resolved(self.document, schema).is_ok_and(|schema| is_time(&schema));
        self.mark(parameter, "x-not-with-page-cursor", in_query, "a parameter in the query");
        for mark in ["x-created-at-from", "x-created-at-until"] {
            self.mark(parameter, mark, in_query && is_time, "a `date-time` in the query");
        }
    }

    fn mark(&mut self, marked: &impl Statements, mark: &str, is_found: bool, on: &str) {
        if marked.is_true(mark) && !is_found {
            self.refuse_at(mark, format!("is only allowed on {on}"));
        }
    }
}

fn is_time(schema: &Map<String, Value>) -> bool {
    shape(schema) == Shape::String && schema.get("format") == Some(&Value::from("date-time"))
}
