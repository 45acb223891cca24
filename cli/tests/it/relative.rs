//! Time bounds that are relative to now, such as `-7d`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
};
use tokio::time::sleep;

use crate::tool::{Tool, ended, signal};

const LIST: Operation = operation::LIST_QUOTE_EXECUTIONS;

/// The bounds of all requests for executions so far, without repetitions.
fn bounds(tool: &Tool) -> Vec<DateTime<Utc>> {
    let requests = tool.sandbox.requests().into_iter();
    let bounds = requests.flat_map(|request| request.query);
    let bounds = bounds.filter(|(name, _)| name == "created_at.begin");
    let mut bounds: Vec<DateTime<Utc>> = bounds.map(|(_, time)| time.parse().unwrap()).collect();
    bounds.dedup();
    bounds
}

/// Waits until a relative time has another value.
async fn until_next_second() {
    let second = Utc::now().timestamp();
    while Utc::now().timestamp() == second {
        sleep(Duration::from_millis(10)).await;
    }
}

/// Writes a time before all records as a time relative to now.
fn before_all(tool: &Tool) -> String {
    let oldest = tool.sandbox.executions().last().unwrap().created_at;
    format!("-{}s", (Utc::now() - oldest).num_seconds() + 3_600)
}

#[tokio::test]
async fn a_file_with_a_relative_bound_is_continued_with_the_bound_that_it_was_begun_with() {
    let tool = Tool::with(Sandbox::builder().executions(600), "relative-file").await;
    let bound = before_all(&tool);
    let list = |bound| {
        let list = ["list-quote-executions", "--created-at-begin", bound, "--output", "a.csv"];
        [&list[..], &["--limit", "50", "--concurrency", "1"]].concat()
    };

    tool.run_failing(5, LIST, &list(&bound)).await;
    let begun = bounds(&tool)[0];
    until_next_second().await;
    let other = tool.run(&[&list("-9999d")[..], &["--resume"]].concat()).await;
    let asked = tool.sandbox.requests().len();
    tool.run(&[&list(&bound)[..], &["--resume"]].concat()).await.succeeds();

    other.says(1, "with other filters");
    assert_eq!(tool.read("a.csv").lines().count(), 601);
    // A resumed listing starts at its last record.
    assert!(tool.sandbox.requests().len() - asked <= 8);
    assert!(bounds(&tool).iter().all(|bound| *bound >= begun));
    until_next_second().await;
    tool.run(&[&list(&bound)[..], &["--force"]].concat()).await.succeeds();
    assert!(*bounds(&tool).last().unwrap() > begun);
}

#[tokio::test]
async fn a_sync_with_a_relative_bound_has_one_state_and_applies_the_current_bound() {
    let tool = Tool::with(Sandbox::builder().executions(600), "relative-sync").await;
    let bound = before_all(&tool);
    let sync = ["sync", "list-quote-executions", "--to", "sqlite:books.db", "--limit", "50"];
    let sync = [&sync[..], &["--concurrency", "1", "--created-at-begin", &bound]].concat();
    let round = [&sync[..], &["--overlap", "1h"]].concat();
    let first = async |arguments: &[&str]| {
        let asked = tool.sandbox.requests().len();
        tool.run(arguments).await.succeeds();
        let mut requests = tool.sandbox.requests().into_iter().skip(asked);
        let query = requests.find(|request| !request.query.is_empty()).unwrap().query;
        let (_, time) = query.into_iter().find(|(name, _)| name == "created_at.begin").unwrap();
        time.parse::<DateTime<Utc>>().unwrap()
    };

    tool.run_failing(5, LIST, &sync).await;
    let begun = bounds(&tool)[0];
    until_next_second().await;
    let full = first(&sync).await;
    assert!(full > begun, "{full} {begun}");
    until_next_second().await;
    assert!(first(&sync).await > full);

    let newest = tool.sandbox.executions().next().unwrap().created_at;
    for _ in 0..2 {
        until_next_second().await;
        tool.sandbox.add_executions(3);
        let from = first(&round).await;
        assert!(from > full + chrono::TimeDelta::hours(1) && from < newest, "{from}");
        assert!(super::sync::is_whole(&tool));
    }
    until_next_second().await;
    // A record that is settled however long ago is found by a recheck.
    super::sync::settle_one(&tool);
    let child = tool.start(&[&sync[..], &["--every", "50ms"]].concat());
    tool.sandbox.fault(LIST, Fault::Status(503));
    tool.until(super::sync::is_whole).await;
    signal(&child, "-TERM");
    ended(child).await;

    let status = tool.run(&["status", "--of", "sqlite:books.db"]).await.succeeds().stdout;
    assert_eq!(status.lines().count(), 1, "{status}");
    assert!(status.contains(&format!("--created-at-begin {bound} ")), "{status}");
    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];
    let verify = [&verify[..], &["--created-at-begin", &bound]].concat();
    tool.run(&verify).await.succeeds();
    let status = tool.run(&["status", "--of", "sqlite:books.db"]).await.succeeds().stdout;
    assert!(status.contains("verified through"), "{status}");
}
