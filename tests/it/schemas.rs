//! Compares the JSON Schemas of the Rust types with those in the published OpenAPI description.

use std::collections::BTreeSet;

use digital_assets::{OPENAPI_YAML, types};
use serde_json::Value;

fn described() -> Value {
    let description: Value = serde_saphyr::from_str(OPENAPI_YAML).unwrap();
    description["components"]["schemas"].clone()
}

fn strings(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the shape of a schema, without descriptions, examples and bounds.
fn shape(schema: &Value, all: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return if all[name]["type"] == "object" {
            name.to_owned()
        } else {
            format!("enum {name}")
        };
    }
    if let Some(one) = schema["anyOf"].as_array() {
        // This is an optional reference. The other alternative is null.
        return shape(one.iter().find(|s| s["type"] != "null").unwrap(), all);
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        kinds => *strings(kinds).iter().find(|kind| **kind != "null").unwrap(),
    };
    match kind {
        "array" => format!("[{}]", shape(&schema["items"], all)),
        kind => format!("{kind} {}", schema["format"].as_str().unwrap_or_default()),
    }
}

#[test]
fn every_described_schema_is_a_type_and_every_type_is_described() {
    let described = described();
    let described: BTreeSet<&str> =
        described.as_object().unwrap().keys().map(String::as_str).collect();
    let types = types::schemas();

    assert_eq!(types.into_keys().collect::<BTreeSet<_>>(), described);
}

#[test]
fn records_have_the_fields_of_the_description() {
    let described = described();
    for (name, schema) in types::schemas() {
        let (ours, theirs) = (schema.to_value(), &described[name]);
        if theirs["type"] != "object" {
            continue;
        }
        let properties = |schema: &Value| -> Vec<(String, String)> {
            let properties = schema["properties"].as_object().unwrap();
            let mut shapes: Vec<_> = properties
                .iter()
                .map(|(property, schema)| (property.clone(), shape(schema, &described)))
                .collect();
            shapes.sort();
            shapes
        };
        assert_eq!(properties(&ours), properties(theirs), "{name}");
        // The generated type has no field for unknown properties, and ignores them.
        assert_eq!(ours["additionalProperties"], Value::Null, "{name}");

        // A required array may still be missing, and then counts as empty.
        let required = strings(&theirs["required"]);
        let scalars = required.iter().filter(|p| theirs["properties"][**p]["type"] != "array");
        assert_eq!(strings(&ours["required"]), scalars.copied().collect(), "{name}");
    }
}

#[test]
fn enums_know_the_values_of_the_description_and_take_any_other() {
    let described = described();
    for (name, schema) in types::schemas() {
        let values = &described[name]["enum"];
        if values.is_array() {
            let [known, any] = schema.get("anyOf").unwrap().as_array().unwrap().as_slice() else {
                panic!("{name} is not open");
            };
            assert_eq!(&known["enum"], values, "{name}");
            assert_eq!(any, &serde_json::json!({}), "{name}");
            assert_eq!(schema.get("type").unwrap(), "string", "{name}");
        }
    }
}
