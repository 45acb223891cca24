//! Each attempt to sync a listing is recorded, even if the listing has never succeeded.

use digital_assets::sandbox::{Fault, Sandbox};
use serde_json::Value;

use super::{Books, LIST, SYNC, postgres::Database, start_unanswered};
use crate::tool::{Tool, ended, signal};

async fn a_failed_listing_is_shown(tool: &Tool, books: &impl Books) {
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let sync = ["sync", "list-quote-executions", "--to", books.name(), "--concurrency", "1"];
    let both = [&sync[..], &["--profile-id", &ids[0], "--profile-id", &ids[1]]].concat();
    let status = ["status", "--of", books.name()];
    let max_age = [&status[..], &["--max-age", "1h"]].concat();
    tool.sandbox.fault(LIST, Fault::Latency(std::time::Duration::ZERO));
    tool.sandbox.fault(LIST, Fault::Status(403));

    tool.run(&both).await.ends(1);
    let run = tool.run(&max_age).await.ends(1);

    let line = run.stdout.lines().find(|line| line.contains(&ids[1])).unwrap();
    for words in ["not complete yet", "last tried 20", "responded with 403"] {
        assert!(line.contains(words), "{words}: {run:?}");
    }
    run.tells("1 of 2 listings are older than 1h");
    let json = tool.run(&[&status[..], &["--format", "json"]].concat()).await.succeeds();
    let json: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    let failed = json.iter().find(|it| it["listing"]["profile-id"][0] == ids[1]).unwrap();
    assert!(failed["error"].as_str().unwrap().contains("403"), "{failed}");
    assert!(failed["last_tried"].is_string() && failed["last_success"].is_null(), "{failed}");

    let name = format!("quote_executions --profile-id {}", ids[1]);
    tool.run(&[&status[..], &["--forget", &name]].concat()).await.succeeds();
    tool.run(&max_age).await.succeeds();
    tool.run(&both).await.succeeds();
    let run = tool.run(&max_age).await.succeeds();
    assert!(!run.stdout.contains("403") && run.stdout.lines().count() == 2, "{run:?}");
}

#[tokio::test]
async fn a_listing_that_has_never_succeeded_is_shown_and_counted_and_can_be_forgotten() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "never").await;

    a_failed_listing_is_shown(&tool, &tool).await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_listing_in_postgres_that_has_never_succeeded_is_shown_and_counted() {
    let database = Database::with("never", "");
    let sandbox = Sandbox::builder().executions(60).profiles(2);
    let tool = Tool::with(sandbox, "never-postgres").await;

    a_failed_listing_is_shown(&tool, &database).await;
}

#[tokio::test]
async fn an_attempt_is_recorded_before_its_first_response() {
    let tool = Tool::with(Sandbox::builder(), "not-begun").await;
    let status = ["status", "--of", "sqlite:books.db", "--max-age", "1h"];
    let mut child = start_unanswered(&tool, &SYNC).await;
    let running = tool.run(&status).await.ends(1);
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = tool.run(&status).await.ends(1);

    assert!(running.stdout.contains("not complete yet"), "{running:?}");
    assert!(running.stdout.contains("running since"), "{running:?}");
    assert!(killed.stdout.contains("last tried"), "{killed:?}");
}

#[tokio::test]
async fn the_failures_of_a_sync_that_follows_are_recorded_until_it_succeeds() {
    let tool = Tool::with(Sandbox::builder().executions(60), "follows-failures").await;
    let status = ["status", "--of", "sqlite:books.db"];
    for _ in 0..2 {
        tool.sandbox.fault(LIST, Fault::Status(503));
    }
    let child = tool.start(&[&SYNC[..], &["--every", "50ms", "--retries", "0"]].concat());
    let error = "SELECT asked, error FROM digital_assets_syncs WHERE error LIKE '%503%'";
    let is_recorded =
        |tool: &Tool| super::has_states_table(tool) && !super::sqlite(tool, error).is_empty();
    tool.until(is_recorded).await;
    let failing = tool.run(&status).await.succeeds();
    tool.until(|tool| super::is_whole(tool) && !is_recorded(tool)).await;
    signal(&child, "-TERM");
    ended(child).await;

    assert!(failing.stdout.contains("responded with 503"), "{failing:?}");
}
