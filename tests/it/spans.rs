//! Tests of what a client records with `tracing`. The names follow OpenTelemetry's conventions for
//! HTTP client spans 1.x: <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>.

use std::{fs, path::Path};

use crate::{
    log::{self, Entry, Recorded},
    prelude::*,
};

const PATH: &str = "/v2/rewards/monitor/address";

/// Lists monitoring addresses. Returns what was recorded, and the result.
async fn listing(script: impl IntoIterator<Item = Answer>) -> (Recorded, Result<(), Error>) {
    let env = Environment::playing(script);
    log::of(list(&env.client)).await
}

fn assert_fields(entry: &Entry, expected: &[(&str, Option<&str>)]) {
    for (name, value) in expected {
        assert_eq!(entry.field(name), *value, "{name} of {entry:#?}");
    }
}

#[tokio::test]
async fn a_call_and_its_attempt_are_a_span_each() {
    let env = Environment::playing([json(200, "{}")]);
    let (recorded, result) = log::of(list(&env.client)).await;

    result.expect("a page");
    let (calls, attempts) = (recorded.spans("call"), recorded.spans("attempt"));
    assert_eq!((calls.len(), attempts.len()), (1, 1));
    let url = reqwest::Url::parse(&env.service.url()).expect("a URL");
    let port = url.port().map(|port| port.to_string());
    let of_both = [
        ("operation", Some(operation::LIST_MONITORING_ADDRESSES.id())),
        ("http.request.method", Some("GET")),
        ("url.template", Some(PATH)),
        ("server.address", Some("127.0.0.1")),
        ("server.port", port.as_deref()),
        ("http.response.status_code", Some("200")),
        ("error.type", None),
        ("otel.status_code", None),
    ];
    assert_fields(calls[0], &of_both);
    assert_fields(attempts[0], &of_both);
    assert_fields(
        calls[0],
        &[("otel.name", Some("listMonitoringAddresses")), ("otel.kind", Some("internal"))],
    );
    assert_fields(
        attempts[0],
        &[
            ("otel.name", Some("GET /v2/rewards/monitor/address")),
            ("otel.kind", Some("client")),
            ("http.request.resend_count", None),
        ],
    );
    assert_eq!(attempts[0].parent, Some("call"));
}

// In OpenTelemetry's words, "the ordinal number of request resending attempt". The first attempt
// has none.
#[tokio::test]
async fn attempts_count_how_often_the_request_was_sent_again() {
    let script = [status(401), status(503), reset(), json(200, "{}")];

    let (recorded, result) = listing(script).await;

    result.expect("a page at last");
    let attempts = recorded.spans("attempt");
    let seen: Vec<_> = attempts
        .iter()
        .map(|attempt| {
            ["http.request.resend_count", "http.response.status_code", "error.type"]
                .map(|name| attempt.field(name).unwrap_or_default())
        })
        .collect();
    assert_eq!(
        seen,
        [["", "401", "401"], ["1", "503", "503"], ["2", "", "transport"], ["3", "200", ""]]
    );
    assert_fields(recorded.spans("call")[0], &[("error.type", None)]);
}

// In OpenTelemetry's words, "the response status code, or another low-cardinality name".
#[tokio::test]
async fn a_failure_has_a_type_of_few() {
    let too_large = json(200, vec![b' '; 65 << 20]);
    for (answer, status_code, error_type) in [
        (status(404), Some("404"), "404"),
        (status(307).header("location", "/"), Some("307"), "307"),
        (json(200, "[]"), Some("200"), "decode"),
        (too_large, Some("200"), "response_too_large"),
    ] {
        let (recorded, result) = listing([answer]).await;

        result.expect_err("a failure");
        let expected = [
            ("http.response.status_code", status_code),
            ("error.type", Some(error_type)),
            ("otel.status_code", Some("ERROR")),
        ];
        assert_fields(recorded.spans("call")[0], &expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_is_a_timeout() {
    let client = InMemory::scripted(|_, _| silent())
        .with(|client| client.attempt_timeout(millis(50)).call_timeout(millis(60)));
    let (recorded, result) = log::of(list(&client)).await;

    result.expect_err("a timeout");
    let expected = [("error.type", Some("timeout")), ("http.response.status_code", None::<&str>)];
    for entry in [recorded.spans("call")[0], recorded.spans("attempt")[0]] {
        assert_fields(entry, &expected);
    }
}

/// Lists addresses while the token endpoint rejects requests with this code. Returns what was
/// recorded, and the result.
async fn refused(code: &str) -> (Recorded, Result<(), Error>) {
    let auth = Server::playing([json(400, format!(r#"{{"error":"{code}"}}"#))]);
    let env = Environment::of(Server::playing([]), auth, |client| client);
    log::of(list(&env.client)).await
}

// The token endpoint is another server, so its status isn't the service's status.
#[tokio::test]
async fn a_call_without_a_token_has_no_attempt_and_no_status() {
    let (recorded, result) = refused("invalid_scope").await;

    result.expect_err("no token");
    assert!(recorded.spans("attempt").is_empty());
    let expected = [("error.type", Some("token")), ("http.response.status_code", None)];
    assert_fields(recorded.spans("call")[0], &expected);
    assert_eq!(recorded.messages(), ["no token"]);
}

// An error code that isn't registered may repeat a secret from the request.
#[tokio::test]
async fn a_token_span_names_registered_codes_alone() {
    for (code, error_type) in [("invalid_scope", "invalid_scope"), ("sesame", "400")] {
        let (recorded, result) = refused(code).await;

        result.expect_err("no token");
        assert_fields(recorded.spans("token")[0], &[("error.type", Some(error_type))]);
    }
}

#[tokio::test]
async fn each_request_for_a_token_is_a_span_of_the_call_that_began_it() {
    let page = || json(200, "{}");
    let refusal = json(400, r#"{"error":"invalid_scope"}"#);
    let auth = Server::playing([grant("word", "3599"), refusal]);
    let env = Environment::of(Server::playing([page(), page()]), auth, |client| client);
    let (recorded, ()) = log::of(async {
        list(&env.client).await.expect("a page");
        list(&env.client).await.expect("a page");
        env.client.list_deposit_addresses().send().await.expect_err("no token");
    })
    .await;

    let spans = recorded.spans("token");
    assert_eq!(spans.len(), 2, "{spans:#?}");
    for (span, scopes, status_code, failure) in [
        (spans[0], r#"["rewards:read_monitoring_address"]"#, "200", None),
        (spans[1], r#"["transfer:read_deposit_address"]"#, "400", Some("invalid_scope")),
    ] {
        let expected = [
            ("scopes", Some(scopes)),
            ("otel.kind", Some("internal")),
            ("otel.status_code", failure.map(|_| "ERROR")),
            ("http.response.status_code", Some(status_code)),
            ("error.type", failure),
        ];
        assert_fields(span, &expected);
        assert_eq!(span.parent, Some("call"));
    }
}

#[tokio::test]
async fn tokens_retries_and_holds_are_events_of_the_call() {
    let throttled = status(429).header("retry-after", "0");
    let env = Environment::playing([status(401), throttled, json(200, MEMBERS)]);
    let (recorded, result) = log::of(add(&env.client)).await;

    result.expect("added");
    assert_eq!(
        recorded.messages(),
        [
            "token fetched",
            "the service rejected the token; requesting a new token",
            "token fetched",
            "holding back calls after a 429",
            "retrying",
            "waiting for a turn",
        ]
    );
    let parents: Vec<_> = recorded.events().map(|event| event.parent).collect();
    assert_eq!(parents, [Some("call"); 6]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_turn_says_so() {
    let client = InMemory::always(json(200, "{}"))
        .with(|client| client.rate_limit(operation::LIST_MONITORING_ADDRESSES, 50.0));
    list(&client).await.expect("a page");

    let (recorded, result) = log::of(list(&client)).await;

    result.expect("a page");
    assert_eq!(recorded.messages().last(), Some(&"waiting for a turn"));
}

/// Returns the Rust files below a directory.
fn sources(directory: &Path) -> Vec<String> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| {
        if path.is_dir() { sources(&path) } else { vec![fs::read_to_string(path).unwrap()] }
    });
    files.collect()
}

/// Returns the name or message of each span or event that this code records, and its fields.
fn recorded(code: &str, kind: &str) -> Vec<(String, Vec<String>)> {
    let start = format!("tracing::{kind}!(");
    let macros = code.split(&*start).skip(1);
    let recorded = macros.map(|rest| {
        let text = rest.split(");\n").next().unwrap();
        // A string may continue on the next line.
        let text: String = text.split("\\\n").map(str::trim_start).collect();
        let strings = text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        let mut plain: String = text.split('"').step_by(2).collect();
        plain.retain(|c| !c.is_whitespace());
        let fields = plain.split(',').map(|part| part.split('=').next().unwrap());
        let fields = fields.map(|name| name.trim_start_matches(['%', '?']).to_owned());
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || "._".contains(c))
        };
        let name = if kind == "info_span" { strings.first() } else { strings.last() };
        (name.unwrap().clone(), fields.filter(is_name).collect())
    });
    recorded.collect()
}

#[test]
fn the_table_in_the_docs_lists_every_span_and_event_with_its_fields() {
    let runtime = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src"));
    let docs = fs::read_to_string(runtime.join("client/newtype.rs")).unwrap();
    let sources = sources(runtime);
    let mut count = 0;
    for (kind, level) in
        [("info_span", ""), ("warn", "`WARN` | "), ("info", "`INFO` | "), ("debug", "`DEBUG` | ")]
    {
        for (name, fields) in sources.iter().flat_map(|code| recorded(code, kind)) {
            let quote = if level.is_empty() { "`" } else { "" };
            let row = format!("| {level}{quote}{name}{quote} | ");
            let row = docs.lines().find(|line| line.contains(&row));
            let row = row.unwrap_or_else(|| panic!("no row for {kind} {name:?}"));
            let row = row.replace(
                "those of `call`",
                docs.lines().find(|l| l.contains("| `call` |")).unwrap(),
            );
            for field in fields {
                assert!(row.contains(&format!("`{field}`")), "{name}: {field}");
            }
            count += 1;
        }
    }
    let rows = docs.lines().filter(|line| line.trim().starts_with("/// | `")).count();
    assert_eq!(count, rows);
}
