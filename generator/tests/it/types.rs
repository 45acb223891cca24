//! Details of the generated types that are easy to get wrong.

use serde_json::{Map, Value, json};

use crate::script::{self, one_operation};

/// Returns the generated code for an operation with this request body and this response, without
/// line breaks.
fn made(name: &str, sent: &Value, answer: &Value, schemas: &Value) -> String {
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

/// Returns the lines of the doc comments.
fn docs(generated: &str) -> String {
    let lines = generated.lines().filter_map(|line| line.trim_start().strip_prefix("///"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

pub(super) fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
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
fn a_schema_with_entries_and_no_type_is_any_json() {
    let untyped = json!({ "items": { "type": "string" } });
    let keyed = json!({ "additionalProperties": { "type": "string" } });
    let answer = json!({ "type": "object", "properties": { "a": untyped, "b": keyed } });

    let made = made("untyped", &named("Thing"), &answer, &json!({}));

    for field in ["a", "b"] {
        let kind = format!("pub {field}: ::std::option::Option<::serde_json::Value>");
        assert!(made.contains(&kind), "{made}");
    }
}

#[test]
fn an_extension_among_the_paths_is_no_path() {
    let mut description = one_operation();
    let paths = description["paths"].as_object_mut().unwrap();
    let mut draft = paths["/v2/things"].clone();
    draft["get"]["operationId"] = json!("readDraft");
    paths.insert("x-/v2/drafts".into(), draft);

    let generated = script::run(&description.to_string()).generated.unwrap();

    assert!(generated.contains("fn read_thing(") && !generated.contains("fn read_draft("));
}

#[test]
fn an_operation_called_as_what_generated_code_uses_has_another_name() {
    for (id, called) in [("intoIterator", "into_iterator"), ("all", "all")] {
        let mut description = one_operation();
        description["paths"]["/v2/things"]["get"]["operationId"] = json!(id);

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(generated.contains(&format!("fn {called}_operation(&self)")), "{generated}");
    }
}

#[test]
fn an_object_that_is_closed_and_has_no_properties_has_no_keys() {
    let closed = json!({ "type": "object", "additionalProperties": false });
    let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    for parts in [json!([closed]), json!([closed, map]), json!([map, closed])] {
        let made = made("closed", &json!({ "allOf": parts }), &named("Thing"), &json!({}));

        assert!(made.contains("least: 0usize, most: Some(0usize), properties: &[]"), "{made}");
    }
}

#[test]
fn the_greatest_signed_integer_bounds_an_unsigned_one() {
    let most = json!({ "type": "integer", "format": "uint64", "maximum": i64::MAX });
    let sent = json!({ "type": "object", "properties": { "most": most } });

    let made = made("most", &sent, &named("Thing"), &json!({}));

    assert!(made.contains("most: Some(9223372036854775807"), "{made}");
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
fn one_of_several_forms_is_any_json_and_says_so() {
    let word = json!({ "type": "string", "maxLength": 3 });
    let kind = json!({ "kind": { "type": "string", "maxLength": 5 } });
    let schemas = json!({
        "Pet": { "properties": kind, "discriminator": { "propertyName": "kind" } },
        "Cat": { "allOf": [named("Pet"), { "properties": { "says": word } }] },
        "Either": { "description": "A word.", "oneOf": [word, named("Cat")] },
        "Other": { "allOf": [named("Pet")] },
    });
    let unchecked = "The OpenAPI description allows one of several schemas. The client accepts \
                     any JSON here, and doesn't check it.";
    let several = json!({ "type": "array", "items": named("Either") });
    let by_name = json!({ "type": "object", "additionalProperties": several });
    let one = json!({ "anyOf": [word, {}] });
    for union in [named("Pet"), named("Either"), named("Other"), one, several, by_name] {
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
fn a_record_that_may_be_left_out_of_an_answer_is_read_from_an_object_alone() {
    let mut description = one_operation();
    description["paths"]["/v2/things"]["get"]["responses"]["204"] = json!({ "description": "" });

    let generated = script::run(&description.to_string()).generated.unwrap();

    let generated = generated.replace(char::is_whitespace, "");
    let answer = "send(self,)->Result<codegen::ResponseValue<Option<types::Thing>>,codegen::Error>";
    assert!(generated.contains(answer), "{generated}");
    assert!(generated.contains("codegen::records!{"), "{generated}");
}

#[test]
fn code_is_not_run_wherever_it_is_written() {
    let cases = [
        ("> ```rust\n> run();\n> ```\n> after", "```text\n> run();\n```\n> after"),
        ("> > ~~~\n> > run();\n\nafter", "~~~text\n> > run();\n\nafter\n~~~"),
        ("> a\n>\n>     run();", "> a\n>\n> run();"),
        ("- ```\n  run();\n  ```\n- after", "```text\n  run();\n```\n- after"),
        ("1. ~~~\n\n   run();\nafter", "~~~text\n\n   run();\nafter\n~~~"),
        ("~~~ `a`\nrun();\n~~~", "~~~text\nrun();\n~~~"),
        ("# Heading\n    run();", "# Heading\n   run();"),
        ("a\n===\n    run();", "a\n===\n   run();"),
        ("---\n    run();", "---\n   run();"),
        ("> a\n>\n    run();", "> a\n>\n   run();"),
        ("-\n      run();", "-\n   run();"),
        ("1.\n       run();", "1.\n   run();"),
        ("-     run();", "- run();"),
        ("> 1.\t    run();", "> 1. run();"),
    ];
    for (said, written) in cases {
        let mut description = one_operation();
        description["paths"]["/v2/things"]["get"]["description"] = json!(said);

        let generated = script::run(&description.to_string()).generated.unwrap();

        assert!(docs(&generated).contains(written), "{said}\n{generated}");
    }
}

#[test]
fn a_line_of_backticks_is_no_fence_and_a_word_is_no_link() {
    let mut description = one_operation();
    let said = "The flag:\n```lost``` turns [it](http) on.\n\nAnd *more*.";
    description["paths"]["/v2/things"]["get"]["description"] = json!(said);

    let generated = script::run(&description.to_string()).generated.unwrap();

    let written = "The flag:\n```lost``` turns \\[it\\](http) on.\n\nAnd *more*.";
    assert!(docs(&generated).contains(written), "{generated}");
}

#[test]
fn a_text_an_example_and_a_deprecation_are_served_wherever_they_are_stated() {
    let mut description = one_operation();
    let schema = json!({ "enum": ["A"], "description": "Sides.", "deprecated": true });
    let example = json!({ "a": { "$ref": "#/components/examples/A" } });
    let parameter = json!({ "name": "side", "in": "query", "schema": schema, "examples": example });
    let operation = &mut description["paths"]["/v2/things"]["get"];
    operation["parameters"] = json!([parameter]);
    description["components"]["examples"] = json!({ "A": { "value": "A" } });
    let content = json!({ "application/json": { "schema": named("Thing") } });
    description["paths"]["/v2/things"]["put"] = json!({
        "operationId": "replaceThing",
        "requestBody": { "description": "The new thing.", "content": content },
        "responses": { "204": { "description": "Done." } },
    });

    let generated = script::run(&description.to_string()).generated.unwrap();

    let made = generated.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "/// Sides. /// /// Sent as `side`. #[deprecated] pub fn side(",
        "#[deprecated] pub enum ReadThingSide {",
        "/// The request body. /// /// The new thing. pub fn body<V>",
    ] {
        assert!(made.contains(part), "{part}\n{made}");
    }
    let table = script::table(&description.to_string());
    assert!(table.contains(r#"examples : & ["A"]"#), "{table}");
}

#[test]
fn what_only_the_service_sets_is_no_part_of_a_request() {
    let sent = json!({ "type": "object", "properties": {
        "id": { "type": "string", "readOnly": true }, "a": { "type": "string" } } });

    let made = made("read-only", &sent, &named("Thing"), &json!({}));

    let (_, record) = made.split_once("pub struct ReplaceThingBody {").unwrap();
    assert!(!record.split_once('}').unwrap().0.contains("id"), "{record}");
    assert!(!made.contains("Rule::"), "{made}");
}

#[test]
fn the_types_are_those_that_the_cases_state() {
    let cases: Map<String, Value> = serde_saphyr::from_str(include_str!("types.yaml")).unwrap();
    let (thing, none) = (named("Thing"), json!({}));
    // The formatter may break lines anywhere.
    let tight = |code: &str| code.replace(char::is_whitespace, "").replace(",>", ">");
    for (name, case) in &cases {
        let stated = |keyword: &str| case[keyword].as_array().into_iter().flatten();
        let sent = case.get("sent").unwrap_or(&thing);
        let answered = case.get("answered").unwrap_or(&thing);

        let made = tight(&made(name, sent, answered, case.get("schemas").unwrap_or(&none)));

        for code in stated("contains") {
            assert!(made.contains(&tight(code.as_str().unwrap())), "{name}: no {code} in {made}");
        }
        for code in stated("lacks") {
            assert!(!made.contains(&tight(code.as_str().unwrap())), "{name}: {code} in {made}");
        }
    }
}
