//! About 1,600 OpenAPI descriptions, each with one feature of OpenAPI 3.0 in one position. Each
//! must be rejected with an error, or produce code that compiles without warnings.

mod examples;
mod features;
mod names;
mod places;

use std::thread;

use serde_json::{Map, Value, json};

use super::{Copy, text};
use crate::script;

/// A description of one operation.
pub(super) struct Case {
    /// The unique `operationId`.
    pub(super) id: String,
    pub(super) path: String,
    pub(super) item: Value,
    /// The schemas in `components`, with unique names.
    pub(super) schemas: Map<String, Value>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for feature in features::all() {
        for place in places::ALL {
            let id = format!("case{:04}", cases.len());
            cases.push(places::case(&id, &feature, place));
        }
    }
    cases.extend(names::cases(cases.len()));
    cases
}

#[test]
fn each_feature_at_each_place_is_refused_in_a_sentence_or_compiles() {
    let cases = cases();
    assert!(cases.len() > 500, "{} cases", cases.len());

    let outcomes = outcomes(&cases);

    let mut served = Vec::new();
    let mut wrong = Vec::new();
    for (case, outcome) in cases.iter().zip(&outcomes) {
        let Case { id, item, .. } = case;
        let is_sentence = |line: &String| {
            line.starts_with(&format!("{id} → "))
                && line.split_once(": ").is_some_and(|(_, reason)| reason.len() > 8)
        };
        match (&outcome.generated, outcome.refusals.as_slice()) {
            (Some(generated), []) => served.push((case, generated)),
            (None, [_, ..]) if outcome.refusals.iter().all(is_sentence) => {}
            _ => wrong.push(format!("{item}: {:?}", outcome.refusals)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    for (number, batch) in served.chunks(served.len().div_ceil(2)).enumerate() {
        let copy = Copy::new(&format!("matrix-{number}"));
        let batch_cases: Vec<_> = batch.iter().map(|(case, _)| *case).collect();
        copy.describe(&together(&batch_cases).to_string());
        let examples = batch.iter().flat_map(|(_, generated)| examples::of(generated));
        examples::compile_in(&copy.0, examples);
        let check = copy.cargo(&["check", "--lib", "--features", "pattern,schemars"]);
        let said = text(&check);
        assert!(check.status.success(), "{said}");
        // The generator's warnings about the description are allowed.
        let mut warnings = said.lines().filter(|line| line.starts_with("warning"));
        assert!(warnings.all(|line| line.contains("openapi.yaml:")), "{said}");
    }
}

fn outcomes(cases: &[Case]) -> Vec<script::Outcome> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let run = |case: &Case| script::run(&together(&[case]).to_string());
    thread::scope(|scope| {
        let parts = cases.chunks(cases.len().div_ceil(workers));
        let parts = parts.map(|part| scope.spawn(move || part.iter().map(run).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// Returns one description that contains all these cases.
fn together(cases: &[&Case]) -> Value {
    let paths: Map<String, Value> =
        cases.iter().map(|case| (case.path.clone(), case.item.clone())).collect();
    let schemas: Map<String, Value> = cases.iter().flat_map(|case| case.schemas.clone()).collect();
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Cases", "version": "1.0.0" },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "oauth2": {
                    "type": "oauth2",
                    "flows": {
                        "clientCredentials": {
                            "tokenUrl": "https://auth.example.com/oauth2/token",
                            "scopes": { "a:read": "Read", "a:write": "Write" },
                        },
                    },
                },
                "key": { "type": "apiKey", "in": "header", "name": "x-key" },
            },
        },
    })
}
