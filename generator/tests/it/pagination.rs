//! Listings, which `x-pagination` states, and warnings about operations that look like listings.

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
    assert!(
        made.contains("page.meta.as_ref().and_then(|it| it.a_b.as_ref()).map(ToString::to_string)"),
        "{made}"
    );
    assert!(made.contains("page.data.map(|it| it.rows).unwrap_or_default()"), "{made}");
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

    assert!(made.contains("Some(page.has_more.as_ref() == Some(&true))"), "{made}");
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
fn an_operation_that_looks_like_a_listing_is_one_warning_with_the_extension_to_paste() {
    let flag = || json!({ "type": "boolean" });
    let number = || json!({ "type": "integer" });
    let id = json!({ "type": "object", "properties": { "id": text() } });
    let records = json!({ "type": "array", "items": id });
    let meta = json!({ "type": "object", "properties": { "next/cursor": text() } });
    for (parameters, properties, extension) in [
        (
            vec![("page_cursor", text()), ("limit", number())],
            json!({ "items": things(), "next_page_cursor": text() }),
            "{cursor: page_cursor, next: /next_page_cursor, size: limit}",
        ),
        (
            vec![("cursor", text())],
            json!({ "data": things(), "meta": meta }),
            "{cursor: cursor, next: /meta/next~1cursor}",
        ),
        (
            vec![("page[after]", number()), ("per_page", number())],
            json!({ "rows": things(), "names": { "type": "array", "items": text() },
                "next_cursor": number() }),
            "",
        ),
        (
            vec![("page[cursor]", text())],
            json!({ "rows": things(), "names": { "type": "array", "items": text() },
                "next_cursor": text(), "has_more": flag() }),
            "{cursor: 'page[cursor]', next: /next_cursor, items: /rows, while: /has_more}",
        ),
        (
            vec![("starting_after", text())],
            json!({ "data": records, "has_more": flag() }),
            "{cursor: starting_after, next: {last: /id}, while: /has_more}",
        ),
    ] {
        let described = |stated| described(&parameters, &properties, stated).to_string();

        let outcome = script::run(&described(None));

        let warning = format!(
            "readThing: looks like a listing, but nothing is stated for it: add `x-pagination: \
             {extension}` to the operation, or `x-pagination: false` if it isn't one"
        );
        let expected: Vec<_> =
            Some(warning).filter(|_| !extension.is_empty()).into_iter().collect();
        assert_eq!(outcome.warnings, expected);
        assert!(outcome.generated.unwrap().contains("listing: None"));
        if !extension.is_empty() {
            let pasted: Value = serde_saphyr::from_str(extension).unwrap();
            let pasted = script::run(&described(Some(pasted)));
            assert_eq!((pasted.refusals, pasted.warnings), (vec![], vec![]), "{extension}");
        }
    }
}

#[test]
fn a_way_of_paging_that_is_not_supported_is_no_warning() {
    let number = || json!({ "type": "integer" });
    let url = json!({ "type": "string", "format": "uri" });
    let keyed = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    for (parameter, properties) in [
        (("page", number()), json!({ "items": things(), "next_page_token": text() })),
        (("offset", number()), json!({ "items": things(), "has_more": { "type": "boolean" } })),
        (("cursor", text()), json!({ "items": things(), "next": url })),
        (("cursor", url.clone()), json!({ "items": things(), "next_cursor": text() })),
        (("cursor", text()), json!({ "items": things() })),
        (("cursor", text()), json!({ "items": keyed, "next_cursor": text() })),
    ] {
        let outcome = script::run(&described(&[parameter], &properties, None).to_string());

        assert_eq!(outcome.warnings, [""; 0], "{properties}");
        assert!(outcome.generated.unwrap().contains("listing: None"));
    }
}

#[test]
fn operations_that_look_alike_are_one_warning_with_one_rule_to_paste() {
    let properties = json!({ "items": things(), "next_cursor": text() });
    let mut description = described(&[("cursor", text())], &properties, None);
    for name in ["others", "more"] {
        let mut item = description["paths"]["/v2/things"].clone();
        item["get"]["operationId"] = json!(format!("list-{name}"));
        description["paths"][format!("/v2/{name}")] = item;
    }

    let outcome = script::run(&description.to_string());

    let rule = "`x-pagination: [{cursor: cursor, next: /next_cursor}]`";
    assert_eq!(
        outcome.warnings,
        [format!(
            "readThing: looks like a listing, but nothing is stated for it; the same is true of \
             list-others, list-more: add {rule} at the top level of the document, and \
             `x-pagination: false` to each operation that isn't a listing"
        )]
    );
    description["x-pagination"] = json!([{ "cursor": "cursor", "next": "/next_cursor" }]);
    let stated = script::run(&description.to_string());
    assert_eq!(stated.warnings, [""; 0]);
    let generated = stated.generated.unwrap();
    assert_eq!(generated.matches("impl codegen::Paging for").count(), 3);
}

/// Returns the `Listing` of the only listing in generated code, without spaces.
fn listing_of(generated: &str) -> String {
    let start = generated.find("const LISTING").unwrap_or_default();
    generated[start..].split("};").next().unwrap().split_whitespace().collect()
}

#[test]
fn a_rule_of_the_document_applies_where_the_operation_has_what_it_names() {
    let time = json!({ "type": "string", "format": "date-time" });
    let rules = json!([
        { "cursor": "token", "next": "/token", "size": "limit" },
        { "cursor": "after", "next": { "last": "/name" }, "while": "/has_more" },
        { "cursor": "after", "next": "/next", "size": "limit", "end": "/done",
            "order": { "parameter": "order", "ascending": "up", "descending": "down",
                "by": { "parameter": "key", "time": "at" } },
            "time": { "property": "at", "from": "since", "until": "till", "inclusive": true },
            "not-with-cursor": ["limit", "order"] },
        { "cursor": "never", "next": "/next" },
    ]);
    let order = json!({ "type": "string", "enum": ["up", "down"] });
    let properties = json!({ "next": text(), "rows": things() });
    let mut whole = properties.clone();
    whole["done"] = json!({ "type": "boolean" });
    let all = [
        ("after", text()),
        ("limit", json!({ "type": "integer" })),
        ("order", order),
        ("key", text()),
        ("since", time.clone()),
        ("till", time.clone()),
    ];
    for (parameters, properties, parts) in [
        (&all[..1], &properties, ["size:None", "order:None", "time_range:None", "with_cursor:&[]"]),
        (&all[..2], &properties, ["size:Some", "order:None", "time_range:None", "&[\"limit\"]"]),
        (&all[..3], &whole, ["size:Some", "key:None", "time_range:None", "&[\"limit\",\"order\"]"]),
        (&all[..5], &whole, ["size:Some", "key:Some", "time_range:None", "time:Some(\"at\")"]),
        (&all, &whole, ["size:Some", "key:Some", "time_range:Some", "until_inclusive:true"]),
    ] {
        let mut description = described(parameters, properties, None);
        description["components"]["schemas"]["Thing"]["properties"]["at"] = time.clone();
        description["x-pagination"] = rules.clone();

        let outcome = script::run(&description.to_string());

        assert_eq!(outcome.refusals, [""; 0]);
        let unused = [0, 1, 3];
        let unused =
            unused.map(|rule| format!("document → x-pagination[{rule}]: applies to no operation"));
        // A name that no operation has is reported too, because it may be misspelt.
        let has = |name: &str| match name {
            "/done" => properties.get("done").is_some(),
            name => parameters.iter().any(|(parameter, _)| *parameter == name),
        };
        let (has_range, place) = (has("order") && has("till"), "document → x-pagination[2]");
        let unknown = [
            ("end", "/done", has("/done")),
            ("not-with-cursor", "limit", has("limit")),
            ("not-with-cursor", "order", has("order")),
            ("order", "key", has("key")),
            ("order", "order", has("order")),
            ("size", "limit", has("limit")),
            ("time", "since", has_range),
            ("time", "till", has_range),
        ];
        let unknown = unknown.into_iter().filter(|(.., is_known)| !is_known);
        let unknown = unknown.map(|(keyword, name, _)| {
            format!("{place} → {keyword}: no operation with this rule has `{name}`")
        });
        assert_eq!(outcome.warnings, unused.into_iter().chain(unknown).collect::<Vec<_>>());
        let generated = outcome.generated.unwrap();
        let found = listing_of(&generated);
        for part in parts {
            assert!(found.contains(part), "{part}: {found}");
        }
        let has_end = generated.contains("!(page.done.as_ref() == Some(&true))");
        assert_eq!(has_end, properties.get("done").is_some(), "{generated}");
    }
}

#[test]
fn a_rule_of_the_document_gives_way_to_the_statement_of_an_operation() {
    let properties = json!({ "next": text(), "other": text(), "rows": things() });
    let parameters = [("after", text())];
    for (own, cursor) in [
        (json!({ "cursor": "after", "next": "/other" }), "page.other"),
        (json!(false), "listing: None"),
    ] {
        let mut description = described(&parameters, &properties, Some(own));
        description["x-pagination"] = json!([{ "cursor": "after", "next": "/next" }]);

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(generated.contains(cursor), "{generated}");
    }
}

#[test]
fn a_rule_of_the_document_that_does_not_fit_its_operation_is_an_error() {
    let properties = json!({ "next": text(), "rows": things() });
    let parameters = [("after", text()), ("limit", text())];
    let hint = "this rule of the document applies, because the operation has the rule's cursor: \
                state `x-pagination` in the operation";
    for (rules, refused) in [
        (
            json!([{ "cursor": "after", "next": "/next", "size": "limit" }]),
            format!(
                "readThing → x-pagination[0] → size: the query parameter `limit` is not an \
                 integer; {hint}"
            ),
        ),
        (
            json!([{ "cursor": "after", "next": "/next", "items": "/data" }]),
            format!(
                "readThing → x-pagination[0] → items: `/data` points to nothing: there is no \
                 `data`; {hint}"
            ),
        ),
        (
            json!({ "cursor": "after", "next": "/next" }),
            "document → x-pagination: at the top level, it must be a list of objects".to_owned(),
        ),
        (json!([false]), "document → x-pagination[0]: is not an object".to_owned()),
        (json!([{ "cursor": "after" }]), "document → x-pagination[0]: needs `next`".to_owned()),
    ] {
        let mut description = described(&parameters, &properties, None);
        description["x-pagination"] = rules;

        assert_eq!(script::run(&description.to_string()).refusals, [refused]);
    }
}

#[test]
fn two_listings_of_the_same_records_have_the_same_time() {
    let time = json!({ "type": "string", "format": "date-time" });
    let properties = json!({ "next": text(), "rows": things() });
    let stated =
        |time: &str| json!({ "cursor": "after", "next": "/next", "time": { "property": time } });
    let first = described(&[("after", text())], &properties, Some(stated("booked_at")));
    for (other, refused) in [
        (stated("booked_at"), vec![]),
        (json!({ "cursor": "after", "next": "/next" }), vec![]),
        (
            stated("settled_at"),
            vec![
                "list-others → x-pagination → time → property: `settled_at` can't be the time of \
                 these records, because `readThing` lists the same records by `booked_at`: give \
                 one of the two listings a schema of its own for its records",
            ],
        ),
    ] {
        let mut description = first.clone();
        description["components"]["schemas"]["Thing"] = json!({ "type": "object",
            "properties": { "booked_at": time, "settled_at": time } });
        let mut item = description["paths"]["/v2/things"].clone();
        item["get"]["operationId"] = json!("list-others");
        item["get"]["x-pagination"] = other;
        description["paths"]["/v2/others"] = item;

        let outcome = script::run(&description.to_string());

        assert_eq!(outcome.refusals, refused);
        if let Some(generated) = outcome.generated {
            assert!(generated.contains("self.booked_at"), "{generated}");
        }
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
