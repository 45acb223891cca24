//! The description made plain: the same service, in the few forms that the rest of the build and
//! progenitor know.
//!
//! Records and enums have names, which are Rust's; every other schema is inlined where it is used, and
//! parameters, bodies and answers are inlined in their operations. `allOf` is merged, and a union is
//! any JSON.

mod operation;
mod schema;
mod values;

pub(crate) use schema::{DEEP, component, only_part};

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    model::{
        names::{Named, Names},
        resolved::resolved,
        schemas::Fields,
        shape::{Shape, shape},
    },
    read::Unsupported,
};

/// A plain description, and what it can't say about the fields of its types.
pub(crate) struct Normalized {
    pub document: Value,
    pub fields: Fields,
}

pub(crate) fn normalize(document: &Value) -> Result<Normalized, Unsupported> {
    let mut plain = Normalizer {
        document,
        types: Names::default(),
        called: BTreeMap::new(),
        schemas: BTreeMap::new(),
        order: Vec::new(),
        fields: Fields::new(),
        depth: 0,
    };
    let components = document.get("components").and_then(|components| components.get("schemas"));
    for (component, schema) in components.and_then(Value::as_object).into_iter().flatten() {
        let named = resolved(document, schema).is_ok_and(|schema| is_named(shape(&schema)));
        if named {
            let name = plain.types.give(Named::Type, component);
            plain.order.push(name.clone());
            plain.called.insert(component.clone(), name);
        }
    }
    let paths = plain.paths()?;

    let mut schemas = Map::new();
    for name in &plain.order {
        if let Some(schema) = plain.schemas.remove(name) {
            schemas.insert(name.clone(), schema);
        }
    }
    let info = |keyword: &str| document.get("info").and_then(|info| info.get(keyword)?.as_str());
    let document = json!({
        "openapi": "3.0.3",
        "info": {
            "title": info("title").unwrap_or_default(),
            "version": info("version").unwrap_or_default(),
            "description": info("description"),
        },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    Ok(Normalized { document, fields: plain.fields })
}

struct Normalizer<'a> {
    document: &'a Value,
    types: Names,
    /// The names that components are given.
    called: BTreeMap<String, String>,
    /// The named schemas that an operation reaches; null while one is being made plain.
    schemas: BTreeMap<String, Value>,
    order: Vec<String>,
    fields: Fields,
    depth: usize,
}

fn is_named(shape: Shape) -> bool {
    matches!(shape, Shape::Record | Shape::StringEnum)
}
