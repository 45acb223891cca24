//! Statements of operations and of the document that can't be served, each with the line that
//! refuses it.

use serde_json::{Value, json};

/// A change to a served description, and the line that refuses it.
pub(super) type Case = (&'static str, &'static str, Value, &'static str);

const PATH: &str = "/paths/~1v2~1things";
const OPERATION: &str = "/paths/~1v2~1things/get";
const PARAMETER: &str = "/paths/~1v2~1things/get/parameters/0";
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
            OPERATION,
            "security",
            json!([{ "oauth2": [], "other": [] }]),
            "readThing → security → other: is needed beside another scheme, and a request has one token",
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
            PARAMETER,
            "name",
            json!("…"),
            "readThing → query … → name: has no letter, so it can't name a method",
        ),
    ]
}
