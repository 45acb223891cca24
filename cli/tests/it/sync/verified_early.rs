//! `verify` of tables that a sync hasn't completed or is still updating, and of rows that no listing
//! can have returned.

use std::collections::BTreeSet;

use chrono::Utc;
use digital_assets::sandbox::Sandbox;
use serde_json::Value;

use super::{
    Books, LIST, SYNC,
    postgres::Database,
    verified::{ANOTHER, add_another},
};
use crate::tool::{Tool, ended, signal};

async fn an_incomplete_table_is_told(tool: &Tool, books: &impl Books) {
    let sync = ["sync", "list-quote-executions", "--to", books.name(), "--limit", "100"];
    tool.run_failing(10, LIST, &[&sync[..], &["--concurrency", "1"]].concat()).await;
    let verify = ["verify", "list-quote-executions", "--from", books.name()];

    let run = tool.run(&verify).await.ends(4);
    let json = tool.run(&[&verify[..], &["--format", "json"]].concat()).await.ends(4);
    tool.run(&sync).await.succeeds();
    let complete = tool.run(&verify).await;

    let first = run.stderr.lines().next().unwrap();
    assert!(first.contains("quote_executions isn't complete"), "{run:?}");
    run.tells("2000 missing, 0 additional, 0 different");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((lines.len(), lines[20]), (21, "missing 1980 others"), "{run:?}");
    let json: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.len(), &json[20]["others"]), (21, &1_980.into()));
    complete.says(0, "0 missing");
}

#[tokio::test]
async fn a_table_that_isnt_complete_is_called_so_and_most_missing_rows_are_only_counted() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "verified-early").await;

    an_incomplete_table_is_told(&tool, &tool).await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_that_isnt_complete_is_called_so() {
    let database = Database::with("verified_early", "");
    let tool = Tool::with(Sandbox::builder().executions(3_000), "verified-early-postgres").await;

    an_incomplete_table_is_told(&tool, &database).await;
}

async fn what_came_since_the_last_round_is_no_difference(tool: &Tool, books: &impl Books) {
    let sync = ["sync", "list-quote-executions", "--to", books.name(), "--every", "1h"];
    let child = tool.start(&sync);
    tool.until(|_| books.is_followed()).await;
    let verify = ["verify", "list-quote-executions", "--from", books.name()];

    let mut settled = tool.sandbox.executions().find(|e| e.settled_at.is_none()).unwrap();
    (settled.status, settled.settled_at) = ("SETTLED".into(), Some(Utc::now()));
    tool.sandbox.add_executions(5);
    tool.sandbox.insert_execution(settled.clone());
    let oldest = tool.sandbox.executions().last().unwrap();
    let followed = tool.run(&verify).await;
    books.execute(&format!("DELETE FROM quote_executions WHERE id = '{}'", oldest.id));
    let lost = tool.run(&verify).await.ends(4);
    signal(&child, "-TERM");
    ended(child).await;
    let stopped = tool.run(&verify).await.ends(4);

    followed.says(0, "0 different; 6 newer than the last round of the running sync");
    assert_eq!(lost.stdout, format!("missing {}\n", oldest.id), "{lost:?}");
    stopped.tells("6 missing, 0 additional, 1 different");
}

#[tokio::test]
async fn records_that_are_newer_than_the_last_round_of_a_running_sync_are_no_differences() {
    let tool = Tool::with(Sandbox::builder().executions(300), "younger").await;

    what_came_since_the_last_round_is_no_difference(&tool, &tool).await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn records_that_are_newer_than_the_last_round_of_a_sync_into_postgres_are_no_differences() {
    let database = Database::with("younger", "");
    let tool = Tool::with(Sandbox::builder().executions(300), "younger-postgres").await;

    what_came_since_the_last_round_is_no_difference(&tool, &database).await;
}

#[tokio::test]
async fn the_running_sync_of_another_listing_excuses_no_difference() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "another-runs").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let [dead, running] = [["--profile-id", &ids[0]], ["--profile-id", &ids[1]]];
    let sync = |of: &[&str]| tool.start(&[&SYNC[..], &["--every", "1h"], of].concat());
    let are_followed = |count| {
        let states = "SELECT asked, '' FROM digital_assets_syncs WHERE state LIKE '%followed%'";
        move |tool: &Tool| super::has_states(tool) && super::sqlite(tool, states).len() == count
    };
    let mut killed = sync(&dead);
    tool.until(are_followed(1)).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    let child = sync(&running);
    tool.until(are_followed(2)).await;
    tool.sandbox.add_executions(20);

    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];
    let of_dead = tool.run(&[&verify[..], &dead].concat()).await;
    let of_running = tool.run(&[&verify[..], &running].concat()).await;
    let of_neither = tool.run(&verify).await;
    signal(&child, "-TERM");
    ended(child).await;

    of_dead.ends(4).tells("0 additional, 0 different");
    of_running.says(0, "newer than the last round of the running sync");
    of_neither.ends(4).tells("0 additional, 0 different");
}

#[tokio::test]
async fn an_additional_row_is_found_if_its_filter_column_is_null_or_in_capitals() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "odd-filter").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let both = ["--profile-id", &ids[0], "--profile-id", &ids[1]];
    tool.run(&[&SYNC[..], &both].concat()).await.succeeds();
    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];

    for (columns, more) in [
        (", profile_id = NULL", &both[..]),
        (", profile_id = NULL", &both[..2]),
        (", profile_id = upper(profile_id)", &both),
        (", created_at = NULL", &["--created-at-begin", "2020-01-01"]),
    ] {
        tool.execute(&add_another(&format!("WHERE profile_id = '{}' LIMIT 1", ids[0]), columns));
        let run = tool.run(&[&verify[..], more].concat()).await.ends(4);

        assert_eq!(run.stdout, format!("additional {ANOTHER}\n"), "{columns}: {run:?}");
        run.tells("0 missing, 1 additional, 0 different");
        tool.execute(&format!("DELETE FROM quote_executions WHERE id = '{ANOTHER}'"));
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn an_additional_row_is_found_in_postgres_if_its_filter_column_is_null_or_in_capitals() {
    for (name, made, columns) in [
        ("null_filter", "", ", profile_id = NULL"),
        (
            "odd_filter",
            "CREATE TABLE odd_filter.quote_executions (id UUID PRIMARY KEY, profile_id TEXT)",
            ", profile_id = upper(profile_id)",
        ),
    ] {
        let database = Database::with(name, made);
        let tool = Tool::with(Sandbox::builder().executions(60), name).await;
        tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await.succeeds();
        database.execute(&add_another("LIMIT 1", columns));

        let run = tool.run(&["verify", "list-quote-executions", "--from", &database.url]).await;

        assert_eq!(run.ends(4).stdout, format!("additional {ANOTHER}\n"), "{name}");
    }
}

#[tokio::test]
async fn status_prints_how_many_rows_the_table_has() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "status-rows").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let both = ["--profile-id", &ids[0], "--profile-id", &ids[1]];
    tool.run(&[&SYNC[..], &both].concat()).await.succeeds();
    tool.execute(&add_another("LIMIT 1", ""));
    tool.run(&[&SYNC[..], &both].concat()).await.succeeds();
    let status = ["status", "--of", "sqlite:books.db"];

    let text = tool.run(&status).await.succeeds().stdout;
    let json = tool.run(&[&status[..], &["--format", "json"]].concat()).await.succeeds().stdout;

    let told: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split(": ").nth(1)?.split(',').next()).collect();
    assert_eq!(told, ["61 rows in the table"].into(), "{text}");
    let json: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert!(json.len() == 2 && json.iter().all(|held| held["rows"] == 61), "{json:?}");
}
