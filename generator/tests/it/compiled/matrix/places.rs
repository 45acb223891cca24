//! The positions of a schema in an operation.

use serde_json::{Map, Value, json};

use super::{Case, features::Feature};

/// A position of a schema: the method, the end of the path, and a function that returns an
/// operation with the schema in this position.
type Place = (&'static str, &'static str, fn(&Value) -> Value);

pub(super) const ALL: [Place; 9] = [
    ("get", "/{p}/end", |schema| taking("path", "p", true, schema)),
    ("get", "", |schema| taking("query", "p.q", false, schema)),
    ("delete", "", |schema| {
        let mut operation = taking("query", "items", true, schema);
        operation["deprecated"] = true.into();
        operation
    }),
    ("get", "", |schema| taking("header", "X-Some", false, schema)),
    ("post", "", |schema| json!({ "requestBody": { "content": content(schema) } })),
    ("put", "", |schema| {
        let mut object = object(schema);
        object["required"] = json!(["p", "l"]);
        json!({ "requestBody": { "required": true, "content": content(&object) } })
    }),
    ("get", "", answer),
    ("get", "", |schema| {
        let mut object = object(schema);
        object["required"] = json!(["p"]);
        answer(&object)
    }),
    ("get", "", |schema| {
        let mut operation = answer(&json!({ "type": "object", "properties": {
            "items": { "type": "array", "items": schema },
            "next_page_cursor": { "type": "string" },
        } }));
        operation["parameters"] = json!([
            { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
            { "name": "limit", "in": "query", "schema": { "type": "integer" } },
        ]);
        operation["x-pagination"] = json!({ "cursor": "page_cursor",
            "next": "/next_page_cursor", "items": "/items", "not-with-cursor": ["limit"] });
        operation
    }),
];

fn taking(place: &str, name: &str, required: bool, schema: &Value) -> Value {
    let parameter = json!({ "name": name, "in": place, "required": required, "schema": schema });
    json!({ "parameters": [parameter] })
}

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

pub(super) fn case(id: &str, feature: &Feature, (method, end, operation): Place) -> Case {
    // Each case has unique names.
    let own = |value: &Value| -> Value {
        let prefix = format!("{}_", id.replace("case", "Case"));
        serde_json::from_str(&value.to_string().replace('@', &prefix)).unwrap()
    };
    let others = own(&feature.others.clone().into());
    let operation = operation(&own(&feature.schema));
    finished(id, format!("/v2/{id}{end}"), method, operation, others)
}

pub(super) fn finished(
    id: &str,
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
        path,
        item: Value::Object(Map::from_iter([(method.to_owned(), operation)])),
        schemas,
    }
}
