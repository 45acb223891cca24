//! Generates the metadata of records: one or two entries, whose values can have any JSON type.

use oas_client::sandbox::Random;
use serde_json::{Map, Value, json};

pub(super) fn metadata(random: &mut Random) -> Map<String, Value> {
    let number = random.below(100_000);
    let mut entries = Map::new();
    entries.insert("order".to_owned(), format!("A-{number}").into());
    if random.one_in(2) {
        let (key, value) = match random.below(6) {
            0 => ("attempt", json!(number)),
            1 => ("rate", json!(0.25)),
            2 => ("automatic", json!(true)),
            3 => ("note", Value::Null),
            4 => ("tags", json!(["emea", "früh"])),
            _ => ("desk", json!({ "name": "emea", "floor": 3 })),
        };
        entries.insert(key.to_owned(), value);
    }
    entries
}
