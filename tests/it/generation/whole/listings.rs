//! Listings, in every shape that a page, an order and a filter of times can have.

use serde_json::{Map, Value, json};

use super::{
    description::{IDS, path_parameter, query},
    records,
    resources::Resource,
};

pub(super) const SHAPES: usize = 7;

const NEXT: &str = "MjAyNS0wNi0wMVQxMjowMDowMFo";

/// The records of a kind.
pub(super) fn all(number: usize, resource: &Resource) -> Value {
    let Resource { one, many, .. } = resource;
    let status = json!({ "$ref": format!("#/components/schemas/{one}Status") });
    let mut parameters = vec![
        query("status", &status, &json!("SETTLED")),
        query("statuses", &array(&status), &json!(["CREATED", "SETTLED"])),
        query("ids", &array(&json!({ "type": "string", "format": "uuid" })), &json!(IDS)),
        shared("PageCursor"),
    ];
    parameters.extend(of_shape(number % SHAPES));
    let page = |records: &[Value]| page(number % SHAPES, records);
    listing(
        &format!("list{many}"),
        &resource.scope("read"),
        &parameters,
        &json!({ "$ref": format!("#/components/schemas/{one}Page") }),
        [page(&[records::record(number, IDS[0])]), page(&[records::record(number, IDS[1])])],
    )
}

/// What happened to a record: two pages, of which the first is empty.
pub(super) fn events(number: usize, resource: &Resource) -> Value {
    let Resource { one, .. } = resource;
    let time = json!({ "type": "string", "format": "date-time" });
    let mut limit = query("limit", &json!({ "type": "integer", "format": "int32" }), &json!(100));
    limit["x-not-with-page-cursor"] = json!(true);
    let parameters = vec![
        path_parameter(&resource.id(), "Whose events."),
        query("created_at.begin", &time, &json!("2025-01-01T00:00:00Z")),
        query("created_at.end", &time, &json!("2025-12-31T23:59:59.5Z")),
        query(
            "amount",
            &json!({ "type": "number", "minimum": 0, "multipleOf": 0.25 }),
            &json!(1.75),
        ),
        limit,
        shared("SortDirection"),
        shared("SortKey"),
        shared("PageCursor"),
    ];
    let event = json!({ "id": IDS[1], "kind": number, "created_at": "2025-06-01T12:00:00Z" });
    listing(
        &format!("list{one}Events"),
        &resource.scope("read"),
        &parameters,
        &json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "total_count": { "type": "integer", "format": "int32" },
                "items": { "type": "array", "items": { "$ref": format!("#/components/schemas/{one}Event") } },
                "next_page_cursor": { "type": "string", "nullable": true },
            },
        }),
        [json!({ "items": [] }), json!({ "total_count": 1, "items": [event] })],
    )
}

fn listing(
    id: &str,
    scope: &str,
    parameters: &[Value],
    schema: &Value,
    [mut first, last]: [Value; 2],
) -> Value {
    first["next_page_cursor"] = json!(NEXT);
    let examples = json!({ "page": { "value": first }, "last_page": { "value": last } });
    let content = json!({ "application/json": { "schema": schema, "examples": examples } });
    json!({
        "operationId": id,
        "security": [{ "oauth2": [scope] }],
        "parameters": parameters,
        "responses": { "200": { "description": "A page.", "content": content } },
    })
}

fn array(items: &Value) -> Value {
    json!({ "type": "array", "maxItems": 100, "items": items })
}

/// A parameter of `openapi.yaml`.
fn shared(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// What a listing takes beside its filters.
fn of_shape(shape: usize) -> Vec<Value> {
    let time = json!({ "type": "string", "format": "date-time" });
    let at =
        |name: &str, hour: &str| query(name, &time, &json!(format!("2025-01-01T{hour}:00:00Z")));
    let marked = |name: &str, hour: &str, mark: &str| {
        let mut parameter = at(name, hour);
        parameter[mark] = json!(true);
        parameter
    };
    let small = json!({ "type": "string", "enum": ["asc", "desc"], "default": "asc" });
    match shape {
        0 => vec![
            shared("Limit"),
            shared("SortDirection"),
            shared("SortKey"),
            at("created_at.lt", "05"),
            at("created_at.lte", "04"),
            at("created_at.gte", "02"),
            at("created_at.gt", "01"),
        ],
        1 => vec![shared("Limit"), shared("SortDirection")],
        2 => vec![
            query("order", &small, &json!("desc")),
            at("created_at.gte", "01"),
            at("created_at.lt", "02"),
        ],
        3 => vec![at("created_at.gte", "01"), at("created_at.lte", "02")],
        4 => vec![
            shared("Limit"),
            shared("SortDirection"),
            marked("since", "01", "x-created-at-from"),
            marked("till", "02", "x-created-at-until"),
        ],
        5 => vec![query(
            "days",
            &json!({ "type": "array", "maxItems": 5, "uniqueItems": true, "items": { "type": "string", "format": "date" } }),
            &json!(["2025-01-01", "2025-01-02"]),
        )],
        _ => vec![shared("Limit"), query("is_active", &json!({ "type": "boolean" }), &json!(true))],
    }
}

/// The name of the array that holds the records of a page.
fn array_name(shape: usize) -> &'static str {
    match shape {
        1 => "addresses",
        4 => "records",
        _ => "items",
    }
}

fn page(shape: usize, records: &[Value]) -> Value {
    let mut page = json!({ array_name(shape): records });
    match shape {
        0 => page["total_count"] = json!(2),
        4 => page["warnings"] = json!(["slow"]),
        5 => page["ids"] = json!(["a"]),
        _ => {}
    }
    page
}

/// The properties of a page, and which of them are required.
pub(super) fn page_schema(shape: usize, record: &Value) -> Value {
    let name = array_name(shape);
    let mut properties = Map::new();
    let mut records =
        json!({ "type": "array", "description": "The records of this page.", "items": record });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    match shape {
        0 => {
            properties
                .insert("total_count".into(), json!({ "type": "integer", "format": "int32" }));
        }
        4 => {
            records["x-items"] = json!(true);
            properties.insert("warnings".into(), texts);
        }
        // Told apart by the name `items`.
        5 => {
            properties.insert("ids".into(), texts);
        }
        _ => {}
    }
    properties.insert(name.into(), records);
    properties
        .insert("next_page_cursor".into(), json!({ "type": "string", "nullable": shape == 2 }));
    let required = if shape == 6 { json!([]) } else { json!([name]) };
    json!({
        "type": "object", "additionalProperties": true, "description": "A page.",
        "required": required, "properties": properties,
    })
}
