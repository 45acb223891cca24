//! Converts schemas, and writes docs for fields, parameters and bodies. Records and enums become
//! named types.

use heck::ToPascalCase;
use serde_json::{Map, Value, json};

use super::{Normalizer, is_named};
use crate::{
    document::{
        Format, Integer, MAX_NESTING, Number, Shape, Size, Statements, Text, Unsupported,
        component, integers, is_union, resolved, shape,
    },
    model::{Entries, Enum, Field, Form, Kind, Named, Names, Record, Schema, Side, Type, markdown},
};

const UNCHECKED: &str = "The OpenAPI description allows one of several schemas. The client \
     accepts any JSON here, and doesn't check it.";

impl Normalizer<'_> {
    /// Converts a schema. If an inline schema needs its own type, `called` is the preferred name
    /// for the type.
    pub(super) fn schema(&mut self, schema: &Value, called: &str) -> Result<Schema, Unsupported> {
        if let Some(name) = self.component(schema)? {
            return Ok(Kind::Named(name).into());
        }
        let whole = resolved(self.document, schema)?;
        if self.depth > MAX_NESTING {
            return Err(format!(
                "`allOf` nests schemas endlessly, or more than {MAX_NESTING} levels deep"
            ));
        }
        self.depth += 1;
        let made = if is_named(shape(&whole)) {
            let name = self.name(called);
            self.define(&name, &whole).map(|()| Kind::Named(name).into())
        } else {
            self.unnamed(&whole, called)
        };
        self.depth -= 1;
        made
    }

    /// Converts the schema of a response, an array entry or a map value. Such a value may be null.
    /// If the schema is missing, the value is any JSON.
    pub(super) fn entry(
        &mut self,
        schema: Option<&Value>,
        called: &str,
    ) -> Result<Schema, Unsupported> {
        let Some(schema) = schema.filter(|schema| schema.is_object()) else {
            return Ok(Kind::Json.into());
        };
        let mut made = self.schema(schema, called)?;
        let whole = resolved(self.document, schema)?;
        made.nullable = whole.is_true("nullable") && !matches!(made.kind, Kind::Json);
        Ok(made)
    }

    /// Returns the name of the type for the component that a schema refers to, or `None` if there
    /// is no such type. The type is defined the first time it is used.
    fn component(&mut self, schema: &Value) -> Result<Option<String>, Unsupported> {
        let Some(component) = component(self.document, schema)? else { return Ok(None) };
        let Some(name) = self.type_names.get(&component).cloned() else { return Ok(None) };
        if self.defined.insert(name.clone()) {
            let schema = json!({ "$ref": format!("#/components/schemas/{component}") });
            let whole = resolved(self.document, &schema)?;
            // A component is defined only once, so its nesting depth is counted from the component
            // itself.
            let depth = std::mem::take(&mut self.depth);
            let defined = self.define(&name, &whole);
            self.depth = depth;
            if defined.is_err() {
                // The next operation that uses the component must report the error as well.
                self.defined.remove(&name);
            }
            defined?;
        }
        Ok(Some(name))
    }

    fn define(&mut self, name: &str, whole: &Map<String, Value>) -> Result<(), Unsupported> {
        let form = match shape(whole) {
            Shape::Record => Form::Record(self.record(name, whole)?),
            _ => Form::Enum(enumeration(whole)),
        };
        let description = whole.text("description").map(str::to_owned);
        let deprecated = whole.is_true("deprecated");
        let defined = Type { description, deprecated, example: example(whole), form };
        self.description.types.insert(name.to_owned(), defined);
        Ok(())
    }

    fn record(&mut self, name: &str, whole: &Map<String, Value>) -> Result<Record, Unsupported> {
        let mut names = Names::default();
        let additional = whole.get("additionalProperties");
        let others_if_sent = additional == Some(&Value::Bool(true));
        let others = additional.filter(|others| others.is_object() || others_if_sent);
        let others =
            others.map(|others| self.entry(Some(others), &format!("{name}Value"))).transpose()?;
        if others.is_some() {
            names.give(Named::Field, "extra");
        }
        let required = whole.list("required");
        let mut fields = Vec::new();
        for (wire, schema) in whole.object("properties") {
            let is_stated = required.iter().any(|name| name == wire);
            let keywords = resolved(self.document, schema)?;
            let is = |keyword: &str| keywords.is_true(keyword);
            let one_side = match (is("readOnly"), is("writeOnly")) {
                (true, _) => Some(Side::Service),
                (false, true) => Some(Side::Client),
                (false, false) => None,
            };
            let null = is_stated && is("nullable");
            let made = self.schema(schema, &format!("{name}{}", wire.to_pascal_case()))?;
            // For any JSON, null is already a valid value.
            let is_json = matches!(made.kind, Kind::Json);
            fields.push(Field {
                name: names.give(Named::Field, wire),
                wire: wire.clone(),
                description: self.docs(&made, &keywords, schema),
                schema: made,
                deprecated: is("deprecated"),
                required: is_stated && one_side.is_none() && !null,
                null: null && !is("readOnly"),
                clearable: !is_stated && is("nullable") && !is("readOnly") && !is_json,
                required_of: one_side.filter(|_| is_stated && !is("nullable")),
                read_only: is("readOnly"),
                next_cursor: false,
            });
        }
        Ok(Record {
            name: name.to_owned(),
            fields,
            others,
            others_if_sent,
            unsent: Vec::new(),
            size: Size::of(whole, "Properties"),
        })
    }

    fn unnamed(&mut self, whole: &Map<String, Value>, called: &str) -> Result<Schema, Unsupported> {
        let kind = match shape(whole) {
            Shape::Map => {
                let values = whole.get("additionalProperties");
                let mut size = Size::of(whole, "Properties");
                if values == Some(&Value::Bool(false)) {
                    size.most = Some(0);
                }
                let each = self.entry(values, &format!("{called}Value"))?;
                Kind::Map(Box::new(Entries { each, size }))
            }
            Shape::Array => {
                let each = self.entry(whole.get("items"), &format!("{called}Item"))?;
                Kind::Array(Box::new(Entries { each, size: Size::of(whole, "Items") }))
            }
            Shape::String => Kind::Text(Text::of(whole, Format::of(whole))),
            Shape::Integer => Kind::Integer(Integer::of(whole)),
            Shape::Number => Kind::Number(Number::of(whole)),
            Shape::Boolean => Kind::Boolean,
            _ => return Ok(Kind::Json.into()),
        };
        Ok(Schema { example: example(whole), ..kind.into() })
    }

    /// Returns the docs for a value: its own description, or else its schema's description,
    /// followed by a note if the Rust type doesn't show which values are valid.
    pub(super) fn docs(
        &self,
        schema: &Schema,
        keywords: &Map<String, Value>,
        of: &Value,
    ) -> Option<String> {
        let description = of.get("description").or_else(|| keywords.get("description"));
        let described = description.and_then(Value::as_str).map(|text| text.trim_end().to_owned());
        let words: Vec<String> =
            described.into_iter().chain(self.type_note(schema, keywords)).collect();
        (!words.is_empty()).then(|| words.join("\n\n"))
    }

    /// Returns a note about the valid values, if a schema is a union or an integer enum, or an
    /// array or a map with such values.
    fn type_note(&self, schema: &Schema, keywords: &Map<String, Value>) -> Option<String> {
        let within = match &schema.kind {
            Kind::Json if is_union(keywords) => return Some(UNCHECKED.to_owned()),
            Kind::Integer(_) => return known_integers(keywords),
            Kind::Array(_) => "items",
            Kind::Map(_) => "additionalProperties",
            _ => return None,
        };
        let keywords = resolved(self.document, keywords.get(within)?).ok()?;
        self.type_note(schema.within()?, &keywords)
    }
}

fn example(keywords: &Map<String, Value>) -> Option<Value> {
    let mut stated = ["example", "default"].into_iter().filter_map(|keyword| keywords.get(keyword));
    stated.find(|value| !value.is_null()).cloned()
}

fn enumeration(keywords: &Map<String, Value>) -> Enum {
    let mut names = Names::default();
    let values = values(keywords).into_iter().filter_map(|(value, name)| {
        let value = value.as_str()?;
        Some((names.give(Named::Variant, name.unwrap_or(value)), value.to_owned()))
    });
    let values: Vec<_> = values.collect();
    let open = values.iter().map(|(_, value)| value.clone());
    let open = open.filter(|value| keywords.list("x-open-values").iter().any(|it| it == value));
    let open = open.collect();
    Enum { text: Text::of(keywords, Format::Text), values, open }
}

/// Returns the values of an enum with their names, without duplicates or null.
fn values(keywords: &Map<String, Value>) -> Vec<(&Value, Option<&str>)> {
    let names = keywords.list("x-enum-varnames");
    let mut values: Vec<(&Value, Option<&str>)> = Vec::new();
    for (at, value) in keywords.list("enum").iter().enumerate() {
        if !value.is_null() && !values.iter().any(|(known, _)| *known == value) {
            values.push((value, names.get(at).and_then(Value::as_str)));
        }
    }
    values
}

/// Returns a sentence that lists the values of an integer enum, with their names. The sentence is
/// needed because the Rust type is a plain integer.
fn known_integers(keywords: &Map<String, Value>) -> Option<String> {
    integers(keywords).filter(|known| !known.is_empty())?;
    let known = values(keywords).into_iter().map(|(value, name)| match name {
        Some(name) => format!("`{value}` ({})", markdown::name(name)),
        None => format!("`{value}`"),
    });
    Some(format!("Known values: {}.", known.collect::<Vec<_>>().join(", ")))
}
