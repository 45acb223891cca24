//! Changes that break an existing client.

use description_diff::{Change, Level};
use serde_json::json;

use super::{DESKS, Edit, FLOW, SALES, changes_of, description, position};

/// Each of these edits makes a breaking change that is called so.
fn assert_breaking(cases: Vec<(&str, Vec<Edit>)>) {
    for (expected, edits) in cases {
        let edits: Vec<_> = edits.iter().map(|(at, v)| (at.as_str(), v.clone())).collect();
        let changes = changes_of(&edits);

        let named = |change: &Change| {
            change.level == Level::Breaking && change.to_string().contains(expected)
        };
        assert!(changes.iter().any(named), "{expected}: {changes:#?}");
    }
}

#[test]
fn operations_and_responses_that_go_or_are_renamed_break() {
    let at = |path: &str, rest: &str| format!("{path}/get{rest}");

    assert_breaking(vec![
        ("operation listDesks was removed", vec![(DESKS.into(), None)]),
        (
            "operation addClerks was removed",
            vec![
                ("/paths/~1people".into(), description().pointer("/paths/~1clerks").cloned()),
                ("/paths/~1clerks".into(), None),
            ],
        ),
        (
            "GET /desks/{desk_id}/sales: is now GET /desks/{id}/sales",
            vec![
                ("/paths/~1desks~1{id}~1sales".into(), description().pointer(SALES).cloned()),
                ("/paths/~1desks~1{id}~1sales/get/parameters/0/name".into(), Some(json!("id"))),
                (SALES.into(), None),
                (
                    "/paths/~1seats".into(),
                    Some(json!({ "get": {
                    "operationId": "listSeats",
                    "responses": { "200": { "description": "Seats." } },
                } })),
                ),
            ],
        ),
        ("operation addClerks was removed", vec![("/paths/~1clerks/post".into(), None)]),
        (
            "operationId was \"listSales\", is \"getSales\"",
            vec![(at(SALES, "/operationId"), Some(json!("getSales")))],
        ),
        ("tags was", vec![(at(SALES, "/tags/0"), Some(json!("Sales")))]),
        ("GET /desks: response 4XX removed", vec![(at(DESKS, "/responses/4XX"), None)]),
        ("GET /desks: response default removed", vec![(at(DESKS, "/responses/default"), None)]),
    ]);
}

#[test]
fn less_of_a_schema_breaks() {
    assert_breaking(vec![
        (
            "field seat_id removed",
            vec![
                ("/components/schemas/Sale/properties/seat_id".into(), None),
                ("/components/schemas/Sale/required/2".into(), None),
            ],
        ),
        (
            "field metadata removed",
            vec![("/components/schemas/Desk/properties/metadata".into(), None)],
        ),
        (
            "field \"created_at\" is no longer required",
            vec![("/components/schemas/Desk/required/1".into(), None)],
        ),
        (
            "field \"roles\" is now required",
            vec![("/components/schemas/NewClerk/required/-".into(), Some(json!("roles")))],
        ),
        (
            "value \"STALLSRIGHT\" removed",
            vec![
                ("/components/schemas/Side/enum/1".into(), None),
                ("/components/schemas/Side/x-enum-varnames/1".into(), None),
            ],
        ),
        (
            "value \"STALLSRIGHT\" was named \"STALLS_RIGHT\", is \"RIGHT\"",
            vec![("/components/schemas/Side/x-enum-varnames/1".into(), Some(json!("RIGHT")))],
        ),
        (
            "schema types changed",
            vec![
                ("/components/schemas/Sale/properties/price/type".into(), Some(json!("number"))),
                ("/components/schemas/Sale/properties/price/example".into(), Some(json!(1))),
            ],
        ),
        (
            "format was \"uuid\", is nothing",
            vec![("/components/schemas/Sale/properties/id/format".into(), None)],
        ),
        (
            "minItems was 1, is 2",
            vec![(
                "/components/schemas/AddClerksRequest/properties/clerks/minItems".into(),
                Some(json!(2)),
            )],
        ),
        // A field may be called like a text.
        ("field title removed", vec![("/components/schemas/Clerk/properties/title".into(), None)]),
    ]);
}

#[test]
fn narrower_parameters_break() {
    let side = position("side", &format!("{SALES}/get/parameters"));
    let since = position("since", &format!("{SALES}/get/parameters"));
    let count = position("count", &format!("{SALES}/get/parameters"));
    let ids = position("ids", &format!("{DESKS}/get/parameters"));
    let at = |path: &str, rest: &str| format!("{path}/get{rest}");

    assert_breaking(vec![
        (
            "A new, required parameter 'row' was added",
            vec![(
                at(SALES, "/parameters/-"),
                Some(json!({
                    "name": "row", "in": "query", "required": true,
                    "schema": { "type": "string" }
                })),
            )],
        ),
        (
            "The parameter 'side' was removed",
            vec![(at(SALES, &format!("/parameters/{side}")), None)],
        ),
        (
            "maximum was 1000, is 500",
            vec![("/components/parameters/Limit/schema/maximum".into(), Some(json!(500)))],
        ),
        (
            "maximum was nothing, is 500",
            vec![(at(SALES, &format!("/parameters/{count}/schema/maximum")), Some(json!(500)))],
        ),
        (
            "default was 100, is 50",
            vec![("/components/parameters/Limit/schema/default".into(), Some(json!(50)))],
        ),
        (
            "maxItems was 100, is 50",
            vec![(at(DESKS, &format!("/parameters/{ids}/schema/maxItems")), Some(json!(50)))],
        ),
        (
            "parameter ids: explode was true, is false",
            vec![(at(DESKS, &format!("/parameters/{ids}/explode")), Some(json!(false)))],
        ),
        (
            "parameter since now forbidden beside a cursor",
            vec![(
                at(SALES, &format!("/parameters/{since}/x-not-with-page-cursor")),
                Some(json!(true)),
            )],
        ),
    ]);
}

#[test]
fn other_servers_tokens_and_scopes_break() {
    let at = |path: &str, rest: &str| format!("{path}/get{rest}");

    assert_breaking(vec![
        ("security was", vec![(at(SALES, "/security/0/oauth2"), Some(json!(["sales"])))]),
        (
            "tokenUrl was \"https://auth.example.com/token\", is \"https://id.example.com\"",
            vec![(format!("{FLOW}/tokenUrl"), Some(json!("https://id.example.com")))],
        ),
        (
            "securitySchemes: oauth2 removed",
            vec![("/components/securitySchemes/oauth2".into(), None)],
        ),
        ("scope sales:read removed", vec![(format!("{FLOW}/scopes/sales:read"), None)]),
        ("flow clientCredentials removed", vec![(FLOW.into(), None)]),
        (
            "https://{host}/v1 removed",
            vec![("/servers/0/url".into(), Some(json!("https://{host}/v2")))],
        ),
        ("https://test.example.com removed", vec![("/servers/1".into(), None)]),
        (
            "the variables of https://{host}/v1 changed",
            vec![("/servers/0/variables/host/default".into(), Some(json!("example.org")))],
        ),
        (
            "the first was https://{host}/v1, is https://test.example.com",
            vec![(
                "/servers".into(),
                Some(json!([
                    { "url": "https://test.example.com" },
                    { "url": "https://{host}/v1", "variables": { "host": { "default": "example.com" } } },
                ])),
            )],
        ),
    ]);
}

#[test]
fn what_nobody_has_read_yet_breaks() {
    let at = |path: &str, rest: &str| format!("{path}/get{rest}");

    assert_breaking(vec![
        (
            "/paths//desks/parameters: something else changed",
            vec![("/paths/~1desks/parameters".into(), Some(json!([])))],
        ),
        (
            "/clientCredentials/refreshUrl: something else changed",
            vec![(format!("{FLOW}/refreshUrl"), Some(json!("https://id.example.com")))],
        ),
        (
            "/paths//desks/get/x-cache: something else changed",
            vec![(at(DESKS, "/x-cache"), Some(json!(true)))],
        ),
        (
            "/paths//desks/get/responses/200/headers: something else changed",
            vec![(
                at(DESKS, "/responses/200/headers"),
                Some(json!({ "ETag": { "schema": { "type": "string" } } })),
            )],
        ),
        (
            "/paths//desks/get/x-cache: something else changed",
            vec![
                (at(DESKS, "/x-cache"), Some(json!(true))),
                (
                    at(DESKS, "/parameters/-"),
                    Some(json!({ "name": "q", "in": "query", "schema": { "type": "string" } })),
                ),
            ],
        ),
        // Beside another change, whatever that means.
        (
            "/security: something else changed",
            vec![
                ("/security".into(), Some(json!([]))),
                (
                    "/components/schemas/Desk/properties/memo".into(),
                    Some(json!({ "type": "string" })),
                ),
            ],
        ),
    ]);
}
