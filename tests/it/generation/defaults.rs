//! What holds where nothing is said.

use serde_json::json;

use super::script::{self, one_operation};

#[test]
fn a_default_beside_a_named_order_is_that_of_the_listing() {
    let mut description = one_operation();
    let schemas = description["components"]["schemas"].as_object_mut().unwrap();
    schemas.insert("Order".into(), json!({ "type": "string", "enum": ["asc", "desc"] }));
    schemas.insert(
        "Things".into(),
        json!({ "type": "object", "properties": {
            "items": { "type": "array", "items": { "$ref": "#/components/schemas/Thing" } },
            "next_page_cursor": { "type": "string" },
        } }),
    );
    let operation = &mut description["paths"]["/v2/things"]["get"];
    let order = json!({ "allOf": [{ "$ref": "#/components/schemas/Order" }], "default": "desc" });
    operation["parameters"] = json!([
        { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
        { "name": "order", "in": "query", "schema": order },
    ]);
    operation["responses"]["200"]["content"]["application/json"]["schema"] =
        json!({ "$ref": "#/components/schemas/Things" });

    let generated = script::run("default-order", &description.to_string()).generated.unwrap();

    assert!(generated.contains("ascending_by_default: Some(false)"), "{generated}");
    assert!(generated.contains("impl TryInto<types::Order>"), "{generated}");
}
