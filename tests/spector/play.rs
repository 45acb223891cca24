//! Runs Spector's scenarios with the generated client, and prints the results.
//!
//! `tests/description/spector` runs this program in a copy of the crate that has Spector's OpenAPI
//! description. The program includes the table that the build writes for the command-line tool. The
//! table calls the builder's setter for each value, and parses a body into its generated type.

#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::print_stdout)]

use std::{collections::BTreeMap, env, fmt::Display, fs, future::Future, pin::Pin, str::FromStr};

use digital_assets::{CallOptions, Client, Error, chrono, reqwest};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

#[allow(deprecated)]
mod operations {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/tool.rs"));
}

/// The functions that the table calls to get the names of commands and options. They return each
/// name unchanged.
mod words {
    pub(crate) const fn command(name: &'static str, _: &'static str) -> &'static str {
        name
    }

    pub(crate) const fn option(name: &'static str, _: &'static str) -> &'static str {
        name
    }
}

struct Operation {
    command: &'static str,
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    description: Option<&'static str>,
    deprecated: bool,
    parameters: &'static [Parameter],
    body: Option<Body>,
    call: Call,
}

struct Parameter {
    name: &'static str,
    option: &'static str,
    description: &'static str,
    kind: Kind,
    values: &'static [&'static str],
    examples: &'static [&'static str],
    default: Option<&'static str>,
    minimum: Option<i64>,
    maximum: Option<i64>,
    many: bool,
    required: bool,
    bound: Option<Bound>,
}

struct Bound {
    column: &'static str,
    operator: &'static str,
}

struct Body {
    example: Option<&'static str>,
    required: bool,
}

enum Call {
    Answer(for<'a> fn(&'a Given<'a>) -> Result<Answer<'a>, String>),
    Listing(Listing),
}

type Answer<'a> =
    Pin<Box<dyn Future<Output = Result<serde_json::Result<Value>, Error>> + Send + 'a>>;

struct Listing {
    columns: &'static [Column],
    created_at: Option<&'static str>,
    cursor: &'static str,
    size: Option<&'static str>,
    order: Option<Order>,
    windows: bool,
    table: &'static str,
    rows: fn(&Given<'_>, usize, Option<digital_assets::Follow>) -> Result<Box<dyn Rows>, String>,
}

struct Order {
    option: &'static str,
    ascending: &'static str,
    descending: &'static str,
    by: Option<&'static str>,
}

trait Rows {}

impl<T> Rows for T {}

struct Column {
    name: &'static str,
    kind: Kind,
    required: bool,
    is_id: bool,
    empty: Option<Empty>,
    part: Part,
}

enum Empty {
    Array,
    Object,
}

enum Part {
    Field,
    Others,
    Whole,
}

enum Kind {
    Text,
    Uuid,
    Time,
    Date,
    Decimal,
    Integer,
    Number,
    Boolean,
    Json,
}

struct Given<'a> {
    client: &'a Client,
    values: BTreeMap<&'static str, Vec<String>>,
    body: Option<String>,
}

impl Given<'_> {
    fn one<T: FromStr<Err: Display>>(&self, option: &str) -> Result<Option<T>, String> {
        Ok(self.all(option)?.and_then(|values| values.into_iter().next()))
    }

    fn all<T: FromStr<Err: Display>>(&self, option: &str) -> Result<Option<Vec<T>>, String> {
        let parsed =
            |text: &String| text.parse().map_err(|error| format!("{option} is {text}: {error}"));
        self.values.get(option).map(|values| values.iter().map(parsed).collect()).transpose()
    }

    fn body<T: DeserializeOwned>(&self) -> Result<T, String> {
        let body = self.body.as_ref().ok_or("there is no body")?;
        serde_json::from_str(body).map_err(|error| format!("the body is {body}: {error}"))
    }
}

fn answer(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}

#[derive(Deserialize)]
struct Scenario {
    area: String,
    name: String,
    calls: Vec<Played>,
    refused: Option<String>,
    unsaid: Option<String>,
}

#[derive(Deserialize)]
struct Played {
    method: String,
    path: String,
    given: BTreeMap<String, Vec<String>>,
    /// The API key that is sent in a header.
    key: Option<String>,
    body: Option<String>,
    status: u16,
    answer: Option<String>,
}

/// The token that Spector's mock server expects.
const TOKEN: &str = "https://security.microsoft.com/.default";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let scenarios = fs::read_to_string(env::var("SCENARIOS").unwrap()).unwrap();
    let scenarios: Vec<Scenario> = serde_json::from_str(&scenarios).unwrap();
    let url = env::var("SPECTOR_URL").unwrap();
    let client = Client::builder(&url).bearer_token(TOKEN).build().unwrap();

    let mut outcomes = Vec::new();
    for scenario in &scenarios {
        outcomes.push(outcome(&client, scenario).await);
    }
    let coverage = reqwest::get(format!("{url}/.coverage")).await.unwrap();
    let coverage: Value = coverage.json().await.unwrap();
    let mut areas: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut failed = 0;
    for (scenario, mut outcome) in scenarios.iter().zip(outcomes) {
        let counted = &coverage[0]["results"][&scenario.name];
        if outcome == "passed" && counted != "pass" {
            outcome = format!("failed: the mock counts it as {counted}");
        }
        if let Some(reason) = outcome.strip_prefix("failed: ") {
            failed += 1;
            println!("FAILED   {}: {reason}", scenario.name);
            outcome.truncate("failed".len());
        }
        *areas.entry(&scenario.area).or_default().entry(outcome).or_default() += 1;
    }
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    println!("| area | passed | otherwise |\n|---|---|---|");
    for (area, outcomes) in &areas {
        let passed = outcomes.get("passed").copied().unwrap_or_default();
        let others = outcomes.iter().filter(|(outcome, _)| *outcome != "passed");
        let others: Vec<_> =
            others.map(|(outcome, count)| format!("{outcome} ({count})")).collect();
        println!("| {area} | {passed} | {} |", others.join("; "));
        for (outcome, count) in outcomes {
            *sums.entry(outcome.split(':').next().unwrap()).or_default() += count;
        }
    }
    println!("{} scenarios: {sums:?}", scenarios.len());
    assert_eq!(failed, 0, "scenarios of accepted operations failed");
}

async fn outcome(client: &Client, scenario: &Scenario) -> String {
    if let Some(reason) = &scenario.refused {
        return format!("refused: {reason}");
    }
    if let Some(reason) = &scenario.unsaid {
        return format!("unsaid: {reason}");
    }
    for played in &scenario.calls {
        if let Err(reason) = play(client, played).await {
            return format!("failed: {reason}");
        }
    }
    "passed".to_owned()
}

async fn play(client: &Client, played: &Played) -> Result<(), String> {
    let mut operations = operations::OPERATIONS.iter();
    let operation = operations
        .find(|operation| operation.method == played.method && operation.path == played.path)
        .ok_or("no such operation")?;
    let Call::Answer(call) = operation.call else {
        return Err("the operation is a listing".to_owned());
    };
    let given =
        |parameter: &Parameter| Some((parameter.option, played.given.get(parameter.name)?.clone()));
    let values = operation.parameters.iter().filter_map(given).collect();
    let options = CallOptions::new();
    let options = match &played.key {
        Some(key) => options.header("x-ms-api-key", key),
        None => options,
    };
    let client = &client.with_options(options);
    let given = Given { client, values, body: played.body.clone() };
    match call(&given)?.await {
        Ok(answer) if (200..300).contains(&played.status) => {
            let answer = answer.map_err(|error| error.to_string())?;
            let Some(expected) = &played.answer else { return Ok(()) };
            let expected = serde_json::from_str(expected)
                .map_err(|error| format!("the mock's response isn't JSON: {error}"))?;
            let same = is_same(&answer, &expected);
            same.then_some(()).ok_or_else(|| format!("expected {expected}, but read {answer}"))
        }
        Ok(_) => Err(format!("expected status {}, but the call succeeded", played.status)),
        Err(error) if error.status().is_some_and(|status| status == played.status) => Ok(()),
        Err(error) => {
            let body = error.body().map(String::from_utf8_lossy).unwrap_or_default();
            Err(format!("{} {body}", error.with_problem()))
        }
    }
}

/// Returns whether two responses are equal. Numbers are compared by value, and times by the instant
/// that they represent.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, one)| other.get(name).is_some_and(|other| is_same(one, other));
            one.len() == other.len() && one.iter().all(same)
        }
        (Value::String(one), Value::String(other)) => one == other || is_same_time(one, other),
        _ => one == other,
    }
}

fn is_same_time(one: &str, other: &str) -> bool {
    let time = |text| chrono::DateTime::parse_from_rfc3339(text).ok();
    time(one).is_some() && time(one) == time(other)
}
