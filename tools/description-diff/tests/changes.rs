//! Each seeded change of the repository's own description is named, with what it means.

use description_diff::{Change, Level, compare, version_needed};
use serde_json::{Value, json};

const TEXT: &str = include_str!("../../../openapi.yaml");
const QUOTES: &str = "/paths/~1v2~1profiles~1{profile_id}~1quote-executions";
const DEPOSITS: &str = "/paths/~1v2~1transfer~1deposit-addresses";

fn description() -> Value {
    serde_saphyr::from_str(TEXT).expect("openapi.yaml is YAML")
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
fn each_breaking_change_is_named() {
    let market = "/components/schemas/Market";
    let wld = position("WLDUSD", &format!("{market}/enum"));
    let side = position("side", &format!("{QUOTES}/get/parameters"));
    let limit = position("limit", &format!("{QUOTES}/get/parameters"));
    let ids = position("ids", &format!("{DEPOSITS}/get/parameters"));
    let at = |path: &str, rest: &str| format!("{path}/get{rest}");
    let cases: Vec<(&str, Vec<Edit>)> = vec![
        ("operation listDepositAddresses was removed", vec![(DEPOSITS.into(), None)]),
        ("operation addInstitutionMembers was removed", vec![("/paths/~1v2~1identity~1institution-members/post".into(), None)]),
        ("field quote_id removed", vec![
            ("/components/schemas/QuoteExecution/properties/quote_id".into(), None),
            ("/components/schemas/QuoteExecution/required/2".into(), None),
        ]),
        ("field metadata removed", vec![
            ("/components/schemas/DepositAddress/properties/metadata".into(), None),
        ]),
        ("field \"created_at\" is no longer required", vec![
            ("/components/schemas/DepositAddress/required/3".into(), None),
        ]),
        ("field \"roles\" is now required", vec![
            ("/components/schemas/NewInstitutionMember/required/-".into(), Some(json!("roles"))),
        ]),
        ("value \"WLDUSD\" removed", vec![
            (format!("{market}/enum/{wld}"), None),
            (format!("{market}/x-enum-varnames/{wld}"), None),
        ]),
        ("value \"WLDUSD\" was named \"WLD_USD\", is \"WLDUSD\"", vec![
            (format!("{market}/x-enum-varnames/{wld}"), Some(json!("WLDUSD"))),
        ]),
        ("A new, required parameter 'account_id' was added", vec![(
            at(QUOTES, "/parameters/-"),
            Some(json!({
                "name": "account_id", "in": "query", "required": true,
                "schema": { "type": "string" }
            })),
        )]),
        ("The parameter 'side' was removed", vec![(at(QUOTES, &format!("/parameters/{side}")), None)]),
        ("schema types changed", vec![(
            "/components/schemas/QuoteExecution/properties/price/type".into(),
            Some(json!("number")),
        ), (
            "/components/schemas/QuoteExecution/properties/price/example".into(),
            Some(json!(1)),
        )]),
        ("format was \"uuid\", is nothing", vec![
            ("/components/schemas/QuoteExecution/properties/id/format".into(), None),
        ]),
        ("maximum was 1000, is 500", vec![
            ("/components/parameters/Limit/schema/maximum".into(), Some(json!(500))),
        ]),
        ("maximum was nothing, is 500", vec![(
            at(QUOTES, &format!("/parameters/{limit}/schema/maximum")),
            Some(json!(500)),
        )]),
        ("default was 100, is 50", vec![
            ("/components/parameters/Limit/schema/default".into(), Some(json!(50))),
        ]),
        ("maxItems was 100, is 50", vec![(
            at(DEPOSITS, &format!("/parameters/{ids}/schema/maxItems")),
            Some(json!(50)),
        )]),
        ("minItems was 1, is 2", vec![(
            "/components/schemas/AddInstitutionMembersRequest/properties/members/minItems".into(),
            Some(json!(2)),
        )]),
        ("parameter ids: explode was true, is false", vec![
            (at(DEPOSITS, &format!("/parameters/{ids}/explode")), Some(json!(false))),
        ]),
        ("parameter status now forbidden beside a cursor", vec![(
            at(QUOTES, &format!("/parameters/{}/x-not-with-page-cursor", side + 2)),
            Some(json!(true)),
        )]),
        ("security was", vec![(
            at(QUOTES, "/security/0/oauth2"),
            Some(json!(["exchange:read"])),
        )]),
        ("operationId was \"listQuoteExecutions\", is \"getQuoteExecutions\"", vec![
            (at(QUOTES, "/operationId"), Some(json!("getQuoteExecutions"))),
        ]),
        ("tags was", vec![(at(QUOTES, "/tags/0"), Some(json!("Transfer")))]),
        ("\"roles\" is no longer repeated", vec![(
            "/components/schemas/AddInstitutionMembersResponse/properties/members/x-repeats-request/1"
                .into(),
            None,
        )]),
    ];

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
fn additions_and_words_break_nothing() {
    let cases = [
        (
            "value \"TONUSD\" added",
            Level::Addition,
            "/components/schemas/Market/enum/-",
            json!("TONUSD"),
        ),
        (
            "field memo added",
            Level::Addition,
            "/components/schemas/DepositAddress/properties/memo",
            json!({ "type": "string" }),
        ),
        (
            "optional parameter 'name' was added",
            Level::Addition,
            "/paths/~1v2~1rewards~1monitor~1address/get/parameters/-",
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
            json!("Side."),
        ),
        ("texts or examples changed", Level::Words, "/tags/0/description", json!("Trades.")),
    ];

    for (expected, level, pointer, value) in cases {
        let changes = changes_of(&[(pointer, Some(value))]);

        assert!(changes.iter().any(|change| change.to_string().contains(expected)), "{changes:#?}");
        assert_eq!(changes.iter().map(|change| change.level).min(), Some(level), "{changes:#?}");
    }
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
