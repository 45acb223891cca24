//! Errors in `x-pagination`: wrong keywords, and names that don't exist or have another type.

use serde_json::{Value, json};

use super::Case;

#[allow(clippy::too_many_lines, reason = "a list of cases")]
pub(super) fn all() -> Vec<Case> {
    let cases = [
        (json!(true), "", "must be an object or `false`"),
        (json!({ "cursor": "after" }), "", "needs `next`"),
        (
            stated(&json!({ "cursr": "a" })),
            "cursr",
            "is not a keyword of `x-pagination`; did you mean `cursor`?",
        ),
        (stated(&json!({ "size": 3 })), "size", "is not a string"),
        (stated(&json!({ "cursor": "befor" })), "cursor", "there is no query parameter `befor`"),
        (
            stated(&json!({ "cursor": "since" })),
            "cursor",
            "the query parameter `since` must be a string without a `format`, or an integer",
        ),
        (
            stated(&json!({ "cursor": "must" })),
            "cursor",
            "the query parameter `must` is required, but the first request has no cursor",
        ),
        (
            stated(&json!({ "next": "/meta/nxt" })),
            "next",
            "`/meta/nxt` points to nothing: there is no `nxt`",
        ),
        (
            stated(&json!({ "next": "/rows/next" })),
            "next",
            "`/rows/next` points into an array, which isn't supported",
        ),
        (
            stated(&json!({ "next": "meta.next" })),
            "next",
            "`meta.next` is not a JSON pointer, which must begin with `/`: a cursor in a response \
             header isn't supported",
        ),
        (
            stated(&json!({ "next": "/meta/more" })),
            "next",
            "`/meta/more` is neither a string nor an integer",
        ),
        (
            stated(&json!({ "next": "/meta/url" })),
            "next",
            "`/meta/url` is a URL: the URL of a next page isn't supported",
        ),
        (
            stated(&json!({ "cursor": "count" })),
            "next",
            "`/meta/next` is a string, but the cursor's query parameter is an integer",
        ),
        (
            stated(&json!({ "next": 1 })),
            "next",
            "is not a JSON pointer, or an object with a JSON pointer in `last`",
        ),
        (stated(&json!({ "next": {}, "end": "/meta/more" })), "next", "needs `last`"),
        (
            stated(&json!({ "next": { "last": "/name" } })),
            "next → last",
            "needs `while` or `end` next to `next`",
        ),
        (
            stated(&json!({ "next": { "last": "/id" }, "end": "/meta/more" })),
            "next → last",
            "`/id` points to nothing: there is no `id`",
        ),
        (
            stated(&json!({ "next": { "last": "/at" }, "end": "/meta/more" })),
            "next → last",
            "`/at` has a `format`, but a cursor must be a plain string",
        ),
        (
            stated(&json!({ "end": "/meta/more", "while": "/meta/more" })),
            "end",
            "can't be combined with `while`",
        ),
        (stated(&json!({ "end": "/meta/next" })), "end", "`/meta/next` is not a boolean"),
        (json!({ "page": "count" }), "page", "isn't supported: a page number is not a cursor"),
        (json!({ "offset": "count" }), "offset", "isn't supported: an offset is not a cursor"),
        (
            stated(&json!({ "next": { "link": "next" } })),
            "next → link",
            "isn't supported: the client doesn't read `Link` headers",
        ),
        (
            stated(&json!({ "next": { "header": "X-Next" } })),
            "next → header",
            "isn't supported: the client doesn't read cursors from response headers",
        ),
        (
            stated(&json!({ "next": { "url": "/meta/url" } })),
            "next → url",
            "isn't supported: the client doesn't follow the URL of a next page",
        ),
        (
            stated(&json!({ "cursor": "X-Cursor" })),
            "cursor",
            "`X-Cursor` is in a header: a cursor that isn't in the query isn't supported",
        ),
        (
            stated(&json!({ "items": "/keyed" })),
            "items",
            "`/keyed` is a map: records by key aren't supported",
        ),
        (
            stated(&json!({ "next": "/meta/page" })),
            "next",
            "`/meta/page` has a `format`, but a cursor must be a plain string",
        ),
        (stated(&json!({ "items": "/meta" })), "items", "`/meta` is not an array"),
        (stated(&json!({ "items": "/nulls" })), "items", "a record in `/nulls` can be null"),
        (stated(&json!({ "size": "limit" })), "size", "there is no query parameter `limit`"),
        (
            stated(&json!({ "size": "after" })),
            "size",
            "the query parameter `after` is not an integer",
        ),
        (stated(&json!({ "while": "/meta/next" })), "while", "`/meta/next` is not a boolean"),
        (
            stated(&json!({ "order": { "parameter": "sort", "ascending": "up" } })),
            "order",
            "needs `descending`",
        ),
        (
            stated(&json!({ "order": order("order", "up", "down") })),
            "order → parameter",
            "there is no query parameter `order`",
        ),
        (
            stated(&json!({ "order": order("sort", "up", "dwn") })),
            "order → descending",
            "`dwn` is not a value of the query parameter `sort`",
        ),
        (
            stated(&json!({ "order": order("sort", "up", "up") })),
            "order → descending",
            "is the same as `ascending`",
        ),
        (
            stated(
                &json!({ "order": { "parameter": "sort", "ascending": "up", "descending": "down",
                "by": { "parameter": "key", "time": "TIME" } } }),
            ),
            "order → by → parameter",
            "there is no query parameter `key`",
        ),
        (stated(&json!({ "time": {} })), "time", "needs `property`"),
        (
            stated(&json!({ "time": { "property": "made" } })),
            "time → property",
            "a record has no property `made`",
        ),
        (
            stated(&json!({ "time": { "property": "name" } })),
            "time → property",
            "`name` is not a `date-time`",
        ),
        (
            stated(&timed("since", "after")),
            "time → until",
            "the query parameter `after` is not a `date-time`",
        ),
        (stated(&timed("sinc", "till")), "time → from", "there is no query parameter `sinc`"),
        (
            stated(&json!({ "time": timed("since", "till")["time"], "order": null })),
            "order",
            "is not an object",
        ),
        (
            stated(&json!({ "not-with-cursor": ["limit"] })),
            "not-with-cursor",
            "there is no query parameter `limit`",
        ),
        (
            stated(&json!({ "not-with-cursor": ["after"] })),
            "not-with-cursor",
            "`after` is the cursor itself",
        ),
        (
            stated(&json!({ "not-with-cursor": ["must"] })),
            "not-with-cursor",
            "`must` is required, so it can't be omitted with a cursor",
        ),
    ];
    let mut all: Vec<_> = cases
        .iter()
        .map(|(pagination, at, reason)| {
            let step = if at.is_empty() { String::new() } else { format!(" → {at}") };
            case(&listing(pagination), &format!("listThings → x-pagination{step}: {reason}"))
        })
        .collect();
    let unordered = without_order();
    let reason = "time bounds need an `order`";
    all.push(case(&unordered, &format!("listThings → x-pagination → time → from: {reason}")));
    let mut several = listing(&json!({ "cursor": "after", "next": "/meta/next" }));
    all.push(case(
        &several,
        "listThings → x-pagination → items: the response has 2 arrays, and `items` doesn't name the \
         one with the records",
    ));
    several["responses"]["204"] = json!({ "description": "No things." });
    let reason = "the response can be empty or null";
    all.push(case(&several, &format!("listThings → x-pagination → next: {reason}")));
    several["x-idempotent"] = json!("yes");
    let reason = "is not a boolean";
    all.push(case(&several, &format!("listThings → x-idempotent: {reason}")));
    several["x-idempotent"] = json!(true);
    let in_parameter = json!({ "name": "a", "in": "query", "schema": {}, "x-pagination": {} });
    several["parameters"] = json!([in_parameter]);
    let reason = "belongs in an operation, not in a parameter";
    all.push(case(&several, &format!("listThings → query a → x-pagination: {reason}")));
    all
}

/// Returns a listing whose only error is the cursor in its page.
pub(super) fn with_a_wrong_cursor() -> Value {
    let mut listing = listing(&stated(&json!({ "next": "/meta/page" })));
    listing["responses"]["200"]["content"]["application/json"]["schema"]["properties"]["things"] =
        json!({ "type": "array", "items": { "$ref": "#/components/schemas/Thing" } });
    listing
}

fn case(listing: &Value, refused: &str) -> Case {
    let set = json!({ "/v2/rows": { "get": listing } });
    Case { place: "/paths".into(), set, refused: refused.into() }
}

fn order(parameter: &str, ascending: &str, descending: &str) -> Value {
    json!({ "parameter": parameter, "ascending": ascending, "descending": descending })
}

fn timed(from: &str, until: &str) -> Value {
    let time = json!({ "property": "at", "from": from, "until": until, "inclusive": false });
    json!({ "time": time, "order": order("sort", "up", "down") })
}

fn without_order() -> Value {
    listing(&stated(&json!({ "time": timed("since", "till")["time"] })))
}

/// Returns a valid `x-pagination` with some keywords changed.
fn stated(changed: &Value) -> Value {
    let mut stated = json!({ "cursor": "after", "next": "/meta/next", "items": "/rows" });
    stated.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    stated
}

/// Returns a listing with this `x-pagination`.
pub(super) fn listing(pagination: &Value) -> Value {
    let time = json!({ "type": "string", "format": "date-time" });
    let row =
        json!({ "type": "object", "properties": { "at": time, "name": { "type": "string" } } });
    let query =
        |name: &str, schema: Value| json!({ "name": name, "in": "query", "schema": schema });
    let mut must = query("must", json!({ "type": "string" }));
    must["required"] = true.into();
    json!({
        "operationId": "listThings",
        "x-pagination": pagination,
        "parameters": [
            query("after", json!({ "type": "string" })),
            query("count", json!({ "type": "integer" })),
            query("sort", json!({ "type": "string", "enum": ["up", "down"] })),
            query("since", time.clone()),
            query("till", time.clone()),
            must,
            { "name": "X-Cursor", "in": "header", "schema": { "type": "string" } },
        ],
        "responses": { "200": { "description": "Things.", "content": { "application/json": {
            "schema": { "type": "object", "properties": {
                "rows": { "type": "array", "items": row },
                "nulls": { "type": "array", "items": { "type": "integer", "nullable": true } },
                "keyed": { "type": "object", "additionalProperties": row },
                "meta": { "type": "object", "properties": {
                    "next": { "type": "string" },
                    "page": { "type": "string", "format": "uuid" },
                    "url": { "type": "string", "format": "uri" },
                    "more": { "type": "boolean" },
                } },
            } },
        } } } },
    })
}
