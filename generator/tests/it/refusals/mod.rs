//! Each error is one line: the operation, the path to the faulty part of the OpenAPI description,
//! and the reason.

mod listings;
mod warnings;

use serde_json::{Value, json};

use crate::script::{one_operation, run};

/// A change to a supported description, and the error.
struct Case {
    place: String,
    set: Value,
    refused: String,
}

/// Returns the cases in `cases.yaml`.
fn cases() -> Vec<Case> {
    let cases: Value = serde_saphyr::from_str(include_str!("cases.yaml")).unwrap();
    let refused = |case: &Value| case["refused"].as_str().unwrap().to_owned();
    let mut found = Vec::new();
    for (place, statements) in cases["set"].as_object().unwrap() {
        for case in statements.as_array().unwrap() {
            let (place, set) = (place.clone(), case["set"].clone());
            found.push(Case { place, set, refused: refused(case) });
        }
    }
    for case in cases["sent"].as_array().unwrap() {
        let set = json!({ "put": sent(&case["schema"]) });
        found.push(Case { place: "/paths/~1v2~1things".into(), set, refused: refused(case) });
    }
    found
}

/// Returns an operation whose request body has this schema.
fn sent(schema: &Value) -> Value {
    json!({
        "operationId": "replaceThing",
        "security": [],
        "requestBody": { "content": { "application/json": { "schema": schema } } },
        "responses": { "204": {} },
    })
}

#[test]
fn each_refusal_names_the_operation_the_place_and_the_reason() {
    let mut wrong = Vec::new();
    for Case { place, set, refused } in cases().into_iter().chain(listings::all()) {
        let mut description = one_operation();
        let object = description.pointer_mut(&place).unwrap().as_object_mut().unwrap();
        object.extend(set.as_object().unwrap().clone());

        let outcome = run(&description.to_string());

        if outcome.refusals != [refused.as_str()] || outcome.generated.is_some() {
            wrong.push(format!("expected {refused}\n   found {:#?}", outcome.refusals));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_errors_are_reported_and_those_in_a_shared_component_once() {
    let mut description = one_operation();
    let paths = description["paths"].as_object_mut().unwrap();
    let mut other = paths["/v2/things"].clone();
    other["get"]["operationId"] = json!("readOther");
    other["get"]["servers"] = json!([{ "url": "/" }]);
    paths.insert("/v2/others".into(), other);
    description["paths"]["/v2/things"]["get"]["deprecatd"] = json!(true);
    description["components"]["schemas"]["Thing"]["maxProperty"] = json!(1);

    let outcome = run(&description.to_string());

    let mut starts: Vec<_> =
        outcome.refusals.iter().map(|line| line.split(':').next().unwrap()).collect();
    starts.sort_unstable();
    assert_eq!(
        starts,
        [
            "readOther → servers",
            "readThing → deprecatd",
            "readThing → responses → 200 → content → application/json → schema → Thing → maxProperty",
        ]
    );
}

#[test]
fn a_security_scheme_that_is_not_supported_is_reported_once() {
    let mut description = one_operation();
    description["components"]["securitySchemes"]["oauth2"] =
        json!({ "type": "http", "scheme": "digest" });
    for name in ["others", "more"] {
        let mut item = description["paths"]["/v2/things"].clone();
        item["get"]["operationId"] = json!(format!("list-{name}"));
        description["paths"][format!("/v2/{name}")] = item;
    }

    let outcome = run(&description.to_string());

    assert_eq!(
        outcome.refusals,
        ["readThing → security[0] → oauth2: HTTP authentication with `digest` isn't supported: \
          remove it from `security`, and let an `http_service` of your program authenticate the \
          requests"]
    );
}

#[test]
fn errors_of_keywords_and_of_listings_are_reported_together() {
    let mut description = one_operation();
    let listing = listings::with_a_wrong_cursor();
    description["paths"]["/v2/rows"] = json!({ "get": listing });
    description["paths"]["/v2/things"]["get"]["deprecatd"] = json!(true);
    description["webhooks"] = json!({});

    let outcome = run(&description.to_string());

    assert_eq!(
        outcome.refusals,
        [
            "document → webhooks: is OpenAPI 3.1 syntax: remove `webhooks`, because the client can't \
             receive requests",
            "readThing → deprecatd: is not a keyword of an operation in OpenAPI 3.0; did you mean \
             `deprecated`?",
            "listThings → x-pagination → next: `/meta/page` has a `format`, but a cursor must be a \
             plain string",
        ]
    );
}

#[test]
fn an_operation_is_refused_once_for_one_cause() {
    let wrong = json!({ "get": listings::with_a_wrong_cursor() });
    let mut with_a_typo = wrong.clone();
    with_a_typo["get"]["deprecatd"] = json!(true);
    let mut of_a_wrong_path = wrong.clone();
    of_a_wrong_path["servers"] = json!([{ "url": "/" }]);
    // The error is in a component. It is reported only for the first operation, but neither
    // operation is supported.
    let mut of_a_wrong_component = wrong;
    let content = &mut of_a_wrong_component["get"]["responses"]["200"]["content"];
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    content["application/json"]["schema"]["properties"]["first"] = thing;

    for (item, start) in [
        (with_a_typo, "listThings → deprecatd: "),
        (of_a_wrong_path, "listThings → /v2/rows → servers: "),
        (of_a_wrong_component, "readThing → responses → 200 → "),
    ] {
        let mut description = one_operation();
        if start.starts_with("readThing") {
            description["components"]["schemas"]["Thing"]["maxProperty"] = json!(1);
        }
        description["paths"]["/v2/rows"] = item;

        let outcome = run(&description.to_string());

        assert_eq!(outcome.refusals.len(), 1, "{:#?}", outcome.refusals);
        assert!(outcome.refusals[0].starts_with(start), "{:#?}", outcome.refusals);
    }
}

#[test]
fn all_errors_of_an_operation_are_reported_together() {
    let mut description = one_operation();
    let part = |kind: &str| json!({ "properties": { "name": { "type": kind } } });
    let parts = json!({ "allOf": [part("string"), part("integer")] });
    let mut listing = listings::with_a_wrong_cursor();
    listing["x-pagination"].as_object_mut().unwrap().remove("items");
    description["paths"]["/v2/rows"] = json!({ "get": listing });
    let operation = sent(&parts);
    description["paths"]["/v2/things"]["put"] = operation.clone();
    description["paths"]["/v2/things"]["put"]["responses"]["200"] =
        operation["requestBody"].clone();

    let outcome = run(&description.to_string());

    let stated = "listThings → x-pagination";
    let arrays = "the response has 3 arrays, and `items` doesn't name the one with the records";
    assert_eq!(
        outcome.refusals,
        [
            "replaceThing → schemas: the parts of `allOf` have different values of `type`",
            &format!("{stated} → items: {arrays}"),
            &format!(
                "{stated} → next: `/meta/page` has a `format`, but a cursor must be a plain string"
            ),
        ]
    );
}

#[test]
fn each_operation_that_leads_to_a_schema_that_contradicts_itself_is_refused_for_that() {
    let mut description = one_operation();
    let part = |kind: &str| json!({ "properties": { "name": { "type": kind } } });
    description["components"]["schemas"]["Thing"] =
        json!({ "allOf": [part("string"), part("integer")] });
    let mut listing = description["paths"]["/v2/things"].clone();
    listing["get"]["operationId"] = json!("listThings");
    listing["get"]["parameters"] =
        json!([{ "name": "page_cursor", "in": "query", "schema": { "type": "string" } }]);
    description["paths"]["/v2/lists"] = listing;

    let outcome = run(&description.to_string());

    let reason = "schemas: the parts of `allOf` have different values of `type`";
    let lines = ["readThing", "listThings"].map(|id| format!("{id} → {reason}"));
    assert_eq!(outcome.refusals, lines);
}

#[test]
fn a_line_of_a_refusal_stays_one_line() {
    let mut description = one_operation();
    description["paths"]["/v2/things"]["get"]["operationId"] = json!("read\ncargo::error=Thing");
    description["paths"]["/v2/things"]["get"]["x\ny"] = json!(1);
    let mut listing = listings::with_a_wrong_cursor();
    listing["operationId"] = json!("list\ncargo::error=Things");
    description["paths"]["/v2/rows"] = json!({ "get": listing });

    let outcome = run(&description.to_string());

    assert_eq!(outcome.refusals.len(), 2, "{outcome:?}");
    assert!(outcome.refusals.iter().all(|line| !line.contains('\n')), "{outcome:?}");
}

#[test]
fn a_required_name_is_no_key_of_a_map_where_another_part_has_the_property() {
    let mut description = one_operation();
    let part = json!({ "type": "object", "required": ["name"] });
    description["components"]["schemas"]["Named"] = part.clone();
    let whole = json!({ "allOf": [
        part,
        { "$ref": "#/components/schemas/Named" },
        { "$ref": "#/components/schemas/Thing" },
    ] });
    description["paths"]["/v2/things"]["put"] = sent(&whole);

    let outcome = run(&description.to_string());

    assert_eq!(outcome.refusals, [""; 0]);
}

#[test]
fn a_statement_beside_a_reference_is_refused_and_a_text_is_a_warning() {
    let mut description = one_operation();
    let refer = |section: &str, name: &str| format!("#/components/{section}/{name}");
    let operation = &mut description["paths"]["/v2/things"]["get"];
    let size = operation["parameters"][0].take();
    operation["parameters"][0] = json!({ "$ref": refer("parameters", "Alias"), "x-a": 1 });
    operation["responses"]["4XX"] =
        json!({ "$ref": refer("responses", "Error"), "description": "No.", "content": {} });
    let components = description["components"].as_object_mut().unwrap();
    let alias = json!({ "$ref": refer("parameters", "Size"), "required": true });
    components.insert("parameters".into(), json!({ "Alias": alias, "Size": size }));
    components.insert("responses".into(), json!({ "Error": { "description": "An error." } }));
    let body = json!({ "$ref": refer("requestBodies", "Thing"), "required": true });
    let content = sent(&json!({ "type": "string" }))["requestBody"].take();
    components.insert("requestBodies".into(), json!({ "Thing": content }));
    description["paths"]["/v2/things"]["put"] = sent(&json!({}));
    description["paths"]["/v2/things"]["put"]["requestBody"] = body;

    let outcome = run(&description.to_string());

    let reason = "is next to `$ref`, where OpenAPI 3.0 ignores it";
    let lines = |places: &[&str]| places.iter().map(|at| format!("{at}: {reason}")).collect();
    let refused: Vec<String> = lines(&[
        "readThing → query size → x-a",
        "readThing → query size → Alias → required",
        "readThing → responses → 4XX → content",
        "replaceThing → requestBody → required",
    ]);
    assert_eq!(outcome.refusals, refused);
    let warned: Vec<String> = lines(&["readThing → responses → 4XX → description"]);
    assert_eq!(outcome.warnings, warned);
}

#[test]
fn a_document_without_a_version_that_is_served_says_why() {
    let only = "but only OpenAPI 3.0 is supported";
    for (document, found) in [
        ("", "the document is empty, "),
        ("paths: {}", "the document states no version, "),
        ("openapi: 3.0", "the document states version 3.0, which isn't a string, "),
        ("openapi: 3.1.0", "the document states version 3.1.0, "),
        ("swagger: '2.0'", "the document states version 2.0, "),
    ] {
        assert_eq!(run(document).refusals, [format!("openapi: {found}{only}")]);
    }
}
