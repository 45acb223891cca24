//! The commands `verify` and `status`, which check a table.

use std::{collections::BTreeSet, time::Duration};

use digital_assets::sandbox::{Fault, Sandbox};
use serde_json::Value;
use uuid::Uuid;

use super::{Books, LIST, SYNC, settle_one, sqlite};
use crate::tool::{Ended, Tool, ended, run, signal};

const VERIFY: [&str; 4] = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];

pub(super) const ANOTHER: &str = "00000000-0000-4000-8000-000000000001";

/// Returns SQL that copies a row with another identifier, and changes these columns in the copy.
pub(super) fn add_another(like: &str, columns: &str) -> String {
    format!(
        "CREATE TEMP TABLE other AS SELECT * FROM quote_executions {like};
         UPDATE other SET id = '{ANOTHER}'{columns};
         INSERT INTO quote_executions SELECT * FROM other"
    )
}

/// Changes the table in four ways. Returns the lines that `verify` must print, or their beginnings.
pub(super) fn plant(tool: &Tool, books: &impl Books) -> BTreeSet<String> {
    let executions: Vec<_> = tool.sandbox.executions().collect();
    let place = |at: usize| &executions[at * executions.len() / 5];
    let (gone, digit, newest) = (place(1), place(2), place(0));
    let settled = executions[executions.len() / 2..].iter().find(|e| e.settled_at.is_some());
    let null = settled.unwrap();
    books.execute(&format!("DELETE FROM quote_executions WHERE id = '{}'", gone.id));
    let set = |what: &str, id: Uuid| {
        books.execute(&format!("UPDATE quote_executions SET {what} WHERE id = '{id}'"));
    };
    set(&format!("price = '{}1'", digit.price), digit.id);
    set("settled_at = NULL", null.id);
    books.execute(&add_another(&format!("WHERE id = '{}'", newest.id), ""));
    [
        format!("missing {}", gone.id),
        format!(
            "different {0}: price is {1} in the service, {1}1 in the table",
            digit.id, digit.price
        ),
        format!("additional {ANOTHER}"),
        format!("different {}: settled_at", null.id),
    ]
    .into()
}

/// Checks that `verify` printed exactly these lines.
pub(super) fn assert_found(planted: &BTreeSet<String>, stdout: &str) {
    let mut lines: Vec<&str> = stdout.lines().collect();
    lines.sort_unstable();
    let planted: Vec<&String> = planted.iter().collect();
    assert_eq!(lines.len(), planted.len(), "{stdout}");
    for (line, planted) in lines.iter().zip(planted) {
        assert!(line.starts_with(planted.as_str()), "{line}: {planted}");
    }
}

/// Verifies the rows with the side `BUY`. Meanwhile, the side of a row that the service doesn't
/// list changes to `SELL`, so the row no longer matches.
pub(super) async fn verify_amid_a_change(tool: &Tool, books: &impl Books) -> Ended {
    let database = books.name();
    tool.run(&["sync", "list-quote-executions", "--to", database]).await.succeeds();
    books.execute(&add_another("LIMIT 1", ", side = 'BUY'"));
    let asked = tool.sandbox.request_count(LIST);
    tool.sandbox.fault(LIST, Fault::Latency(Duration::from_secs(2)));
    let verify = ["verify", "list-quote-executions", "--from", database, "--side", "BUY"];
    let verify = tool.start(&verify);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
    signal(&verify, "-STOP");
    books.execute(&format!("UPDATE quote_executions SET side = 'SELL' WHERE id = '{ANOTHER}'"));
    signal(&verify, "-CONT");
    ended(verify).await
}

#[tokio::test]
async fn a_row_that_changes_while_a_part_of_the_table_is_verified_is_not_additional() {
    let tool = Tool::with(Sandbox::builder().executions(300), "verified-amid").await;

    let run = verify_amid_a_change(&tool, &tool).await;

    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
}

#[tokio::test]
async fn what_is_no_identifier_is_for_the_service_to_refuse() {
    let tool = Tool::with(Sandbox::builder().executions(30), "verified-typo").await;
    tool.run(&SYNC).await.succeeds();

    let run = tool.run(&[&VERIFY[..], &["--profile-id", "typo"]].concat()).await.ends(1);

    run.tells("the service responded with 4");
}

#[tokio::test]
async fn every_planted_difference_is_found_and_the_mark_stays_before_the_first() {
    let tool = Tool::with(Sandbox::builder().executions(25_000), "verified").await;
    tool.run(&SYNC).await.succeeds();
    let mark = || {
        let mark =
            "SELECT table_name, verified_through FROM digital_assets_syncs WHERE asked <> ''";
        sqlite(&tool, mark)["quote_executions"][0].clone()
    };

    let equal = tool.run(&VERIFY).await;
    assert_eq!((equal.status, equal.stdout.as_str()), (Some(0), ""), "{equal:?}");
    let newest = tool.sandbox.executions().next().unwrap().created_at;
    let through: chrono::DateTime<chrono::Utc> = mark().unwrap().parse().unwrap();
    assert_eq!(through, newest);

    let planted = plant(&tool, &tool);
    let different = tool.run(&VERIFY).await.ends(4);
    let json = tool.run(&[&VERIFY[..], &["--format", "json"]].concat()).await.ends(4);

    assert_found(&planted, &different.stdout);
    different.tells("1 missing, 1 additional, 2 different");
    let json: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json.len(), 4);
    let missing = tool.sandbox.executions().nth(5_000).unwrap();
    assert!(
        json.iter()
            .any(|found| found["difference"] == "missing" && found["id"] == missing.id.to_string())
    );
    assert!(mark().is_none_or(|mark| mark < through.to_rfc3339()), "{:?}", mark());

    tool.run(&[&SYNC[..], &["--force"]].concat()).await.succeeds();
    let additional = tool.run(&VERIFY).await;
    assert_eq!(additional.stdout.lines().count(), 1, "{additional:?}");
}

#[tokio::test]
async fn a_table_that_cant_be_marked_is_verified_all_the_same() {
    let tool = Tool::with(Sandbox::builder().executions(30), "verified-unmarked").await;
    tool.run(&SYNC).await.succeeds();
    tool.execute(
        "CREATE TRIGGER sealed BEFORE UPDATE ON digital_assets_syncs
         BEGIN SELECT RAISE(ABORT, 'the books are sealed'); END",
    );

    let run = tool.run(&VERIFY).await.succeeds();

    run.tells("can't save the verification progress of quote_executions")
        .tells("the books are sealed");
}

#[tokio::test]
async fn a_part_of_a_table_is_compared_by_its_filters_or_not_at_all() {
    let tool = Tool::with(Sandbox::builder().executions(400).profiles(2), "verified-part").await;
    let profiles: Vec<String> =
        tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let both = ["--profile-id", &profiles[0], "--profile-id", &profiles[1]];
    tool.run(&[&SYNC[..], &both].concat()).await.succeeds();
    tool.run(&["sync", "list-deposit-addresses", "--to", "sqlite:books.db"]).await.succeeds();
    tool.run(&["sync", "list-monitoring-addresses", "--to", "sqlite:books.db"]).await.succeeds();
    let addresses = ["verify", "list-deposit-addresses", "--from", "sqlite:books.db"];

    for (arguments, status) in [
        (&[&VERIFY[..], &both].concat()[..], 0),
        (&[&VERIFY[..], &["--market", "BTCUSD", "--created-at-begin", "2020-01-01"]].concat(), 0),
        (&addresses, 0),
        (&["verify", "list-monitoring-addresses", "--from", "sqlite:books.db"], 0),
        (&[&addresses[..], &["--networks", "BASE"]].concat(), 1),
        (&["verify", "list-deposit-addresses", "--from", "sqlite:nowhere.db"], 1),
        (&[&VERIFY[..], &["--sandbox"]].concat(), 1),
    ] {
        let run = tool.run(arguments).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{arguments:?}: {run:?}");
    }
    settle_one(&tool);
    let run = tool.run(&[&VERIFY[..], &both].concat()).await.ends(4);
    assert!(
        run.stdout.contains("status is SETTLED in the service, CREATED in the table"),
        "{run:?}"
    );
    assert!(!tool.path("nowhere.db").exists());
}

#[tokio::test]
async fn an_identifier_in_capitals_chooses_the_same_rows() {
    let tool = Tool::with(Sandbox::builder().executions(300), "verified-capitals").await;
    tool.run(&SYNC).await.succeeds();
    let id = tool.sandbox.profile_id().to_string().to_uppercase();
    let verify = [&VERIFY[..], &["--profile-id", &id]].concat();

    let equal = tool.run(&verify).await;
    assert_eq!((equal.status, equal.stdout.as_str()), (Some(0), ""), "{equal:?}");
    let planted = plant(&tool, &tool);
    let different = tool.run(&verify).await.ends(4);

    assert_found(&planted, &different.stdout);
}

#[tokio::test]
async fn a_status_says_what_a_database_holds_and_how_old_it_is() {
    let tool = Tool::with(Sandbox::builder().executions(300), "status").await;
    tool.run(&[&SYNC[..], &["--market", "BTCUSD"]].concat()).await.succeeds();
    tool.run(&SYNC).await.succeeds();
    let of = ["status", "--of", "sqlite:books.db"];

    let text = tool.run(&of).await;
    let json = tool.run(&[&of[..], &["--format", "json"]].concat()).await;
    let young = tool.run(&[&of[..], &["--max-age", "1h"]].concat()).await;
    let old = tool.run(&[&of[..], &["--max-age", "0s"]].concat()).await;
    let nowhere = run(&["status", "--of", "sqlite:nowhere.db"]).await;

    assert_eq!((text.status, text.stdout.lines().count()), (Some(0), 2), "{text:?}");
    assert!(text.stdout.contains("--market BTCUSD"), "{text:?}");
    let json: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.iter().all(|held| held["rows"] == 300));
    let whole = json.iter().find(|held| held["listing"]["market"].is_null()).unwrap();
    assert_eq!(whole["service"], tool.sandbox.base_url());
    assert_eq!(whole["table"], "quote_executions");
    let newest: chrono::DateTime<chrono::Utc> = whole["newest"].as_str().unwrap().parse().unwrap();
    assert_eq!(newest, tool.sandbox.executions().next().unwrap().created_at);
    assert!(whole["last_success"].is_string() && whole["running_since"].is_null());
    assert_eq!((young.status, old.status), (Some(0), Some(1)), "{old:?}");
    assert_eq!((nowhere.status, nowhere.stdout.as_str()), (Some(1), ""), "{nowhere:?}");

    let child = super::start_unanswered(&tool, &SYNC).await;
    let running = tool.run(&of).await;
    signal(&child, "-KILL");
    let _ = ended(child).await;
    let killed = tool.run(&of).await;
    assert!(
        running.stdout.contains("running since") || running.stdout.contains("is being synced"),
        "{running:?}"
    );
    assert!(!killed.stdout.contains("running since"), "{killed:?}");
}

#[tokio::test]
async fn a_verdict_counts_without_a_reader_too() {
    let tool = Tool::with(Sandbox::builder().executions(300), "no-reader").await;
    tool.run(&SYNC).await.succeeds();
    plant(&tool, &tool);
    tool.fail_after(0, LIST);

    for (arguments, status) in [
        (&["check"][..], 1),
        (&VERIFY, 4),
        (&[&VERIFY[..], &["--format", "json"]].concat(), 4),
        (&["status", "--of", "sqlite:books.db", "--max-age", "0s"], 1),
        (&["list-quote-executions"], 1),
    ] {
        let mut child = tool.start(arguments);
        drop(child.stdout.take());
        let run = ended(child).await;

        assert_eq!(run.status, Some(status), "{arguments:?}: {run:?}");
        assert_eq!(run.stderr.is_empty(), status == 0, "{arguments:?}: {run:?}");
    }
}
