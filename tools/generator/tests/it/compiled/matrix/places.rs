//! Where a schema can stand in an operation.

use serde_json::{Map, Value, json};

use super::{Case, features::Feature};

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Path,
    Query,
    RequiredQuery,
    Header,
    Body,
    BodyProperty,
    Answer,
    AnswerProperty,
    PageItem,
}

pub(super) const ALL: [Place; 9] = [
    Place::Path,
    Place::Query,
    Place::RequiredQuery,
    Place::Header,
    Place::Body,
    Place::BodyProperty,
    Place::Answer,
    Place::AnswerProperty,
    Place::PageItem,
];

pub(super) fn case(id: &str, feature: &Feature, place: Place) -> Case {
    // The names of a case are its own.
    let own = |value: &Value| -> Value {
        let prefix = format!("{}_", id.replace("case", "Case"));
        serde_json::from_str(&value.to_string().replace('@', &prefix)).unwrap()
    };
    let schema = own(&feature.schema);
    let others = own(&feature.others.clone().into());
    let mut path = format!("/v2/{id}");
    let (method, operation) = match place {
        Place::Path => {
            path.push_str("/{p}/end");
            (
                "get",
                json!({ "parameters": [{ "name": "p", "in": "path", "required": true, "schema": schema }] }),
            )
        }
        Place::Query => {
            ("get", json!({ "parameters": [{ "name": "p.q", "in": "query", "schema": schema }] }))
        }
        Place::RequiredQuery => (
            "delete",
            json!({ "deprecated": true, "parameters": [{ "name": "items", "in": "query", "required": true, "schema": schema }] }),
        ),
        Place::Header => (
            "get",
            json!({ "parameters": [{ "name": "X-Some", "in": "header", "schema": schema }] }),
        ),
        Place::Body => (
            "post",
            json!({ "requestBody": { "content": { "application/json": { "schema": schema } } } }),
        ),
        Place::BodyProperty => (
            "put",
            body(&json!({ "type": "object", "required": ["p", "l"], "properties": {
            "p": schema,
            "o": schema,
            "l": { "type": "array", "items": schema },
            "m": { "type": "object", "additionalProperties": schema },
        } })),
        ),
        Place::Answer => ("get", answer(&schema)),
        Place::AnswerProperty => (
            "get",
            answer(&json!({ "type": "object", "required": ["p"], "properties": {
            "p": schema,
            "o": schema,
            "l": { "type": "array", "items": schema },
            "m": { "type": "object", "additionalProperties": schema },
        } })),
        ),
        Place::PageItem => {
            let mut operation = answer(&json!({ "type": "object", "properties": {
                "items": { "type": "array", "items": schema },
                "next_page_cursor": { "type": "string" },
            } }));
            operation["parameters"] = json!([
                { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
                { "name": "limit", "in": "query", "x-not-with-page-cursor": true, "schema": { "type": "integer" } },
            ]);
            ("get", operation)
        }
    };
    finished(id, format!("{} in {place:?}", feature.name), path, method, operation, others)
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

fn body(schema: &Value) -> Value {
    json!({ "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } } })
}

fn answer(schema: &Value) -> Value {
    json!({ "responses": { "200": { "description": "It.", "content": { "application/json": { "schema": schema } } } } })
}
