//! Tests of the control routes, called as a test in any language would call them.

use digital_assets::{operation, sandbox::CONTROL_YAML};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::caller::{Caller, items, json, values};

const DEPOSITS: &str = "/v2/transfer/deposit-addresses";

fn described() -> Value {
    serde_saphyr::from_str(CONTROL_YAML).unwrap()
}

fn asking(caller: &Caller, method: &str, path: &str) -> RequestBuilder {
    caller.http.request(Method::from_bytes(method.as_bytes()).unwrap(), caller.url(path))
}

async fn post(caller: &Caller, path: &str, body: &Value) -> (u16, Value) {
    let request = asking(caller, "POST", path).header("content-type", "application/json");
    let answer = caller.send(request.body(body.to_string())).await;
    let status = answer.status().as_u16();
    (status, if status == 204 { Value::Null } else { json(answer).await })
}

async fn fails(caller: &Caller, operation: &str, fault: Value) {
    let body = json!({ "operation": operation, "fault": fault });
    assert_eq!(post(caller, "/sandbox/faults", &body).await.0, 204, "{fault}");
}

#[tokio::test]
async fn every_route_of_the_description_answers_its_own_example_as_described() {
    let caller = Caller::start().await;
    let execution = caller.sandbox.executions().next().unwrap();
    let description = described();
    let mut operations = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations += 1;
            let path = path.replace("{id}", &execution.id.to_string());
            let mut request = asking(&caller, &method.to_uppercase(), &path);
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            if !example.is_null() {
                request = request.header("content-type", "application/json");
                request = request.body(example.to_string());
            }
            let status = caller.send(request).await.status();
            assert!(
                operation["responses"].get(status.as_str()).is_some(),
                "{method} {path} {status}"
            );
        }
    }
    assert_eq!(operations, 11);
}

#[tokio::test]
async fn each_kind_of_fault_that_is_described_can_be_queued() {
    let caller = Caller::start().await;
    let kinds = described();
    let kinds = kinds["components"]["schemas"]["Fault"]["properties"]["kind"]["enum"].clone();
    for kind in kinds.as_array().unwrap() {
        let fields = json!({
            "status": { "status": 502 },
            "html": { "status": 502 },
            "body": { "status": 200, "body": "[]" },
            "redirect": { "status": 307, "location": "/elsewhere" },
            "latency": { "seconds": 0.001 },
            "drip": { "seconds": 0.001 },
            "too_many_requests": { "retry_after": 2 },
        });
        let mut fault = fields[kind.as_str().unwrap()].clone();
        fault["kind"] = kind.clone();
        fails(&caller, "listDepositAddresses", fault).await;
    }
    assert_eq!(kinds.as_array().unwrap().len(), 17);
    assert_eq!(caller.get(DEPOSITS).await.0, 502);

    let answer = caller.send(asking(&caller, "DELETE", "/sandbox/faults")).await;

    assert_eq!(answer.status(), 204);
    assert_eq!(caller.get(DEPOSITS).await.0, 200);
}

#[tokio::test]
async fn a_test_makes_the_service_fail_hold_a_late_record_and_revoke_its_tokens() {
    let caller = Caller::start().await;
    fails(&caller, "listDepositAddresses", json!({ "kind": "status", "status": 503 })).await;
    fails(&caller, "token", json!({ "kind": "status", "status": 500 })).await;

    assert_eq!(caller.get(DEPOSITS).await.0, 503);
    let page = caller.ok(&format!("{DEPOSITS}?limit=1")).await;
    let mut late = items(&page)[0].clone();
    late["id"] = "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05".into();
    late["created_at"] = "2020-02-02T00:00:00Z".into();
    assert_eq!(post(&caller, "/sandbox/deposit-addresses", &late).await.0, 204);
    let page = caller.ok(&format!("{DEPOSITS}?created_at.lt=2021-01-01T00:00:00Z")).await;
    assert_eq!(items(&page), [late]);

    caller.send(asking(&caller, "DELETE", "/sandbox/tokens")).await;
    assert_eq!(caller.get(DEPOSITS).await.0, 401);
    let token = caller.token_request(&caller.form("identity:write_identity"));
    assert_eq!(caller.send(token).await.status(), 500);
}

#[tokio::test]
async fn an_execution_is_settled_once() {
    let caller = Caller::start().await;
    let path = caller.executions();
    let page = caller.ok(&format!("{path}?status=CREATED&limit=1")).await;
    let id = items(&page)[0]["id"].as_str().unwrap().to_owned();

    let settle = format!("/sandbox/quote-executions/{id}/settle");
    let (status, settled) = post(&caller, &settle, &Value::Null).await;

    assert_eq!((status, &settled["status"]), (200, &json!("SETTLED")));
    assert!(settled["settled_at"].as_str() >= settled["created_at"].as_str(), "{settled}");
    assert_eq!(post(&caller, &settle, &Value::Null).await, (200, settled.clone()));
    let page = caller.ok(&format!("{path}?status=SETTLED&limit=10000")).await;
    assert!(values(&page, "id").contains(&id.as_str()));
    for unknown in ["me", "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05"] {
        let settle = format!("/sandbox/quote-executions/{unknown}/settle");
        assert_eq!(post(&caller, &settle, &Value::Null).await.0, 404);
    }
}

#[tokio::test]
async fn what_was_received_can_be_asked_for() {
    let caller = Caller::start().await;
    caller.ok(&format!("{DEPOSITS}?networks=SOLANA&networks=BASE")).await;
    let members = json!({
        "institution_id": caller.sandbox.institution_id(),
        "members": [{ "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"] }],
    });
    let added = json(caller.add(&members).await).await;

    let sandbox = caller.ok("/sandbox").await;
    let requests = caller.ok("/sandbox/requests").await;

    assert_eq!(sandbox["profile_ids"], json!([caller.sandbox.profile_id()]));
    assert_eq!(sandbox["institution_id"], json!(caller.sandbox.institution_id()));
    assert_eq!(sandbox["token_requests"], 1);
    assert_eq!(sandbox["request_counts"]["listDepositAddresses"], 1);
    assert_eq!(sandbox["request_counts"]["listQuoteExecutions"], 0);
    let networks = ["SOLANA", "BASE"].map(|value| json!({ "name": "networks", "value": value }));
    let content_type = json!([{ "name": "content-type", "value": "application/json" }]);
    assert_eq!(
        requests["requests"],
        json!([
            { "method": "GET", "path": DEPOSITS, "query": networks, "headers": [], "body": "" },
            {
                "method": "POST",
                "path": "/v2/identity/institution-members",
                "query": [],
                "headers": content_type,
                "body": members.to_string(),
            },
        ])
    );
    assert_eq!(caller.ok("/sandbox/members").await["members"], added["members"]);
    assert_eq!(caller.sandbox.request_count(operation::ADD_INSTITUTION_MEMBERS), 1);
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_with_a_problem_document_that_says_what_can() {
    let caller = Caller::start().await;
    let faults = "/sandbox/faults";
    let queued = |fault: Value| (faults, json!({ "operation": "token", "fault": fault }), 400);
    let reset = json!({ "kind": "reset" });
    let with = |field: &str, value: Value| {
        let mut body = json!({ "operation": "token", "fault": reset });
        body[field] = value;
        (faults, body, 400)
    };
    let known: Vec<_> = operation::ALL.iter().map(|operation| operation.id()).collect();
    let operations = format!("must be token or one of {}", known.join(", "));
    let durations = "seconds is -1; it must be from 0 to 2^64 seconds";
    for ((path, body, status), says) in [
        (with("operation", json!("listAll")), &*operations),
        (queued(json!({ "kind": "flood" })), "`status`, `html`, `too_many_requests`"),
        (queued(json!({ "kind": "status" })), "missing field `status`"),
        (queued(json!({ "kind": "status", "status": 199 })), "200 to 599"),
        (queued(json!({ "kind": "html", "status": 1_000_000 })), "200 to 599"),
        (queued(json!({ "kind": "latency", "seconds": -1 })), durations),
        (queued(json!({ "kind": "drip", "seconds": 1e300 })), "it must be from 0 to 2^64 seconds"),
        (queued(json!({ "kind": "reset", "status": 500 })), "unknown field `status`"),
        (with("times", json!(10_001)), "times is 10001; it must be from 0 to 10000"),
        (with("times", json!(-1)), "times"),
        (with("time", json!(2)), "expected one of `operation`, `fault`, `times`"),
        ((faults, json!({}), 400), "missing field `operation`"),
        (("/sandbox/quote-executions", json!({ "id": "me" }), 400), "UUID"),
        (("/sandbox/deposit-addresses", json!([]), 400), "object"),
        (("/sandbox/elsewhere", json!({}), 404), "no such path"),
        (("/sandbox/tokens", json!({}), 405), "doesn't support the method"),
    ] {
        let (found, problem) = post(&caller, path, &body).await;
        assert_eq!((found, &problem["status"]), (status, &json!(status)), "{path} {body}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(says), "{path} {body}: {detail}");
    }
    let plain = caller.send(asking(&caller, "POST", faults).body("{}")).await;
    assert_eq!(plain.status(), 415);
}
