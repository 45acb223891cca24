//! What `--header`, `--timeout` and `--retries` do to requests, by what arrives at the service.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use digital_assets::{
    Operation,
    sandbox::{Fault, Sandbox},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

use crate::tool::{Ended, Tool, command_of, ended};

/// Stands in front of a sandbox and keeps the head of each connection's requests.
struct Ear {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Ear {
    /// One request for each connection, so that each has its head.
    async fn before(sandbox: &Sandbox) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = sandbox.base_url().trim_start_matches("http://").to_owned();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        tokio::spawn(async move {
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let (service, kept) = (service.clone(), Arc::clone(&kept));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = client.read_u8().await else { return };
                        head.push(byte);
                    }
                    let text = String::from_utf8(head).unwrap();
                    kept.lock().unwrap().push(text.clone());
                    let head = text.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                    let mut service = TcpStream::connect(service).await.unwrap();
                    service.write_all(head.as_bytes()).await.unwrap();
                    let _ = copy_bidirectional(&mut client, &mut service).await;
                });
            }
        });
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }
}

/// A line for each operation, and one to sync each listing.
fn commands(tool: &Tool) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for operation in Operation::ALL {
        let command = command_of(*operation);
        if operation.method() == "GET" {
            let sync = ["sync", &command, "--to", "sqlite:books.db"];
            commands.push(sync.map(str::to_owned).to_vec());
            commands.push(vec![command, "--max".to_owned(), "1".to_owned()]);
        } else {
            let institution = tool.sandbox.institution_id();
            let body = format!(
                r#"{{"institution_id":"{institution}","members":[{{"identity_id":"{institution}"}}]}}"#
            );
            commands.push(vec![command, "--body".to_owned(), body]);
        }
    }
    commands
}

async fn heard(tool: &Tool, ear: &Ear, arguments: &[&str]) -> Ended {
    let mut command = tool.command(arguments);
    ended(command.env("DIGITAL_ASSETS_BASE_URL", &ear.url).spawn().unwrap()).await
}

#[tokio::test]
async fn headers_arrive_with_every_kind_of_request() {
    let tool = Tool::with(Sandbox::builder().executions(50), "headers").await;
    let ear = Ear::before(&tool.sandbox).await;

    for command in commands(&tool) {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let before = ["--header", "x-request-id: 42"];
        let behind = ["--header", "X-Desk:EMEA: 2"];
        let run = heard(&tool, &ear, &[&before, &command[..], &behind].concat()).await;

        assert_eq!(run.status, Some(0), "{command:?}: {run:?}");
        let heads = ear.heads();
        assert!(!heads.is_empty(), "{command:?}");
        for head in heads {
            let head = head.to_lowercase();
            assert!(head.contains("\r\nx-request-id: 42\r\n"), "{command:?}: {head}");
            assert!(head.contains("\r\nx-desk: emea: 2\r\n"), "{command:?}: {head}");
            assert!(head.contains("\r\nauthorization: bearer "), "{command:?}: {head}");
        }
    }
}

#[tokio::test]
async fn a_header_that_cant_be_sent_sends_nothing() {
    let tool = Tool::with(Sandbox::builder(), "no-headers").await;
    let ear = Ear::before(&tool.sandbox).await;

    for (header, status) in [
        ("authorization: Bearer mine", 1),
        ("host: elsewhere", 1),
        ("content-length: 3", 1),
        ("x-desk", 2),
        (": nothing", 2),
        ("two words: x", 2),
        ("x-lines: a\r\nx-more: b", 2),
    ] {
        let run = heard(&tool, &ear, &["list-deposit-addresses", "--header", header]).await;

        assert_eq!(run.status, Some(status), "{header}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{header}: {run:?}");
        assert!(ear.heads().is_empty(), "{header}");
    }
}

#[tokio::test]
async fn a_request_is_tried_again_as_often_as_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "retries").await;
    let list = Operation::ListDepositAddresses;

    for (retries, requests) in [(&["--retries", "0"][..], 1), (&["--retries", "4"], 5), (&[], 3)] {
        for _ in 0..requests {
            tool.sandbox.fault(list, Fault::Status(503));
        }
        let before = tool.sandbox.request_count(list);
        let one = ["list-deposit-addresses", "--max", "1"];
        let run = tool.run(&[&one[..], retries].concat()).await;
        assert_eq!(run.status, Some(1), "{retries:?}: {run:?}");
        assert_eq!(tool.sandbox.request_count(list) - before, requests, "{retries:?}");
    }
    let add = Operation::AddInstitutionMembers;
    let body = commands(&tool).into_iter().find(|command| command[1] == "--body").unwrap();
    tool.sandbox.fault(add, Fault::Status(503));
    let run = tool.run(&["--retries", "9", &body[0], &body[1], &body[2]]).await;
    assert_eq!(run.status, Some(3), "{run:?}");
    assert_eq!(tool.sandbox.request_count(add), 1, "what may have been applied isn't sent again");
}

#[tokio::test]
async fn a_request_takes_no_longer_than_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "timeout").await;

    for command in commands(&tool).iter().filter(|command| command[0] != "sync") {
        for operation in Operation::ALL {
            tool.sandbox.fault(*operation, Fault::Silence);
        }
        let begun = Instant::now();
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.extend(["--timeout", "3s"]);
        let run = tool.run(&arguments).await;

        let status = if command[1] == "--body" { 3 } else { 1 };
        assert_eq!(run.status, Some(status), "{command:?}: {run:?}");
        // An attempt ends after 15 s by itself, and a GET would then succeed.
        let time = begun.elapsed();
        assert!(time >= Duration::from_secs(3), "{command:?}: {time:?}");
    }
}

#[tokio::test]
async fn a_slow_answer_has_as_long_as_asked_for() {
    let tool = Tool::with(Sandbox::builder().executions(50), "slow").await;
    let list = Operation::ListDepositAddresses;
    // The client's own bound for an attempt is 15 s.
    tool.sandbox.fault(list, Fault::Latency(Duration::from_secs(16)));

    let run = tool.run(&["list-deposit-addresses", "--max", "1", "--timeout", "40s"]).await;

    assert_eq!((run.status, tool.sandbox.request_count(list)), (Some(0), 1), "{run:?}");
}
