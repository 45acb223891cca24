//! `x-repeats-request` where nothing would heed it, each with the line that refuses it.

use serde_json::{Value, json};

use super::{cases::Case, schemas::sent};

pub(super) fn all() -> Vec<Case> {
    let name = json!({ "type": "string", "x-repeats-request": true });
    let of = |name: &Value| json!({ "type": "object", "properties": { "name": name } });
    let rows = |row: &Value| json!({ "type": "array", "items": row });
    let free = of(&json!({ "type": "string" }));
    vec![
        case(
            &free,
            &json!({ "type": "object", "properties": { "thing": of(&name) } }),
            "replaceThing → responses → ReplaceThingResponseThing → name → x-repeats-request: stands on what is not an answer's own property",
        ),
        case(
            &free,
            &rows(&of(&name)),
            "replaceThing → responses → ReplaceThingResponseItem → name → x-repeats-request: stands on what is not an answer's own property",
        ),
        case(
            &of(&name),
            &free,
            "replaceThing → requestBody → ReplaceThingBody → name → x-repeats-request: stands on what is not an answer's own property",
        ),
        case(
            &free,
            &json!({ "oneOf": [of(&name), { "type": "string" }] }),
            "replaceThing → responses → ReplaceThingResponse1 → name → x-repeats-request: stands on what is not an answer's own property",
        ),
        case(
            &free,
            &of(&rows(&name)),
            "replaceThing → responses → 200 → content → application/json → schema → name → items → x-repeats-request: stands on what is not a property",
        ),
        case(
            &free,
            &name,
            "replaceThing → responses → 200 → content → application/json → schema → x-repeats-request: stands on what is not a property",
        ),
    ]
}

fn case(body: &Value, answer: &Value, line: &'static str) -> Case {
    let mut operation = sent(body);
    let content = json!({ "application/json": { "schema": answer } });
    operation["responses"] = json!({ "200": { "description": "It.", "content": content } });
    ("/paths/~1v2~1things", "put", operation, line)
}
