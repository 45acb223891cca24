//! What a schema says about a value: whether its place can carry it, and whether its bounds can be checked.

use serde_json::{Map, Value};

use super::{Audit, schema::Place};
use crate::model::shape::{Shape, is_union, shape};

impl Audit<'_> {
    pub(super) fn value(&mut self, schema: &Map<String, Value>, place: Place) {
        let shape = shape(schema);
        self.carried(schema, shape, place);
        if shape == Shape::Array && !schema.contains_key("items") && place != Place::Answer {
            self.refuse("an array needs `items`");
        }
        let format = schema.get("format").and_then(Value::as_str);
        if shape == Shape::String && format == Some("binary") {
            self.at("format", |a| a.refuse("bytes are no JSON, and nothing else is supported"));
        }
        self.varnames(schema, shape);
        self.open_values(schema, shape);
        // An answer is read whatever its bounds.
        if place != Place::Answer {
            self.bounds(schema, shape);
            if schema.contains_key("not") {
                self.at("not", |audit| {
                    audit.refuse("the client can't check what a value must not be");
                });
            }
        }
    }

    /// Refuses a value whose shape its place can't carry.
    fn carried(&mut self, schema: &Map<String, Value>, shape: Shape, place: Place) {
        let place_name = match place {
            Place::Body | Place::Answer => return,
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
        if place == Place::Entry && schema.get("nullable") == Some(&Value::Bool(true)) {
            self.at("nullable", |audit| {
                audit.refuse("a null entry can't be written in a query or a header");
            });
        }
    }

    fn bounds(&mut self, schema: &Map<String, Value>, shape: Shape) {
        for (least, most) in [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ] {
            let number = |keyword| schema.get(keyword).and_then(Value::as_f64);
            if let (Some(from), Some(to)) = (number(least), number(most))
                && from > to
            {
                self.at(least, |audit| {
                    audit.refuse(format!("is above `{most}`: nothing is allowed"));
                });
            }
        }
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")]
        {
            if schema.get(exclusive) == Some(&Value::Bool(true)) && !schema.contains_key(bound) {
                self.at(exclusive, |audit| audit.refuse(format!("needs a `{bound}`")));
            }
        }
        if shape == Shape::Integer {
            self.integers(schema);
        }
        if schema.get("multipleOf").and_then(Value::as_f64).is_some_and(|of| of <= 0.0) {
            self.at("multipleOf", |audit| audit.refuse("is not above 0"));
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            self.at("pattern", |audit| audit.pattern(pattern));
        }
    }

    /// Refuses bounds that no 64-bit integer is within, or that say nothing plain of integers.
    fn integers(&mut self, schema: &Map<String, Value>) {
        let number = |keyword| schema.get(keyword).and_then(Value::as_f64);
        let beyond = 2_f64.powi(63);
        if number("minimum").is_some_and(|least| least >= beyond) {
            self.at("minimum", |audit| audit.refuse("is beyond every 64-bit integer"));
        }
        let is_excluded = schema.get("exclusiveMaximum") == Some(&Value::Bool(true));
        let is_below = |most: f64| if is_excluded { most <= -beyond } else { most < -beyond };
        if number("maximum").is_some_and(is_below) {
            self.at("maximum", |audit| audit.refuse("is below every 64-bit integer"));
        }
        if number("multipleOf").is_some_and(|of| of.fract() != 0.0 && of.recip().fract() != 0.0) {
            self.at("multipleOf", |audit| {
                audit
                    .refuse("is neither an integer nor a part of one, as its multiples have to be");
            });
        }
    }

    fn pattern(&mut self, pattern: &str) {
        let is_older = || regress::Regex::new(pattern).is_ok();
        if let Err(error) = regress::Regex::with_flags(pattern, "u")
            && !is_older()
        {
            self.refuse(format!("is not an ECMA 262 regular expression: {error}"));
        } else if !self.patterns {
            self.refuse(
                "is checked with the Cargo feature `pattern`: name it under `default` in Cargo.toml",
            );
        }
    }

    fn open_values(&mut self, schema: &Map<String, Value>, shape: Shape) {
        let Some(open) = schema.get("x-open-values").and_then(Value::as_array) else { return };
        let values =
            schema.get("enum").and_then(Value::as_array).filter(|_| shape == Shape::StringEnum);
        self.at("x-open-values", |audit| match values {
            None => audit.refuse("stands on what is not an enum of strings"),
            Some(values) => {
                for value in open.iter().filter(|value| !values.contains(value)) {
                    audit.refuse(format!("{value} is none of the values of `enum`"));
                }
            }
        });
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
