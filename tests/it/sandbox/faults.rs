use std::time::Duration;

use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
};

use super::caller::{Caller, items, values};

const DEPOSITS: Operation = operation::LIST_DEPOSIT_ADDRESSES;
const PATH: &str = "/v2/transfer/deposit-addresses";
const MONITORING: &str = "/v2/rewards/monitor/address";

#[tokio::test]
async fn an_answer_that_was_asked_for_comes_once() {
    let caller = Caller::start().await;
    let problem = ("content-type", Some("application/problem+json"));
    let json = ("content-type", Some("application/json"));
    let page = "<html><body><h1>Gateway</h1></body></html>";
    let location = "http://127.0.0.1:1/";
    let wait = |millis| Some(Duration::from_millis(millis));
    for (fault, status, (name, value), body) in [
        (Fault::Status(500), 500, problem, "\"status\":500"),
        (Fault::Status(503), 503, problem, "\"status\":503"),
        (Fault::Status(408), 408, problem, "\"status\":408"),
        (Fault::Status(418), 418, problem, "\"status\":418"),
        (Fault::Status(7), 500, problem, "\"status\":500"),
        (Fault::Status(100), 500, problem, "\"status\":500"),
        (Fault::Html(502), 502, ("content-type", Some("text/html")), page),
        (Fault::NotJson, 200, json, "{\"items\": ["),
        (Fault::Body(200, "[]".into()), 200, json, "[]"),
        (Fault::Redirect(307, location.into()), 307, ("location", Some(location)), ""),
        (Fault::TooManyRequests { retry_after: None }, 429, ("retry-after", None), "429"),
        (Fault::TooManyRequests { retry_after: wait(0) }, 429, ("retry-after", Some("0")), "429"),
        (
            Fault::TooManyRequests { retry_after: wait(1_500) },
            429,
            ("retry-after", Some("2")),
            "429",
        ),
        (Fault::Unauthorized, 401, ("www-authenticate", Some("Bearer")), "\"status\":401"),
    ] {
        caller.sandbox.fault(DEPOSITS, fault.clone());

        let answer = caller.send(caller.request(PATH)).await;

        assert_eq!(answer.status(), status, "{fault:?}");
        let found = answer.headers().get(name).map(|found| found.to_str().unwrap());
        assert_eq!(found, value, "{fault:?}");
        let text = answer.text().await.unwrap();
        assert!(text.contains(body) && text.is_empty() == body.is_empty(), "{fault:?}: {text}");
        caller.ok(PATH).await;
    }
}

/// Starts a sandbox with a port and this fault. Returns it with the result of one HTTP request.
async fn with(fault: Fault) -> (Caller, reqwest::Result<reqwest::Response>) {
    let caller = Caller::listening(Sandbox::builder()).await;
    caller.sandbox.fault(DEPOSITS, fault);
    let answer = caller.request(PATH).send().await;
    (caller, answer)
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
async fn half_of_a_body_can_be_missing() {
    let (caller, answer) = with(Fault::Truncated).await;

    let mut answer = answer.unwrap();
    assert_eq!(answer.status(), 200);
    let announced = answer.content_length().unwrap();
    let mut arrived = 0;
    while let Ok(Some(chunk)) = answer.chunk().await {
        arrived += chunk.len() as u64;
    }
    assert_eq!(arrived, announced / 2);
    caller.ok(PATH).await;
}

#[tokio::test]
async fn a_page_can_hold_a_value_that_nobody_knows() {
    let caller = Caller::start().await;
    for (operation, path, field, value) in [
        (operation::LIST_QUOTE_EXECUTIONS, &*caller.executions(), "market", "NEWCOINUSD"),
        (operation::LIST_MONITORING_ADDRESSES, MONITORING, "crypto_network", "NEWNET"),
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
    let caller = Caller::start().await;
    for filters in ["", "&order=ASC"] {
        let path = format!("{PATH}?limit=5{filters}");
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
    let caller = Caller::start().await;
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
    let caller = Caller::start().await;
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
