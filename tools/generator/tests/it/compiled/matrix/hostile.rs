//! Schemas as nobody should write them, and somebody does.

use serde_json::{Value, json};

#[allow(clippy::too_many_lines)]
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        (
            "allOf in allOf, with bounds that leave nothing",
            json!({ "type": "string", "allOf": [{ "allOf": [{ "minLength": 5 }] }, { "maxLength": 2 }] }),
        ),
        (
            "allOf of a wider exclusive bound",
            json!({ "allOf": [{ "type": "number", "minimum": 5 }, { "minimum": 1, "exclusiveMinimum": true }, { "minimum": 5.0, "exclusiveMinimum": true }] }),
        ),
        (
            "allOf of two patterns",
            json!({ "type": "string", "allOf": [{ "pattern": "^a" }, { "pattern": "b$" }] }),
        ),
        (
            "integer within fractions",
            json!({ "type": "integer", "minimum": 0.5, "exclusiveMinimum": true, "maximum": 9.5, "multipleOf": 0.5 }),
        ),
        (
            "uint64 to its greatest",
            json!({ "type": "integer", "format": "uint64", "maximum": 18_446_744_073_709_551_615_u64 }),
        ),
        ("integer beyond all", json!({ "type": "integer", "minimum": 1e30 })),
        ("integer of no multiples", json!({ "type": "integer", "multipleOf": 2.5 })),
        (
            "int64 beyond 2^53",
            json!({ "type": "integer", "format": "int64", "minimum": 9_007_199_254_740_993_i64, "example": 9_007_199_254_740_995_i64 }),
        ),
        (
            "enum of integers with null and a bound",
            json!({ "type": "integer", "nullable": true, "enum": [1, null, 9_007_199_254_740_993_i64], "maximum": 1e3 }),
        ),
        (
            "enum with bounds",
            json!({ "type": "string", "enum": ["a", "b`c\n"], "maxLength": 3, "pattern": "." }),
        ),
        ("enum of nothing", json!({ "type": "string", "enum": [] })),
        ("enum of null", json!({ "nullable": true, "enum": [null] })),
        ("enum that turns", json!({ "type": "string", "enum": ["\u{202e}", "\u{feff}", "\u{0}"] })),
        (
            "default beyond its bounds",
            json!({ "type": "string", "maxLength": 2, "default": "abc" }),
        ),
        ("default of another type", json!({ "type": "integer", "default": { "a": "*/" } })),
        (
            "default of null",
            json!({ "type": "string", "nullable": true, "default": null, "example": null }),
        ),
        (
            "map beside properties, with bounds",
            json!({ "type": "object", "required": ["a"], "additionalProperties": { "type": "object", "required": ["x"], "properties": { "x": { "type": "string", "maxLength": 1 } } }, "properties": { "a": {}, "b": { "type": "string" }, "extra": { "type": "boolean" } } }),
        ),
        (
            "map of unions of maps",
            json!({ "type": "object", "additionalProperties": { "anyOf": [{ "type": "object", "additionalProperties": { "type": "integer", "maximum": 3 } }, { "type": "array", "items": { "enum": ["a"] } }] } }),
        ),
        (
            "map of any",
            json!({ "type": "object", "additionalProperties": { "description": "Any." } }),
        ),
        ("map of any, unsaid", json!({ "type": "object", "additionalProperties": {} })),
        (
            "union of the same, told by nothing",
            json!({ "oneOf": [{ "type": "object", "properties": { "a": { "type": "string", "maxLength": 1 } } }, { "type": "object", "properties": { "a": { "type": "integer", "maximum": 1 } } }, {}] }),
        ),
        (
            "union whose variants deny each other",
            json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 2 } }, "oneOf": [{ "required": ["a"] }, { "not": { "required": ["a"] } }] }),
        ),
        (
            "object of what can't be named",
            json!({ "type": "object", "required": ["\u{202e}", "a`b"], "properties": { "\u{202e}": { "type": "string", "minLength": 1 }, "a`b": { "enum": ["`"] }, "\"\n": { "type": "array", "maxItems": 1, "items": {} }, "r#type": { "type": "object", "properties": { "": { "type": "number" } } } } }),
        ),
        (
            "object that all is read-only in",
            json!({ "type": "object", "required": ["a", "b"], "readOnly": true, "properties": { "a": { "type": "array", "minItems": 1, "readOnly": true, "items": { "type": "string" } }, "b": { "type": "object", "writeOnly": true, "properties": { "c": { "type": "string", "readOnly": true } }, "required": ["c"] } } }),
        ),
        (
            "nothing is long enough",
            json!({ "type": "array", "maxItems": 0, "uniqueItems": true, "items": { "type": "string", "maxLength": 0 } }),
        ),
        (
            "array of maps of arrays",
            json!({ "type": "array", "items": { "type": "object", "additionalProperties": { "type": "array", "uniqueItems": true, "items": { "type": "number", "nullable": true, "multipleOf": 0.1 } } } }),
        ),
        (
            "date with bounds",
            json!({ "type": "string", "format": "date", "minLength": 10, "pattern": "^2" }),
        ),
        (
            "formats of other types",
            json!({ "type": "object", "properties": { "a": { "type": "number", "format": "int64" }, "b": { "type": "integer", "format": "double" }, "c": { "type": "boolean", "format": "date" }, "d": { "type": "integer", "format": "date-time" } } }),
        ),
    ]
}

/// Schemas that refer to others.
pub(super) fn with_others() -> Vec<(&'static str, Value, Value)> {
    vec![
        (
            "recursive through maps and arrays",
            json!({ "$ref": "#/components/schemas/@Dir" }),
            json!({ "@Dir": { "type": "object", "required": ["name"], "additionalProperties": { "$ref": "#/components/schemas/@Dir" }, "properties": { "name": { "type": "string", "maxLength": 3 }, "by": { "type": "object", "maxProperties": 2, "additionalProperties": { "type": "array", "items": { "$ref": "#/components/schemas/@Dir" } } } } } }),
        ),
        (
            "a union without bounds in one with some",
            json!({ "oneOf": [{ "$ref": "#/components/schemas/@Pair" }, { "type": "string", "maxLength": 3 }] }),
            json!({ "@Pair": { "type": "object", "required": ["one"], "properties": { "one": { "$ref": "#/components/schemas/@Either" } } }, "@Either": { "anyOf": [{ "type": "integer" }, { "type": "boolean" }, { "$ref": "#/components/schemas/@Pair" }] } }),
        ),
        (
            "a map of itself",
            json!({ "$ref": "#/components/schemas/@Turtles" }),
            json!({ "@Turtles": { "type": "object", "additionalProperties": { "$ref": "#/components/schemas/@Turtles" } } }),
        ),
        (
            "a discriminator of a parent that holds its children",
            json!({ "$ref": "#/components/schemas/@Base" }),
            json!({
                "@Base": { "type": "object", "required": ["is"], "discriminator": { "propertyName": "is", "mapping": { "one": "#/components/schemas/@One" } }, "properties": { "is": { "type": "string" }, "more": { "type": "array", "items": { "oneOf": [{ "$ref": "#/components/schemas/@One" }, { "$ref": "#/components/schemas/@Base" }] } } } },
                "@One": { "allOf": [{ "$ref": "#/components/schemas/@Base" }, { "type": "object", "properties": { "n": { "type": "integer", "maximum": 1 } } }] },
            }),
        ),
        (
            "unions that grow into each other",
            json!({ "$ref": "#/components/schemas/@Ping" }),
            json!({
                "@Ping": { "type": "object", "properties": { "a": { "maxLength": 1 } }, "oneOf": [{ "$ref": "#/components/schemas/@Pong" }, { "required": ["a"] }] },
                "@Pong": { "type": "object", "properties": { "a": { "minLength": 1 } }, "oneOf": [{ "$ref": "#/components/schemas/@Ping" }, { "required": ["a"] }] },
            }),
        ),
    ]
}
