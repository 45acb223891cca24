//! Listings that are described with `x-pagination`, and listings that the generator infers without
//! it.

use serde_json::{Value, json};

use crate::script::{self, one_operation};

/// Returns a description of one operation with these parameters and these response properties.
fn described(parameters: &[(&str, Value)], properties: &Value, pagination: Option<Value>) -> Value {
    let mut description = one_operation();
    let operation = &mut description["paths"]["/v2/things"]["get"];
    let parameters = parameters.iter();
    let parameters =
        parameters.map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema }));
    operation["parameters"] = parameters.collect();
    operation["responses"]["200"]["content"]["application/json"]["schema"] =
        json!({ "type": "object", "properties": properties });
    if let Some(pagination) = pagination {
        operation["x-pagination"] = pagination;
    }
    description
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn things() -> Value {
    json!({ "type": "array", "items": { "$ref": "#/components/schemas/Thing" } })
}

#[test]
fn a_nested_cursor_and_nested_records_are_read_where_the_pointers_lead() {
    let meta = json!({ "type": "object", "required": ["a/b"], "properties": { "a/b": text() } });
    let data = json!({ "type": "object", "properties": { "rows": things() } });
    let stated = json!({ "cursor": "after", "next": "/meta/a~1b", "items": "/data/rows" });
    let description =
        described(&[("after", text())], &json!({ "meta": meta, "data": data }), Some(stated));

    let outcome = script::run(&description.to_string());

    assert_eq!((outcome.refusals, outcome.warnings), (vec![], vec![]));
    let made = outcome.generated.unwrap();
    assert!(made.contains(r#"cursor: "after""#), "{made}");
    assert!(made.contains("self.meta.as_ref().and_then(|it| it.a_b.as_deref())"), "{made}");
    assert!(made.contains("self.data.map(|it| it.rows).unwrap_or_default()"), "{made}");
}

#[test]
fn a_required_cursor_of_the_next_page_may_be_absent_null_or_empty() {
    let stated = json!({ "cursor": "after", "next": "/next" });
    for next in [text(), json!({ "type": "string", "nullable": true })] {
        let properties = json!({ "next": next, "rows": things() });
        let mut description = described(&[("after", text())], &properties, Some(stated.clone()));
        operation_schema(&mut description)["required"] = json!(["next"]);

        let made = script::run(&description.to_string()).generated.unwrap();

        assert!(made.contains("pub next: ::std::option::Option<::std::string::String>"), "{made}");
        assert!(made.contains("codegen::or_blank"), "{made}");
    }
}

#[test]
fn another_page_follows_only_while_a_stated_boolean_is_true() {
    let properties = json!({ "next": text(), "rows": things(), "has_more": { "type": "boolean" } });
    let stated = json!({ "cursor": "after", "next": "/next", "while": "/has_more" });
    let description = described(&[("after", text())], &properties, Some(stated));

    let made = script::run(&description.to_string()).generated.unwrap();

    let more = "self.has_more == Some(true)";
    assert!(made.contains(&format!("self.next.as_deref().filter(|_| {more})")), "{made}");
    assert!(made.contains(&format!("{more} && self.next.as_deref().is_none()")), "{made}");
}

#[test]
fn an_order_may_be_a_boolean_or_a_text() {
    let properties = json!({ "next": text(), "rows": things() });
    for (schema, ascending, descending) in [
        (json!({ "type": "boolean", "default": true }), json!(false), json!(true)),
        (json!({ "type": "string", "default": "-1" }), json!("1"), json!(-1)),
    ] {
        let order =
            json!({ "parameter": "back", "ascending": ascending, "descending": descending });
        let stated = json!({ "cursor": "after", "next": "/next", "order": order });
        let parameters = [("after", text()), ("back", schema)];

        let outcome = script::run(&described(&parameters, &properties, Some(stated)).to_string());

        let made = outcome.generated.unwrap_or_else(|| panic!("{:?}", outcome.refusals));
        assert!(made.contains("ascending_by_default: Some(false)"), "{made}");
    }
}

#[test]
fn a_plain_call_may_take_a_page_cursor() {
    let properties = json!({ "items": things(), "next_page_cursor": text() });
    let parameters = [("page_cursor", text())];

    let denied = script::run(&described(&parameters, &properties, Some(json!(false))).to_string());
    let plain = script::run(&described(&parameters, &json!({ "name": text() }), None).to_string());

    assert_eq!(denied.warnings, [""; 0]);
    for outcome in [denied, plain] {
        assert!(outcome.generated.unwrap().contains("listing: None"));
    }
}

#[test]
fn a_half_of_a_listing_is_a_warning_that_says_what_is_missing() {
    let number = || json!({ "type": "integer" });
    let page = json!({ "items": things(), "next_page_cursor": text() });
    let unstated = "describe it with `x-pagination`, or write `x-pagination: false`";
    for (parameter, properties, expected) in [
        (
            ("cursor", text()),
            json!({ "items": things() }),
            "looks like a listing: the operation takes `cursor`, but its response has no \
             `next_page_cursor`",
        ),
        (
            ("page", number()),
            json!({ "items": things(), "nextPageToken": text() }),
            "looks like a listing: the response has `nextPageToken`, but the operation takes no \
             `page_cursor`",
        ),
        (
            ("starting_after", text()),
            json!({ "data": things(), "has_more": { "type": "boolean" } }),
            "looks like a listing: the operation takes `starting_after`, and its response has \
             `has_more`",
        ),
        (
            ("page_cursor", number()),
            page.clone(),
            "looks like a listing, but the query parameter `page_cursor` must be a string without a \
             `format`",
        ),
        (
            ("page_cursor", text()),
            json!({ "rows": things(), "others": things(), "next_page_cursor": text() }),
            "looks like a listing, but the response has 2 arrays, and `items` doesn't name the one \
             with the records",
        ),
    ] {
        let outcome = script::run(&described(&[parameter], &properties, None).to_string());

        assert_eq!(outcome.warnings, [format!("readThing: {expected}; {unstated}")]);
        assert!(outcome.generated.unwrap().contains("listing: None"));
    }
}

#[test]
fn a_listing_that_only_half_bounds_its_time_is_a_warning() {
    let time = json!({ "type": "string", "format": "date-time" });
    let order = json!({ "type": "string", "enum": ["asc", "desc"] });
    let cursor = ("page_cursor", text());
    let properties = json!({ "items": things(), "next_page_cursor": text() });
    for (others, missing) in [
        (vec![("order", order.clone()), ("created_at.gte", time.clone())], "no `created_at.end`"),
        (vec![("order", order.clone()), ("created_at.lt", time.clone())], "no `created_at.begin`"),
        (
            vec![("order", order), ("since", time.clone())],
            "no `created_at.begin` and no `created_at.end`",
        ),
        (vec![("created_at.gte", time.clone())], "no `order` parameter that sorts by created_at"),
    ] {
        let name = others.last().unwrap().0;
        let parameters: Vec<_> = [cursor.clone()].into_iter().chain(others).collect();
        let mut description = described(&parameters, &properties, None);
        description["components"]["schemas"]["Thing"] = json!({ "type": "object",
            "required": ["created_at"], "properties": { "created_at": time } });

        let outcome = script::run(&description.to_string());

        assert_eq!(
            outcome.warnings,
            [format!(
                "readThing: can't be listed by time: the operation takes `{name}`, but has \
                 {missing}; \
                 describe it with `x-pagination`, or write `x-pagination: false`"
            )]
        );
        assert!(outcome.generated.unwrap().contains("time_range: None"));
    }
}

#[test]
fn an_extension_that_resembles_ours_is_a_warning_that_names_it() {
    let mut description = described(&[("a", text())], &json!({ "name": text() }), None);
    let operation = &mut description["paths"]["/v2/things"]["get"];
    operation["x-paginaton"] = json!({});
    operation["x-idempotent-post"] = json!(true);
    operation["x-internal"] = json!(true);
    operation["parameters"][0]["x-created-at-form"] = json!(true);
    description["components"]["schemas"]["Thing"] = json!({ "type": "string", "x-items": true,
        "enum": ["A"], "x-enum-varname": ["A"], "x-open-value": ["A"] });
    let properties = &mut operation_schema(&mut description)["properties"];
    properties["thing"] = json!({ "$ref": "#/components/schemas/Thing" });

    let outcome = script::run(&description.to_string());

    let thing = "readThing → responses → 200 → content → application/json → schema → thing → Thing";
    let ignored = "is ignored; did you mean";
    assert_eq!(
        outcome.warnings,
        [
            format!("readThing → x-paginaton: {ignored} `x-pagination`?"),
            format!("readThing → x-idempotent-post: {ignored} `x-idempotent`?"),
            format!("readThing → query a → x-created-at-form: {ignored} `x-pagination`?"),
            format!("{thing} → x-items: {ignored} `x-pagination`?"),
            format!("{thing} → x-enum-varname: {ignored} `x-enum-varnames`?"),
            format!("{thing} → x-open-value: {ignored} `x-open-values`?"),
        ]
    );
}

fn operation_schema(description: &mut Value) -> &mut Value {
    &mut description["paths"]["/v2/things"]["get"]["responses"]["200"]["content"]["application/json"]
        ["schema"]
}

#[test]
fn a_wrong_name_is_reported_at_its_own_line() {
    let yaml = "\
openapi: 3.0.3
info: { title: Things, version: '1' }
paths:
  /things:
    get:
      operationId: listThings
      x-pagination:
        cursor: after
        next: /meta/next
        time:
          property: made
      parameters:
        - { name: after, in: query, schema: { type: string } }
      responses:
        '200':
          description: Things.
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows: { type: array, items: { type: object, properties: { at: { type: string } } } }
";
    let refused = oas_client_build::generate(yaml, true).generated.unwrap_err();

    let places: Vec<_> = refused.iter().map(|finding| finding.place.unwrap()).collect();
    assert_eq!(places, [(9, 9), (11, 11)], "{refused:?}");
}
