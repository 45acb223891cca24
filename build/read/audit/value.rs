//! What a schema says about a value: whether its place can carry it, and whether its bounds can be checked.

use serde_json::{Map, Value};

use super::{Audit, Statements, schema::Place};
use crate::model::{
    bounds,
    shape::{Shape, is_union, shape},
};

impl Audit<'_> {
    pub(super) fn value(&mut self, schema: &Map<String, Value>, place: Place) {
        let shape = shape(schema);
        self.carried(schema, shape, place);
        if shape == Shape::Array && !schema.contains_key("items") && place != Place::Answer {
            self.refuse("an array needs `items`");
        }
        let format = schema.text("format");
        if shape == Shape::String && format == Some("binary") {
            self.refuse_at("format", "bytes are no JSON, and nothing else is supported");
        }
        self.varnames(schema, shape);
        self.open_values(schema, shape);
        // An answer is read whatever its bounds.
        if place != Place::Answer {
            for (bound, reason) in bounds::unsatisfiable(schema, shape, self.patterns) {
                self.refuse_at(bound, reason);
            }
            if schema.contains_key("not") {
                self.refuse_at("not", "the client can't check what a value must not be");
            }
        }
    }

    /// Refuses a value whose shape its place can't carry.
    fn carried(&mut self, schema: &Map<String, Value>, shape: Shape, place: Place) {
        let place_name = match place {
            Place::Body | Place::Unnamed | Place::Answer => return,
            Place::Path => "the path",
            Place::Query => "the query",
            Place::Header => "a header",
            Place::Entry => "an array in a query or a header",
        };
        match shape {
            Shape::Record | Shape::Map => {
                self.refuse(format!("{place_name} can't carry an object"));
            }
            Shape::Array if !matches!(place, Place::Query | Place::Header) => {
                self.refuse(format!("{place_name} can't carry an array"));
            }
            Shape::Json if is_union(schema) => {
                self.refuse(format!("{place_name} can't carry a union"));
            }
            _ => {}
        }
        if place == Place::Entry && schema.is_true("nullable") {
            self.refuse_at("nullable", "a null entry can't be written in a query or a header");
        }
    }

    fn open_values(&mut self, schema: &Map<String, Value>, shape: Shape) {
        const OPEN: &str = "x-open-values";
        if schema.contains_key(OPEN) && shape != Shape::StringEnum {
            return self.refuse_at(OPEN, "stands on what is not an enum of strings");
        }
        let values = schema.list("enum");
        for value in schema.list(OPEN).iter().filter(|value| !values.contains(value)) {
            self.refuse_at(OPEN, format!("{value} is none of the values of `enum`"));
        }
    }

    fn varnames(&mut self, schema: &Map<String, Value>, shape: Shape) {
        let Some(names) = schema.get("x-enum-varnames").and_then(Value::as_array) else { return };
        self.at("x-enum-varnames", |audit| match schema.get("enum").and_then(Value::as_array) {
            None => audit.refuse("needs an `enum`"),
            Some(_) if !matches!(shape, Shape::StringEnum | Shape::Integer) => {
                audit.refuse("only strings and integers can have names");
            }
            Some(values) if values.len() != names.len() => {
                audit.refuse(format!("has {} names for {} values", names.len(), values.len()));
            }
            Some(_) => {}
        });
    }
}
