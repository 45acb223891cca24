use std::time::Duration;

use digital_assets::sandbox::Sandbox;
use reqwest::StatusCode;

use super::caller::{Caller, all_scopes, json};
use crate::specification::{OPERATIONS, Shown, scopes};

// Section 5 of the specification, and RFC 6749, sections 4.4.3 and 5.1.
#[tokio::test]
async fn client_credentials_buy_a_bearer_token() {
    let caller = Caller::start().await;
    let form = caller.form("exchange:read_quote_execution identity:write_identity");

    let answer = caller.send(caller.token_request(&form)).await;

    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let body = json(answer).await;
    assert_eq!(body["token_type"], "bearer");
    assert_eq!(body["expires_in"], 3600);
    assert_eq!(body["scope"], "exchange:read_quote_execution identity:write_identity");
    assert!(!body["access_token"].as_str().unwrap().is_empty());
}

// RFC 6749, section 5.2. Section 3.3 lets the sandbox require a scope.
#[tokio::test]
async fn a_bad_token_request_is_told_what_is_wrong() {
    let caller = Caller::start().await;
    let good = caller.form(&all_scopes());
    for (form, status, error) in [
        (good.replace("sandbox-secret", "guess"), 401, "invalid_client"),
        (good.replace("client_id=sandbox-client", "client_id=me"), 401, "invalid_client"),
        (good.replace("client_secret=sandbox-secret&", ""), 401, "invalid_client"),
        (good.replace("identity:write_identity", "identity:all"), 400, "invalid_scope"),
        (caller.form(""), 400, "invalid_scope"),
        (good.replace("scope=", "scopes="), 400, "invalid_scope"),
        (good.replace("client_credentials", "password"), 400, "unsupported_grant_type"),
        (good.replace("grant_type=client_credentials&", ""), 400, "invalid_request"),
        (format!("{good}&grant_type=client_credentials"), 400, "invalid_request"),
    ] {
        let answer = caller.send(caller.token_request(&form)).await;
        assert_eq!(answer.status(), status, "{form}");
        assert_eq!(json(answer).await["error"], error, "{form}");
    }
    let as_json = caller.send(caller.http.post(caller.sandbox.token_url()).body("{}")).await;
    assert_eq!(json(as_json).await["error"], "invalid_request");
    let header = caller.token_request("").header("authorization", "Basic bWU6Z3Vlc3M=");
    assert_eq!(caller.send(header).await.headers()["www-authenticate"], "Basic");
    assert_eq!(caller.sandbox.token_requests(), 12);
}

// Section 5 of the specification, rule 2.
#[tokio::test]
async fn a_request_without_a_good_token_is_unauthorized() {
    let caller = Caller::start().await;
    let other = Caller::start().await;
    let foreign = format!("Bearer {}", other.token(&all_scopes()).await);
    let revoked = format!("Bearer {}", caller.token(&all_scopes()).await);
    caller.sandbox.revoke_tokens();
    let url = caller.url("/v2/transfer/deposit-addresses");
    for header in [None, Some("Bearer guess"), Some("Basic guess"), Some(&foreign), Some(&revoked)]
    {
        let mut request = caller.http.get(&url);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        let answer = caller.send(request).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{header:?}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        assert_eq!(answer.headers()["www-authenticate"], "Bearer");
        assert_eq!(json(answer).await["status"], 401);
    }
}

// Section 5 of the specification, rule 3.
#[tokio::test]
async fn each_operation_needs_its_own_scope() {
    let caller = Caller::start().await;
    for scope in scopes() {
        let token = caller.token(scope).await;
        for Shown { method, path, scope: needed, .. } in OPERATIONS {
            let request = caller.http.request(method.parse().unwrap(), caller.url(path));
            let status = caller.send(request.bearer_auth(&token)).await.status();
            let is_forbidden = status == StatusCode::FORBIDDEN;
            assert_eq!(is_forbidden, scope != *needed, "{method} {path} with {scope}: {status}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_ends_with_its_lifetime_and_a_cursor_does_not() {
    let sandbox = Sandbox::builder().token_lifetime(Duration::from_secs(1));
    let caller = Caller::with(sandbox).await;
    let path = caller.executions();
    let page = caller.ok(&format!("{path}?limit=10")).await;

    tokio::time::advance(Duration::from_millis(999)).await;
    caller.ok(&path).await;
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(caller.get(&path).await.0, 401);

    let cursor = page["next_page_cursor"].as_str().unwrap();
    let url = caller.url(&format!("{path}?page_cursor={cursor}"));
    let token = caller.token("exchange:read_quote_execution").await;
    let next = caller.send(caller.http.get(url).bearer_auth(token)).await;
    assert_eq!(next.status(), StatusCode::OK);
}
