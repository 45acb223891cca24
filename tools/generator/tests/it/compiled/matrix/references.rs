//! Schemas that refer to others, whose names begin with `@`.

use serde_json::{Value, json};

#[allow(clippy::too_many_lines)]
pub(super) fn with_others() -> Vec<(&'static str, Value, Value)> {
    vec![
        (
            "$ref to a text",
            json!({ "$ref": "#/components/schemas/@Text" }),
            json!({ "@Text": { "type": "string", "maxLength": 3 } }),
        ),
        (
            "$ref to a time",
            json!({ "$ref": "#/components/schemas/@Time" }),
            json!({ "@Time": { "type": "string", "format": "date-time" } }),
        ),
        (
            "$ref to an array",
            json!({ "$ref": "#/components/schemas/@List" }),
            json!({ "@List": { "type": "array", "minItems": 1, "items": { "type": "string" } } }),
        ),
        (
            "$ref to an enum",
            json!({ "$ref": "#/components/schemas/@Enum" }),
            json!({ "@Enum": { "type": "string", "enum": ["A"] } }),
        ),
        (
            "$ref in snake case",
            json!({ "$ref": "#/components/schemas/@snake_case" }),
            json!({ "@snake_case": { "type": "object", "properties": { "a": { "type": "string" } } } }),
        ),
        (
            "$ref with dots",
            json!({ "$ref": "#/components/schemas/@a.b-C" }),
            json!({ "@a.b-C": { "type": "object", "properties": { "a": { "type": "string" } } } }),
        ),
        (
            "$refs alike",
            json!({ "type": "object", "properties": { "a": { "$ref": "#/components/schemas/@AbC" }, "b": { "$ref": "#/components/schemas/@ab_c" } } }),
            json!({ "@AbC": { "type": "string", "enum": ["A"] }, "@ab_c": { "type": "string", "enum": ["B"] } }),
        ),
        (
            "$ref to a $ref",
            json!({ "$ref": "#/components/schemas/@One" }),
            json!({ "@One": { "$ref": "#/components/schemas/@Two" }, "@Two": { "type": "object", "properties": { "a": { "type": "string" } } } }),
        ),
        (
            "$ref to itself",
            json!({ "$ref": "#/components/schemas/@Loop" }),
            json!({ "@Loop": { "$ref": "#/components/schemas/@Loop" } }),
        ),
        ("$ref to nothing", json!({ "$ref": "#/components/schemas/@None" }), json!({})),
        ("$ref elsewhere", json!({ "$ref": "other.yaml#/A" }), json!({})),
        (
            "$ref and its type",
            json!({ "$ref": "#/components/schemas/@Text", "type": "string" }),
            json!({ "@Text": { "type": "string", "maxLength": 9 } }),
        ),
        (
            "$ref and a bound",
            json!({ "$ref": "#/components/schemas/@Text", "maxLength": 3 }),
            json!({ "@Text": { "type": "string" } }),
        ),
        (
            "$ref, nullable",
            json!({ "nullable": true, "allOf": [{ "$ref": "#/components/schemas/@Rec" }] }),
            json!({ "@Rec": { "type": "object", "properties": { "a": { "type": "string", "maxLength": 1 } } } }),
        ),
        (
            "recursive object",
            json!({ "$ref": "#/components/schemas/@Tree" }),
            json!({ "@Tree": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string", "maxLength": 3 }, "child": { "$ref": "#/components/schemas/@Tree" }, "children": { "type": "array", "maxItems": 2, "items": { "$ref": "#/components/schemas/@Tree" } } } } }),
        ),
        (
            "mutually recursive",
            json!({ "$ref": "#/components/schemas/@A" }),
            json!({ "@A": { "type": "object", "properties": { "b": { "$ref": "#/components/schemas/@B" } } }, "@B": { "type": "object", "properties": { "a": { "type": "array", "items": { "$ref": "#/components/schemas/@A" } }, "n": { "type": "number", "minimum": 1 } } } }),
        ),
        (
            "recursive array",
            json!({ "$ref": "#/components/schemas/@Nest" }),
            json!({ "@Nest": { "type": "array", "items": { "$ref": "#/components/schemas/@Nest" } } }),
        ),
        (
            "recursive allOf",
            json!({ "$ref": "#/components/schemas/@All" }),
            json!({ "@All": { "allOf": [{ "$ref": "#/components/schemas/@All" }] } }),
        ),
        (
            "inheritance",
            json!({ "$ref": "#/components/schemas/@Dog" }),
            json!({ "@Pet": { "type": "object", "required": ["kind"], "discriminator": { "propertyName": "kind" }, "properties": { "kind": { "type": "string" } } }, "@Dog": { "allOf": [{ "$ref": "#/components/schemas/@Pet" }, { "type": "object", "properties": { "barks": { "type": "boolean" } } }] } }),
        ),
        (
            "a base of children and theirs",
            json!({ "$ref": "#/components/schemas/@Animal" }),
            json!({
                "@Animal": { "type": "object", "required": ["kind"], "discriminator": { "propertyName": "kind", "mapping": { "b": "@Bird" } }, "properties": { "kind": { "type": "string" }, "mate": { "$ref": "#/components/schemas/@Animal" } } },
                "@Bird": { "discriminator": { "propertyName": "flies" }, "allOf": [{ "$ref": "#/components/schemas/@Animal" }, { "type": "object", "properties": { "flies": { "type": "string", "maxLength": 3 }, "chicks": { "type": "array", "items": { "$ref": "#/components/schemas/@Bird" } } } }] },
                "@Owl": { "allOf": [{ "$ref": "#/components/schemas/@Bird" }, { "type": "object", "properties": { "prey": { "$ref": "#/components/schemas/@Animal" } } }] },
                "@Fish": { "allOf": [{ "$ref": "#/components/schemas/@Animal" }, { "required": ["depth"], "properties": { "depth": { "type": "integer", "maximum": 9 } } }] },
                "@Carp": { "allOf": [{ "$ref": "#/components/schemas/@Fish" }, { "properties": { "pond": { "$ref": "#/components/schemas/@Fish" } } }] },
            }),
        ),
        (
            "union of objects",
            json!({ "oneOf": [{ "$ref": "#/components/schemas/@Cat" }, { "$ref": "#/components/schemas/@Cow" }], "discriminator": { "propertyName": "kind" } }),
            json!({ "@Cat": { "type": "object", "properties": { "kind": { "type": "string" } } }, "@Cow": { "type": "object", "properties": { "kind": { "type": "string" } } } }),
        ),
        (
            "a union that holds itself",
            json!({ "$ref": "#/components/schemas/@Filter" }),
            json!({ "@Filter": { "oneOf": [
                { "type": "object", "required": ["and"], "properties": { "and": { "type": "array", "minItems": 1, "items": { "$ref": "#/components/schemas/@Filter" } } } },
                { "$ref": "#/components/schemas/@Is" },
                { "type": "array", "items": { "$ref": "#/components/schemas/@Filter" } },
            ] }, "@Is": { "type": "object", "required": ["is"], "properties": { "is": { "type": "string", "maxLength": 9 } } } }),
        ),
        (
            "a union that is itself",
            json!({ "$ref": "#/components/schemas/@Self" }),
            json!({ "@Self": { "oneOf": [{ "$ref": "#/components/schemas/@Self" }, { "type": "string", "maxLength": 9 }] } }),
        ),
        (
            "a union in a union",
            json!({ "$ref": "#/components/schemas/@Either" }),
            json!({ "@Either": { "oneOf": [{ "type": "string", "maxLength": 9 }, { "$ref": "#/components/schemas/@Other" }] }, "@Other": { "oneOf": [{ "type": "integer", "maximum": 9 }, { "type": "boolean" }] } }),
        ),
        (
            "a union with a mapping",
            json!({ "oneOf": [{ "$ref": "#/components/schemas/@Cod" }, { "$ref": "#/components/schemas/@Eel" }], "discriminator": { "propertyName": "kind", "mapping": { "c": "#/components/schemas/@Cod", "e": "@Eel" } } }),
            json!({ "@Cod": { "type": "object", "properties": { "kind": { "type": "string" }, "size": { "type": "integer", "maximum": 3 } } }, "@Eel": { "type": "object", "properties": { "kind": { "type": "string" }, "size": { "type": "integer", "minimum": 3 } } } }),
        ),
        (
            "an object called Option",
            json!({ "$ref": "#/components/schemas/@Option" }),
            json!({ "@Option": { "type": "object", "properties": { "String": { "type": "string" } } } }),
        ),
        (
            "an empty object by name",
            json!({ "type": "object", "properties": { "e": { "$ref": "#/components/schemas/@Empty" } } }),
            json!({ "@Empty": { "type": "object" } }),
        ),
    ]
}
