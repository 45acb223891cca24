//! The bounds that a request is checked against.

use serde_json::json;

use crate::types::{made, named};

#[test]
fn an_array_that_is_not_required_has_its_least_number_of_entries() {
    let legs = json!({ "type": "array", "minItems": 2, "items": { "type": "string" } });
    let sent = json!({ "type": "object", "properties": { "legs": legs } });

    let made = made("least-of-optional", &sent, &named("Thing"), &json!({}));

    assert!(made.contains("Rule::Array { least: 2usize"), "{made}");
    assert!(made.contains(r#"skip_serializing_if = "::std::vec::Vec::is_empty""#), "{made}");
}
