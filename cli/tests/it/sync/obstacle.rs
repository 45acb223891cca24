//! Databases that a sync can't use, or can use only with difficulty.

use std::{fs, net::TcpListener, time::Duration};

use digital_assets::sandbox::{Fault, Sandbox};
use rusqlite::Connection;
use tokio::time::sleep;

use super::{Books, LIST, SYNC, is_whole, sqlite, start_unanswered};
use crate::tool::{Tool, ended, signal};

#[tokio::test]
async fn a_table_that_somebody_else_made_is_left_as_it_is() {
    let tool = Tool::with(Sandbox::builder().executions(50), "others").await;

    for made in [
        "CREATE TABLE quote_executions (id TEXT, price TEXT)",
        "CREATE VIEW quote_executions AS SELECT 1 AS id",
        "CREATE TABLE quote_executions (id TEXT PRIMARY KEY, price TEXT AS (id))",
        "CREATE TABLE digital_assets_syncs (name TEXT)",
    ] {
        let _ = fs::remove_file(tool.path("books.db"));
        tool.execute(made);

        let run = tool.run(&SYNC).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 1), "{made}: {run:?}");
        assert!(run.stderr.contains("rename the existing tables"), "{made}: {run:?}");
        assert_eq!(tool.files(), ["books.db"], "{made}");
    }
    assert!(tool.sandbox.requests().is_empty());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_as_it_is() {
    let tool = Tool::with(Sandbox::builder(), "no-database-at-all").await;
    let text = "minutes of the last meeting\n".repeat(100);
    fs::write(tool.path("books.db"), &text).unwrap();

    tool.run(&SYNC).await.says(1, "name another file");
    assert_eq!((tool.files(), tool.read("books.db")), (vec!["books.db".to_owned()], text));
}

#[tokio::test]
async fn columns_that_keep_every_text_are_taken_as_they_are_and_in_any_case() {
    let tool = Tool::with(Sandbox::builder().executions(50), "keeps").await;

    for made in [
        "CREATE TABLE quote_executions \
         (id VARCHAR(36) PRIMARY KEY, price clob, base_amount, quote_amount BLOB)",
        "CREATE TABLE Quote_Executions (ID TEXT PRIMARY KEY, Price TEXT)",
    ] {
        let _ = fs::remove_file(tool.path("books.db"));
        tool.execute(made);
        let run = tool.run(&SYNC).await;

        assert_eq!(run.status, Some(0), "{made}: {run:?}");
        assert!(is_whole(&tool), "{made}");
    }
}

#[tokio::test]
async fn a_database_that_another_program_holds_is_waited_for_unless_a_signal_comes() {
    let tool = Tool::with(Sandbox::builder().executions(50), "held").await;
    let other = Connection::open(tool.path("books.db")).unwrap();
    other.execute_batch("CREATE TABLE mine (id TEXT); BEGIN EXCLUSIVE").unwrap();

    let ends = tool.start(&SYNC);
    // When the sync has opened the database, it already handles signals.
    let opened = format!("/proc/{}/fd", ends.id());
    let is_database = |file: fs::DirEntry| {
        fs::read_link(file.path()).is_ok_and(|path| path.ends_with("books.db"))
    };
    tool.until(|_| fs::read_dir(&opened).unwrap().flatten().any(is_database)).await;
    signal(&ends, "-INT");
    let ends = ended(ends).await;
    let mut waits = tool.start(&SYNC);
    sleep(Duration::from_millis(700)).await;
    assert!(waits.try_wait().unwrap().is_none(), "the sync doesn't wait");
    other.execute_batch("COMMIT").unwrap();
    ended(waits).await.succeeds();

    assert_eq!((ends.status, ends.stderr.as_str()), (Some(130), "digital-assets: interrupted\n"));
    assert_eq!(sqlite(&tool, "SELECT id FROM quote_executions").len(), 50);
}

#[tokio::test]
async fn a_signal_ends_a_sync_whose_last_rows_wait_for_another_program() {
    let tool = Tool::with(Sandbox::builder().executions(50), "held-at-the-end").await;
    tool.run(&SYNC).await.succeeds();
    tool.sandbox.add_executions(1);
    let other = Connection::open(tool.path("books.db")).unwrap();
    other.busy_timeout(Duration::from_secs(60)).unwrap();

    let asked = tool.sandbox.request_count(LIST);
    tool.sandbox.fault(LIST, Fault::Latency(Duration::from_secs(2)));
    let child = tool.start(&SYNC);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    sleep(Duration::from_secs(4)).await;
    signal(&child, "-INT");
    let run = ended(child).await;

    assert_eq!((run.status, run.stderr.as_str()), (Some(130), "digital-assets: interrupted\n"));
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(sqlite(&tool, "SELECT id FROM quote_executions").len(), 50);
}

#[tokio::test]
async fn a_signal_ends_a_sync_whose_server_never_answers() {
    let tool = Tool::with(Sandbox::builder(), "silent-server").await;
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("postgres://me@{}/books", silent.local_addr().unwrap());

    let child = tool.start(&["sync", "list-deposit-addresses", "--to", &to]);
    let connection = tokio::task::spawn_blocking(move || silent.accept().unwrap());
    let connection = connection.await.unwrap();
    signal(&child, "-TERM");
    ended(child).await.ends(143);

    drop(connection);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_a_database_leads_to_the_same_lock() {
    let tool = Tool::with(Sandbox::builder(), "linked").await;
    std::os::unix::fs::symlink("books.db", tool.path("link.db")).unwrap();
    let mut first = start_unanswered(&tool, &SYNC).await;

    let other_name = ["sync", "list-quote-executions", "--to", "sqlite:link.db"];
    let second = tool.run(&other_name).await;
    first.kill().unwrap();
    first.wait().unwrap();

    second.says(1, "name another database");
    tool.run(&other_name).await.succeeds();
}
