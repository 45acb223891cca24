//! Audits the statements of a schema about a value: first as they are written, then with the parts
//! of the schema merged. The client is generated from the merged form.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Audit, Statements, bounds::unsatisfiable, carrier::Carrier, says_nothing};
use crate::document::{
    BOUNDS, MAX_NESTING, PARTS, Shape, component, integers, is_union, resolved, shape,
};

impl Audit<'_> {
    pub(super) fn value(&mut self, schema: &Map<String, Value>, place: Carrier) {
        let shape = shape(schema);
        self.carried(schema, shape, place);
        if shape == Shape::Array && !schema.contains_key("items") && place != Carrier::Answer {
            self.refuse("an array needs `items`");
        }
        let format = schema.text("format");
        if shape == Shape::String && format == Some("binary") {
            self.refuse_at("format", "binary data is not supported, only JSON");
        }
        if shape == Shape::Number && matches!(format, Some("decimal" | "decimal-text")) {
            self.warn_at(
                "format",
                "the client reads numbers as 64-bit floats, which round decimals: if the service \
                 sends strings, write `type: string` and `format: decimal-text`",
            );
        }
        self.varnames(schema, shape);
        self.open_values(schema, shape);
        // The bounds of a response are not checked.
        if place != Carrier::Answer {
            for (bound, reason) in unsatisfiable(schema, shape, self.patterns) {
                self.refuse_at(bound, reason);
            }
            if schema.contains_key("not") {
                self.refuse_at("not", "is not supported: the client can't check it");
            }
        }
    }

    /// Rejects a value whose shape its carrier can't contain.
    fn carried(&mut self, schema: &Map<String, Value>, shape: Shape, place: Carrier) {
        let place_name = match place {
            Carrier::Body | Carrier::Answer => return,
            Carrier::Path => "a path parameter",
            Carrier::Query => "a query parameter",
            Carrier::Header => "a header",
            Carrier::Entry => "an entry of an array in a query or a header",
        };
        let refused = match shape {
            Shape::Record | Shape::Map => Some("an object"),
            Shape::Array if !matches!(place, Carrier::Query | Carrier::Header) => Some("an array"),
            Shape::Json if is_union(schema) => Some("a union"),
            _ => None,
        };
        if let Some(refused) = refused {
            self.refuse(format!("{place_name} can't be {refused}"));
        }
        if place == Carrier::Entry && schema.is_true("nullable") {
            self.refuse_at("nullable", "an entry of an array in a query or a header can't be null");
        }
    }

    fn open_values(&mut self, schema: &Map<String, Value>, shape: Shape) {
        const OPEN: &str = "x-open-values";
        if schema.contains_key(OPEN) && shape != Shape::StringEnum {
            return self.refuse_at(OPEN, "is only allowed on an enum of strings");
        }
        let values = schema.list("enum");
        for value in schema.list(OPEN).iter().filter(|value| !values.contains(value)) {
            self.refuse_at(OPEN, format!("{value} is not one of the values of `enum`"));
        }
    }

    fn varnames(&mut self, schema: &Map<String, Value>, shape: Shape) {
        let Some(names) = schema.get("x-enum-varnames").and_then(Value::as_array) else { return };
        self.at("x-enum-varnames", |audit| match schema.get("enum").and_then(Value::as_array) {
            None => audit.refuse("needs an `enum`"),
            Some(_) if !matches!(shape, Shape::StringEnum | Shape::Integer) => {
                audit.refuse("only enums of strings or integers can have names");
            }
            Some(values) if values.len() != names.len() => {
                audit.refuse(format!("has {} names for {} values", names.len(), values.len()));
            }
            Some(_) => {}
        });
    }

    /// Audits a merged schema and the schemas in it. The parts before the merge are already audited.
    pub(super) fn whole(&mut self, schema: &Value, place: Carrier) {
        let Ok(whole) = resolved(self.document, schema) else { return };
        self.of_others(&whole);
        if place != Carrier::Answer {
            self.unheeded(&whole);
        }
        let Ok(Some(name)) = component(self.document, schema) else {
            self.value(&whole, place);
            return self.inside(&whole, place);
        };
        let Some(target) = self.document["components"]["schemas"].get(&name) else { return };
        let Ok(whole) = resolved(self.document, target) else { return };
        if self.judged.insert((name.clone(), place)) {
            // Each component is audited once, so its depth starts at 0.
            let depth = std::mem::take(&mut self.depth);
            self.at_component(name, |audit| audit.inside(&whole, place));
            self.depth = depth;
        }
    }

    fn inside(&mut self, whole: &Map<String, Value>, place: Carrier) {
        // The model rejects deeper nesting.
        self.is_endless |= self.depth > MAX_NESTING;
        if self.is_endless {
            return;
        }
        self.depth += 1;
        self.names_without_property(whole);
        if !is_union(whole) {
            for (name, part) in whole.object("properties") {
                self.at(name, |audit| audit.whole(part, place.inside()));
            }
            for keyword in ["items", "additionalProperties"] {
                let part = whole.get(keyword).filter(|part| part.is_object());
                if let Some(part) = part {
                    self.at(keyword, |audit| audit.whole(part, place.inside()));
                }
            }
        }
        self.depth -= 1;
    }

    fn names_without_property(&mut self, whole: &Map<String, Value>) {
        let Some(properties) = whole.get("properties").and_then(Value::as_object) else { return };
        let required = whole.list("required").iter();
        let names: BTreeSet<_> = required.filter_map(Value::as_str).collect();
        for name in names.into_iter().filter(|name| !properties.contains_key(*name)) {
            self.warn_at("required", format!("`{name}` is not a property, so it is ignored"));
        }
    }

    /// Warns of bounds for another type, and rejects keywords for the parts of another type.
    fn of_others(&mut self, said: &Map<String, Value>) {
        let shape = shape(said);
        if shape == Shape::Json {
            return;
        }
        let others = BOUNDS.into_iter().flatten().filter(|bound| !shape.bounds().contains(bound));
        for bound in others.filter(|bound| said.contains_key(**bound)) {
            self.warn_at(*bound, "applies to another type, so it is ignored");
        }
        for part in PARTS.iter().filter(|part| !shape.parts().contains(part)) {
            if said.get(*part).is_some_and(|value| !says_nothing(value)) {
                self.refuse_at(*part, "applies to another type");
            }
        }
    }

    /// Rejects statements that the client would never check. Unions are exempt, because they are
    /// sent as any JSON.
    fn unheeded(&mut self, said: &Map<String, Value>) {
        if is_union(said) {
            return;
        }
        let says = |keyword| said.list(keyword).iter().any(|value| !value.is_null());
        let shape = shape(said);
        if shape == Shape::Map && says("required") {
            self.refuse_at("required", "the client can't check which keys a map has");
        }
        if shape == Shape::Json {
            let stated = BOUNDS.into_iter().flatten().filter(|bound| said.contains_key(**bound));
            let bound = stated.chain(says("required").then_some(&"required")).next();
            let bound = bound.or_else(|| said.contains_key("format").then_some(&"format"));
            if let Some(bound) = bound {
                self.refuse_at(*bound, "needs a `type`; without one, it isn't checked");
            }
        }
        let both = [true, false].map(Value::from);
        let is_any =
            shape == Shape::Boolean && both.iter().all(|truth| said.list("enum").contains(truth));
        let is_named =
            shape == Shape::StringEnum || (shape == Shape::Integer && integers(said).is_some());
        if said.contains_key("enum") && !says("enum") {
            self.refuse_at("enum", "needs a value that isn't null");
        }
        if says("enum") && !is_named && !is_any {
            self.refuse_at("enum", unnamed(said));
        }
    }
}

/// Returns the reason to reject an enum whose values are neither all strings nor all integers.
fn unnamed(said: &Map<String, Value>) -> String {
    let odd = |fits: fn(&Value) -> bool| {
        let mut odd = said.list("enum").iter().filter(|value| !value.is_null() && !fits(value));
        odd.find_map(|value| Some((value, kind(value)?)))
    };
    let has_text = said.list("enum").iter().any(Value::is_string);
    let explained = match said.text("type") {
        Some("integer") => odd(Value::is_i64).map(|(value, kind)| {
            format!(
                "`{value}` is {kind} among integers: write an integer, or use `type: string` and \
                 quote each value"
            )
        }),
        stated if stated == Some("string") || (stated.is_none() && has_text) => {
            odd(Value::is_string).map(|(value, kind)| {
                format!("`{value}` is {kind} among strings: write it in quotes, `\"{value}\"`")
            })
        }
        _ => None,
    };
    explained.unwrap_or_else(|| "only string and integer enums are supported".to_owned())
}

fn kind(scalar: &Value) -> Option<&'static str> {
    match scalar {
        Value::Bool(_) => Some("a boolean"),
        Value::Number(_) => Some("a number"),
        Value::String(_) => Some("a string"),
        _ => None,
    }
}
