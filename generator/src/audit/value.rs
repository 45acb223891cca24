//! Audits the keywords that describe a schema's values. Each part of a schema is audited separately
//! first, and then the merged schema, from which the client is generated.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Audit, Statements,
    bounds::{refuses, unsatisfiable},
    carrier::Carrier,
    has_no_effect,
};
use crate::document::{
    BOUNDS, MAX_NESTING, PARTS, Shape, component, integers, is_union, resolved, shape,
};

impl Audit<'_> {
    pub(super) fn value(&mut self, schema: &Map<String, Value>, carrier: Carrier) {
        let shape = shape(schema);
        self.carried(schema, shape, carrier);
        if shape == Shape::Array && !schema.contains_key("items") && carrier != Carrier::Response {
            self.reject("an array needs `items`");
        }
        let format = schema.text("format");
        if shape == Shape::String && format == Some("binary") {
            self.reject_at("format", "binary data is not supported, only JSON");
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
        self.default(schema, shape);
        // The client doesn't check the bounds of a response.
        if carrier != Carrier::Response {
            for (bound, reason) in unsatisfiable(schema, shape, self.patterns) {
                self.reject_at(bound, reason);
            }
            if schema.contains_key("not") {
                self.reject_at("not", "is not supported: the client can't check it");
            }
        }
    }

    /// Rejects a shape that the carrier can't contain, such as an object in a query parameter.
    fn carried(&mut self, schema: &Map<String, Value>, shape: Shape, carrier: Carrier) {
        let carrier_name = match carrier {
            Carrier::Body | Carrier::Response => return,
            Carrier::Path => "a path parameter",
            Carrier::Query => "a query parameter",
            Carrier::Header => "a header",
            Carrier::Entry => "an entry of an array in a query or a header",
        };
        let rejected = match shape {
            Shape::Record | Shape::Map => Some("an object"),
            Shape::Array if !matches!(carrier, Carrier::Query | Carrier::Header) => {
                Some("an array")
            }
            Shape::Json if is_union(schema) => Some("a union"),
            _ => None,
        };
        if let Some(rejected) = rejected {
            let instead = match (rejected, carrier) {
                ("an object", Carrier::Query) => {
                    ": declare a parameter for each of its properties, with the name that is sent, \
                     such as `filter[name]`"
                }
                _ => "",
            };
            self.reject(format!("{carrier_name} can't be {rejected}{instead}"));
        }
        if carrier == Carrier::Entry && schema.is_true("nullable") {
            self.reject_at("nullable", "an entry of an array in a query or a header can't be null");
        }
    }

    /// Warns about a `default` that the schema itself doesn't allow. It isn't an error, because the
    /// client doesn't send defaults.
    fn default(&mut self, schema: &Map<String, Value>, shape: Shape) {
        if let Some(default) = schema.get("default").filter(|default| !default.is_null())
            && let Some(reason) = refuses(schema, shape, default)
        {
            self.warn_at("default", format!("`{default}` is not a valid value: {reason}"));
        }
    }

    fn open_values(&mut self, schema: &Map<String, Value>, shape: Shape) {
        const OPEN: &str = "x-open-values";
        if schema.contains_key(OPEN) && shape != Shape::StringEnum {
            let values = schema.list("enum").iter().filter(|value| !value.is_null());
            let odd = values.clone().find(|value| !value.is_string());
            let reason = match odd.and_then(|value| Some((value, kind(value)?))) {
                Some((value, kind)) if values.clone().any(Value::is_string) => {
                    format!(", but `{value}` is {kind}: write it in quotes, `\"{value}\"`")
                }
                _ => String::new(),
            };
            return self.reject_at(OPEN, format!("is only allowed on an enum of strings{reason}"));
        }
        let values = schema.list("enum");
        for value in schema.list(OPEN).iter().filter(|value| !values.contains(value)) {
            self.reject_at(OPEN, format!("{value} is not one of the values of `enum`"));
        }
    }

    fn varnames(&mut self, schema: &Map<String, Value>, shape: Shape) {
        let Some(names) = schema.get("x-enum-varnames").and_then(Value::as_array) else { return };
        self.at("x-enum-varnames", |audit| match schema.get("enum").and_then(Value::as_array) {
            None => audit.reject("needs an `enum`"),
            Some(_) if !matches!(shape, Shape::StringEnum | Shape::Integer) => {
                audit.reject("only enums of strings or integers can have names");
            }
            Some(values) if values.len() != names.len() => {
                audit.reject(format!("has {} names for {} values", names.len(), values.len()));
            }
            Some(_) => {}
        });
    }

    /// Audits a schema after its parts are merged, together with the schemas of its properties and
    /// entries. The separate parts have already been audited.
    pub(super) fn whole(&mut self, schema: &Value, carrier: Carrier) {
        let Ok(whole) = resolved(self.document, schema) else { return };
        self.check_other_types(&whole);
        if carrier != Carrier::Response {
            self.reject_unchecked(&whole);
        }
        let Ok(Some(name)) = component(self.document, schema) else {
            self.value(&whole, carrier);
            return self.inside(&whole, carrier);
        };
        let Some(target) = self.document["components"]["schemas"].get(&name) else { return };
        let Ok(whole) = resolved(self.document, target) else { return };
        if self.audited_merged.insert((name.clone(), carrier)) {
            // A component is audited only once, so its nesting depth is counted from the component
            // itself.
            let depth = std::mem::take(&mut self.depth);
            self.at_component(name, |audit| audit.inside(&whole, carrier));
            self.depth = depth;
        }
    }

    fn inside(&mut self, whole: &Map<String, Value>, carrier: Carrier) {
        // Deeper nesting is rejected later, when the model is built.
        self.is_endless |= self.depth > MAX_NESTING;
        if self.is_endless {
            return;
        }
        self.depth += 1;
        self.names_without_property(whole);
        if !is_union(whole) {
            for (name, part) in whole.object("properties") {
                self.at(name, |audit| audit.whole(part, carrier.inside()));
            }
            for keyword in ["items", "additionalProperties"] {
                let part = whole.get(keyword).filter(|part| part.is_object());
                if let Some(part) = part {
                    self.at(keyword, |audit| audit.whole(part, carrier.inside()));
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

    /// Warns about bounds that apply to another type, such as `maxLength` on an integer. Rejects
    /// keywords for properties or entries that apply to another type, such as `items` on a string.
    fn check_other_types(&mut self, keywords: &Map<String, Value>) {
        let shape = shape(keywords);
        if shape == Shape::Json {
            return;
        }
        let others = BOUNDS.into_iter().flatten().filter(|bound| !shape.bounds().contains(bound));
        for bound in others.filter(|bound| keywords.contains_key(**bound)) {
            self.warn_at(*bound, "applies to another type, so it is ignored");
        }
        for part in PARTS.iter().filter(|part| !shape.parts().contains(part)) {
            if keywords.get(*part).is_some_and(|value| !has_no_effect(value)) {
                self.reject_at(*part, "applies to another type");
            }
        }
    }

    /// Rejects keywords in a request's schema that the client can't check. Unions are exempt,
    /// because the client accepts any JSON for a union.
    fn reject_unchecked(&mut self, keywords: &Map<String, Value>) {
        if is_union(keywords) {
            return;
        }
        let says = |keyword| keywords.list(keyword).iter().any(|value| !value.is_null());
        let shape = shape(keywords);
        if shape == Shape::Map && says("required") {
            self.reject_at("required", "the client can't check which keys a map has");
        }
        if shape == Shape::Json {
            let stated =
                BOUNDS.into_iter().flatten().filter(|bound| keywords.contains_key(**bound));
            let bound = stated.chain(says("required").then_some(&"required")).next();
            let bound = bound.or_else(|| keywords.contains_key("format").then_some(&"format"));
            let has_parts =
                |part: &&&str| keywords.get(**part).is_some_and(|it| !has_no_effect(it));
            let bound = bound.or_else(|| PARTS.iter().find(has_parts));
            if let Some(bound) = bound {
                self.reject_at(*bound, "needs a `type`; without one, the keyword isn't checked");
            }
        }
        let both = [true, false].map(Value::from);
        let is_any = shape == Shape::Boolean
            && both.iter().all(|truth| keywords.list("enum").contains(truth));
        let is_named =
            shape == Shape::StringEnum || (shape == Shape::Integer && integers(keywords).is_some());
        if keywords.contains_key("enum") && !says("enum") {
            self.reject_at("enum", "needs a value that isn't null");
        }
        if says("enum") && !is_named && !is_any {
            self.reject_at("enum", unnamed(keywords));
        }
    }
}

/// Returns the reason to reject an enum whose values are neither all strings nor all integers.
fn unnamed(keywords: &Map<String, Value>) -> String {
    let odd = |fits: fn(&Value) -> bool| {
        let mut odd = keywords.list("enum").iter().filter(|value| !value.is_null() && !fits(value));
        odd.find_map(|value| Some((value, kind(value)?)))
    };
    let has_text = keywords.list("enum").iter().any(Value::is_string);
    let explained = match keywords.text("type") {
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
