//! The description: `openapi.yaml`, and nine operations for each of fourteen kinds of records, in the
//! same style. No two kinds are described in quite the same way.

use serde_json::{Map, Value, json};

use super::{
    listings, records,
    resources::{ALL, Resource, snake},
};

pub(super) const IDS: [&str; 2] =
    ["7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10", "0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01"];

/// Nine operations a kind, and the four of `openapi.yaml`.
pub(super) fn description() -> Value {
    let mut whole: Value =
        serde_saphyr::from_str(include_str!("../../../../openapi.yaml")).unwrap();
    for (number, resource) in ALL.iter().enumerate() {
        for (path, method, operation) in operations(number, resource) {
            let item = object(&mut whole, "/paths").entry(path).or_insert_with(|| json!({}));
            item[method] = operation;
        }
        object(&mut whole, "/components/schemas").extend(records::schemas(number, resource));
        let scopes = "/components/securitySchemes/oauth2/flows/clientCredentials/scopes";
        for verb in ["read", "write"] {
            let words = json!(format!("{verb} {}", resource.many));
            object(&mut whole, scopes).insert(resource.scope(verb), words);
        }
    }
    for area in ["Accounts", "Settlement", "Changes"] {
        whole["tags"].as_array_mut().unwrap().push(json!({ "name": area, "description": area }));
    }
    let schemes = object(&mut whole, "/components/securitySchemes");
    let key = json!({ "type": "apiKey", "in": "header", "name": "X-Key" });
    schemes.insert("key".into(), key);
    whole
}

fn object<'a>(whole: &'a mut Value, pointer: &str) -> &'a mut Map<String, Value> {
    whole.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap()
}

type Operation = (String, &'static str, Value);

#[allow(clippy::too_many_lines)]
fn operations(number: usize, resource: &Resource) -> Vec<Operation> {
    let Resource { one, many, area } = resource;
    let all = format!("/v2/{}/{}", area.to_lowercase(), resource.segment());
    let single = format!("{all}/{{{}}}", resource.id());
    let id = || path_parameter(&resource.id(), &format!("The {one}."));
    let read = security(number, &resource.scope("read"));
    let write = json!([{ "oauth2": [resource.scope("write")] }]);
    let named = |schema: &str| json!({ "$ref": format!("#/components/schemas/{schema}") });
    let record = || records::record(number, IDS[0]);

    let mut made = vec![
        (all.clone(), "get", listings::all(number, resource)),
        (format!("{single}/events"), "get", listings::events(number, resource)),
        (
            single.clone(),
            "get",
            json!({
                "operationId": format!("get{one}"),
                "security": read,
                "parameters": [id(), header()],
                "responses": answer("200", &named(one), &record()),
            }),
        ),
        (
            format!("{single}/settings"),
            "get",
            json!({
                "operationId": format!("get{one}Settings"),
                "security": if number.is_multiple_of(3) { json!([]) } else { read.clone() },
                "parameters": [id()],
                "responses": settings(number),
            }),
        ),
        (
            all.clone(),
            "post",
            json!({
                "operationId": format!("create{one}"),
                "security": write,
                "requestBody": body(true, &named(&format!("Create{one}Request")), &records::created()),
                "responses": answer(if number.is_multiple_of(2) { "201" } else { "200" }, &named(one), &record()),
            }),
        ),
        (
            single.clone(),
            "delete",
            json!({
                "operationId": format!("delete{one}"),
                "security": write,
                "parameters": [id()],
                "responses": empty("204"),
            }),
        ),
        (
            format!("{single}/cancel"),
            "post",
            json!({
                "operationId": format!("cancel{one}"),
                "deprecated": number.is_multiple_of(5),
                "security": write,
                "parameters": [id(), query("reason", &json!({ "type": "string", "minLength": 1, "maxLength": 40 }), &json!("A & B"))],
                "responses": empty(if number.is_multiple_of(2) { "202" } else { "200" }),
            }),
        ),
        (
            format!("{all}/batch"),
            "post",
            json!({
                "operationId": format!("create{many}"),
                "security": write,
                "requestBody": body(
                    true,
                    &json!({ "type": "array", "minItems": 1, "maxItems": 50, "items": named(&format!("Create{one}Request")) }),
                    &json!([records::created(), records::created()]),
                ),
                "responses": answer(
                    "200",
                    &json!({ "type": "array", "items": named(one) }),
                    &json!([record(), records::record(number, IDS[1])]),
                ),
            }),
        ),
    ];
    let (method, verb) =
        if number.is_multiple_of(2) { ("put", "replace") } else { ("patch", "update") };
    made.push((
        single,
        method,
        json!({
            "operationId": format!("{verb}{one}"),
            "security": write,
            "parameters": [id()],
            "requestBody": body(method == "put", &named(&format!("Update{one}Request")), &records::updated()),
            "responses": answer("200", &named(one), &record()),
        }),
    ));
    for (_, _, operation) in &mut made {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        let words = snake(&id).replace('_', " ");
        operation["summary"] = json!(words);
        operation["description"] = json!(format!("To {words}, as the specification tells."));
        operation["tags"] = if id.starts_with("get") || id.starts_with("list") {
            json!([area])
        } else {
            json!([area, "Changes"])
        };
        for failure in ["4XX", "5XX"] {
            operation["responses"][failure] = json!({ "$ref": "#/components/responses/Error" });
        }
    }
    made
}

/// One scope, or alternatives of which the client takes that of OAuth.
fn security(number: usize, scope: &str) -> Value {
    match number % 4 {
        1 => json!([{ "key": [] }, { "oauth2": [scope] }]),
        2 => json!([{ "oauth2": [scope] }, {}]),
        _ => json!([{ "oauth2": [scope] }]),
    }
}

/// Answers of any kind: JSON of any keys, a map, texts, one text, and what isn't described at all.
fn settings(number: usize) -> Value {
    let (schema, example) = match number % 5 {
        0 => (
            json!({ "type": "object", "additionalProperties": true }),
            json!({ "limit": 5, "deep": [{ "a": null }] }),
        ),
        1 => (
            json!({ "type": "object", "additionalProperties": { "type": "integer", "format": "int64" } }),
            json!({ "limit": 5 }),
        ),
        2 => (json!({ "type": "array", "items": { "type": "string" } }), json!(["a", "b"])),
        3 => (json!({ "type": "string", "format": "date-time" }), json!("2025-06-01T12:00:00Z")),
        _ => (json!({}), json!([1, { "any": "thing" }])),
    };
    answer("200", &schema, &example)
}

pub(super) fn answer(status: &str, schema: &Value, example: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema, "example": example } });
    json!({ status: { "description": "The answer.", "content": content } })
}

fn empty(status: &str) -> Value {
    json!({ status: { "description": "Done." } })
}

fn body(required: bool, schema: &Value, example: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema, "example": example } });
    json!({ "required": required, "content": content })
}

pub(super) fn path_parameter(name: &str, description: &str) -> Value {
    json!({
        "name": name, "in": "path", "required": true, "description": description,
        "schema": { "type": "string" }, "example": IDS[0],
    })
}

pub(super) fn query(name: &str, schema: &Value, example: &Value) -> Value {
    json!({
        "name": name, "in": "query", "description": format!("Only those of this {name}."),
        "schema": schema, "example": example,
    })
}

fn header() -> Value {
    json!({
        "name": "X-Request-Reference", "in": "header", "description": "What the caller calls it.",
        "schema": { "type": "string", "maxLength": 36 }, "example": "a-1",
    })
}
