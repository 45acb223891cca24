//! What `allOf` says of a value only when its parts are taken together, each with the line that
//! refuses it.

use serde_json::{Value, json};

use super::{cases::Case, schemas::sent};

pub(super) fn all() -> Vec<Case> {
    let integer = json!({ "type": "integer" });
    let deep = json!({ "type": "object", "properties": { "deep": { "maxLength": 3 } } });
    vec![
        case(
            &json!({}),
            &json!({ "maxLength": 3 }),
            "replaceThing → requestBody → content → application/json → schema → a → maxLength: needs a `type`, or nothing checks it",
        ),
        case(
            &json!({}),
            &deep,
            "replaceThing → requestBody → content → application/json → schema → a → deep → maxLength: needs a `type`, or nothing checks it",
        ),
        case(
            &json!({ "type": "integer", "minimum": 5 }),
            &json!({ "type": "integer", "maximum": 3 }),
            "replaceThing → requestBody → content → application/json → schema → a → minimum: is above `maximum`: nothing is allowed",
        ),
        case(
            &integer,
            &json!({ "minimum": 1e30 }),
            "replaceThing → requestBody → content → application/json → schema → a → minimum: is beyond every 64-bit integer",
        ),
        case(
            &json!({ "type": "string", "pattern": "(?<year>2)" }),
            &json!({ "pattern": "(?<year>3)" }),
            "replaceThing → requestBody → content → application/json → schema → a → pattern: is not an ECMA 262 regular expression: Duplicate capture group name",
        ),
        case(
            &json!({ "type": "string", "enum": ["a", "b"] }),
            &json!({ "enum": ["c"] }),
            "replaceThing → schemas: `allOf` merges lists of `enum` that have no value in common",
        ),
        (
            "/paths/~1v2~1things",
            "put",
            sent(&json!({ "format": "date-time" })),
            "replaceThing → requestBody → content → application/json → schema → format: needs a `type`, or nothing checks it",
        ),
    ]
}

/// Two parts that have a property, and a third that doesn't.
fn case(one: &Value, other: &Value, line: &'static str) -> Case {
    let part = |a: &Value| json!({ "type": "object", "properties": { "a": a } });
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    let whole = json!({ "allOf": [part(one), part(other), thing] });
    ("/paths/~1v2~1things", "put", sent(&whole), line)
}
