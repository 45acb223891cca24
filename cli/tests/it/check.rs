//! The command `check`, and the settings for credentials.

use std::fs;

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};

use crate::tool::{Tool, ended, run};

#[tokio::test]
async fn a_check_says_what_works_and_what_to_do_where_it_fails() {
    let tool = Tool::with(Sandbox::builder(), "check").await;

    let all = tool.run(&["check"]).await;
    assert_eq!((all.status, all.stderr.as_str()), (Some(0), ""), "{all:?}");
    for operation in operation::ALL {
        assert!(all.stdout.contains(operation.scopes()[0]), "{all:?}");
    }
    assert!(all.stdout.contains("list-deposit-addresses: has records"), "{all:?}");
    assert!(all.stdout.contains("clock"), "{all:?}");

    let wrong = tool.run_with(&["check"], &[("CLIENT_SECRET", "hush-hush")]).await.ends(1);
    assert!(wrong.stdout.contains("check DIGITAL_ASSETS_CLIENT_ID"), "{wrong:?}");
    assert!(!format!("{wrong:?}").contains("hush-hush"), "{wrong:?}");

    let nowhere = [("BASE_URL", "http://127.0.0.1:1")];
    let nowhere = tool.run_with(&["check", "--retries", "0"], &nowhere).await.ends(1);
    assert!(nowhere.stdout.starts_with("FAILED  http://127.0.0.1:1"), "{nowhere:?}");
    run(&["check", "--sandbox"]).await.succeeds();
}

#[tokio::test]
async fn a_check_asks_once_for_the_scopes_of_the_settings() {
    let tool = Tool::with(Sandbox::builder(), "check-scopes").await;
    let all: Vec<&str> = operation::ALL.iter().flat_map(|it| it.scopes()).copied().collect();

    let run = tool.run_with(&["check"], &[("SCOPES", &all.join(","))]).await.succeeds();

    let tokens: Vec<&str> = run.stdout.lines().filter(|line| line.contains("token")).collect();
    assert_eq!(tokens, [format!("ok      token for {}", all.join(" "))]);
}

#[tokio::test]
async fn a_check_goes_to_loopback_without_a_proxy() {
    let tool = Tool::with(Sandbox::builder(), "check-proxy").await;

    let mut check = tool.command(&["check"]);
    check.env_remove("no_proxy").env_remove("NO_PROXY").env("http_proxy", "http://127.0.0.1:1");
    ended(check.spawn().unwrap()).await.succeeds();
}

#[tokio::test]
async fn a_check_says_of_nothing_that_it_is_ok_without_trying_it() {
    let tool = Tool::with(Sandbox::builder(), "check-untried").await;

    let run = tool.run_with(&["check"], &[("PROFILE_ID", "")]).await.succeeds();

    let line = "\n-       list-quote-executions: not tried: ";
    assert!(run.stdout.contains(line), "{run:?}");
}

#[tokio::test]
async fn settings_say_who_one_is() {
    let tool = Tool::with(Sandbox::builder(), "who").await;
    let list = ["list-deposit-addresses", "--max", "1"];
    let with = async |settings: &[(&str, &str)]| tool.run_with(&list, settings).await;

    let all = "transfer:read_deposit_address, exchange:read_quote_execution";
    with(&[("SCOPES", all)]).await.succeeds();
    let other = with(&[("SCOPES", "exchange:read_quote_execution")]).await;
    assert_eq!(other.status, Some(1), "another scope's token: {other:?}");
    with(&[("AUTH_STYLE", "digest")]).await.says(1, "DIGITAL_ASSETS_AUTH_STYLE");
    let unused = with(&[("AUTH_STYLE", "digest"), ("TOKEN", "hush-hush")]).await;
    unused.says(1, "DIGITAL_ASSETS_AUTH_STYLE");
    let token =
        with(&[("TOKEN", "hush-hush"), ("CLIENT_SECRET", ""), ("AUTH_URL", "")]).await.ends(1);
    assert!(token.stderr.contains("401") && !token.stderr.contains("hush-hush"), "{token:?}");
    fs::write(tool.path("key.pem"), "hush-hush").unwrap();
    let key = with(&[("PRIVATE_KEY_FILE", "key.pem"), ("CLIENT_SECRET", "")]).await;
    key.says(1, "key.pem: isn't an RSA, P-256 or Ed25519 private key");
    assert!(!key.stderr.contains("hush-hush"), "{key:?}");
}

#[tokio::test]
async fn verbose_prints_each_request_without_secrets_and_values() {
    let tool = Tool::with(Sandbox::builder(), "verbose").await;
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(503));
    let list = ["list-quote-executions", "--market", "BTCUSD", "--max", "1"];

    let plain = tool.run(&list).await;
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(503));
    let run = tool.run(&[&list[..], &["--verbose"]].concat()).await.succeeds();

    assert_eq!(run.stdout, plain.stdout);
    let lines: Vec<&str> = run.stderr.lines().collect();
    let request = "GET /v2/profiles/{profile_id}/quote-executions: ";
    assert!(lines.iter().any(|line| line.starts_with("POST the token endpoint: ")), "{lines:?}");
    for (outcome, attempt) in [("503 in ", "attempt 1"), ("200 in ", "attempt 2")] {
        let line = format!("{request}{outcome}");
        assert!(
            lines.iter().any(|it| it.starts_with(&line) && it.contains(attempt)),
            "{line}: {lines:?}"
        );
    }
    let secrets = [tool.sandbox.client_secret(), "BTCUSD", &tool.sandbox.profile_id().to_string()];
    for secret in secrets {
        assert!(!run.stderr.contains(secret), "{secret}: {run:?}");
    }
}
