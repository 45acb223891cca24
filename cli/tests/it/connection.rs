//! The effects of `--header`, `--timeout` and `--retries` on the requests that the sandbox
//! receives.

use std::time::{Duration, Instant};

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};

use crate::tool::{Tool, command_of, listings};

/// Returns two commands for each listing, which print it and sync it, and one command with a body.
async fn commands(tool: &Tool) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for command in listings().await {
        let sync = ["sync", &command, "--to", "sqlite:books.db"];
        commands.push(sync.map(str::to_owned).to_vec());
        commands.push(vec![command, "--max".to_owned(), "1".to_owned()]);
    }
    commands.push(with_body(tool));
    commands
}

fn with_body(tool: &Tool) -> Vec<String> {
    let institution = tool.sandbox.institution_id();
    let body = format!(
        r#"{{"institution_id":"{institution}","members":[{{"identity_id":"{institution}"}}]}}"#
    );
    vec![command_of(operation::ADD_INSTITUTION_MEMBERS), "--body".to_owned(), body]
}

#[tokio::test]
async fn headers_arrive_with_every_kind_of_request() {
    let tool = Tool::with(Sandbox::builder().executions(50), "headers").await;

    for command in commands(&tool).await {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let before = ["--header", "x-request-id: 42"];
        let behind = ["--header", "X-Desk:EMEA: 2"];
        let asked = tool.sandbox.requests().len();
        tool.run(&[&before, &command[..], &behind].concat()).await.succeeds();

        let requests = tool.sandbox.requests().split_off(asked);
        assert!(!requests.is_empty(), "{command:?}");
        for request in requests {
            assert_eq!(request.header("x-request-id"), Some("42"), "{command:?}: {request:?}");
            assert_eq!(request.header("x-desk"), Some("EMEA: 2"), "{command:?}: {request:?}");
            let token = request.header("authorization").unwrap_or_default();
            assert!(token.starts_with("Bearer "), "{command:?}: {request:?}");
        }
    }
}

#[tokio::test]
async fn a_header_that_cant_be_sent_sends_nothing() {
    let tool = Tool::with(Sandbox::builder(), "no-headers").await;

    for (header, status) in [
        ("authorization: Bearer mine", 1),
        ("host: elsewhere", 1),
        ("content-length: 3", 1),
        ("x-desk", 2),
        (": nothing", 2),
        ("two words: x", 2),
        ("x-lines: a\r\nx-more: b", 2),
    ] {
        let run = tool.run(&["list-deposit-addresses", "--header", header]).await;

        assert_eq!(run.status, Some(status), "{header}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{header}: {run:?}");
        assert!(tool.sandbox.requests().is_empty(), "{header}");
    }
}

#[tokio::test]
async fn a_request_is_tried_again_as_often_as_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "retries").await;
    let list = operation::LIST_DEPOSIT_ADDRESSES;

    for (retries, requests) in [(&["--retries", "0"][..], 1), (&["--retries", "4"], 5), (&[], 3)] {
        for _ in 0..requests {
            tool.sandbox.fault(list, Fault::Status(503));
        }
        let before = tool.sandbox.request_count(list);
        let one = ["list-deposit-addresses", "--max", "1"];
        tool.run(&[&one[..], retries].concat()).await.ends(1);
        assert_eq!(tool.sandbox.request_count(list) - before, requests, "{retries:?}");
    }
    let add = operation::ADD_INSTITUTION_MEMBERS;
    let body = with_body(&tool);
    tool.sandbox.fault(add, Fault::Status(503));
    tool.run(&["--retries", "9", &body[0], &body[1], &body[2]]).await.ends(3);
    assert_eq!(tool.sandbox.request_count(add), 1, "what may have been applied isn't sent again");
}

#[tokio::test]
async fn a_request_takes_no_longer_than_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "timeout").await;

    for command in commands(&tool).await.iter().filter(|command| command[0] != "sync") {
        for operation in operation::ALL {
            tool.sandbox.fault(*operation, Fault::Silence);
        }
        let begun = Instant::now();
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.extend(["--timeout", "3s"]);
        let run = tool.run(&arguments).await;

        let status = if command[1] == "--body" { 3 } else { 1 };
        assert_eq!(run.status, Some(status), "{command:?}: {run:?}");
        // Without `--timeout`, an attempt would stop after 15 s, and the retry of a GET would
        // succeed.
        let time = begun.elapsed();
        assert!(time >= Duration::from_secs(3), "{command:?}: {time:?}");
    }
}

#[tokio::test]
async fn a_slow_answer_has_as_long_as_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "slow").await;
    let list = operation::LIST_DEPOSIT_ADDRESSES;
    // By default, an attempt may take 15 s.
    tool.sandbox.fault(list, Fault::Latency(Duration::from_secs(16)));

    let run = tool.run(&["list-deposit-addresses", "--max", "1", "--timeout", "40s"]).await;

    assert_eq!((run.status, tool.sandbox.request_count(list)), (Some(0), 1), "{run:?}");
}
