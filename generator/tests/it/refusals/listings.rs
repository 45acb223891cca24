//! Listings whose answers can't be read page by page, each with the line that refuses it.

use serde_json::{Value, json};

use super::Case;

pub(super) fn all() -> Vec<Case> {
    let items = json!({ "$ref": "#/components/schemas/Thing" });
    let cursor = json!({ "type": "string" });
    let null = json!({ "nullable": true, "allOf": [items] });
    let mut or_nothing = page(&items, &cursor);
    or_nothing["responses"]["204"] = json!({ "description": "No things." });
    let mut or_null = page(&items, &cursor);
    or_null["responses"]["200"]["content"]["application/json"]["schema"]["nullable"] = true.into();
    let mut two_arrays = page(&items, &cursor);
    let schema = &mut two_arrays["responses"]["200"]["content"]["application/json"]["schema"];
    schema["properties"]["others"] = json!({ "type": "array", "items": items });
    let time = json!({ "type": "string", "format": "date-time", "x-created-at": true });
    let times = json!({ "type": "object", "properties": { "at": time, "on": time } });
    let at = json!({ "type": "string", "format": "date-time" });
    let mut twice = marked("query", "x-created-at-until", &at);
    let mut other = twice["parameters"][1].clone();
    other["name"] = "from".into();
    twice["parameters"].as_array_mut().unwrap().push(other.clone());
    let first = "the first page has no cursor, and each other has one";
    let (mut required, mut left_out) = (page(&items, &cursor), page(&items, &cursor));
    required["parameters"][0]["required"] = true.into();
    left_out["parameters"][0]["x-not-with-page-cursor"] = true.into();
    let mut unordered = marked("query", "x-created-at-from", &at);
    unordered["parameters"].as_array_mut().unwrap().push(other);
    let dated = json!({ "type": "object", "properties": { "at": time } });
    let mut ordered = unordered.clone();
    let schema = &mut unordered["responses"]["200"]["content"]["application/json"]["schema"];
    schema["properties"]["rows"]["items"] = dated;
    let order = json!({ "name": "order", "in": "query",
        "schema": { "type": "string", "enum": ["asc", "desc"] } });
    ordered["parameters"].as_array_mut().unwrap().push(order);
    let mut in_header = marked("query", "x-created-at-from", &at);
    in_header["parameters"][0]["in"] = "header".into();
    vec![
        case(&or_nothing, "listThings → responses: a listing's answer can't be empty or null"),
        case(&or_null, "listThings → responses: a listing's answer can't be empty or null"),
        case(
            &two_arrays,
            "listThings → responses → ListThingsResponse: has 2 arrays, of which `x-items: true` marks none",
        ),
        case(
            &page(&null, &cursor),
            "listThings → responses → ListThingsResponse → rows: a listing's records can't be null",
        ),
        case(
            &page(&json!({ "type": "array", "nullable": true, "items": items }), &cursor),
            "listThings → responses → ListThingsResponse → rows: a listing's records can't be null",
        ),
        case(
            &page(&times, &cursor),
            "listThings → responses → ListThingsResponseRowsItem: `x-created-at: true` marks several of its properties",
        ),
        case(
            &page(&items, &json!({ "type": "string", "format": "uuid" })),
            "listThings → responses → ListThingsResponse → next_page_cursor: has a format, but a cursor is any text",
        ),
        case(
            &marked("query", "x-created-at-from", &json!({ "type": "string" })),
            "listThings → query since → x-created-at-from: is only allowed on a `date-time` in the query",
        ),
        case(
            &marked("header", "x-created-at-until", &at),
            "listThings → header since → x-created-at-until: is only allowed on a `date-time` in the query",
        ),
        case(
            &marked("query", "x-created-at-from", &at),
            "listThings → query since → x-created-at-from: no parameter is the other end of the time range",
        ),
        case(
            &twice,
            "listThings → query from → x-created-at-until: marks another parameter as well",
        ),
        case(
            &unordered,
            "listThings → query since → x-created-at-from: the listing can't be ordered by time",
        ),
        case(
            &ordered,
            "listThings → query since → x-created-at-from: no time is one that every record has",
        ),
        case(&required, &format!("listThings → query page_cursor → required: {first}")),
        case(
            &left_out,
            &format!("listThings → query page_cursor → x-not-with-page-cursor: {first}"),
        ),
        case(
            &in_header,
            "listThings → query since → x-created-at-from: the operation is not a listing: it takes no `page_cursor`",
        ),
        case(
            &marked("header", "x-not-with-page-cursor", &json!({ "type": "string" })),
            "listThings → header since → x-not-with-page-cursor: is only allowed on a parameter in the query",
        ),
    ]
}

/// A listing that is refused for its page alone.
pub(super) fn with_a_wrong_cursor() -> Value {
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    page(&thing, &json!({ "type": "string", "format": "uuid" }))
}

fn case(listing: &Value, refused: &str) -> Case {
    let set = json!({ "/v2/rows": { "get": listing } });
    Case { place: "/paths".into(), set, refused: refused.into() }
}

fn page(items: &Value, cursor: &Value) -> Value {
    json!({
        "operationId": "listThings",
        "parameters": [{ "name": "page_cursor", "in": "query", "schema": { "type": "string" } }],
        "responses": { "200": { "description": "Things.", "content": { "application/json": {
            "schema": { "type": "object", "properties": {
                "rows": { "type": "array", "items": items }, "next_page_cursor": cursor,
            } },
        } } } },
    })
}

/// A listing with a parameter that has an extension.
fn marked(place: &str, mark: &str, schema: &Value) -> Value {
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    let mut listing = page(&thing, &json!({ "type": "string" }));
    let marked = json!({ "name": "since", "in": place, "schema": schema, mark: true });
    listing["parameters"].as_array_mut().unwrap().push(marked);
    listing
}
