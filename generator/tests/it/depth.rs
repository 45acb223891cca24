//! Deeply nested schemas.

use serde_json::{Value, json};

use super::{
    script::{self, one_operation},
    types::named,
};

fn answering(schemas: Value) -> Value {
    let mut description = one_operation();
    description["components"]["schemas"] = schemas;
    description
}

/// Returns a description with `length` records, each nested in the previous one.
fn chain(length: usize, within: fn(Value) -> Value) -> Value {
    let name = |at: usize| if at == 0 { "Thing".to_owned() } else { format!("Thing{at}") };
    let record = |at: usize| {
        let next = if at < length { within(named(&name(at + 1))) } else { json!({}) };
        json!({ "type": "object", "properties": { "next": next } })
    };
    answering((0..=length).map(|at| (name(at), record(at))).collect())
}

#[test]
fn a_chain_of_a_thousand_records_is_refused_and_a_short_one_served() {
    let list = |next| json!({ "type": "array", "items": next });
    for (case, within) in [("straight", (|next| next) as fn(Value) -> Value), ("listed", list)] {
        let long = script::run(&chain(1000, within).to_string());
        let short = script::run(&chain(40, within).to_string());

        let line = "readThing → responses: schemas are nested more than 125 levels deep, which \
                    Rust can't compile";
        assert_eq!(long.refusals, [line], "{case}");
        assert_eq!(short.refusals, [""; 0], "{case}");
        assert!(short.generated.unwrap().contains("pub struct Thing40"), "{case}");
    }
}

#[test]
fn a_chain_of_a_hundred_parts_is_refused() {
    let part = |at: usize| {
        let parts = json!([named(&format!("Part{}", at + 1)), { "type": "object" }]);
        (format!("Part{at}"), json!({ "allOf": parts }))
    };
    let mut schemas: serde_json::Map<_, _> = (0..100).map(part).collect();
    schemas.insert("Part100".into(), json!({ "type": "object" }));
    schemas.insert("Thing".into(), named("Part0"));

    let outcome = script::run(&answering(schemas.into()).to_string());

    let reason = "`allOf` and `$ref` form a cycle, or a chain of more than 64 schemas";
    assert!(outcome.refusals[0].ends_with(reason), "{:?}", outcome.refusals);
}

#[test]
fn parts_that_double_themselves_are_merged_once() {
    // 2^30 paths lead to the last schema.
    let double = |at: usize| {
        let more = named(&format!("Thing{}", at + 1));
        let own = json!({ "type": "object", "required": [format!("a{at}")] });
        (format!("Thing{at}"), json!({ "allOf": [more, own, { "allOf": [more] }] }))
    };
    let mut schemas: serde_json::Map<_, _> = (0..30).map(double).collect();
    let last = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    schemas.insert("Thing30".into(), last);
    schemas.insert("Thing".into(), named("Thing0"));

    let outcome = script::run(&answering(schemas.into()).to_string());

    assert_eq!(outcome.refusals, [""; 0]);
    assert!(outcome.generated.unwrap().contains("pub name: "));
}
