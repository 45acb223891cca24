//! Statements of schemas and answers that can't be served, each with the line that refuses it.

use serde_json::{Value, json};

use super::cases::Case;

const PATH: &str = "/paths/~1v2~1things";
const PARAMETER: &str = "/paths/~1v2~1things/get/parameters/0";
const SIZE: &str = "/paths/~1v2~1things/get/parameters/0/schema";
const ANSWER: &str = "/paths/~1v2~1things/get/responses/200";
const REFERENCE: &str = "/paths/~1v2~1things/get/responses/200/content/application~1json/schema";
const NAME: &str = "/components/schemas/Thing/properties/name";

#[allow(clippy::too_many_lines)]
pub(super) fn all() -> Vec<Case> {
    vec![
        (
            REFERENCE,
            "type",
            json!("string"),
            "readThing → responses → 200 → content → application/json → schema → type: stands beside `$ref`, where OpenAPI 3.0 ignores it: use `allOf`",
        ),
        (
            SIZE,
            "minimum",
            json!(1e20),
            "readThing → query size → schema → minimum: is beyond every 64-bit integer",
        ),
        (
            PARAMETER,
            "schema",
            json!({ "type": "integer", "maximum": i64::MIN, "exclusiveMaximum": true }),
            "readThing → query size → schema → maximum: is below every 64-bit integer",
        ),
        (
            SIZE,
            "multipleOf",
            json!(2.5),
            "readThing → query size → schema → multipleOf: is neither an integer nor a part of one, as its multiples have to be",
        ),
        (
            SIZE,
            "type",
            json!("object"),
            "readThing → query size → schema: the query can't carry an object",
        ),
        (
            SIZE,
            "type",
            json!(["integer", "null"]),
            "readThing → query size → schema → type: is not a string",
        ),
        (
            SIZE,
            "type",
            json!("int"),
            "readThing → query size → schema → type: `int` is not a type in OpenAPI 3.0",
        ),
        (
            SIZE,
            "minimun",
            json!(1),
            "readThing → query size → schema → minimun: is not a keyword of a schema in OpenAPI 3.0; `minimum` is",
        ),
        (
            SIZE,
            "const",
            json!(1),
            "readThing → query size → schema → const: is not a keyword of a schema in OpenAPI 3.0",
        ),
        (
            SIZE,
            "exclusiveMinimum",
            json!(1),
            "readThing → query size → schema → exclusiveMinimum: is not a boolean",
        ),
        (
            SIZE,
            "exclusiveMinimum",
            json!(true),
            "readThing → query size → schema → exclusiveMinimum: needs a `minimum`",
        ),
        (
            SIZE,
            "multipleOf",
            json!(0),
            "readThing → query size → schema → multipleOf: is not above 0",
        ),
        (
            SIZE,
            "pattern",
            json!("("),
            "readThing → query size → schema → pattern: is not an ECMA 262 regular expression: Unbalanced parenthesis",
        ),
        (
            SIZE,
            "not",
            json!({ "enum": [1] }),
            "readThing → query size → schema → not: the client can't check what a value must not be",
        ),
        (
            SIZE,
            "enum",
            json!([1, "two"]),
            "readThing → query size → schema → enum: only string and integer enums are supported",
        ),
        (
            PATH,
            "put",
            sent(&json!({
                "type": "object", "required": ["env"], "additionalProperties": { "type": "string" },
            })),
            "replaceThing → requestBody → content → application/json → schema → required: the client can't check the keys of a map",
        ),
        (
            SIZE,
            "oneOf",
            json!([{ "type": "integer" }, { "type": "string" }]),
            "readThing → query size → schema: the query can't carry a union",
        ),
        (
            ANSWER,
            "content",
            json!({ "text/csv": {} }),
            "readThing → responses → 200 → content: is text/csv, but only application/json is supported",
        ),
        (
            ANSWER,
            "$ref",
            json!("other.yaml#/Thing"),
            "readThing → responses → 200: `$ref: other.yaml#/Thing` does not name one of components.responses",
        ),
        (
            NAME,
            "maxLenght",
            json!(1),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → maxLenght: is not a keyword of a schema in OpenAPI 3.0; `maxLength` is",
        ),
        (
            "/components/schemas/Thing/properties",
            "name",
            json!({ "$ref": "#/components/schemas/Name" }),
            "readThing → responses → 200 → content → application/json → schema → Thing → name: there is no `Name` under components.schemas",
        ),
        (
            "/components/schemas/Thing",
            "discriminator",
            json!({ "mapping": { "a": "#/components/schemas/Thing" } }),
            "readThing → responses → 200 → content → application/json → schema → Thing → discriminator: names no property that tells schemas apart: `propertyName`",
        ),
        (
            NAME,
            "x-enum-varnames",
            json!(["A"]),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → x-enum-varnames: needs an `enum`",
        ),
        (
            "/components/schemas/Thing/properties",
            "side",
            json!({ "allOf": [
                { "enum": ["SELL", "BUY"] },
                { "type": "string", "enum": ["BUY", "SELL"], "x-enum-varnames": ["Buy", "Sell"] },
            ] }),
            "readThing → responses → 200 → content → application/json → schema → Thing → side: `allOf` merges two lists of `enum`, and `x-enum-varnames` names the values of one",
        ),
        (
            REFERENCE,
            "oneOf",
            json!([{ "type": "string" }]),
            "readThing → responses → 200 → content → application/json → schema → oneOf: stands beside `$ref`, where OpenAPI 3.0 ignores it: use `allOf`",
        ),
        (
            PARAMETER,
            "schema",
            json!({ "maxLength": 3 }),
            "readThing → query size → schema → maxLength: needs a `type`, or nothing checks it",
        ),
        (
            PATH,
            "put",
            sent(&json!({ "required": ["a"] })),
            "replaceThing → requestBody → content → application/json → schema → required: needs a `type`, or nothing checks it",
        ),
        (
            PATH,
            "put",
            sent(&json!({ "type": "object", "allOf": [
                { "additionalProperties": { "type": "string" } },
                { "additionalProperties": { "type": "integer" } },
            ] })),
            "replaceThing → schemas: `allOf` states two values of `type`",
        ),
        (
            "/components/schemas/Thing/properties",
            "parent",
            json!({ "allOf": [
                { "$ref": "#/components/schemas/Thing" }, { "properties": { "size": {} } },
            ] }),
            "readThing → schemas: `allOf` nests schemas without end, or more than 32 are within each other",
        ),
        (
            "/components/schemas",
            "Thing",
            json!({ "type": "object", "additionalProperties": {
                "description": "Things.", "allOf": [{ "$ref": "#/components/schemas/Thing" }],
            } }),
            "readThing → responses → 200 → content → application/json → schema: `Thing` leads back to itself without an object in between",
        ),
        (
            "/components",
            "schemas",
            json!({
                "Thing": { "type": "object", "properties": {
                    "all": { "type": "array", "items": { "$ref": "#/components/schemas/One" } },
                } },
                "One": { "allOf": [
                    { "properties": { "a": { "type": "string" } } },
                    { "properties": { "a": { "type": "integer" } } },
                ] },
            }),
            "readThing → schemas: `allOf` states two values of `type`",
        ),
        (
            NAME,
            "format",
            json!("binary"),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → format: bytes are no JSON, and nothing else is supported",
        ),
        (
            ANSWER,
            "content",
            json!({ "*/*": {} }),
            "readThing → responses → 200 → content: is */*, but only application/json is supported",
        ),
        (
            PARAMETER,
            "schema",
            json!({ "type": "object", "properties": { "a": { "type": "array", "items": {} } } }),
            "readThing → query size → schema: the query can't carry an object",
        ),
        (
            NAME,
            "x-items",
            json!(true),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → x-items: is only allowed on an array",
        ),
        (
            NAME,
            "x-created-at",
            json!(true),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → x-created-at: is only allowed on a `date-time`",
        ),
    ]
}

/// An operation that sends a value.
pub(super) fn sent(schema: &Value) -> Value {
    json!({
        "operationId": "replaceThing",
        "requestBody": { "content": { "application/json": { "schema": schema } } },
        "responses": { "204": {} },
    })
}
