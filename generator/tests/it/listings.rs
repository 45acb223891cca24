//! Details of generated listings, such as the page size and the default order.

use serde_json::{Value, json};

use crate::script::{self, one_operation};

/// Returns a listing of things with these parameters and a cursor.
fn listing(parameters: &[Value]) -> Value {
    let mut description = one_operation();
    let things = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Thing" } });
    let cursor = json!({ "name": "page_cursor", "in": "query", "schema": { "type": "string" } });
    let operation = &mut description["paths"]["/v2/things"]["get"];
    operation["parameters"] = [&[cursor], parameters].concat().into();
    operation["responses"]["200"]["content"]["application/json"]["schema"] = json!({
        "type": "object",
        "properties": { "items": things, "next_page_cursor": { "type": "string" } },
    });
    description["x-pagination"] = json!([{
        "cursor": "page_cursor", "next": "/next_page_cursor", "size": "limit",
        "order": { "parameter": "order", "ascending": "asc", "descending": "desc" },
        "time": { "property": "created_at", "from": "created_at.gte", "until": "created_at.lte",
            "inclusive": true },
    }]);
    description
}

fn limit(place: &str, schema: &Value) -> Value {
    json!({ "name": "limit", "in": place, "schema": schema })
}

#[test]
fn the_smallest_page_is_the_least_that_the_query_allows() {
    let cases = [
        ("query", json!({ "type": "integer" }), r#"Some("1")"#),
        ("query", json!({ "type": "integer", "minimum": 0 }), r#"Some("1")"#),
        ("query", json!({ "type": "integer", "minimum": 10 }), r#"Some("10")"#),
        (
            "query",
            json!({ "type": "integer", "minimum": 9, "exclusiveMinimum": true }),
            r#"Some("10")"#,
        ),
        ("query", json!({ "type": "integer", "enum": [50, 25, 100] }), r#"Some("25")"#),
        ("query", json!({ "type": "integer", "minimum": 7, "multipleOf": 5 }), r#"Some("10")"#),
        ("header", json!({ "type": "integer" }), "None"),
    ];
    for (place, schema, smallest) in cases {
        let description = listing(&[limit(place, &schema)]).to_string();

        let made = script::run(&description).generated.unwrap();

        let found =
            if place == "query" { format!("smallest: {smallest}") } else { "size: None".into() };
        assert!(made.contains(&found), "{place} {schema} {made}");
    }
}

#[test]
fn a_default_beside_a_named_order_is_that_of_the_listing() {
    let beside = json!({ "$ref": "#/components/schemas/Order", "default": "desc" });
    let part = json!({ "allOf": [{ "$ref": "#/components/schemas/Order" }], "default": "desc" });
    for schema in [beside, part] {
        let mut description =
            listing(&[json!({ "name": "order", "in": "query", "schema": schema })]);
        description["components"]["schemas"]["Order"] =
            json!({ "type": "string", "enum": ["asc", "desc"], "default": "asc" });

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(generated.contains("ascending_by_default: Some(false)"), "{generated}");
        assert!(generated.contains("impl TryInto<types::Order>"), "{generated}");
    }
}

#[test]
fn a_listing_of_records_with_a_time_that_is_only_read_has_windows() {
    let time = json!({ "type": "string", "format": "date-time" });
    let read = json!({ "type": "string", "format": "date-time", "readOnly": true });
    let order = json!({ "type": "string", "enum": ["asc", "desc"], "default": "asc" });
    let query = |name: &str, schema| json!({ "name": name, "in": "query", "schema": schema });
    let bounds = ["created_at.gte", "created_at.lte"].map(|name| query(name, &time));
    let mut description = listing(&[&[query("order", &order)], bounds.as_slice()].concat());
    description["components"]["schemas"]["Thing"] = json!({
        "type": "object", "required": ["created_at"], "properties": { "created_at": read },
    });

    let generated = script::run(&description.to_string()).generated.unwrap();

    assert!(generated.contains("impl codegen::Timed for"), "{generated}");
    assert!(generated.contains("Some(self.created_at)"), "{generated}");
}

#[test]
fn an_order_in_a_header_is_not_that_of_the_listing() {
    let words = json!({ "type": "string", "enum": ["asc", "desc"] });
    let order = |place: &str| json!({ "name": "order", "in": place, "schema": words });

    let header = script::run(&listing(&[order("header")]).to_string());
    let query = script::run(&listing(&[order("query")]).to_string());

    assert!(header.generated.unwrap().contains("order: None"));
    assert!(query.generated.unwrap().contains("order: Some("));
}

#[test]
fn an_open_value_that_is_named_twice_is_compared_once() {
    let mut description = listing(&[]);
    let side = json!({ "enum": ["A", "B"], "x-open-values": ["B", "B"] });
    description["components"]["schemas"]["Thing"]["properties"]["side"] = side;

    let generated = script::run(&description.to_string()).generated.unwrap();

    assert!(generated.contains(r#"matches!(now.as_str(), "B"))"#), "{generated}");
}

#[test]
fn the_tool_knows_the_least_and_the_largest_page() {
    let schema = json!({ "type": "integer", "minimum": 9, "exclusiveMinimum": true,
        "maximum": 101, "exclusiveMaximum": true });

    let table = script::table(&listing(&[limit("query", &schema)]).to_string());

    let table = table.split_whitespace().collect::<String>();
    assert!(table.contains("minimum:Some(10i64),maximum:Some(100i64)"), "{table}");
}

#[test]
fn the_tool_knows_a_listing_by_the_names_of_its_description() {
    let table = script::table(include_str!("../../../examples/parcels/openapi.yaml"));

    let table = table.split_whitespace().collect::<String>();
    let option = |name: &str| format!(r#"words::option("{name}","{name}-2")"#);
    let [after, per_page, sort] = ["after", "per-page", "sort"].map(option);
    let [token, count, first] = ["page-token", "count", "oldest-first"].map(option);
    let [from, page_size] = ["from", "page-size"].map(option);
    for part in [
        format!("cursor:{after},size:Some({per_page}),order:Some(Order{{option:{sort},"),
        r#"ascending:"oldest_first",descending:"newest_first",by:None"#.to_owned(),
        format!("cursor:{token},size:Some({count}),order:Some(Order{{option:{first},"),
        r#"ascending:"true",descending:"false",by:None"#.to_owned(),
        format!("created_at:None,cursor:{from},size:Some({page_size}),order:None"),
        r#"bound:Some(Bound{column:"booked_at",operator:">="})"#.to_owned(),
        r#"bound:Some(Bound{column:"booked_at",operator:"<"})"#.to_owned(),
        r#"bound:Some(Bound{column:"scanned_at",operator:"<="})"#.to_owned(),
        r#"name:"id",kind:Kind::Integer,required:true,is_id:true"#.to_owned(),
        r#"name:"state",kind:Kind::Text,required:true,is_id:false"#.to_owned(),
    ] {
        assert!(table.contains(&part), "{part}: {table}");
    }
}

#[test]
fn the_tool_has_the_texts_as_they_are_written() {
    let mut description = listing(&[]);
    let text = "A [thing] of <b>, see https://x.example/a.";
    let operation = &mut description["paths"]["/v2/things"]["get"];
    operation["summary"] = text.into();
    operation["parameters"][0]["description"] = text.into();

    let table = script::table(&description.to_string());

    let summary = text.trim_end_matches('.');
    for part in [format!("summary: {summary:?}"), format!("description: {text:?}")] {
        assert!(table.replace(" :", ":").contains(&part), "{table}");
    }
}

#[test]
fn a_page_that_is_also_sent_lists_none_where_its_records_are_not_set() {
    let mut description = listing(&[]);
    let page = "/paths/~1v2~1things/get/responses/200/content/application~1json/schema";
    let page = description.pointer_mut(page).unwrap();
    let schema = std::mem::replace(page, json!({ "$ref": "#/components/schemas/Things" }));
    description["components"]["schemas"]["Things"] = schema;
    let listed = script::run(&description.to_string()).generated.unwrap();
    description["paths"]["/v2/things"]["put"] = json!({
        "operationId": "replaceThings",
        "requestBody": { "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Things" },
        } } },
        "responses": { "204": { "description": "Done." } },
    });

    let sent = script::run(&description.to_string()).generated.unwrap();

    assert!(listed.contains("    page.items\n"), "{listed}");
    assert!(sent.contains("page.items.unwrap_or_default()"), "{sent}");
}
