//! Converts an OpenAPI description into the model.
//!
//! Records and enums become named types. All other schemas, and all referenced parameters, bodies
//! and responses, are inlined. The parts of an `allOf` are merged, and a union is treated as any
//! JSON.

mod errors;
mod listing;
mod named_parameters;
mod operation;
mod pagination;
mod rules;
mod schema;
mod suggestion;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Description, Named, Names};
use crate::document::{Message, OperationKey, Shape, Statements, resolved, shape};

/// Converts the supported operations and their schemas into the model, or returns all errors found.
pub(crate) fn normalize(
    document: &Value,
    supported: &BTreeSet<OperationKey<'_>>,
) -> Result<Description, Vec<Message>> {
    let info = |keyword: &str| document.get("info")?.text(keyword).map(str::to_owned);
    let mut normalizer = Normalizer {
        document,
        types: Names::default(),
        type_names: BTreeMap::new(),
        defined: BTreeSet::new(),
        description: Description {
            title: info("title").unwrap_or_default(),
            version: info("version").unwrap_or_default(),
            about: info("description"),
            ..Description::default()
        },
        depth: 0,
    };
    for (component, schema) in document["components"].object("schemas") {
        if resolved(document, schema).is_ok_and(|schema| is_named(shape(&schema))) {
            let name = normalizer.name(component);
            normalizer.type_names.insert(component.clone(), name);
        }
    }
    normalizer.operations(supported)?;
    normalizer.description.adapt_schemas();
    Ok(normalizer.description)
}

struct Normalizer<'a> {
    document: &'a Value,
    types: Names,
    /// The Rust name of each component that becomes a named type.
    type_names: BTreeMap<String, String>,
    /// The types that are defined or being defined. A record may contain itself, so a type is added
    /// before the type's fields are read.
    defined: BTreeSet<String>,
    description: Description,
    /// The current nesting depth of inline schemas, counted from the enclosing component.
    depth: usize,
}

impl Normalizer<'_> {
    fn name(&mut self, called: &str) -> String {
        let name = self.types.give(Named::Type, called);
        self.description.names.push(name.clone());
        name
    }
}

fn is_named(shape: Shape) -> bool {
    matches!(shape, Shape::Record | Shape::StringEnum)
}
