//! A table that equals the listing, in both databases.

use std::{cell::RefCell, collections::BTreeMap, env, time::Duration};

use chrono::{DateTime, SubsecRound, Utc};
use digital_assets::{Operation, sandbox::Sandbox, types::QuoteExecution};
use postgres::{Client, NoTls};
use rusqlite::Connection;
use serde_json::Value;
use tokio::time::sleep;
use uuid::Uuid;

use crate::tool::{Tool, ended, signal};

const LIST: Operation = Operation::ListQuoteExecutions;
const SYNC: [&str; 4] = ["sync", "list-quote-executions", "--to", "sqlite:books.db"];

/// Records by their identifier, each cell as the text that the database has.
type Table = BTreeMap<String, Vec<Option<String>>>;

fn sqlite(tool: &Tool, query: &str) -> Table {
    let connection = Connection::open(tool.path("books.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
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

/// Settles an execution that isn't.
fn settle_one(tool: &Tool) -> Uuid {
    let mut execution = tool.sandbox.executions().find(|e| e.settled_at.is_none()).unwrap();
    execution.status = "SETTLED".into();
    execution.settled_at = Some(execution.created_at);
    let id = execution.id;
    tool.sandbox.insert_execution(execution);
    id
}

#[tokio::test]
async fn a_table_of_sqlite_equals_the_listing_to_the_last_digit() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "sqlite").await;

    let run = tool.run(&SYNC).await;

    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "the table isn't the listing");
    assert_eq!(tool.files(), ["books.db"], "no lock and no journal is left");
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
        let run = tool.run(&["sync", listing, "--to", "sqlite:books.db"]).await;
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(sqlite(&tool, &format!("SELECT id FROM {table}")).len(), count);
    }
}

#[tokio::test]
async fn the_next_sync_has_what_came_and_what_changed_since() {
    let tool = Tool::with(Sandbox::builder().executions(300), "again").await;
    assert_eq!(tool.run(&SYNC).await.status, Some(0));
    let settled = settle_one(&tool);
    let mut late = tool.sandbox.executions().nth(150).unwrap();
    late.id = Uuid::from_u128(7);
    tool.sandbox.insert_execution(late);
    tool.sandbox.add_executions(20);

    let run = tool.run(&SYNC).await;

    assert_eq!(run.status, Some(0), "{run:?}");
    let table = in_sqlite(&tool);
    assert_eq!(table.len(), 321);
    assert_eq!(table[&settled.to_string()][1].as_deref(), Some("SETTLED"));
    assert!(table == expected(&tool, nanoseconds), "the table isn't the listing");
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
        tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
        sleep(Duration::from_millis(random.u64(0..700))).await;
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        begun += usize::from(tool.path("books.db").exists());
        if ended.is_some_and(|status| status.success()) {
            assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "kill {kill}");
            // So that the next one begins anew with something to write.
            std::fs::remove_file(tool.path("books.db")).unwrap();
        }
    }
    let run = tool.run(&sync).await;

    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(begun > 30, "{begun} of 50 had begun");
    assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "the table isn't the listing");
}

#[tokio::test]
async fn a_sync_that_failed_goes_on_where_it_was() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "sync-failed").await;
    let sync = [&SYNC[..], &["--limit", "100", "--concurrency", "1"]].concat();
    tool.fail_after(10, LIST, 404);

    let failed = tool.run(&sync).await;

    assert_eq!(failed.status, Some(1), "{failed:?}");
    assert_eq!(in_sqlite(&tool).len(), 1_000, "what came before is kept");
    let asked = tool.sandbox.request_count(LIST);
    assert_eq!(tool.run(&sync).await.status, Some(0));
    let asked = tool.sandbox.request_count(LIST) - asked;
    assert!((10..=12).contains(&asked), "asked {asked} times for the other half");
    assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "the table isn't the listing");
}

#[tokio::test]
async fn of_two_syncs_of_one_table_the_second_says_so_and_ends() {
    let builder = Sandbox::builder().executions(2_000).latency(Duration::from_millis(300));
    let tool = Tool::with(builder, "two-syncs").await;
    let mut first = tool.start(&[&SYNC[..], &["--limit", "100"]].concat());
    tool.until(|tool| tool.path("books.db").exists() && !tool.sandbox.requests().is_empty()).await;

    let second = tool.run(&SYNC).await;
    let other = tool.run(&["sync", "list-monitoring-addresses", "--to", "sqlite:books.db"]).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let third = tool.run(&SYNC).await;

    assert_eq!(second.status, Some(1), "{second:?}");
    assert!(second.stderr.contains("another sync is writing quote_executions"), "{second:?}");
    assert_eq!(other.status, Some(0), "another table: {other:?}");
    assert_eq!(third.status, Some(0), "what is killed holds no lock: {third:?}");
}

#[tokio::test]
async fn a_table_of_an_older_description_gets_the_columns_that_it_lacks() {
    let tool = Tool::with(Sandbox::builder().executions(50), "older").await;
    let connection = Connection::open(tool.path("books.db")).unwrap();
    let older = "CREATE TABLE quote_executions (id TEXT PRIMARY KEY, price TEXT, mine TEXT)";
    connection.execute(older, []).unwrap();
    drop(connection);

    let run = tool.run(&SYNC).await;

    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "the table isn't the listing");
    assert_eq!(sqlite(&tool, "SELECT id, mine FROM quote_executions").len(), 50);
}

#[tokio::test]
async fn a_dry_run_prints_the_sql_and_touches_nothing() {
    let tool = Tool::with(Sandbox::builder(), "dry").await;

    let run = tool.run(&[&SYNC[..], &["--dry-run"]].concat()).await;

    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(tool.files().is_empty() && tool.sandbox.requests().is_empty());
    Connection::open_in_memory().unwrap().execute_batch(&run.stdout).unwrap();
    let postgres = ["sync", "list-quote-executions", "--to", "postgres://nowhere/x", "--dry-run"];
    let run = tool.run(&postgres).await;
    assert!(run.stdout.contains("\"price\" NUMERIC"), "{run:?}");
}

#[tokio::test]
async fn what_is_no_database_is_a_matter_of_usage() {
    let tool = Tool::with(Sandbox::builder(), "no-database").await;

    for to in ["books.db", "sqlite:", "mysql://host/db", ""] {
        let run = tool.run(&["sync", "list-quote-executions", "--to", to]).await;
        assert_eq!(run.status, Some(2), "{to}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    }
    for to in ["sqlite:nowhere/books.db", "postgres://tester@127.0.0.1:1/x"] {
        let run = tool.run(&["sync", "list-quote-executions", "--to", to]).await;
        assert_eq!(run.status, Some(1), "{to}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    }
    assert!(tool.sandbox.requests().is_empty());
}

fn server() -> String {
    env::var("TEST_POSTGRES").expect("cli/tests/with-postgres sets it")
}

fn in_postgres(query: &'static str) -> Table {
    std::thread::spawn(move || {
        let rows = Client::connect(&server(), NoTls).unwrap().query(query, &[]).unwrap();
        let cells = |row: &postgres::Row| (1..row.len()).map(|at| row.get(at)).collect();
        rows.iter().map(|row| (row.get(0), cells(row))).collect()
    })
    .join()
    .unwrap()
}

fn execute(statements: &'static str) {
    let done = std::thread::spawn(move || {
        Client::connect(&server(), NoTls).unwrap().batch_execute(statements).unwrap();
    });
    done.join().unwrap();
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_equals_the_listing_to_the_last_digit() {
    execute(
        "DROP TABLE IF EXISTS quote_executions; CREATE TABLE quote_executions (id UUID PRIMARY KEY)",
    );
    let tool = Tool::with(Sandbox::builder().executions(3_000), "postgres").await;
    let to = server();
    let sync = ["sync", "list-quote-executions", "--to", &to];

    let run = tool.run(&sync).await;
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    settle_one(&tool);
    let run = tool.run(&sync).await;
    assert_eq!(run.status, Some(0), "{run:?}");

    let table = in_postgres(
        "SELECT id::text, profile_id::text, status, market, price::text, base_amount::text,
                quote_amount::text, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
                to_char(settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), metadata::text
         FROM quote_executions",
    );
    let microseconds =
        |time: DateTime<Utc>| time.trunc_subsecs(6).format("%Y-%m-%d %H:%M:%S%.6f").to_string();
    let mut expected = expected(&tool, microseconds);
    // JSONB has spaces and an order of its own.
    for (cells, expected) in table.values().zip(expected.values_mut()) {
        let json = |cell: &Option<String>| {
            cell.as_deref().map(|c| serde_json::from_str::<Value>(c).unwrap())
        };
        assert_eq!(json(&cells[8]), json(&expected[8]));
        expected[8].clone_from(&cells[8]);
    }
    assert!(table == expected, "the table isn't the listing");
    let kinds = in_postgres(
        "SELECT DISTINCT pg_typeof(price)::text, pg_typeof(created_at)::text FROM quote_executions",
    );
    let kind = vec![Some("timestamp with time zone".to_owned())];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [("numeric".to_owned(), kind)]);
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn of_two_syncs_into_postgres_the_second_says_so_and_a_kill_frees_the_table() {
    execute("DROP TABLE IF EXISTS deposit_addresses");
    let builder = Sandbox::builder().latency(Duration::from_millis(400));
    let tool = Tool::with(builder, "two-postgres").await;
    let to = server();
    let sync = ["sync", "list-deposit-addresses", "--limit", "20", "--to", &to];
    let mut first = tool.start(&sync);
    tool.until(|tool| tool.sandbox.requests().len() > 3).await;

    let second = tool.run(&sync).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let mut third = tool.run(&sync).await;
    while third.stderr.contains("another sync") {
        // The server has yet to notice that the first has gone.
        third = tool.run(&sync).await;
    }

    assert_eq!(second.status, Some(1), "{second:?}");
    assert!(second.stderr.contains("another sync is writing deposit_addresses"), "{second:?}");
    assert_eq!(third.status, Some(0), "{third:?}");
    assert_eq!(in_postgres("SELECT id::text FROM deposit_addresses").len(), 800);
}

/// Something that a service does while it is followed: another record, a late one, a changed one.
fn change(tool: &Tool, random: &mut fastrand::Rng) {
    let recent: Vec<QuoteExecution> = tool.sandbox.executions().take(20).collect();
    let mut execution = recent[random.usize(..recent.len())].clone();
    match random.u8(..3) {
        0 => {
            execution.id = Uuid::from_u128(random.u128(..));
            execution.created_at = recent[0].created_at + chrono::TimeDelta::seconds(90);
        }
        1 => {
            execution.id = Uuid::from_u128(random.u128(..));
            execution.created_at -= chrono::TimeDelta::milliseconds(1_500);
        }
        _ => {
            execution.metadata.insert("seen".to_owned(), random.u32(..).into());
        }
    }
    tool.sandbox.insert_execution(execution);
}

const FOLLOW: [&str; 4] = ["--every", "50ms", "--overlap", "60d"];

#[tokio::test]
#[allow(clippy::zombie_processes, reason = "only a child that has been waited for is replaced")]
async fn a_followed_table_killed_fifty_times_equals_the_listing_in_the_end() {
    let tool = Tool::with(Sandbox::builder().executions(600).chaos(0.2, 5), "followed").await;
    let sync = [&SYNC[..], &FOLLOW, &["--limit", "50"]].concat();
    let mut random = fastrand::Rng::with_seed(11);

    for kill in 0..50 {
        let asked = tool.sandbox.request_count(LIST);
        let mut child = tool.start(&sync);
        tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
        for _ in 0..3 {
            sleep(Duration::from_millis(random.u64(5..150))).await;
            change(&tool, &mut random);
        }
        // A token that is refused twice in a row is final, and ends it as well as a kill does.
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1), "before kill {kill}");
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = RefCell::new(tool.start(&sync));
    change(&tool, &mut random);
    let waited = tool.until(|tool| {
        if child.borrow_mut().try_wait().unwrap().is_some() {
            *child.borrow_mut() = tool.start(&sync);
        }
        let tables = "SELECT name FROM sqlite_master WHERE name = 'quote_executions'";
        !sqlite(tool, tables).is_empty() && in_sqlite(tool) == expected(tool, nanoseconds)
    });
    waited.await;
    let child = child.into_inner();
    signal(&child, "-TERM");
    let run = ended(child).await;

    assert_eq!(run.status, Some(143), "{run:?}");
    assert!(in_sqlite(&tool) == expected(&tool, nanoseconds), "the table isn't the listing");
}

#[tokio::test]
async fn what_cant_be_followed_has_no_every() {
    let tool = Tool::with(Sandbox::builder(), "not-followed").await;
    let to = ["--to", "sqlite:books.db"];

    for arguments in [
        &["sync", "list-monitoring-addresses", "--every", "1s"][..],
        &["sync", "list-deposit-addresses", "--overlap", "1h"],
        &["sync", "list-deposit-addresses", "--every", "often"],
        &["sync", "add-institution-members"],
    ] {
        let run = tool.run(&[arguments, &to[..]].concat()).await;
        assert_eq!(run.status, Some(2), "{arguments:?}: {run:?}");
    }
    let newest_first = ["sync", "list-deposit-addresses", "--every", "1s", "--order", "DESC"];
    let run = tool.run(&[&newest_first[..], &to].concat()).await;
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(tool.sandbox.requests().is_empty());
}
