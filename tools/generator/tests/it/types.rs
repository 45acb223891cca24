//! What the generated types are, where a description leaves room for mistakes.

use serde_json::{Value, json};

use crate::script::{self, one_operation};

#[test]
fn a_default_beside_a_named_order_is_that_of_the_listing() {
    let order = json!({ "$ref": "#/components/schemas/Order", "default": "desc" });
    let part = json!({ "allOf": [{ "$ref": "#/components/schemas/Order" }], "default": "desc" });
    for order in [order, part] {
        let mut description = one_operation();
        let schemas = description["components"]["schemas"].as_object_mut().unwrap();
        schemas.insert(
            "Order".into(),
            json!({ "type": "string", "enum": ["asc", "desc"], "default": "asc" }),
        );
        schemas.insert(
            "Things".into(),
            json!({ "type": "object", "properties": {
                "items": { "type": "array", "items": { "$ref": "#/components/schemas/Thing" } },
                "next_page_cursor": { "type": "string" },
            } }),
        );
        let operation = &mut description["paths"]["/v2/things"]["get"];
        operation["parameters"] = json!([
            { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
            { "name": "order", "in": "query", "schema": order },
        ]);
        operation["responses"]["200"]["content"]["application/json"]["schema"] =
            json!({ "$ref": "#/components/schemas/Things" });

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(generated.contains("ascending_by_default: Some(false)"), "{generated}");
        assert!(generated.contains("impl TryInto<types::Order>"), "{generated}");
    }
}

/// What is generated for a thing that is sent and another that is answered, without its line breaks.
pub(super) fn made(name: &str, sent: &Value, answer: &Value, schemas: &Value) -> String {
    let mut description = one_operation();
    let content = |schema: &Value| json!({ "application/json": { "schema": schema } });
    description["paths"]["/v2/things"]["put"] = json!({
        "operationId": "replaceThing",
        "requestBody": { "required": true, "content": content(sent) },
        "responses": { "200": { "description": "It.", "content": content(answer) } },
    });
    let known = description["components"]["schemas"].as_object_mut().unwrap();
    known.extend(schemas.as_object().unwrap().clone());

    let outcome = script::run(&description.to_string());

    assert_eq!(outcome.refusals, [""; 0], "{name}");
    let generated = outcome.generated.unwrap();
    generated.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

#[test]
fn a_required_property_that_is_only_written_is_required_where_no_answer_has_it() {
    let login = json!({ "type": "object", "required": ["user", "word"], "properties": {
        "user": { "type": "string" },
        "word": { "type": "string", "writeOnly": true },
    } });
    let schemas = json!({ "Login": login, "Shared": login });

    let made = made("write-only", &named("Login"), &named("Shared"), &schemas);

    assert!(made.contains("pub word: ::std::string::String"), "{made}");
    assert!(made.contains("pub word: ::std::option::Option<::std::string::String>"), "{made}");
}

#[test]
fn a_required_property_that_is_only_read_is_required_where_no_request_has_it() {
    let row = json!({ "type": "object", "required": ["id"], "properties": {
        "id": { "type": "string", "readOnly": true },
    } });
    let schemas = json!({ "Row": row, "Shared": row });
    let rows = json!({ "type": "object", "properties": {
        "row": named("Row"), "shared": named("Shared") } });

    let made = made("read-only", &named("Shared"), &rows, &schemas);

    assert!(made.contains("pub id: ::std::string::String"), "{made}");
    assert!(made.contains("pub id: ::std::option::Option<::std::string::String>"), "{made}");
}

#[test]
fn a_listing_of_records_with_a_time_that_is_only_read_has_windows() {
    let mut description = one_operation();
    let time = json!({ "type": "string", "format": "date-time" });
    let read = json!({ "type": "string", "format": "date-time", "readOnly": true });
    let row = json!({ "type": "object", "required": ["created_at"], "properties": {
        "created_at": read } });
    let rows = json!({ "type": "object", "properties": {
        "items": { "type": "array", "items": row }, "next_page_cursor": { "type": "string" } } });
    let operation = &mut description["paths"]["/v2/things"]["get"];
    operation["parameters"] = json!([
        { "name": "page_cursor", "in": "query", "schema": { "type": "string" } },
        { "name": "order", "in": "query",
            "schema": { "type": "string", "enum": ["asc", "desc"], "default": "asc" } },
        { "name": "created_at.gte", "in": "query", "schema": time },
        { "name": "created_at.lte", "in": "query", "schema": time },
    ]);
    operation["responses"]["200"]["content"]["application/json"]["schema"] = rows;

    let generated = script::run(&description.to_string()).generated.unwrap();

    assert!(generated.contains("impl crate::listing::Timed for"), "{generated}");
    assert!(generated.contains("Some(self.created_at)"), "{generated}");
}

#[test]
fn an_answer_that_may_be_null_is_optional() {
    for only in ["allOf", "oneOf"] {
        let thing = json!({ "nullable": true, only: [named("Thing")] });

        let made = made("null-answer", &named("Thing"), &thing, &json!({}));

        assert!(made.contains("Result<crate::ResponseValue<Option<types::Thing>>"), "{made}");
    }
}

#[test]
fn enums_with_names_of_libraries_are_read_as_enums() {
    let word = json!({ "type": "string", "enum": ["A", "B"] });
    let names = ["DateTime", "HashMap", "Map", "Uuid", "Vec"];
    let properties: Value = names.iter().map(|name| (name.to_lowercase(), named(name))).collect();
    let mut schemas: Value = names.iter().map(|name| (*name, word.clone())).collect();
    schemas["Words"] = json!({
        "type": "object", "required": ["datetime", "hashmap", "map"], "properties": properties,
    });

    let made = made("library-names", &named("Thing"), &named("Words"), &schemas);

    let (_, words) = made.split_once("pub struct Words {").unwrap();
    let (words, _) = words.split_once('}').unwrap();
    assert!(!words.contains("deserialize_with"), "{words}");
}

#[test]
fn records_in_arrays_and_maps_are_read_from_objects_alone() {
    let things = json!({ "type": "array", "items": { "type": "object", "nullable": true,
        "additionalProperties": named("Thing") } });
    let schemas = json!({ "Box": { "type": "object", "properties": {
        "rows": { "type": "array", "items": { "type": "array", "items": named("Thing") } },
    } } });

    let inside = made("nested-records", &named("Thing"), &named("Box"), &schemas);
    let whole = made("array-of-records", &named("Thing"), &things, &json!({}));

    assert!(
        inside.contains("::std::vec::Vec<crate::decode::lenient::AnObject<Thing>>"),
        "{inside}"
    );
    let read = "Vec< Option< std::collections::HashMap< String, crate::decode::lenient::AnObject< \
                types::Thing, >, >, >, >";
    let tight = |text: &str| text.replace([' ', ','], "");
    assert!(tight(&whole).contains(&tight(read)), "{whole}");
}

#[test]
fn names_of_enum_values_stay_with_their_values() {
    let side = json!({ "type": "string", "nullable": true,
        "enum": [null, "B", "B", "S"], "x-enum-varnames": ["NONE", "BUY", "BID", "SELL"] });

    let made = made(
        "names-of-values",
        &named("Thing"),
        &json!({ "type": "object", "properties": { "side": named("Side") } }),
        &json!({ "Side": side }),
    );

    assert!(made.contains(r#"Buy = "B""#) && made.contains(r#"Sell = "S""#), "{made}");
}

#[test]
fn operations_whose_names_differ_by_an_underscore_are_two() {
    let mut description = one_operation();
    let read = description["paths"]["/v2/things"]["get"].take();
    let called = |id: &str| {
        let mut operation = read.clone();
        operation["operationId"] = id.into();
        operation
    };
    description["paths"]["/v2/things"] =
        json!({ "get": called("getOrder2"), "put": called("getOrder_2") });

    let generated = script::run(&description.to_string()).generated.unwrap();

    assert!(generated.contains("pub fn get_order2(&self)"), "{generated}");
    assert!(generated.contains("pub struct GetOrder2 "), "{generated}");
    assert!(generated.contains("pub fn get_order_2_2(&self)"), "{generated}");
    assert!(generated.contains("pub struct GetOrder22 "), "{generated}");
}

#[test]
fn a_rule_of_a_body_that_is_not_named_lasts() {
    let word = json!({ "type": "array", "items": { "type": "string", "pattern": "^a" } });

    let made = made("lasting-rule", &word, &named("Thing"), &json!({}));

    assert!(made.contains("static RULE: crate::validate::Rule = crate::validate"), "{made}");
}

#[test]
fn a_part_may_bound_a_property_whose_type_another_part_states() {
    let sent =
        json!({ "allOf": [named("Thing"), { "properties": { "name": { "maxLength": 3 } } }] });

    let made = made("narrowed-part", &sent, &named("Thing"), &json!({}));

    assert!(made.contains("most: Some(3usize)"), "{made}");
}

#[test]
fn a_property_that_spells_as_a_keyword_and_another_keeps_its_name_on_the_wire() {
    let text = json!({ "type": "string" });
    let sent = json!({ "type": "object", "required": ["type", "@type"], "properties": {
        "type": text, "@type": text, "in": text, "In": text } });

    let made = made("alike-keywords", &sent, &named("Thing"), &json!({}));

    for wire in ["type", "@type", "in", "In"] {
        assert!(made.contains(&format!(r#"rename = "{wire}""#)), "{wire} {made}");
    }
}

#[test]
fn one_of_several_forms_is_any_json_and_says_so() {
    let word = json!({ "type": "string", "maxLength": 3 });
    let kind = json!({ "kind": { "type": "string", "maxLength": 5 } });
    let schemas = json!({
        "Pet": { "properties": kind, "discriminator": { "propertyName": "kind" } },
        "Cat": { "allOf": [named("Pet"), { "properties": { "says": word } }] },
        "Either": { "description": "A word.", "oneOf": [word, named("Cat")] },
        "Other": { "allOf": [named("Pet")] },
    });
    let unchecked = "The description allows one of several forms. It is any JSON here, and the \
                     client doesn't check it.";
    for union in [named("Pet"), named("Either"), named("Other"), json!({ "anyOf": [word, {}] })] {
        let sent = json!({ "type": "object", "properties": { "a": union } });
        for sent in [sent, union] {
            let made = made("unchecked", &sent, &named("Cat"), &schemas);

            assert!(made.contains(unchecked) && made.contains("serde_json::Value"), "{made}");
            assert!(!made.contains("Rule::"), "{made}");
            let (_, cat) = made.split_once("pub struct Cat {").unwrap();
            let cat = cat.split_once('}').unwrap().0;
            assert!(cat.contains("pub kind: ") && cat.contains("pub says: "), "{cat}");
        }
    }
}

#[test]
fn an_enum_of_integers_is_an_integer_whose_docs_have_the_known_values() {
    let level = json!({
        "type": "integer", "format": "int32", "enum": [1, null, 2], "nullable": true,
        "x-enum-varnames": ["LOW", "NONE", "HIGH"], "description": "How high.",
    });
    let sent = json!({ "type": "object", "properties": { "level": named("Level") } });
    let schemas = json!({ "Level": level });

    let made = made("integers", &sent, &json!({ "enum": [7, 8] }), &schemas);

    let field = "/**How high. Known values: `1` (`LOW`), `2` (`HIGH`).*/";
    assert!(made.contains(field) && made.contains("::std::option::Option<i32>"), "{made}");
    assert!(made.contains("crate::ResponseValue<i64>"), "{made}");
}

#[test]
fn a_bound_of_another_type_leaves_the_others_and_the_type() {
    let text = json!({ "type": "string", "maximum": 1, "maxLength": 3 });
    let list =
        json!({ "type": "array", "maximum": 1, "maxItems": 2, "items": { "type": "string" } });
    let side = json!({ "type": "string", "enum": ["BUY"], "minimum": 1 });
    let sent =
        json!({ "type": "object", "properties": { "text": text, "list": list, "side": side } });
    let answered = json!({ "type": "object", "properties": { "list": list } });

    let made = made("other-bounds", &sent, &answered, &json!({}));

    assert!(!made.contains("serde_json::Value"), "{made}");
    assert!(made.contains("most: Some(3usize)") && made.contains("most: Some(2usize)"), "{made}");
}

#[test]
fn an_array_or_map_of_a_request_that_may_be_left_out_or_null_is_an_option() {
    let list = json!({ "type": "array", "items": named("Thing") });
    let with = |more: Value| {
        let mut list = list.clone();
        list.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        list
    };
    let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    let sent = json!({ "type": "object", "required": ["all", "none", "note"], "properties": {
        "some": list, "map": map, "free": { "type": "object" }, "few": with(json!({ "minItems": 1 })),
        "all": list, "none": with(json!({ "nullable": true })),
        "note": { "type": "string", "nullable": true },
    } });

    let made = made("set-or-empty", &sent, &named("Thing"), &json!({}));

    for field in ["pub few: ::std::vec::Vec<Thing>", "pub all: ::std::vec::Vec<Thing>"] {
        assert!(made.contains(field), "{field} {made}");
    }
    for field in ["some: ", "none: ", "map: ", "free: "] {
        assert!(made.contains(&format!("pub {field}::std::option::Option<")), "{field} {made}");
    }
    for field in ["required none", "required note", "optional some", "optional few", "optional all"]
    {
        assert!(made.contains(&format!("{field} : ")), "{field} {made}");
    }
}

#[test]
fn code_in_a_quotation_or_a_list_is_not_run() {
    let cases = [
        ("> ```rust\n> run();\n> ```\n> after", "```text\n> run();\n```\n> after"),
        ("> > ~~~\n> > run();\n\nafter", "~~~text\n> > run();\n\nafter\n~~~"),
        ("> a\n>\n>     run();", "> a\n>\n> run();"),
        ("- ```\n  run();\n  ```\n- after", "```text\n  run();\n```\n- after"),
        ("1. ~~~\n\n   run();\nafter", "~~~text\n\n   run();\nafter\n~~~"),
    ];
    for (said, written) in cases {
        let mut description = one_operation();
        description["paths"]["/v2/things"]["get"]["description"] = json!(said);

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(generated.contains(written), "{said}\n{generated}");
    }
}

#[test]
fn what_only_the_service_sets_is_no_part_of_a_request_and_refused_where_an_answer_shares_its_type()
{
    let properties =
        json!({ "id": { "type": "string", "readOnly": true }, "a": { "type": "string" } });
    let both =
        json!({ "Both": { "type": "object", "required": ["id"], "properties": properties } });

    let sent = made(
        "sent",
        &json!({ "type": "object", "properties": properties }),
        &named("Thing"),
        &both,
    );
    let shared = made("shared", &named("Both"), &named("Both"), &both);

    let (_, record) = sent.split_once("pub struct ReplaceThingBody {").unwrap();
    assert!(!record.split_once('}').unwrap().0.contains("id"), "{record}");
    assert!(!sent.contains("Rule::"), "{sent}");
    assert!(shared.contains(r#"("id", &crate::validate::Rule::ReadOnly)"#), "{shared}");
}
