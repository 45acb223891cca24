//! Records and requests, with every kind of property that the crate serves.

use serde_json::{Map, Value, json};

use super::{
    description::IDS,
    listings::{SHAPES, page_schema},
    resources::Resource,
};

pub(super) fn schemas(number: usize, resource: &Resource) -> Map<String, Value> {
    let Resource { one, .. } = resource;
    let named = |suffix: &str| json!({ "$ref": format!("#/components/schemas/{one}{suffix}") });
    let network = json!({ "$ref": "#/components/schemas/CryptoNetwork" });
    let shape = number % SHAPES;
    let mut record = json!({
        "type": "object",
        "additionalProperties": true,
        "description": format!("One {one}, as [kept] by a `Vec<{one}>`."),
        "required": ["id", "status", "amount", "note", "created_at"],
        "properties": {
            "id": { "type": "string", "format": "uuid", "description": "Its identifier." },
            "reference": { "type": "string" },
            "status": named("Status"),
            "amount": { "type": "string", "format": "decimal-text" },
            "count": { "type": "integer", "format": "int64" },
            "rate": { "type": "number" },
            "is_active": { "type": "boolean", "default": true },
            "note": { "type": "string", "nullable": true },
            "tags": { "type": "array", "items": { "type": "string" } },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "metadata": { "type": "object", "additionalProperties": true },
            "owner": { "allOf": [named("Owner")], "description": "Whose it is.", "nullable": true },
            "level": named("Level"),
            "crypto_network": network,
            "parent": named(""),
            "type": { "type": "string", "deprecated": true },
            "shape": { "oneOf": [{ "type": "string" }, { "type": "object" }] },
            "due_on": { "type": "string", "format": "date" },
            "created_at": { "type": "string", "format": "date-time" },
        },
    });
    if shape == 4 {
        // The mark vouches for it.
        record["properties"]["created_at"]["x-created-at"] = json!(true);
        record["required"] = json!(["id", "status"]);
    }
    let mut schemas = Map::new();
    let mut add = |suffix: &str, schema: Value| schemas.insert(format!("{one}{suffix}"), schema);
    add("", record);
    add(
        "Status",
        json!({ "type": "string", "enum": ["CREATED", "SETTLED", format!("OWN_{number}")] }),
    );
    add("Level", json!({ "type": "integer", "enum": [1, 2], "x-enum-varnames": ["LOW", "HIGH"] }));
    add(
        "Owner",
        json!({
            "type": "object",
            "required": ["identity_id"],
            "properties": {
                "identity_id": { "type": "string", "format": "uuid" },
                "names": { "type": "array", "items": { "type": "array", "items": { "type": "string" } } },
            },
        }),
    );
    add("Page", page_schema(shape, &named("")));
    add(
        "Event",
        json!({
            "type": "object",
            "required": ["id", "created_at"],
            "properties": {
                "id": { "type": "string" },
                "kind": { "type": "integer" },
                "created_at": { "type": "string", "format": "date-time" },
            },
        }),
    );
    add(
        "Leg",
        json!({
            "type": "object",
            "required": ["identity_id", "weight"],
            "properties": {
                "identity_id": { "type": "string", "format": "uuid" },
                "weight": { "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1 },
                "legs": { "type": "array", "maxItems": 2, "items": named("Leg") },
            },
        }),
    );
    schemas.insert(format!("Create{one}Request"), request(&named));
    let mut update = request(&named);
    update.as_object_mut().unwrap().remove("required");
    update["minProperties"] = json!(1);
    schemas.insert(format!("Update{one}Request"), update);
    schemas
}

fn request(named: &dyn Fn(&str) -> Value) -> Value {
    json!({
        "type": "object",
        "description": "What is asked for.",
        "required": ["reference", "amount", "asset", "note", "legs"],
        "properties": {
            "reference": { "type": "string", "minLength": 1, "maxLength": 40 },
            "amount": { "type": "string", "format": "decimal-text" },
            "asset": { "type": "string", "pattern": "^[A-Z]{3,5}$" },
            "quantity": { "type": "integer", "format": "int32", "minimum": 1, "maximum": 1000 },
            "rate": { "type": "number", "minimum": 0, "exclusiveMinimum": true, "multipleOf": 0.25 },
            "tags": { "type": "array", "uniqueItems": true, "maxItems": 5, "items": { "type": "string", "maxLength": 20 } },
            "labels": { "type": "object", "maxProperties": 3, "additionalProperties": { "type": "string", "maxLength": 30 } },
            "metadata": { "type": "object", "additionalProperties": true },
            "owner": { "allOf": [named("Owner")], "description": "Whose it shall be." },
            "note": { "type": "string", "nullable": true, "maxLength": 100 },
            "crypto_network": { "$ref": "#/components/schemas/CryptoNetwork" },
            "level": named("Level"),
            "valid_until": { "type": "string", "format": "date-time", "nullable": true },
            "due_on": { "type": "string", "format": "date" },
            "legs": { "type": "array", "minItems": 1, "items": named("Leg") },
        },
    })
}

/// A record as the service answers it: the kinds differ in what they leave out.
pub(super) fn record(number: usize, id: &str) -> Value {
    let mut record = json!({
        "id": id,
        "reference": "a-1",
        "status": if number.is_multiple_of(2) { "SETTLED".to_owned() } else { format!("OWN_{number}") },
        "amount": "0.100000000000000000",
        "count": 9_007_199_254_740_991_i64,
        "rate": 0.25,
        "is_active": false,
        "note": null,
        "tags": ["a"],
        "labels": { "desk": "emea" },
        "metadata": { "any": [1, "b"] },
        "owner": { "identity_id": IDS[1], "names": [["a"], ["b", "c"]] },
        "level": 2,
        "crypto_network": "SOLANA",
        "type": "kept",
        "shape": { "new": true },
        "due_on": "2025-06-30",
        "created_at": "2025-06-01T12:00:00Z",
    });
    let fields = record.as_object_mut().unwrap();
    for optional in ["owner", "tags", "labels", "shape", "count"].iter().take(number % 6) {
        fields.remove(*optional);
    }
    let parent = record.clone();
    record["parent"] = parent;
    record
}

pub(super) fn created() -> Value {
    let leg = json!({ "identity_id": IDS[0], "weight": 0.5 });
    json!({
        "reference": "é-1",
        "amount": "12.50",
        "asset": "USD",
        "quantity": 1000,
        "rate": 0.75,
        "tags": ["a", "b"],
        "labels": { "desk": "emea" },
        "metadata": { "any": { "thing": [] } },
        "owner": { "identity_id": IDS[1] },
        "note": null,
        "crypto_network": "INK",
        "level": 1,
        "valid_until": "2025-12-31T00:00:00Z",
        "due_on": "2025-06-30",
        "legs": [{ "identity_id": IDS[1], "weight": 1.0, "legs": [leg] }],
    })
}

pub(super) fn updated() -> Value {
    json!({ "note": "changed", "quantity": 1 })
}
