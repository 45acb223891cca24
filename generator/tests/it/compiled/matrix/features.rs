//! The schemas in `features.yaml` and `references.yaml`, each with one feature.

use serde_json::{Map, Value, json};

pub(super) struct Feature {
    pub(super) schema: Value,
    /// The schemas that `schema` refers to. Their names begin with `@`.
    pub(super) others: Map<String, Value>,
}

pub(super) fn all() -> Vec<Feature> {
    let plain = read(include_str!("features.yaml")).into_iter().chain(large());
    let plain = plain.map(|(_, schema)| Feature { schema, others: Map::new() });
    let referring = read(include_str!("references.yaml")).into_iter().map(|(_, mut case)| {
        let others = case["others"].as_object().unwrap().clone();
        Feature { schema: case["schema"].take(), others }
    });
    plain.chain(referring).collect()
}

fn read(yaml: &str) -> Map<String, Value> {
    serde_saphyr::from_str(yaml).unwrap()
}

fn large() -> Map<String, Value> {
    let texts: Vec<_> = (0..200).map(|n| format!("V{n}")).collect();
    let integers: Vec<_> = (0..200).collect();
    Map::from_iter([
        ("enum of 200".to_owned(), json!({ "type": "string", "enum": texts })),
        ("enum of 200 integers".to_owned(), json!({ "type": "integer", "enum": integers })),
    ])
}
