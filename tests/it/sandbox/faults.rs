use std::time::{Duration, Instant};

use digital_assets::{
    Operation,
    sandbox::{Fault, Sandbox},
};
use reqwest::{Client, redirect};
use serde_json::json;

use super::caller::{Caller, items, json, values};

const DEPOSITS: Operation = Operation::ListDepositAddresses;
const PATH: &str = "/v2/transfer/deposit-addresses";

async fn with(fault: Fault) -> (Caller, reqwest::Result<reqwest::Response>) {
    let mut caller = Caller::listening(Sandbox::builder()).await;
    caller.http = Client::builder().redirect(redirect::Policy::none()).build().unwrap();
    caller.sandbox.fault(DEPOSITS, fault);
    let answer = caller.request(PATH).send().await;
    (caller, answer)
}

#[tokio::test]
async fn a_status_comes_with_a_problem_document_once() {
    for (code, seen) in [(500, 500), (503, 503), (408, 408), (418, 418), (7, 500), (100, 500)] {
        let (caller, answer) = with(Fault::Status(code)).await;

        let answer = answer.unwrap();
        assert_eq!(answer.status(), seen);
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        assert_eq!(json(answer).await["status"], seen);
        caller.ok(PATH).await;
    }
}

#[tokio::test]
async fn a_page_of_a_gateway_half_a_document_and_any_other_answer_can_be_had() {
    for (fault, status, (name, value), body) in [
        (
            Fault::Html(502),
            502,
            ("content-type", "text/html"),
            "<html><body><h1>Gateway</h1></body></html>",
        ),
        (Fault::NotJson, 200, ("content-type", "application/json"), "{\"items\": ["),
        (Fault::Body(200, "[]".into()), 200, ("content-type", "application/json"), "[]"),
        (
            Fault::Redirect(307, "http://127.0.0.1:1/".into()),
            307,
            ("location", "http://127.0.0.1:1/"),
            "",
        ),
    ] {
        let (_caller, answer) = with(fault.clone()).await;

        let answer = answer.unwrap();
        assert_eq!(answer.status(), status, "{fault:?}");
        assert_eq!(answer.headers()[name], value, "{fault:?}");
        assert_eq!(answer.text().await.unwrap(), body, "{fault:?}");
    }
}

#[tokio::test]
async fn too_many_requests_may_say_how_long_to_wait() {
    for (retry_after, header) in [
        (None, None),
        (Some(Duration::ZERO), Some("0")),
        (Some(Duration::from_millis(1_500)), Some("2")),
    ] {
        let (_caller, answer) = with(Fault::TooManyRequests { retry_after }).await;

        let answer = answer.unwrap();
        assert_eq!(answer.status(), 429);
        let found = answer.headers().get("retry-after").map(|value| value.to_str().unwrap());
        assert_eq!(found, header);
    }
}

#[tokio::test]
async fn a_good_token_can_be_refused_once() {
    let (caller, answer) = with(Fault::Unauthorized).await;

    assert_eq!(answer.unwrap().status(), 401);
    caller.ok(PATH).await;
}

#[tokio::test]
async fn an_answer_can_be_late() {
    let begin = Instant::now();

    let (_caller, answer) = with(Fault::Latency(Duration::from_millis(150))).await;

    assert_eq!(answer.unwrap().status(), 200);
    assert!(begin.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_connection_can_be_closed_before_any_answer() {
    let (caller, answer) = with(Fault::Reset).await;

    let error = answer.unwrap_err();
    assert!(error.is_request() && !error.is_connect(), "{error:?}");
    assert_eq!(caller.sandbox.request_count(DEPOSITS), 1);
    caller.ok(PATH).await;
}

#[tokio::test]
async fn a_post_can_be_applied_without_an_answer() {
    let caller = Caller::listening(Sandbox::builder()).await;
    let body = json!({
        "institution_id": caller.sandbox.institution_id(),
        "members": [{ "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06" }],
    });
    for (fault, members) in [(Fault::Reset, 0), (Fault::ResetAfterApplying, 1)] {
        caller.sandbox.fault(Operation::AddInstitutionMembers, fault.clone());
        caller.add_request(&body).send().await.unwrap_err();
        assert_eq!(caller.sandbox.members().len(), members, "{fault:?}");
    }
}

#[tokio::test]
async fn half_of_a_body_can_be_missing() {
    let (caller, answer) = with(Fault::Truncated).await;

    let mut answer = answer.unwrap();
    assert_eq!(answer.status(), 200);
    let announced = usize::try_from(answer.content_length().unwrap()).unwrap();
    let mut arrived = 0;
    let error = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => arrived += chunk.len(),
            Ok(None) => panic!("the body is whole"),
            Err(error) => break error,
        }
    };
    assert!(error.is_body() || error.is_decode(), "{error:?}");
    assert_eq!(arrived, announced / 2);
    caller.ok(PATH).await;
}

#[tokio::test]
async fn a_body_can_arrive_byte_by_byte() {
    let caller = Caller::listening(Sandbox::builder()).await;
    let interval = Duration::from_millis(20);
    caller.sandbox.fault(DEPOSITS, Fault::Drip(interval));
    let begin = Instant::now();

    let body = caller.ok(&format!("{PATH}?ref_ids=nobody")).await;

    assert!(begin.elapsed() >= interval * u32::try_from(body.to_string().len()).unwrap());
}

#[tokio::test]
async fn a_page_can_hold_a_value_that_nobody_knows() {
    let caller = Caller::listening(Sandbox::builder()).await;
    for (operation, path, field, value) in [
        (Operation::ListQuoteExecutions, &*caller.executions(), "market", "NEWCOINUSD"),
        (
            Operation::ListMonitoringAddresses,
            "/v2/rewards/monitor/address",
            "crypto_network",
            "NEWNET",
        ),
        (DEPOSITS, PATH, "crypto_network", "NEWNET"),
    ] {
        caller.sandbox.fault(operation, Fault::UnknownEnumValue);
        let changed = caller.ok(path).await;
        let usual = caller.ok(path).await;

        assert!(values(&changed, field).iter().all(|found| *found == value), "{path}");
        assert_eq!(values(&changed, "id"), values(&usual, "id"));
        assert!(values(&usual, field).iter().all(|found| *found != value), "{path}");
    }
}

#[tokio::test]
async fn an_empty_page_leads_to_the_page_that_was_asked_for() {
    let caller = Caller::listening(Sandbox::builder()).await;
    for path in [format!("{PATH}?limit=5"), format!("{PATH}?limit=5&order=ASC")] {
        let filters = path.replace("?limit=5", "");
        let filters = filters.trim_start_matches(PATH);
        caller.sandbox.fault(DEPOSITS, Fault::EmptyPage);

        let empty = caller.ok(&path).await;
        let cursor = empty["next_page_cursor"].as_str().unwrap();
        let page = caller.ok(&format!("{PATH}?page_cursor={cursor}{filters}")).await;

        assert!(items(&empty).is_empty());
        assert_eq!(page, caller.ok(&path).await);
    }
}

#[tokio::test]
async fn a_cursor_can_repeat_itself() {
    let caller = Caller::listening(Sandbox::builder()).await;
    caller.sandbox.fault(DEPOSITS, Fault::RepeatedCursor);

    let first = caller.ok(&format!("{PATH}?limit=5")).await;
    let cursor = first["next_page_cursor"].as_str().unwrap();
    let second = caller.ok(&format!("{PATH}?page_cursor={cursor}")).await;
    let again = caller.ok(&format!("{PATH}?page_cursor={cursor}")).await;

    assert_eq!(second["next_page_cursor"], cursor);
    assert_ne!(again["next_page_cursor"], cursor);
    assert_eq!(items(&second), items(&again));
}

#[tokio::test]
async fn faults_wait_for_their_operation_and_follow_each_other() {
    let caller = Caller::listening(Sandbox::builder()).await;
    caller.sandbox.fault(DEPOSITS, Fault::Status(500));
    caller.sandbox.fault(DEPOSITS, Fault::Status(503));

    assert_eq!(caller.get(&caller.executions()).await.0, 200);
    assert_eq!(caller.get(PATH).await.0, 500);
    assert_eq!(caller.get(PATH).await.0, 503);
    assert_eq!(caller.get(PATH).await.0, 200);
    assert_eq!(caller.sandbox.request_count(DEPOSITS), 3);
}

#[tokio::test]
async fn the_token_endpoint_fails_on_demand() {
    let caller = Caller::listening(Sandbox::builder()).await;
    let form = caller.form("identity:write_identity");
    caller.sandbox.token_fault(Fault::Status(503));
    caller.sandbox.token_fault(Fault::Reset);
    caller.sandbox.token_fault(Fault::Truncated);

    assert_eq!(caller.token_request(&form).send().await.unwrap().status(), 503);
    caller.token_request(&form).send().await.unwrap_err();
    caller.token_request(&form).send().await.unwrap().text().await.unwrap_err();
    assert_eq!(caller.token_request(&form).send().await.unwrap().status(), 200);
    assert_eq!(caller.sandbox.token_requests(), 5);
}

#[tokio::test]
async fn chaos_fails_its_share_and_leaves_the_records_intact() {
    let caller = Caller::listening(Sandbox::builder().executions(2_000).chaos(0.3, 9)).await;
    let (path, expected) = (caller.executions(), caller.sandbox.executions());
    let (mut found, mut query) = (Vec::new(), "?limit=10".to_owned());
    let (mut calls, mut failures) = (0, std::collections::BTreeMap::<String, u32>::new());
    loop {
        calls += 1;
        let failed = match caller.request(&format!("{path}{query}")).send().await {
            Err(_) => Some("reset".to_owned()),
            Ok(answer) if answer.status() != 200 => {
                let header = answer.headers().get("retry-after").is_some();
                Some(format!("{} {header}", answer.status().as_u16()))
            }
            Ok(answer) => match answer.text().await {
                Err(_) => Some("truncated".to_owned()),
                Ok(text) => {
                    let page: serde_json::Value = serde_json::from_str(&text).unwrap();
                    found.extend(values(&page, "id").iter().map(|id| (*id).to_owned()));
                    let Some(cursor) = page["next_page_cursor"].as_str() else { break };
                    query = format!("?page_cursor={cursor}");
                    items(&page).is_empty().then(|| "empty".to_owned())
                }
            },
        };
        if let Some(failed) = failed {
            *failures.entry(failed).or_default() += 1;
        }
    }

    assert_eq!(found, expected.map(|execution| execution.id.to_string()).collect::<Vec<_>>());
    assert_eq!(failures.len(), 10, "{failures:?}");
    let share = f64::from(failures.values().sum::<u32>()) / f64::from(calls);
    assert!((0.2..0.4).contains(&share), "{share}");
}
