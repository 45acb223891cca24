//! Where a schema can stand in an operation.

use serde_json::{Map, Value, json};

use super::{Case, features::Feature};

/// A place, the method and the end of the path of an operation that has it, and the operation itself.
type Place = (&'static str, &'static str, &'static str, fn(&Value) -> Value);

pub(super) const ALL: [Place; 9] = [
    (
        "a path",
        "get",
        "/{p}/end",
        |schema| json!({ "parameters": [{ "name": "p", "in": "path", "required": true, "schema": schema }] }),
    ),
    (
        "a query",
        "get",
        "",
        |schema| json!({ "parameters": [{ "name": "p.q", "in": "query", "schema": schema }] }),
    ),
    ("a required query", "delete", "", |schema| {
        json!({ "deprecated": true, "parameters": [
            { "name": "items", "in": "query", "required": true, "schema": schema },
        ] })
    }),
    (
        "a header",
        "get",
        "",
        |schema| json!({ "parameters": [{ "name": "X-Some", "in": "header", "schema": schema }] }),
    ),
    ("a body", "post", "", |schema| json!({ "requestBody": { "content": content(schema) } })),
    ("a property of a body", "put", "", |schema| {
        let mut object = object(schema);
        object["required"] = json!(["p", "l"]);
        json!({ "requestBody": { "required": true, "content": content(&object) } })
    }),
    ("an answer", "get", "", answer),
    ("a property of an answer", "get", "", |schema| {
        let mut object = object(schema);
        object["required"] = json!(["p"]);
        answer(&object)
    }),
    ("an item of a page", "get", "", |schema| {
        let mut operation = answer(&json!({ "type": "object", "properties": {
            "items": { "type": "array", "items": schema },
            "next_page_cursor": { "type": "string" },
        } }));
        operation["parameters"] = json!([
            { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
            { "name": "limit", "in": "query", "x-not-with-page-cursor": true,
                "schema": { "type": "integer" } },
        ]);
        operation
    }),
];

fn content(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn answer(schema: &Value) -> Value {
    json!({ "responses": { "200": { "description": "It.", "content": content(schema) } } })
}

fn object(schema: &Value) -> Value {
    json!({ "type": "object", "properties": {
        "p": schema,
        "o": schema,
        "l": { "type": "array", "items": schema },
        "m": { "type": "object", "additionalProperties": schema },
    } })
}

pub(super) fn case(id: &str, feature: &Feature, (place, method, end, operation): Place) -> Case {
    // The names of a case are its own.
    let own = |value: &Value| -> Value {
        let prefix = format!("{}_", id.replace("case", "Case"));
        serde_json::from_str(&value.to_string().replace('@', &prefix)).unwrap()
    };
    let others = own(&feature.others.clone().into());
    let operation = operation(&own(&feature.schema));
    let (name, path) = (format!("{} in {place}", feature.name), format!("/v2/{id}{end}"));
    finished(id, name, path, method, operation, others)
}

pub(super) fn finished(
    id: &str,
    name: String,
    path: String,
    method: &str,
    mut operation: Value,
    schemas: Value,
) -> Case {
    operation["operationId"] = id.into();
    if operation.get("responses").is_none() {
        operation["responses"] = json!({ "204": { "description": "Done." } });
    }
    let Value::Object(schemas) = schemas else { unreachable!() };
    Case {
        id: id.to_owned(),
        name,
        path,
        item: Value::Object(Map::from_iter([(method.to_owned(), operation)])),
        schemas,
    }
}
