//! Circles: a union whose variants extend it by `allOf`, as springdoc describes a base and its children.
//!
//! The variants inherit what stands beside the union, which gets a name of its own.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    effective::is_union,
    reference::{self, Section},
};

/// The description without circles of unions and their variants.
pub(crate) fn opened(mut document: Value) -> Value {
    let Some(schemas) = document.pointer(SCHEMAS).and_then(Value::as_object) else {
        return document;
    };
    let mut extended = BTreeMap::new();
    let mut opened = Map::new();
    for (name, schema) in schemas {
        let mut schema = schema.clone();
        lead_to_bases(&document, name, &mut schema, &mut extended);
        opened.insert(name.clone(), schema);
    }
    for (union, base) in extended {
        let mut inherited = opened[&union].clone();
        if let Some(inherited) = inherited.as_object_mut() {
            inherited
                .retain(|keyword, _| !["oneOf", "anyOf", "discriminator"].contains(&&**keyword));
        }
        opened.insert(base, inherited);
    }
    document["components"]["schemas"] = opened.into();
    document
}

const SCHEMAS: &str = "/components/schemas";

/// Leads what extends a union that it is a variant of to what it inherits. Notes the unions, and the
/// names of what they are besides.
fn lead_to_bases(
    document: &Value,
    name: &str,
    schema: &mut Value,
    extended: &mut BTreeMap<String, String>,
) {
    for keyword in KEYWORDS {
        let parts = schema.get_mut(keyword).and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            lead_to_bases(document, name, part, extended);
            let Ok((union, target)) = reference::resolve(document, Section::Schemas, part) else {
                continue;
            };
            let is_extended = keyword == "allOf" && target.as_object().is_some_and(is_union);
            if is_extended && leads(document, target, name) {
                let base = extended.entry(union).or_insert_with_key(|union| free(document, union));
                part["$ref"] = format!("#{SCHEMAS}/{base}").into();
            }
        }
    }
}

const KEYWORDS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

/// A name for what a union's variants inherit.
fn free(document: &Value, union: &str) -> String {
    let mut name = format!("{union}Base");
    while document["components"]["schemas"].get(&name).is_some() {
        name.push('_');
    }
    name
}

/// Whether a schema leads to a component, without an object in between.
fn leads(document: &Value, schema: &Value, to: &str) -> bool {
    let mut ahead = vec![schema];
    let mut passed = Vec::new();
    while let Some(schema) = ahead.pop() {
        let parts = KEYWORDS.iter().filter_map(|keyword| schema.get(keyword)?.as_array());
        ahead.extend(parts.flatten());
        if let Ok((name, target)) = reference::resolve(document, Section::Schemas, schema) {
            if name == to {
                return true;
            }
            if !passed.contains(&name) {
                passed.push(name);
                ahead.push(target);
            }
        }
    }
    false
}
