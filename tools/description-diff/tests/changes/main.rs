//! Each seeded change of a description is named, with what it means. It is a description of these
//! tests, so that no release of the repository's own breaks them.

mod breaking;

use description_diff::{Change, Level, compare, version_needed};
use serde_json::{Value, json};

const TEXT: &str = include_str!("description.yaml");
const SALES: &str = "/paths/~1desks~1{desk_id}~1sales";
const DESKS: &str = "/paths/~1desks";
const FLOW: &str = "/components/securitySchemes/oauth2/flows/clientCredentials";

fn description() -> Value {
    serde_saphyr::from_str(TEXT).expect("YAML")
}

/// A pointer, and what is set there; nothing removes it.
type Edit = (String, Option<Value>);

/// The changes that a pointer, set to a value (or removed), makes.
fn changes_of(edits: &[(&str, Option<Value>)]) -> Vec<Change> {
    let (old, mut new) = (description(), description());
    for (pointer, value) in edits {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let parent = new.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {pointer}"));
        let key = key.replace("~1", "/").replace("~0", "~");
        match (parent, value) {
            (Value::Object(map), Some(value)) => drop(map.insert(key, value.clone())),
            (Value::Object(map), None) => drop(map.remove(&key).expect("something to remove")),
            (Value::Array(list), Some(value)) if key == "-" => list.push(value.clone()),
            (Value::Array(list), Some(value)) => {
                list[key.parse::<usize>().expect("index")] = value.clone();
            }
            (Value::Array(list), None) => drop(list.remove(key.parse().expect("index"))),
            _ => panic!("neither object nor array at {pointer}"),
        }
    }
    compare(&old, &new).expect("two descriptions")
}

fn position(of: &str, list: &str) -> usize {
    let description = description();
    let list = description.pointer(list).and_then(Value::as_array).expect("a list");
    list.iter().position(|element| element == of || element["name"] == of).expect("in the list")
}

#[test]
fn additions_and_words_break_nothing() {
    let cases = [
        (
            "value \"CIRCLE\" added",
            Level::Addition,
            "/components/schemas/Side/enum/-",
            json!("CIRCLE"),
        ),
        (
            "field memo added",
            Level::Addition,
            "/components/schemas/Desk/properties/memo",
            json!({ "type": "string" }),
        ),
        (
            "optional parameter 'name' was added",
            Level::Addition,
            "/paths/~1desks/get/parameters/-",
            json!({ "name": "name", "in": "query", "schema": { "type": "string" } }),
        ),
        (
            "maximum was 1000, is 2000",
            Level::Addition,
            "/components/parameters/Limit/schema/maximum",
            json!(2000),
        ),
        (
            "description changed",
            Level::Words,
            "/components/schemas/Side/description",
            json!("Which side."),
        ),
        (
            "required and is now optional",
            Level::Addition,
            "/paths/~1clerks/post/requestBody/required",
            json!(false),
        ),
        (
            "response 5XX added",
            Level::Addition,
            "/paths/~1desks/get/responses/5XX",
            json!({ "description": "An error." }),
        ),
        (
            "scope desks:write added",
            Level::Addition,
            "/components/securitySchemes/oauth2/flows/clientCredentials/scopes/desks:write",
            json!("Change desks"),
        ),
        (
            "https://eu.example.com added",
            Level::Addition,
            "/servers/-",
            json!({ "url": "https://eu.example.com" }),
        ),
    ];

    for (expected, level, pointer, value) in cases {
        let changes = changes_of(&[(pointer, Some(value))]);

        assert!(changes.iter().any(|change| change.to_string().contains(expected)), "{changes:#?}");
        assert_eq!(changes.iter().map(|change| change.level).min(), Some(level), "{changes:#?}");
    }
}

#[test]
fn only_texts_are_words() {
    let cases = [
        ("/tags/0/description", json!("Where it sells.")),
        ("/info/title", json!("Seats")),
        ("/info/contact", json!({ "name": "Somebody" })),
        ("/info/license", json!({ "name": "MIT" })),
        ("/info/x-logo", json!({ "url": "https://example.com/logo.svg" })),
        ("/paths/~1desks/get/summary", json!("Desks")),
        ("/paths/~1desks/get/responses/200/content/application~1json/example", json!({})),
        ("/paths/~1desks/get/responses/200/content/application~1json/examples", json!({})),
        ("/servers/0/description", json!("The one.")),
        ("/servers/0/variables/host/description", json!("Its host.")),
        (
            "/components/securitySchemes/oauth2/flows/clientCredentials/scopes/sales:read",
            json!("-"),
        ),
    ];

    for (pointer, value) in cases {
        let changes = changes_of(&[(pointer, Some(value))]);

        let words = Change {
            level: Level::Words,
            place: "description".into(),
            what: "texts or examples changed".into(),
        };
        assert_eq!(changes, [words], "{pointer}");
    }
}

/// A new operation brings a tag, a scope, schemas and its path, none of which breaks anything.
#[test]
fn a_new_operation_is_an_addition() {
    let operation = |id: &str| {
        json!({
            "operationId": id,
            "tags": ["Seats"],
            "security": [{ "oauth2": ["seats:read"] }],
            "parameters": [{ "$ref": "#/components/parameters/Row" }],
            "responses": { "200": { "description": "Seats.", "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Seat" }
            } } } },
        })
    };
    let row = json!({ "name": "row", "in": "query", "schema": { "type": "string" } });

    let changes = changes_of(&[
        ("/paths/~1seats", Some(json!({ "get": operation("listSeats") }))),
        ("/paths/~1desks/post", Some(operation("addDesk"))),
        ("/tags/-", Some(json!({ "name": "Seats" }))),
        (&format!("{FLOW}/scopes/seats:read"), Some(json!("List seats"))),
        ("/components/schemas/Seat", Some(json!({ "type": "object" }))),
        ("/components/parameters/Row", Some(row)),
    ]);

    assert!(changes.iter().all(|change| change.level == Level::Addition), "{changes:#?}");
}

#[test]
fn the_same_description_has_no_changes() {
    assert_eq!(changes_of(&[]), []);
}

#[test]
fn the_version_follows_the_highest_change() {
    let change = |level| vec![Change { level, place: String::new(), what: String::new() }];
    let at = |version: &str| json!({ "info": { "version": version } });
    let cases = [
        (change(Level::Breaking), "1.3.0", Some("need 2.0.0")),
        (change(Level::Breaking), "2.0.0", None),
        (change(Level::Addition), "1.2.4", Some("need 1.3.0")),
        (change(Level::Addition), "1.3.0", None),
        (change(Level::Addition), "1.10.0", None),
        (change(Level::Words), "1.2.3", Some("need 1.2.4")),
        (change(Level::Words), "1.2.4", None),
        (Vec::new(), "1.2.3", None),
        (Vec::new(), "1.2.2", Some("need 1.2.3")),
    ];

    for (changes, is, expected) in cases {
        let needed = version_needed(&at("1.2.3"), &at(is), &changes).expect("two versions");

        match (needed, expected) {
            (Some(needed), Some(expected)) => assert!(needed.contains(expected), "{needed}"),
            (needed, expected) => assert_eq!(needed.as_deref(), expected, "{is}"),
        }
    }
}
