//! Syncs into a table, which must equal the listing. The tests here use SQLite; others use
//! Postgres.

mod anew;
mod attempts;
mod changed;
mod count;
mod earlier;
mod faults;
mod follow;
mod lock;
mod many;
mod meddled;
mod obstacle;
mod outage;
pub(crate) mod postgres;
mod read_back;
mod rights;
mod server;
mod truth;
mod verified;
mod verified_early;

use std::{collections::BTreeMap, process::Child, time::Duration};

use chrono::{DateTime, Utc};
use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
    types::QuoteExecution,
};
use rusqlite::Connection;
use serde_json::Value;
use tokio::time::sleep;
use uuid::Uuid;

use crate::tool::{Ended, Tool};

const LIST: Operation = operation::LIST_QUOTE_EXECUTIONS;
const SYNC: [&str; 4] = ["sync", "list-quote-executions", "--to", "sqlite:books.db"];

/// The cells of each row, as text. The key is the record's identifier.
type Table = BTreeMap<String, Vec<Option<String>>>;

fn sqlite(tool: &Tool, query: &str) -> Table {
    let connection = Connection::open(tool.path("books.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(60)).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells = (1..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        Ok((row.get(0)?, cells))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

const COLUMNS: &str = "id, profile_id, status, market, price, base_amount, quote_amount, \
                       created_at, settled_at, metadata";

/// A test's access to a database that has a table of executions.
trait Books {
    /// Returns the database's address for `--to` and `--from`.
    fn name(&self) -> &str;

    fn execute(&self, sql: &str);

    fn equals(&self, tool: &Tool) -> bool;

    /// Returns whether a sync has saved its position after an incremental round.
    fn is_followed(&self) -> bool;
}

const FOLLOWED: &str = "SELECT asked, '' FROM digital_assets_syncs WHERE state LIKE '%followed%'";

impl Books for Tool {
    fn name(&self) -> &'static str {
        "sqlite:books.db"
    }

    fn execute(&self, sql: &str) {
        let connection = Connection::open(self.path("books.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(60)).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    fn equals(&self, tool: &Tool) -> bool {
        is_whole(tool)
    }

    fn is_followed(&self) -> bool {
        has_states(self) && !sqlite(self, FOLLOWED).is_empty()
    }
}

fn in_sqlite(tool: &Tool) -> Table {
    sqlite(tool, &format!("SELECT {COLUMNS} FROM quote_executions"))
}

fn expected(tool: &Tool, time: impl Fn(DateTime<Utc>) -> String) -> Table {
    let cells = |execution: QuoteExecution| {
        let metadata = Value::Object(execution.metadata.clone());
        let cells = vec![
            Some(execution.profile_id.to_string()),
            Some(execution.status.to_string()),
            Some(execution.market.to_string()),
            Some(execution.price.to_string()),
            Some(execution.base_amount.to_string()),
            Some(execution.quote_amount.to_string()),
            Some(time(execution.created_at)),
            execution.settled_at.map(&time),
            (!execution.metadata.is_empty()).then(|| metadata.to_string()),
        ];
        (execution.id.to_string(), cells)
    };
    tool.sandbox.executions().map(cells).collect()
}

fn nanoseconds(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%S%.9fZ").to_string()
}

pub(crate) fn is_whole(tool: &Tool) -> bool {
    let there = "SELECT name FROM pragma_table_info('quote_executions') WHERE name = 'metadata'";
    !sqlite(tool, there).is_empty() && in_sqlite(tool) == expected(tool, nanoseconds)
}

fn has_states_table(tool: &Tool) -> bool {
    let there = "SELECT name, '' FROM sqlite_master WHERE name = 'digital_assets_syncs'";
    tool.path("books.db").exists() && !sqlite(tool, there).is_empty()
}

/// Returns whether a sync has saved its position in a listing.
fn has_states(tool: &Tool) -> bool {
    let states = "SELECT asked, '' FROM digital_assets_syncs WHERE state IS NOT NULL";
    has_states_table(tool) && !sqlite(tool, states).is_empty()
}

fn settle(tool: &Tool, mut execution: QuoteExecution) {
    execution.status = "SETTLED".into();
    execution.settled_at = Some(execution.created_at);
    tool.sandbox.insert_execution(execution);
}

/// Settles one of the open executions. Returns its identifier.
pub(crate) fn settle_one(tool: &Tool) -> Uuid {
    let open = tool.sandbox.executions().find(|e| e.settled_at.is_none()).unwrap();
    settle(tool, open.clone());
    open.id
}

/// Starts a sync that has created its table and is waiting for its first response, which never
/// arrives.
async fn start_unanswered(tool: &Tool, sync: &[&str]) -> Child {
    tool.sandbox.fault(LIST, Fault::Silence);
    let asked = tool.sandbox.request_count(LIST);
    let child = tool.start(&[sync, &["--concurrency", "1", "--timeout", "10m"]].concat());
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
    child
}

/// Returns whether a run failed with a 401. The sandbox's random faults can cause two 401s in a
/// row, after which the client doesn't retry.
fn is_refused(run: &Ended) -> bool {
    run.status == Some(1) && run.stderr.contains("401")
}

#[tokio::test]
async fn a_table_of_sqlite_equals_the_listing_to_the_last_digit() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "sqlite").await;

    let run = tool.run(&SYNC).await;

    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    assert!(is_whole(&tool), "the table doesn't equal the listing");
    assert_eq!(tool.files(), ["books.db"], "a lock or journal is left");

    // The next sync must add the new and the late records, and update the changed one.
    settle_one(&tool);
    let mut late = tool.sandbox.executions().nth(150).unwrap();
    late.id = Uuid::from_u128(7);
    tool.sandbox.insert_execution(late);
    tool.sandbox.add_executions(20);
    tool.run(&SYNC).await.succeeds();
    assert!(is_whole(&tool), "the table doesn't equal the listing");
    let kinds =
        sqlite(&tool, "SELECT DISTINCT typeof(price), typeof(base_amount) FROM quote_executions");
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        [("text".to_owned(), vec![Some("text".to_owned())])]
    );

    for (listing, table, count) in [
        ("list-deposit-addresses", "deposit_addresses", 800),
        ("list-monitoring-addresses", "monitoring_addresses", 400),
    ] {
        tool.run(&["sync", listing, "--to", "sqlite:books.db"]).await.succeeds();
        assert_eq!(sqlite(&tool, &format!("SELECT id FROM {table}")).len(), count);
    }
}

#[tokio::test]
async fn a_sync_killed_fifty_times_under_faults_ends_with_the_listing() {
    let builder = Sandbox::builder().executions(4_000).latency(Duration::from_millis(100));
    let tool = Tool::with(builder.chaos(0.2, 3), "sync-killed").await;
    let sync = [&SYNC[..], &["--limit", "20"]].concat();
    let mut random = fastrand::Rng::with_seed(50);

    let mut begun = 0;
    for kill in 0..50 {
        let asked = tool.sandbox.request_count(LIST) + random.u64(0..6);
        let mut child = tool.start(&sync);
        tool.until_ended_or(&mut child, |tool| tool.sandbox.request_count(LIST) > asked).await;
        sleep(Duration::from_millis(random.u64(0..700))).await;
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        begun += usize::from(tool.path("books.db").exists());
        if ended.is_some_and(|status| status.success()) {
            assert!(is_whole(&tool), "kill {kill}");
            // The next sync starts with an empty database, so that it has rows to write.
            std::fs::remove_file(tool.path("books.db")).unwrap();
        }
    }
    let mut run = tool.run(&sync).await;
    while is_refused(&run) {
        run = tool.run(&sync).await;
    }

    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(begun > 30, "only {begun} of 50 runs had started");
    assert!(is_whole(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
async fn a_sync_that_failed_goes_on_where_it_was() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "sync-failed").await;
    let sync = [&SYNC[..], &["--limit", "100", "--concurrency", "1"]].concat();
    tool.run_failing(10, LIST, &sync).await;

    assert_eq!(in_sqlite(&tool).len(), 1_000, "the earlier records are missing");
    let asked = tool.sandbox.request_count(LIST);
    tool.run(&sync).await.succeeds();
    let asked = tool.sandbox.request_count(LIST) - asked;
    assert!((10..=12).contains(&asked), "{asked} requests for the other half");
    assert!(is_whole(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
async fn of_two_syncs_of_one_table_the_second_says_so_and_ends() {
    let tool = Tool::with(Sandbox::builder(), "two-syncs").await;
    let mut first = start_unanswered(&tool, &SYNC).await;

    let second = tool.run(&SYNC).await;
    let other = tool.run(&["sync", "list-monitoring-addresses", "--to", "sqlite:books.db"]).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let third = tool.run(&SYNC).await;

    second.says(1, "another sync is writing to quote_executions");
    assert_eq!(other.status, Some(0), "another table: {other:?}");
    assert_eq!(third.status, Some(0), "a killed sync still holds the lock: {third:?}");
}

#[tokio::test]
async fn a_table_of_an_older_description_gets_the_columns_that_it_lacks() {
    let tool = Tool::with(Sandbox::builder().executions(50), "older").await;
    let older = "CREATE TABLE quote_executions (id TEXT PRIMARY KEY, price TEXT, mine TEXT)";
    tool.execute(older);

    tool.run(&SYNC).await.succeeds();

    assert!(is_whole(&tool), "the table doesn't equal the listing");
    assert_eq!(sqlite(&tool, "SELECT id, mine FROM quote_executions").len(), 50);
}

#[tokio::test]
async fn a_dry_run_prints_the_sql_and_touches_nothing() {
    let tool = Tool::with(Sandbox::builder(), "dry").await;

    let run = tool.run(&[&SYNC[..], &["--dry-run"]].concat()).await.succeeds();

    assert!(tool.files().is_empty() && tool.sandbox.requests().is_empty());
    Connection::open_in_memory().unwrap().execute_batch(&run.stdout).unwrap();
    let postgres = ["sync", "list-quote-executions", "--to", "postgres://nowhere/x", "--dry-run"];
    let run = tool.run(&postgres).await;
    assert!(run.stdout.contains("\"price\" NUMERIC"), "{run:?}");
}

#[tokio::test]
async fn what_is_no_database_is_a_matter_of_usage() {
    let tool = Tool::with(Sandbox::builder(), "no-database").await;

    for to in [
        "books.db",
        "sqlite:",
        "sqlite://",
        "sqlite::memory:",
        "sqlite:file:books?mode=memory",
        "postgres://me:geheim@host/db",
        "mysql://me:geheim@host/db",
        "postgres:me:geheim@host/db",
        "postgres://me:geheim@host:port/db",
        "postgresql://me:geheim",
        "postgres://me:a@b?geheim=c@host/db",
        "",
    ] {
        let run = tool.run(&["sync", "list-quote-executions", "--to", to]).await;
        run.says(2, "--to");
        assert!(!run.stderr.contains("geheim"), "{run:?}");
    }
    for (to, words) in [
        ("sqlite:nowhere/books.db", "nowhere/books.db"),
        ("sqlite:file:", "isn't stored in a file"),
        ("sqlite:file:?cache=private", "isn't stored in a file"),
        ("postgres://tester@127.0.0.1:1/x", "127.0.0.1:1: "),
        ("postgres://tester@127.0.0.1:1/x", "Connection refused"),
    ] {
        tool.run(&["sync", "list-quote-executions", "--to", to]).await.says(1, words);
    }
    assert!(tool.sandbox.requests().is_empty());
}
