//! Following syncs while the service or the database fails.

use std::{cell::RefCell, fs::File, process::Child, time::Duration};

use digital_assets::sandbox::{Fault, Sandbox};
use rusqlite::Connection;

use super::{LIST, SYNC, sqlite};
use crate::tool::{Tool, ended, signal};

const FOLLOW: [&str; 6] = ["--every", "50ms", "--concurrency", "1", "--limit", "50"];

/// Starts a following sync whose stderr is written to a file.
fn follow(tool: &Tool, more: &[&str]) -> Child {
    let mut command = tool.command(&[&SYNC[..], &FOLLOW, more].concat());
    command.stderr(File::create(tool.path("stderr")).unwrap()).spawn().unwrap()
}

async fn until_there_are(tool: &Tool, records: usize) {
    let made = "SELECT name FROM sqlite_master WHERE name = 'quote_executions'";
    let count = |tool: &Tool| match sqlite(tool, made).len() {
        0 => 0,
        _ => sqlite(tool, "SELECT id FROM quote_executions").len(),
    };
    tool.until(|tool| tool.path("books.db").exists() && count(tool) == records).await;
}

#[tokio::test]
async fn a_sync_that_follows_ends_with_its_database() {
    let tool = Tool::with(Sandbox::builder().executions(50), "database-fails").await;
    let child = RefCell::new(follow(&tool, &[]));
    until_there_are(&tool, 50).await;

    let other = Connection::open(tool.path("books.db")).unwrap();
    other.busy_timeout(Duration::from_secs(60)).unwrap();
    other.execute("DROP TABLE quote_executions", []).unwrap();
    tool.sandbox.add_executions(1);

    tool.until(|_| child.borrow_mut().try_wait().unwrap().is_some()).await;
    ended(child.into_inner()).await.ends(1);
    let said = tool.read("stderr");
    assert!(said.contains("no such table") && said.lines().count() == 1, "{said}");
}

#[tokio::test]
async fn a_sync_that_follows_says_once_that_the_service_fails_and_that_it_goes_on() {
    let tool = Tool::with(Sandbox::builder().executions(50), "service-fails").await;
    let child = follow(&tool, &["--retries", "0", "--timeout", "15s"]);
    until_there_are(&tool, 50).await;

    // Two rounds in a row fail. After that, no record arrives.
    tool.sandbox.fault(LIST, Fault::Status(503));
    tool.sandbox.fault(LIST, Fault::Status(503));
    tool.until(|tool| tool.read("stderr").lines().count() == 2).await;
    tool.sandbox.fault(LIST, Fault::Status(503));
    tool.until(|tool| tool.read("stderr").lines().count() == 3).await;
    tool.sandbox.add_executions(1);
    until_there_are(&tool, 51).await;
    signal(&child, "-TERM");

    assert_eq!(ended(child).await.signal, Some(15));
    let said = tool.read("stderr");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    for (at, words) in
        ["503", "responding again", "503", "responding again", "terminated"].iter().enumerate()
    {
        assert!(lines[at].contains(words), "{at}: {said}");
    }
}

#[tokio::test]
async fn rows_are_saved_before_a_wait_for_the_service() {
    let tool = Tool::with(Sandbox::builder().executions(600), "saved").await;
    for _ in 0..3 {
        tool.sandbox.fault(LIST, Fault::Latency(Duration::ZERO));
    }
    let retry_after = Some(Duration::from_secs(600));
    tool.sandbox.fault(LIST, Fault::TooManyRequests { retry_after });

    let child = follow(&tool, &[]);
    until_there_are(&tool, 150).await;
    signal(&child, "-TERM");

    assert_eq!(ended(child).await.signal, Some(15));
}
