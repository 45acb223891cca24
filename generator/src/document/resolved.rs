//! Merges a schema with the target of its reference and with the parts of its `allOf`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Shape, Unsupported, bounds, is_annotation, only_part, reference, shape};

/// The maximum nesting depth of references and `allOf`.
const MAX_DEPTH: usize = 64;

/// The maximum nesting depth of inline schemas, which are schemas that aren't components.
pub(crate) const MAX_NESTING: usize = 32;

/// Returns the keywords of a schema after its own `$ref` and `allOf` are resolved. The schemas of
/// its properties and entries aren't resolved.
pub(crate) fn resolved(
    document: &Value,
    schema: &Value,
) -> Result<Map<String, Value>, Unsupported> {
    Merged { document, known: BTreeMap::new() }.of(schema, 0)
}

struct Merged<'a> {
    document: &'a Value,
    /// The merged components, by name. Each component is merged only once, even if several parts
    /// refer to it.
    known: BTreeMap<String, Map<String, Value>>,
}

impl Merged<'_> {
    fn of(&mut self, schema: &Value, depth: usize) -> Result<Map<String, Value>, Unsupported> {
        if depth > MAX_DEPTH {
            return Err(format!(
                "`allOf` and `$ref` form a cycle, or a chain of more than {MAX_DEPTH} schemas"
            ));
        }
        if schema.get("$ref").is_some() {
            let (name, target) = reference::resolve(self.document, "schemas", schema)?;
            let mut whole = match self.known.get(&name) {
                Some(known) => known.clone(),
                None => self.of(target, depth + 1)?,
            };
            self.known.entry(name).or_insert_with(|| whole.clone());
            // OpenAPI 3.0 ignores keywords next to a reference. The keywords below are exceptions:
            // they have the same effect as next to an `allOf`.
            let siblings = schema.as_object().into_iter().flatten().filter(|(keyword, value)| {
                match keyword.as_str() {
                    "nullable" | "readOnly" | "writeOnly" | "deprecated" => {
                        **value == Value::Bool(true)
                    }
                    keyword => keyword == "default" || keyword.starts_with("x-"),
                }
            });
            whole.extend(siblings.map(|(keyword, value)| (keyword.clone(), value.clone())));
            return Ok(whole);
        }
        let mut whole = schema.as_object().cloned().unwrap_or_default();
        let Some(Value::Array(parts)) = whole.remove("allOf") else { return Ok(whole) };
        let is_alias = only_part(schema).is_some();
        let mut one_enum = true;
        for part in &parts {
            let mut part = self.of(part, depth + 1)?;
            // A part with a `discriminator` is a base schema, whose `oneOf` lists the schemas that
            // extend the base. The list doesn't apply to the extending schemas themselves.
            if !is_alias && part.remove("discriminator").is_some() {
                part.retain(|keyword, _| keyword != "oneOf" && keyword != "anyOf");
            }
            let lists = whole.get("enum").zip(part.get("enum"));
            one_enum &= lists.is_none_or(|(own, other)| own == other);
            bounds::narrow(&mut whole, &mut part);
            for (keyword, value) in part {
                let merged = match whole.remove(&keyword) {
                    None => value,
                    Some(own) => merge(&keyword, own, value)?,
                };
                whole.insert(keyword, merged);
            }
        }
        if !one_enum && whole.contains_key("x-enum-varnames") {
            return Err(
                "`allOf` merges two different `enum` lists, but `x-enum-varnames` names the values \
                 of only one"
                    .into(),
            );
        }
        Ok(whole)
    }
}

/// Merges two values of the same keyword. Returns an error if the values contradict each other.
fn merge(keyword: &str, own: Value, other: Value) -> Result<Value, Unsupported> {
    if own == other {
        return Ok(own);
    }
    if let Some(bound) = bounds::merged(keyword, &own, &other) {
        return Ok(bound);
    }
    Ok(match (keyword, own, other) {
        ("required", Value::Array(mut own), Value::Array(other)) => {
            for name in other {
                if !own.contains(&name) {
                    own.push(name);
                }
            }
            own.into()
        }
        ("properties", Value::Object(mut own), Value::Object(other)) => {
            for (name, schema) in other {
                let schema = match own.remove(&name) {
                    Some(known) if known != schema => json!({ "allOf": [known, schema] }),
                    _ => schema,
                };
                own.insert(name, schema);
            }
            own.into()
        }
        ("items", own, other) => json!({ "allOf": [own, other] }),
        ("additionalProperties", Value::Bool(false), _)
        | ("additionalProperties", _, Value::Bool(false)) => false.into(),
        // `true` allows any value, so the stricter schema is kept.
        ("additionalProperties", Value::Bool(true), other) => other,
        ("additionalProperties", own, Value::Bool(true)) => own,
        ("additionalProperties", own, other) if own.is_object() && other.is_object() => {
            json!({ "allOf": [own, other] })
        }
        ("enum", Value::Array(own), Value::Array(other)) => {
            let both: Vec<_> = own.into_iter().filter(|value| other.contains(value)).collect();
            if both.is_empty() {
                return Err("`allOf` merges `enum` lists that have no value in common".into());
            }
            both.into()
        }
        ("nullable" | "deprecated" | "readOnly" | "writeOnly", ..) => true.into(),
        // For other annotations, the first value is kept.
        (keyword, own, _) if is_annotation(keyword) => own,
        _ => return Err(format!("the parts of `allOf` have different values of `{keyword}`")),
    })
}

/// Returns whether a schema contains itself through arrays and maps alone, without an object with
/// properties in between.
pub(crate) fn leads_back(document: &Value, schema: &Value) -> bool {
    let mut part = schema.clone();
    for _ in 0..MAX_DEPTH {
        let Ok(mut whole) = resolved(document, &part) else { return false };
        let inside = match shape(&whole) {
            Shape::Array => whole.remove("items"),
            Shape::Map => whole.remove("additionalProperties"),
            _ => None,
        };
        match inside {
            Some(inside) => part = inside,
            None => return false,
        }
    }
    true
}
