//! Schemas: a name for each record and each enum, and one form for everything else.

use heck::ToPascalCase;
use serde_json::{Map, Value, json};

use super::{
    Normalizer, is_named,
    values::{in_integers, values},
};
use crate::{
    model::{
        docs,
        names::{Named, Names},
        resolved::resolved,
        schemas::{Field, Side},
        shape::{Shape, integers, is_union, is_word, shape},
    },
    read::{
        Unsupported,
        reference::{self, Section},
    },
};

/// The formats of strings that have types of their own.
const STRINGS: &[&str] = &["date-time", "date", "uuid", "decimal-text", "decimal"];

const INTEGERS: &[&str] =
    &["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];

/// How deep schemas that are no components may be nested.
pub(crate) const DEEP: usize = 32;

const UNCHECKED: &str = "The description allows one of several forms. It is any JSON here, and the \
     client doesn't check it.";

const EXTENSIONS: &[&str] = &["x-enum-varnames", "x-items", "x-open-values"];

impl Normalizer<'_> {
    /// A schema where it is used. `called` names it if it needs a name.
    pub(super) fn schema(&mut self, schema: &Value, called: &str) -> Result<Value, Unsupported> {
        if let Some(name) = self.named(schema)? {
            return Ok(json!({ "$ref": format!("#/components/schemas/{name}") }));
        }
        let whole = resolved(self.document, schema)?;
        let kind = shape(&whole);
        if self.depth > DEEP {
            return Err(format!(
                "`allOf` nests schemas without end, or more than {DEEP} are within each other"
            ));
        }
        self.depth += 1;
        let plain = if is_named(kind) {
            let name = self.types.give(Named::Type, called);
            self.order.push(name.clone());
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            self.define(&name, &whole).map(|()| reference)
        } else {
            self.unnamed(&whole, kind, called)
        };
        self.depth -= 1;
        plain
    }

    /// The name of the component that a schema refers to, which is made plain.
    fn named(&mut self, schema: &Value) -> Result<Option<String>, Unsupported> {
        let Some(component) = component(self.document, schema)? else { return Ok(None) };
        let Some(name) = self.called.get(&component).cloned() else { return Ok(None) };
        if !self.schemas.contains_key(&name) {
            let schema = json!({ "$ref": format!("#/components/schemas/{component}") });
            let whole = resolved(self.document, &schema)?;
            // Each component is defined once, so that its parts begin anew.
            let depth = std::mem::take(&mut self.depth);
            let defined = self.define(&name, &whole);
            self.depth = depth;
            defined?;
        }
        Ok(Some(name))
    }

    fn define(&mut self, name: &str, whole: &Map<String, Value>) -> Result<(), Unsupported> {
        // A record may contain itself.
        self.schemas.insert(name.to_owned(), Value::Null);
        let mut plain = kept(whole, &["description", "default", "deprecated", "example"]);
        plain.extend(kept(whole, EXTENSIONS));
        match shape(whole) {
            Shape::Record => self.record(name, whole, &mut plain)?,
            kind => {
                plain.extend(kept(whole, kind.bounds()));
                plain.insert("type".into(), "string".into());
                values(whole, &mut plain);
            }
        }
        self.schemas.insert(name.to_owned(), plain.into());
        Ok(())
    }

    fn record(
        &mut self,
        name: &str,
        whole: &Map<String, Value>,
        plain: &mut Map<String, Value>,
    ) -> Result<(), Unsupported> {
        let mut names = Names::default();
        let more = whole.get("additionalProperties").filter(|more| more.is_object());
        if let Some(more) = more {
            names.give(Named::Field, "extra");
            // A service may add properties of any kind.
            plain.insert("additionalProperties".into(), json!({}));
            plain.insert("x-values".into(), self.schema(more, &format!("{name}Value"))?);
        }
        let is_required = |wire: &str| {
            let required = whole.get("required").and_then(Value::as_array);
            required.into_iter().flatten().any(|name| name == wire)
        };
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (wire, schema) in
            whole.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let field = names.give(Named::Field, wire);
            let property = self.schema(schema, &format!("{name}{}", wire.to_pascal_case()))?;
            let said = resolved(self.document, schema)?;
            let truth = |keyword: &str| said.get(keyword) == Some(&Value::Bool(true));
            let is_stated = is_required(wire);
            let one_side = match (truth("readOnly"), truth("writeOnly")) {
                (true, _) => Some(Side::Service),
                (false, true) => Some(Side::Client),
                (false, false) => None,
            };
            let null = is_stated && truth("nullable");
            if is_stated && one_side.is_none() && !null {
                required.push(Value::from(field.clone()));
            }
            let description = schema.get("description").or_else(|| said.get("description"));
            let about = Field {
                wire: wire.clone(),
                description: words(&said, description),
                deprecated: truth("deprecated"),
                null: null && !truth("readOnly"),
                required_of: one_side.filter(|_| is_stated && !null),
                read_only: truth("readOnly"),
                created_at: truth("x-created-at"),
            };
            self.fields.entry(name.to_owned()).or_default().insert(field.clone(), about);
            properties.insert(field, property);
        }
        plain.insert("type".into(), "object".into());
        plain.insert("properties".into(), properties.into());
        plain.insert("required".into(), required.into());
        plain.extend(kept(whole, Shape::Record.bounds()));
        Ok(())
    }

    fn unnamed(
        &mut self,
        whole: &Map<String, Value>,
        kind: Shape,
        called: &str,
    ) -> Result<Value, Unsupported> {
        let mut plain = kept(whole, &["default", "example"]);
        plain.extend(kept(whole, EXTENSIONS));
        plain.extend(kept(whole, kind.bounds()));
        let format = whole.get("format").and_then(Value::as_str).unwrap_or_default();
        match kind {
            Shape::Map => {
                let values = match whole.get("additionalProperties") {
                    Some(values) if values.is_object() => {
                        self.entry(values, &format!("{called}Value"))?
                    }
                    _ => true.into(),
                };
                plain.insert("type".into(), "object".into());
                plain.insert("additionalProperties".into(), values);
            }
            Shape::Array => {
                let items = match whole.get("items") {
                    Some(items) => self.entry(items, &format!("{called}Item"))?,
                    None => json!({}),
                };
                plain.insert("type".into(), "array".into());
                plain.insert("items".into(), items);
            }
            Shape::String => {
                plain.insert("type".into(), "string".into());
                if STRINGS.contains(&format) {
                    plain.insert("format".into(), format.into());
                }
            }
            Shape::Integer => {
                plain.insert("type".into(), "integer".into());
                in_integers(&mut plain);
                if integers(whole).is_some() {
                    values(whole, &mut plain);
                }
                if INTEGERS.contains(&format) {
                    plain.insert("format".into(), format.into());
                }
            }
            Shape::Number => {
                plain.insert("type".into(), "number".into());
                plain.insert("format".into(), "double".into());
            }
            Shape::Boolean => {
                plain.insert("type".into(), "boolean".into());
            }
            // Bounds apply to one kind of value, and this is any kind.
            _ => plain = Map::new(),
        }
        plain.extend(
            words(whole, whole.get("description")).map(|said| ("description".into(), said.into())),
        );
        Ok(plain.into())
    }

    /// An answer, or a value in an array or a map, which may be null.
    pub(super) fn entry(&mut self, schema: &Value, called: &str) -> Result<Value, Unsupported> {
        let mut plain = self.schema(schema, called)?;
        let whole = resolved(self.document, schema)?;
        if whole.get("nullable") == Some(&Value::Bool(true)) && shape(&whole) != Shape::Json {
            if plain.get("$ref").is_some() {
                plain = json!({ "allOf": [plain] });
            }
            plain["nullable"] = true.into();
        }
        Ok(plain)
    }
}

/// What the docs say of a value: its description, and what its type doesn't say.
pub(super) fn words(said: &Map<String, Value>, description: Option<&Value>) -> Option<String> {
    let described = description.and_then(Value::as_str).map(docs::doc);
    let more = if is_union(said) { Some(UNCHECKED.to_owned()) } else { known_integers(said) };
    let words: Vec<String> = described.into_iter().chain(more).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// The values of an enum of integers, which are integers in Rust, with their names.
fn known_integers(said: &Map<String, Value>) -> Option<String> {
    integers(said).filter(|known| !known.is_empty() && shape(said) == Shape::Integer)?;
    let mut plain = Map::new();
    values(said, &mut plain);
    let names = plain.get("x-enum-varnames");
    let known = plain["enum"].as_array()?.iter().enumerate();
    let known = known.map(|(at, value)| match names.and_then(|names| names.get(at)?.as_str()) {
        Some(name) => format!("`{value}` ({})", docs::name(name)),
        None => format!("`{value}`"),
    });
    Some(format!("Known values: {}.", known.collect::<Vec<_>>().join(", ")))
}

fn kept(whole: &Map<String, Value>, keywords: &[&str]) -> Map<String, Value> {
    let kept = whole.iter().filter(|(keyword, _)| keywords.contains(&keyword.as_str()));
    kept.map(|(keyword, value)| match value.as_str().filter(|_| keyword == "description") {
        Some(text) => (keyword.clone(), docs::doc(text).into()),
        None => (keyword.clone(), value.clone()),
    })
    .collect()
}

/// The component that a schema refers to, if it says nothing else about it.
pub(crate) fn component(document: &Value, schema: &Value) -> Result<Option<String>, Unsupported> {
    if schema.get("$ref").is_some() {
        return reference::resolve(document, Section::Schemas, schema).map(|(name, _)| Some(name));
    }
    only_part(schema).map_or(Ok(None), |part| component(document, part))
}

/// The part that a schema says nothing else about.
pub(crate) fn only_part(schema: &Value) -> Option<&Value> {
    let statements = schema.as_object()?;
    let (only, part) = ["allOf", "oneOf", "anyOf"].iter().find_map(|keyword| {
        let parts = statements.get(*keyword)?.as_array()?;
        (parts.len() == 1).then_some((*keyword, &parts[0]))
    })?;
    // Annotations don't change valid values.
    statements.keys().all(|keyword| keyword == only || is_word(keyword)).then_some(part)
}
