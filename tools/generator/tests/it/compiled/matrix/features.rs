//! Schemas, each with one feature.

use serde_json::{Map, Value, json};

use super::{hostile, references};

pub(super) struct Feature {
    pub(super) name: String,
    pub(super) schema: Value,
    /// What the schema refers to, by names that begin with `@`.
    pub(super) others: Map<String, Value>,
}

pub(super) fn all() -> Vec<Feature> {
    let mut features: Vec<Feature> =
        plain().into_iter().map(|(name, schema)| alone(name, schema)).collect();
    features.extend(hostile::schemas().into_iter().map(|(name, schema)| alone(name, schema)));
    let referring = references::with_others().into_iter().chain(hostile::with_others());
    features.extend(referring.map(|(name, schema, others)| Feature {
        name: name.to_owned(),
        schema,
        others: others.as_object().unwrap().clone(),
    }));
    features
}

fn alone(name: &str, schema: Value) -> Feature {
    Feature { name: name.to_owned(), schema, others: Map::new() }
}

fn many(value: impl Fn(u32) -> Value) -> Vec<Value> {
    (0..200).map(value).collect()
}

#[allow(clippy::too_many_lines)]
fn plain() -> Vec<(&'static str, Value)> {
    vec![
        ("text", json!({ "type": "string" })),
        ("text of 1 to 9", json!({ "type": "string", "minLength": 1, "maxLength": 9 })),
        ("pattern", json!({ "type": "string", "pattern": "^[A-Z]{3}\\d+$" })),
        (
            "pattern with a look-ahead",
            json!({ "type": "string", "pattern": "^(?=.*\\p{L})[^\"\\\\#]+$" }),
        ),
        ("pattern that isn't one", json!({ "type": "string", "pattern": "[a" })),
        ("date-time", json!({ "type": "string", "format": "date-time" })),
        ("date", json!({ "type": "string", "format": "date" })),
        ("uuid", json!({ "type": "string", "format": "uuid" })),
        ("decimal", json!({ "type": "string", "format": "decimal-text" })),
        ("bytes", json!({ "type": "string", "format": "byte" })),
        ("binary", json!({ "type": "string", "format": "binary" })),
        ("ip", json!({ "type": "string", "format": "ipv4" })),
        ("unknown format", json!({ "type": "string", "format": "no-such-format" })),
        ("integer", json!({ "type": "integer" })),
        (
            "int32 within bounds",
            json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": 9 }),
        ),
        (
            "int64 beyond the greatest",
            json!({ "type": "integer", "format": "int64", "minimum": i64::MAX, "exclusiveMinimum": true }),
        ),
        (
            "int64 below the least",
            json!({ "type": "integer", "format": "int64", "maximum": i64::MIN, "exclusiveMaximum": true }),
        ),
        (
            "int64 from the least on, in steps backwards",
            json!({ "type": "integer", "format": "int64", "minimum": i64::MIN, "maximum": i64::MIN, "multipleOf": -1 }),
        ),
        (
            "more entries than memory holds",
            json!({ "type": "array", "minItems": 4_000_000_000_000_000_000_u64, "items": { "type": "string" } }),
        ),
        (
            "int64 beyond bounds",
            json!({ "type": "integer", "format": "int64", "minimum": 0, "exclusiveMinimum": true }),
        ),
        ("uint8", json!({ "type": "integer", "format": "uint8" })),
        ("uint64", json!({ "type": "integer", "format": "uint64", "maximum": 10 })),
        ("multiple of 5", json!({ "type": "integer", "multipleOf": 5 })),
        ("empty range", json!({ "type": "integer", "minimum": 5, "maximum": 4 })),
        ("number", json!({ "type": "number" })),
        (
            "float within",
            json!({ "type": "number", "format": "float", "minimum": 0.5, "exclusiveMinimum": true, "maximum": 2 }),
        ),
        ("multiple of a cent", json!({ "type": "number", "multipleOf": 0.01 })),
        ("boolean", json!({ "type": "boolean" })),
        ("enum", json!({ "type": "string", "enum": ["A", "B_C", "d-e"] })),
        (
            "enum of words of Rust",
            json!({ "type": "string", "enum": ["Self", "self", "Unknown", "unknown", "Ok"] }),
        ),
        (
            "enum of names in scope",
            json!({ "type": "string", "enum": [
                "ERR", "err", "Error", "OK", "Some", "None", "Item", "Owned", "Output", "Target", "Known", "Box",
                "Clone", "Copy", "Debug", "Default", "Drop", "Eq", "From", "Hash", "Into", "Option", "Ord",
                "Result", "Send", "String", "Sync", "ToString", "Vec", "Infallible", "Serialize",
            ] }),
        ),
        (
            "enum of signs",
            json!({ "type": "string", "enum": ["", "+", "-", "1d", "1D", "é", "a b"] }),
        ),
        ("enum with null", json!({ "type": "string", "nullable": true, "enum": ["A", null] })),
        ("enum of 200", json!({ "type": "string", "enum": many(|n| json!(format!("V{n}"))) })),
        ("enum of 200 integers", json!({ "type": "integer", "enum": many(|n| json!(n)) })),
        ("enum without a type", json!({ "enum": ["a", "b"] })),
        ("enum of integers", json!({ "type": "integer", "enum": [1, 2, -3] })),
        (
            "enum of integers, named",
            json!({ "type": "integer", "enum": [1, 2], "x-enum-varnames": ["ONE", "TWO"] }),
        ),
        ("enum of both", json!({ "enum": [1, "a", true, null] })),
        (
            "enum, badly named",
            json!({ "type": "string", "enum": ["a", "b"], "x-enum-varnames": ["A"] }),
        ),
        ("enum of one twice", json!({ "type": "string", "enum": ["a", "a"] })),
        ("enum of booleans", json!({ "type": "boolean", "enum": [true] })),
        ("nullable text", json!({ "type": "string", "nullable": true })),
        ("nullable number", json!({ "type": "number", "nullable": true, "minimum": 1 })),
        ("nothing said", json!({})),
        (
            "a title and more",
            json!({ "title": "A [title]", "type": "string", "x-foreign": { "a": 1 }, "xml": { "name": "x" } }),
        ),
        ("array", json!({ "type": "array", "items": { "type": "string" } })),
        (
            "array of 1 to 3",
            json!({ "type": "array", "minItems": 1, "maxItems": 3, "items": { "type": "integer", "maximum": 3 } }),
        ),
        (
            "array of different ones",
            json!({ "type": "array", "uniqueItems": true, "items": { "type": "string" } }),
        ),
        (
            "array of arrays",
            json!({ "type": "array", "items": { "type": "array", "minItems": 2, "items": { "type": "string", "maxLength": 2 } } }),
        ),
        (
            "array of nullable ones",
            json!({ "type": "array", "items": { "type": "string", "nullable": true } }),
        ),
        ("array of nothing said", json!({ "type": "array" })),
        (
            "array of objects",
            json!({ "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string", "minLength": 1 } } } }),
        ),
        (
            "array of enums",
            json!({ "type": "array", "items": { "type": "string", "enum": ["X", "Y"] } }),
        ),
        (
            "array of times",
            json!({ "type": "array", "items": { "type": "string", "format": "date-time" } }),
        ),
        (
            "object",
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "b": { "type": "integer", "minimum": 1 } } }),
        ),
        ("object without a type", json!({ "properties": { "a": { "type": "string" } } })),
        ("empty object", json!({ "type": "object" })),
        ("closed empty object", json!({ "type": "object", "additionalProperties": false })),
        (
            "closed object",
            json!({ "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } }),
        ),
        (
            "open object",
            json!({ "type": "object", "additionalProperties": true, "properties": { "extra": { "type": "string" } } }),
        ),
        (
            "object and a map",
            json!({ "type": "object", "additionalProperties": { "type": "integer" }, "properties": { "extra": { "type": "string" } } }),
        ),
        (
            "map",
            json!({ "type": "object", "additionalProperties": { "type": "integer", "maximum": 5 } }),
        ),
        (
            "map of arrays",
            json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": "array", "maxItems": 1, "items": { "type": "string" } } }),
        ),
        (
            "map of nullable ones",
            json!({ "type": "object", "additionalProperties": { "type": "string", "nullable": true } }),
        ),
        (
            "object with few properties",
            json!({ "type": "object", "minProperties": 1, "maxProperties": 2, "properties": { "a": { "type": "string" }, "b": { "type": "string" }, "c": { "type": "string" } } }),
        ),
        (
            "object that requires what it hasn't",
            json!({ "type": "object", "required": ["a", "z"], "properties": { "a": { "type": "string" } } }),
        ),
        (
            "object with names alike",
            json!({ "type": "object", "properties": { "a.b": { "type": "string" }, "a_b": { "type": "string" }, "aB": { "type": "string" }, "": { "type": "string" }, "1": { "type": "string" }, "é": { "type": "string" } } }),
        ),
        (
            "object with names of Rust",
            json!({ "type": "object", "required": ["type", "self", "Self"], "properties": { "type": { "type": "string" }, "self": { "type": "string" }, "Self": { "type": "string" }, "crate": { "type": "integer" }, "async": { "type": "boolean" }, "builder": { "type": "string" }, "value": { "type": "string" } } }),
        ),
        (
            "object, read and written",
            json!({ "type": "object", "required": ["r", "w", "n"], "properties": { "r": { "type": "string", "readOnly": true }, "w": { "type": "string", "writeOnly": true }, "n": { "type": "number", "nullable": true, "maximum": 4 } } }),
        ),
        (
            "object, deprecated",
            json!({ "type": "object", "deprecated": true, "properties": { "a": { "type": "string", "deprecated": true } } }),
        ),
        (
            "object with all defaults",
            json!({ "type": "object", "properties": { "a": { "type": "string", "default": "x" }, "b": { "type": "integer", "default": 5 }, "c": { "type": "array", "default": [], "items": { "type": "string" } } } }),
        ),
        (
            "object in an object",
            json!({ "type": "object", "required": ["in"], "properties": { "in": { "type": "object", "required": ["deep"], "properties": { "deep": { "type": "array", "minItems": 1, "items": { "type": "string", "pattern": "^a" } } } } } }),
        ),
        (
            "misspelt keyword",
            json!({ "type": "array", "maxItem": 3, "items": { "type": "string" } }),
        ),
        ("keyword of 3.1", json!({ "const": 3 })),
        ("types of 3.1", json!({ "type": ["string", "null"] })),
        ("not", json!({ "not": { "type": "string" } })),
        ("oneOf", json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] })),
        (
            "anyOf objects",
            json!({ "anyOf": [{ "type": "object", "properties": { "a": { "type": "string" } } }, { "type": "object", "properties": { "b": { "type": "string" } } }] }),
        ),
        (
            "oneOf with bounds",
            json!({ "oneOf": [{ "type": "string", "maxLength": 3 }, { "type": "integer", "maximum": 3 }, { "type": "array", "items": { "type": "string", "maxLength": 3 } }, { "type": "boolean" }] }),
        ),
        (
            "anyOf beside properties",
            json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 1 }, "b": { "type": "string", "enum": ["X"] } }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        ),
        (
            "oneOf beside anyOf",
            json!({ "oneOf": [{ "type": "string" }, { "maxLength": 3 }], "anyOf": [{ "minLength": 1 }, { "type": "string", "pattern": "^a" }] }),
        ),
        (
            "oneOf that disagrees with what is beside it",
            json!({ "type": "object", "oneOf": [{ "type": "string" }, { "properties": { "a": { "type": "string" } } }] }),
        ),
        ("oneOf only one", json!({ "oneOf": [{ "type": "string", "maxLength": 3 }] })),
        (
            "allOf objects",
            json!({ "allOf": [{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }, { "properties": { "b": { "type": "string", "minLength": 1 } }, "required": ["b"] }] }),
        ),
        ("allOf that disagrees", json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] })),
        (
            "allOf that disagrees in depth",
            json!({ "allOf": [
                { "properties": { "a": { "type": "string" } } },
                { "properties": { "a": { "type": "integer" } } },
            ] }),
        ),
        (
            "allOf arrays",
            json!({ "type": "object", "allOf": [
                { "properties": { "a": { "type": "array", "items": { "properties": { "b": { "type": "string" } } } } } },
                { "properties": { "a": { "type": "array", "items": { "properties": { "c": { "type": "string" } } } } } },
            ] }),
        ),
        (
            "allOf bounds",
            json!({ "type": "string", "allOf": [{ "minLength": 1 }, { "minLength": 2, "maxLength": 4 }] }),
        ),
        (
            "example of traps",
            json!({ "type": "string", "example": "*/ \"#\\\n```\n# \u{202e}RTL\u{202c} {braces} types::X" }),
        ),
        ("example of another type", json!({ "type": "integer", "example": "many" })),
        (
            "examples of numbers",
            json!({ "type": "integer", "format": "int64", "example": -5_000_000_000_i64 }),
        ),
        (
            "example beyond its type",
            json!({ "type": "integer", "format": "uint8", "example": 256 }),
        ),
        (
            "example of an object",
            json!({ "type": "object", "required": ["a"], "example": { "a": "*/", "b": [1.5], "c": null, "z": 1 }, "properties": { "a": { "type": "string" }, "b": { "type": "array", "items": { "type": "number" } }, "c": { "type": "string", "format": "date-time" } } }),
        ),
        (
            "description of traps",
            json!({ "type": "string", "description": "See [brackets], Vec<String>, <b>, https://example.com/a_b?c=[d].\n\n    let code = 1;\n\n```\nfn main() { panic!() }\n```\n\n```rust,should_panic\nlet\n\n*/ `unclosed \u{202e}RTL\u{202c} \\ \"quotes\" {braces}" }),
        ),
    ]
}
