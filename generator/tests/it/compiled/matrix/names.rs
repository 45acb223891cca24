//! Features of operations other than schemas: security, responses, bodies, parameters and names.

use std::fs;

use serde_json::{Value, json};

use super::{super::copy::root, Case, places::finished};

pub(super) fn cases(first: usize) -> Vec<Case> {
    let named = ids().into_iter().enumerate().map(|(number, id)| {
        let path = format!("/v2/named/{number}");
        finished(&id, path, "get", json!({}), json!({}))
    });
    [security(), answers(), bodies(), parameters(), others()]
        .concat()
        .into_iter()
        .enumerate()
        .map(|(number, (method, operation))| {
            let id = format!("case{:04}", first + number);
            finished(&id, format!("/v2/{id}"), method, operation, json!({}))
        })
        .chain(named)
        .collect()
}

/// Returns operation ids that are also names in the generated code or in the runtime.
fn ids() -> Vec<String> {
    let words = "type self Self async 2fa é a.b a_b aB String Option result vec Client Operation \
                 types rules error default clone drop into from intoIterator";
    let mut ids: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let source = root().join("runtime/src");
    for folder in ["call", "client"] {
        for file in fs::read_dir(source.join(folder)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let functions = text.split("fn ").skip(1);
            ids.extend(functions.filter_map(|rest| {
                let name = rest.split(['(', '<']).next()?;
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| name.to_owned())
            }));
        }
    }
    ids.sort();
    ids.dedup();
    ids.retain(|id| !id.is_empty());
    ids
}

/// A method and its operation.
type Operation = (&'static str, Value);

fn security() -> Vec<Operation> {
    [
        json!([]),
        json!([{}]),
        json!([{ "oauth2": [] }]),
        json!([{ "oauth2": ["a:read"] }]),
        json!([{ "oauth2": ["a:read", "a:write"] }]),
        json!([{ "key": [] }, { "oauth2": ["a:read"] }]),
        json!([{ "oauth2": ["a:read"], "key": [] }]),
        json!([{ "oauth2": ["a:none"] }]),
        json!([{ "none": [] }]),
        json!([{ "oauth2": "a:read" }]),
        json!(["oauth2"]),
    ]
    .into_iter()
    .map(|security| ("get", json!({ "security": security })))
    .collect()
}

fn answers() -> Vec<Operation> {
    let json = |schema: Value| json!({ "application/json": { "schema": schema } });
    [
        json!({ "200": { "description": "" } }),
        json!({ "202": { "description": "", "content": {} } }),
        json!({ "200": { "description": "", "content": { "application/json": {} } } }),
        json!({ "200": { "description": "", "content": { "application/json; charset=utf-8": { "schema": {} } } } }),
        json!({ "200": { "description": "", "content": { "application/problem+json": { "schema": {} } } } }),
        json!({ "200": { "description": "", "content": { "text/plain": {}, "application/json": {} } } }),
        json!({ "200": { "description": "", "content": { "text/plain": {} } } }),
        json!({ "2XX": { "description": "" } }),
        json!({ "default": { "description": "" } }),
        json!({ "200": { "description": "" }, "201": { "description": "" } }),
        json!({ "200": { "description": "", "content": json(json!({ "type": "string" })) }, "2XX": { "description": "", "content": json(json!({ "type": "string", "description": "It." })) } }),
        json!({ "200": { "description": "", "content": json(json!({ "type": "object", "properties": { "a": { "type": "string" } } })) }, "204": { "description": "" } }),
        json!({ "200": { "description": "", "content": json(json!({ "type": "string" })) }, "201": { "description": "", "content": json(json!({ "type": "integer" })) } }),
        json!({ "200": { "description": "", "headers": { "X-A": { "schema": { "type": "string" } } }, "links": {} } }),
        json!({ "200": { "description": "", "content": json(json!({ "type": "string" })) }, "404": { "description": "", "content": json(json!({ "oneOf": [] })) } }),
        json!({ "200": { "$ref": "#/components/responses/None" } }),
        json!({}),
    ]
    .into_iter()
    .map(|responses| ("get", json!({ "responses": responses })))
    .collect()
}

fn bodies() -> Vec<Operation> {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let mut bodies = Vec::new();
    for method in ["get", "put", "post", "delete", "patch", "head", "options", "trace"] {
        for required in [true, false] {
            let content = json!({ "application/json": { "schema": schema } });
            let body = json!({ "requestBody": { "required": required, "content": content } });
            bodies.push((method, body));
        }
    }
    for kind in [
        "multipart/form-data",
        "application/x-www-form-urlencoded",
        "application/octet-stream",
        "*/*",
    ] {
        let content = json!({ kind: { "schema": schema } });
        bodies.push(("post", json!({ "requestBody": { "content": content } })));
    }
    bodies
}

/// Returns parameters with unusual names, parameters with other keywords, and pairs of parameters.
fn parameters() -> Vec<Operation> {
    let mut parameters = Vec::new();
    let names = "body builder call client clone draft items new options pages send self Self type \
                 async operation usage value entries 2fa a[b] a[] $filter é - Ok String x-y_z query \
                 __start";
    for name in names.split(' ').chain(["", "a b"]) {
        parameters.push(json!([{ "name": name, "in": "query", "schema": { "type": "string" } }]));
    }
    for (keyword, value) in [
        ("style", json!("form")),
        ("style", json!("deepObject")),
        ("style", json!("pipeDelimited")),
        ("style", json!("spaceDelimited")),
        ("explode", json!(false)),
        ("allowReserved", json!(true)),
        ("allowEmptyValue", json!(true)),
        ("deprecated", json!(true)),
        ("in", json!("cookie")),
        ("in", json!("header")),
        ("in", json!("path")),
        ("content", json!({ "application/json": {} })),
        ("example", json!("[x]")),
        ("x-pagination", json!(false)),
        ("required", json!("yes")),
        ("requird", json!(true)),
        ("nullable", json!(true)),
    ] {
        for kind in
            [json!({ "type": "string" }), json!({ "type": "array", "items": { "type": "string" } })]
        {
            let mut parameter = json!({ "name": "p", "in": "query", "schema": kind });
            parameter[keyword] = value.clone();
            parameters.push(json!([parameter]));
        }
    }
    let twice = json!({ "name": "p", "in": "query", "schema": { "type": "string" } });
    let alike = json!({ "name": "P", "in": "query", "schema": { "type": "string" } });
    let header = json!({ "name": "p", "in": "header", "schema": { "type": "string" } });
    let odd = json!({ "name": "X.!#$%&'*+-^_`|~", "in": "header", "schema": { "type": "array", "maxItems": 2, "items": { "type": "string" } } });
    let turning = json!({ "name": "\u{202e}a", "in": "query", "explode": false, "schema": { "type": "array", "items": { "enum": ["a,b"] } } });
    parameters.extend([
        json!([odd]),
        json!([turning]),
        json!([twice, twice]),
        json!([twice, alike]),
        json!([twice, header]),
    ]);
    parameters.into_iter().map(|stated| ("get", json!({ "parameters": stated }))).collect()
}

fn others() -> Vec<Operation> {
    [
        json!({ "callbacks": { "a": {} } }),
        json!({ "servers": [{ "url": "/" }] }),
        json!({ "externalDocs": { "url": "https://example.com" } }),
        json!({ "tags": ["a"] }),
        json!({ "summery": "a" }),
        json!({ "x-foreign": "a" }),
    ]
    .map(|operation| ("get", operation))
    .to_vec()
}
