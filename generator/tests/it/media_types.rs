//! Media types that are JSON, such as `application/merge-patch+json`.

use serde_json::{Value, json};

use crate::script::{self, one_operation};

/// Returns the generated code for an operation with these media types, without line breaks.
fn made(name: &str, sent: &Value, answers: &[(&str, Value)]) -> String {
    let mut description = one_operation();
    let answers = answers.iter().map(|(status, content)| {
        ((*status).to_owned(), json!({ "description": "It.", "content": content }))
    });
    description["paths"]["/v2/things"]["patch"] = json!({
        "operationId": "changeThing",
        "requestBody": { "content": sent },
        "responses": answers.collect::<Value>(),
    });

    let outcome = script::run(&description.to_string());

    assert_eq!(outcome.refusals, [""; 0], "{name}");
    let generated = outcome.generated.unwrap();
    generated.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn media(kinds: &[&str]) -> Value {
    let schema = json!({ "schema": { "$ref": "#/components/schemas/Thing" } });
    kinds.iter().map(|kind| ((*kind).to_owned(), schema.clone())).collect()
}

/// Returns the media types that the operation sends and accepts.
fn headers(generated: &str) -> Vec<&str> {
    let (_, of) = generated.split_once(r#"id: "changeThing""#).unwrap();
    let kinds = ["content_type: \"", "accept: \""].map(|name| of.split_once(name).unwrap().1);
    kinds.map(|kind| kind.split('"').next().unwrap()).to_vec()
}

#[test]
fn plain_json_goes_before_other_kinds_of_it() {
    let kinds = media(&["*/*", "application/hal+json", "application/json; charset=utf-8"]);

    let made = made("plain-json-first", &kinds, &[("200", kinds.clone())]);

    assert_eq!(headers(&made), ["application/json"; 2]);
}

#[test]
fn another_kind_of_json_is_what_is_sent_and_asked_for() {
    let made = made(
        "kinds-of-json",
        &media(&["text/csv", "application/json-patch+json"]),
        &[
            ("200", media(&["application/json"])),
            ("201", media(&["application/vnd.things+json; v=2"])),
        ],
    );

    assert_eq!(
        headers(&made),
        ["application/json-patch+json", "application/json, application/vnd.things+json; v=2",]
    );
}
