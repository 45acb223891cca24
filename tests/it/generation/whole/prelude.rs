//! Calls every operation of the description. Written by `tests/it/generation/whole`.

#![allow(missing_docs, deprecated, clippy::unwrap_used, clippy::print_stdout)]

use std::{env, fmt::Debug, str::FromStr};

use digital_assets::{Client, Error, chrono, types, uuid};
use serde_json::{Value, json};

fn client() -> Client {
    Client::builder(env::var("BASE_URL").unwrap()).bearer_token("secret").build().unwrap()
}

/// How many pages a listing has.
fn pages() -> usize {
    env::var("PAGES").unwrap().parse().unwrap()
}

fn read<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn failed<T>(id: &str, error: &Error) -> T {
    let body = error.body().map(String::from_utf8_lossy);
    panic!("{id}: {} {}", error.with_problem(), body.unwrap_or_default())
}

/// The answer has all that the example has, whatever else it has.
fn holds(id: &str, answer: &impl serde::Serialize, example: &str) {
    let answer = serde_json::to_value(answer).unwrap();
    contains(id, &answer, &serde_json::from_str(example).unwrap());
}

fn contains(at: &str, answer: &Value, example: &Value) {
    match (answer, example) {
        (Value::Object(answer), Value::Object(example)) => {
            for (name, value) in example {
                let says_nothing = [Value::Null, json!([]), json!({})].contains(value);
                // A cursor is what a mock leaves out.
                if !says_nothing && name != "next_page_cursor" {
                    let answer = answer.get(name).unwrap_or(&Value::Null);
                    contains(&format!("{at}.{name}"), answer, value);
                }
            }
        }
        (Value::Array(answer), Value::Array(example)) if answer.len() == example.len() => {
            for (number, (answer, example)) in answer.iter().zip(example).enumerate() {
                contains(&format!("{at}[{number}]"), answer, example);
            }
        }
        _ => assert_eq!(answer, example, "{at}"),
    }
}

/// Walks a listing to its end, page by page and record by record.
macro_rules! walked {
    ($id:literal, $call:ident, $pages:expr) => {
        let expected: Vec<Vec<Value>> = $pages.iter().take(pages()).map(|page| read(page)).collect();
        let mut pages = $call.clone().pages();
        let mut count = 0;
        while let Some(page) = pages.next().await {
            page.unwrap_or_else(|error| failed($id, &error));
            count += 1;
        }
        assert_eq!(count, expected.len(), "pages of {}", $id);
        let mut items = $call.items();
        let mut listed = Vec::new();
        while let Some(item) = items.next().await {
            let item = item.unwrap_or_else(|error| failed($id, &error));
            listed.push(serde_json::to_value(item).unwrap());
        }
        contains($id, &listed.into(), &expected.concat().into());
    };
}
