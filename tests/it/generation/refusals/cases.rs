//! Statements that can't be served, each with the line that refuses it.

use serde_json::{Value, json};

/// A change to a served description, and the line that refuses it.
pub(super) type Case = (&'static str, &'static str, Value, &'static str);

const PATH: &str = "/paths/~1v2~1things";
const OPERATION: &str = "/paths/~1v2~1things/get";
const PARAMETER: &str = "/paths/~1v2~1things/get/parameters/0";
const SIZE: &str = "/paths/~1v2~1things/get/parameters/0/schema";
const ANSWER: &str = "/paths/~1v2~1things/get/responses/200";
const REFERENCE: &str = "/paths/~1v2~1things/get/responses/200/content/application~1json/schema";
const NAME: &str = "/components/schemas/Thing/properties/name";
const SCHEME: &str = "/components/securitySchemes/oauth2";

#[allow(clippy::too_many_lines)]
pub(super) fn all() -> Vec<Case> {
    vec![
        (
            "",
            "openapi",
            json!("3.1.0"),
            "openapi: the document states version 3.1.0, but only OpenAPI 3.0 is supported",
        ),
        (
            REFERENCE,
            "type",
            json!("string"),
            "readThing → responses → 200 → content → application/json → schema → type: stands beside `$ref`, where OpenAPI 3.0 ignores it: use `allOf`",
        ),
        (
            "",
            "swagger",
            json!("2.0"),
            "document → swagger: is not a keyword of the document in OpenAPI 3.0",
        ),
        (
            "",
            "webhooks",
            json!({}),
            "document → webhooks: is not a keyword of the document in OpenAPI 3.0",
        ),
        ("", "paths", json!([]), "document → paths: is not an object"),
        (
            "/components",
            "schema",
            json!({}),
            "document → components → schema: is not a keyword of components in OpenAPI 3.0; `schemas` is",
        ),
        (
            PATH,
            "servers",
            json!([{ "url": "/" }]),
            "readThing → /v2/things → servers: a path with servers of its own is not supported: all paths are appended to one base URL",
        ),
        (
            PATH,
            "head",
            json!({ "operationId": "headThing" }),
            "readThing → /v2/things → head: operations of this method are not served",
        ),
        (
            "/paths",
            "things",
            json!({ "get": { "operationId": "other", "responses": { "204": {} } } }),
            "other → things: does not begin with `/`",
        ),
        (
            "/paths",
            "/{a",
            json!({ "get": { "operationId": "other", "responses": { "204": {} } } }),
            "other → /{a: has a brace that opens or closes no parameter",
        ),
        (
            "/paths",
            "/{a}",
            json!({ "get": { "operationId": "other", "responses": { "204": {} } } }),
            "other → path a: is in the path, but no parameter declares it",
        ),
        (
            "/paths",
            "/b",
            json!({ "get": { "responses": { "204": {} } } }),
            "GET /b: has no operationId",
        ),
        (
            "/paths",
            "/b",
            json!({ "get": { "operationId": "readThing", "responses": { "204": {} } } }),
            "readThing → operationId: another operation has the same one",
        ),
        (
            OPERATION,
            "servers",
            json!([{ "url": "/" }]),
            "readThing → servers: an operation with servers of its own is not supported: all paths are appended to one base URL",
        ),
        (
            OPERATION,
            "callbacks",
            json!({ "done": {} }),
            "readThing → callbacks: the client can't receive requests from the service",
        ),
        (
            OPERATION,
            "operationID",
            json!("x"),
            "readThing → operationID: is not a keyword of an operation in OpenAPI 3.0; `operationId` is",
        ),
        (
            OPERATION,
            "requestBody",
            json!({ "content": { "application/json": {} } }),
            "readThing → requestBody: a GET can't have a body",
        ),
        (
            OPERATION,
            "responses",
            json!({ "404": {}, "default": {} }),
            "readThing → responses: declare no success",
        ),
        (
            OPERATION,
            "responses",
            json!({
                "200": { "content": { "application/json": { "schema": { "type": "string" } } } },
                "202": {},
                "2xx": { "content": { "application/json": { "schema": { "type": "integer" } } } },
            }),
            "readThing → responses: `200` and `2xx` differ in their schemas, but an operation has one answer",
        ),
        (
            OPERATION,
            "responses",
            json!({ "204": {}, "OK": {} }),
            "readThing → responses → OK: is not a status code",
        ),
        (
            OPERATION,
            "security",
            json!([{ "key": [] }]),
            "readThing → security → key: is not declared under components.securitySchemes",
        ),
        (
            SCHEME,
            "type",
            json!("apiKey"),
            "readThing → security → oauth2: is apiKey, but only oauth2 with client credentials is supported",
        ),
        (
            SCHEME,
            "flows",
            json!({ "implicit": {} }),
            "readThing → security → oauth2: has no client credentials flow, and no other is served",
        ),
        (PARAMETER, "in", json!("cookie"), "readThing → cookie size: cookies are not sent"),
        (
            PARAMETER,
            "in",
            json!("body"),
            "readThing → body size → in: must be `path`, `query` or `header`",
        ),
        (
            PARAMETER,
            "style",
            json!("deepObject"),
            "readThing → query size → style: only `form` is served here",
        ),
        (
            PARAMETER,
            "style",
            json!("pipeDelimited"),
            "readThing → query size → style: only `form` is served here",
        ),
        (
            PARAMETER,
            "allowReserved",
            json!(true),
            "readThing → query size → allowReserved: reserved characters are always percent-encoded",
        ),
        (
            PARAMETER,
            "requird",
            json!(true),
            "readThing → query size → requird: is not a keyword of a parameter in OpenAPI 3.0; `required` is",
        ),
        (
            PARAMETER,
            "x-not-with-page-cursor",
            json!(true),
            "readThing → query size → x-not-with-page-cursor: the operation is not a listing: it takes no `page_cursor`",
        ),
        (
            PARAMETER,
            "$ref",
            json!("#/components/parameters/Size"),
            "readThing → parameters[0]: there is no `Size` under components.parameters",
        ),
        (
            OPERATION,
            "parameters",
            json!([
                { "name": "X-A", "in": "header", "schema": { "type": "string" } },
                { "name": "x-a", "in": "header", "schema": { "type": "string" } },
            ]),
            "readThing → header x-a: is declared twice",
        ),
        (
            SIZE,
            "minimum",
            json!(1e20),
            "readThing → query size → schema → minimum: is beyond every 64-bit integer",
        ),
        (
            SIZE,
            "multipleOf",
            json!(2.5),
            "readThing → query size → schema → multipleOf: is neither an integer nor a part of one, as its multiples have to be",
        ),
        (
            PARAMETER,
            "name",
            json!("…"),
            "readThing → query … → name: has no letter, so it can't name a method",
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
            NAME,
            "x-enum-varnames",
            json!(["A"]),
            "readThing → responses → 200 → content → application/json → schema → Thing → name → x-enum-varnames: needs an `enum`",
        ),
    ]
}
