//! A database that version 0.1.0 of the tool made, before each table had one number of rows.
//!
//! In it, the executions were followed, the addresses to monitor were listed, and the listing of
//! the deposit addresses was interrupted after half of its 20 records.

use digital_assets::sandbox::Sandbox;

use super::{Books, SYNC, is_whole, postgres::Database, sqlite};
use crate::tool::Tool;

const STATUS: [&str; 3] = ["status", "--of", "sqlite:books.db"];

async fn earlier(name: &str) -> Tool {
    let sandbox = Sandbox::builder().executions(20).deposit_addresses(20).monitoring_addresses(10);
    let tool = Tool::with(sandbox, name).await;
    let earlier = include_str!("earlier.sql");
    tool.execute(&earlier.replace("https://service.example", tool.sandbox.base_url()));
    tool
}

#[tokio::test]
async fn a_database_of_an_earlier_version_is_continued_where_it_stopped() {
    let tool = earlier("earlier").await;
    let status = tool.run(&STATUS).await.succeeds();
    assert_eq!(status.stdout.lines().count(), 4, "{status:?}");
    assert!(status.stdout.contains("deposit_addresses: 10 rows"), "{status:?}");
    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];
    tool.run(&verify).await.succeeds();

    tool.sandbox.add_executions(3);
    let round = [&SYNC[..], &["--overlap", "1h"]].concat();
    let asked = tool.sandbox.requests().len();
    tool.run(&round).await.says(0, "quote_executions: 3 new, 0 changed");
    let mut requests = tool.sandbox.requests().into_iter().skip(asked);
    let request = requests.find(|request| !request.query.is_empty()).unwrap();
    let from = ["created_at.begin", "2025-12-31T22:24:57.059497136Z"].map(str::to_owned);
    assert!(request.query.contains(&from.into()), "{request:?}");
    assert!(is_whole(&tool));

    let interrupted = ["sync", "list-deposit-addresses", "--to", "sqlite:books.db", "--limit", "5"];
    let run = tool.run(&interrupted).await.succeeds();
    run.tells("10 records read by an earlier run may have changed");
    assert_eq!(sqlite(&tool, "SELECT id FROM deposit_addresses").len(), 20);
}

#[tokio::test]
async fn rows_that_a_database_of_an_earlier_version_has_lost_are_listed_again() {
    let tool = earlier("earlier-lost").await;
    tool.execute("DELETE FROM quote_executions WHERE rowid > 15");

    tool.run(&STATUS).await.succeeds().tells("has 15 of the 20 rows");
    let round = [&SYNC[..], &["--overlap", "1h"]].concat();
    tool.run(&round).await.succeeds().tells("has 15 of the 20 rows");

    assert!(is_whole(&tool));
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_states_in_postgres_without_the_newer_columns_and_rows_is_completed() {
    let database = Database::with("earlier", "");
    let tool = Tool::with(Sandbox::builder().executions(20), "earlier-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let status = ["status", "--of", &database.url];
    tool.run(&sync).await.succeeds();
    database.execute(
        "ALTER TABLE digital_assets_syncs DROP COLUMN error;
         DELETE FROM digital_assets_syncs WHERE asked = '';
         UPDATE digital_assets_syncs SET rows_added = 20, records = 20;
         DELETE FROM quote_executions
         WHERE id IN (SELECT id FROM quote_executions LIMIT 5)",
    );

    tool.run(&status).await.succeeds().tells("has 15 of the 20 rows");
    let round = [&sync[..], &["--overlap", "1h"]].concat();
    tool.run(&round).await.succeeds().tells("has 15 of the 20 rows");

    assert!(database.equals(&tool));
    assert!(tool.run(&status).await.succeeds().stderr.is_empty());
}
