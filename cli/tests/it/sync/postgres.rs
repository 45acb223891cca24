//! Tables in a real Postgres server. Each test has its own schema.

use std::{collections::BTreeMap, env, thread, time::Duration};

use chrono::{DateTime, Days, NaiveTime, SubsecRound, Utc};
use digital_assets::sandbox::{Fault, Sandbox};
use postgres::{Client, NoTls};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Books, FOLLOWED, LIST, Table, expected,
    faults::{self, Proxy},
    follow, is_refused,
    read_back::{caseless, rounds},
    settle_one, start_unanswered,
    truth::lost_rows_are_listed_anew_and_told,
    verified::{ANOTHER, add_another, assert_found, plant, verify_amid_a_change},
};
use crate::tool::{Tool, ended, signal};

/// A schema on the server in the environment variable `TEST_POSTGRES`.
pub(crate) struct Database {
    pub(crate) url: String,
}

impl Database {
    /// Creates an empty schema, and executes these statements.
    pub(crate) fn with(schema: &str, statements: &str) -> Self {
        let server = env::var("TEST_POSTGRES").expect("cli/tests/with-postgres sets it");
        let database = Self { url: format!("{server}?options=-c%20search_path%3D{schema}") };
        let anew = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};");
        database.execute(&(anew + statements));
        database
    }

    pub(super) fn query(&self, query: &str) -> Table {
        let rows = self.ask(query.to_owned(), |client, query| client.query(query, &[]));
        let cells = |row: &postgres::Row| (1..row.len()).map(|at| row.get(at)).collect();
        rows.iter().map(|row| (row.get(0), cells(row))).collect()
    }

    fn has(&self, table: &str) -> bool {
        let there = format!("SELECT '' WHERE to_regclass('{table}') IS NOT NULL");
        !self.query(&there).is_empty()
    }

    /// Closes the server's connection to the program with this name.
    fn cut_off(&self, program: &str) {
        let terminate = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
                         WHERE application_name";
        assert_eq!(self.query(&format!("{terminate} = '{program}'")).len(), 1);
    }

    /// Runs a query on a separate thread, because the client blocks. If a [`Proxy`] must forward
    /// connections meanwhile, the test needs a multi-threaded runtime.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        text: String,
        ask: impl FnOnce(&mut Client, &str) -> Result<T, postgres::Error> + Send + 'static,
    ) -> T {
        let url = self.url.clone();
        let asked = thread::spawn(move || ask(&mut Client::connect(&url, NoTls).unwrap(), &text));
        asked.join().unwrap().unwrap()
    }

    fn executions(&self) -> Table {
        let mut table = self.query(
            "SELECT id::text, profile_id::text, status, market, price::text, base_amount::text,
                    quote_amount::text,
                    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
                    to_char(settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
                    metadata::text
             FROM quote_executions",
        );
        sort_metadata(&mut table);
        table
    }
}

impl Books for Database {
    fn name(&self) -> &str {
        &self.url
    }

    fn execute(&self, sql: &str) {
        self.ask(format!("SET lock_timeout = '60s'; {sql}"), Client::batch_execute);
    }

    fn equals(&self, tool: &Tool) -> bool {
        self.has("quote_executions") && self.executions() == listed(tool)
    }

    fn is_followed(&self) -> bool {
        self.has("digital_assets_syncs") && !self.query(FOLLOWED).is_empty()
    }
}

/// Normalizes metadata, because JSONB changes the whitespace and the order of fields.
fn sort_metadata(table: &mut Table) {
    for metadata in table.values_mut().filter_map(|cells| cells[8].as_mut()) {
        let fields: BTreeMap<String, Value> = serde_json::from_str(metadata).unwrap();
        *metadata = serde_json::to_string(&fields).unwrap();
    }
}

fn listed(tool: &Tool) -> Table {
    let microseconds =
        |time: DateTime<Utc>| time.trunc_subsecs(6).format("%Y-%m-%d %H:%M:%S%.6f").to_string();
    let mut table = expected(tool, microseconds);
    sort_metadata(&mut table);
    table
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_equals_the_listing_to_the_last_digit() {
    let database =
        Database::with("digits", "CREATE TABLE digits.quote_executions (id UUID PRIMARY KEY)");
    let tool = Tool::with(Sandbox::builder().executions(3_000), "postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];

    let run = tool.run(&sync).await;
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    settle_one(&tool);
    tool.run(&sync).await.succeeds();

    assert!(database.equals(&tool), "the table doesn't equal the listing");
    let kinds = database.query(
        "SELECT DISTINCT pg_typeof(price)::text, pg_typeof(created_at)::text FROM quote_executions",
    );
    let kind = vec![Some("timestamp with time zone".to_owned())];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [("numeric".to_owned(), kind)]);
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_character_that_postgres_cannot_hold_is_kept_as_its_escape() {
    let database = Database::with("nul", "");
    let tool = Tool::with(Sandbox::builder().executions(3), "nul-postgres").await;
    let mut execution = tool.sandbox.executions().next().unwrap();
    execution.status = "A\0B".into();
    let metadata = serde_json::json!({ "k\0": ["v\0", { "\0": "\\u0000" }] });
    execution.metadata = metadata.as_object().unwrap().clone();
    let id = execution.id.to_string();
    tool.sandbox.insert_execution(execution);

    tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await.succeeds();

    let table = database.query("SELECT id::text, status, metadata::text FROM quote_executions");
    assert_eq!(table.len(), 3);
    let escaped = r#"{"k\\u0000": ["v\\u0000", {"\\u0000": "\\u0000"}]}"#;
    assert_eq!(table[&id], [Some(r"A\u0000B".to_owned()), Some(escaped.to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_followed_table_equals_the_service_after_kills_with_and_without_cut_connections() {
    // Some transactions are rejected, because the trigger has rounded a price.
    let made = caseless("faults") + &rounds("random() < 0.0005");
    let database = Database::with("faults", &made);
    let tool = Tool::with(Sandbox::builder().executions(600).chaos(0.2, 9), "faults").await;
    let server = database.url.split(['@', '/']).nth(3).unwrap().to_owned();
    let proxy = Proxy::before(server.clone()).await;
    let to = database.url.replace(&server, &proxy.address);
    let sync = ["sync", "list-quote-executions", "--limit", "50", "--to", &to];
    let table_is_whole = |tool: &Tool| {
        proxy.cut(false);
        database.equals(tool)
    };

    proxy.cut(false);
    follow::through_kills(&tool, &sync, (7, 12), table_is_whole).await;
    for part in faults::parts(faults::kills(10)) {
        proxy.cut(true);
        follow::through_kills(&tool, &sync, part, table_is_whole).await;
    }

    assert!(database.equals(&tool), "the table doesn't equal the listing");
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    let mut run = tool.run(&verify).await;
    while is_refused(&run) {
        run = tool.run(&verify).await;
    }
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn of_two_syncs_into_postgres_the_second_says_so_and_a_kill_frees_the_table() {
    let database = Database::with("two", "");
    let elsewhere = Database::with("two_elsewhere", "");
    let tool = Tool::with(Sandbox::builder(), "two-postgres").await;
    let to = format!("{}&application_name=two", database.url);
    let sync = ["sync", "list-quote-executions", "--to", &to];
    let mut first = start_unanswered(&tool, &sync).await;

    let second = tool.run(&sync).await;
    // The address is written as in the error message and in the README.
    let elsewhere = elsewhere.url.replace("-c%20", "-c");
    let other = ["sync", "list-quote-executions", "--to", &elsewhere];
    let other = tool.run(&other).await;
    let connected = "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'two'";
    let are_connected = |count| database.query(connected).len() == count;
    let mut follows = tool.start(&[&sync[..], &["--every", "1h"]].concat());
    tool.until_ended_or(&mut follows, |_| are_connected(2)).await;
    signal(&follows, "-TERM");
    assert_eq!(ended(follows).await.signal, Some(15), "a sync that waits for the table must stop");
    tool.until(|_| are_connected(1)).await;
    // This is like a server that hasn't noticed yet that the first sync is gone.
    let mut third = tool.start(&sync);
    tool.until_ended_or(&mut third, |_| are_connected(2)).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let third = ended(third).await;

    second.says(1, "another sync is writing to quote_executions").tells("search_path");
    assert_eq!(other.status, Some(0), "the other schema's table isn't locked: {other:?}");
    assert_eq!(third.status, Some(0), "{third:?}");
    assert_eq!(database.query("SELECT id::text FROM quote_executions").len(), 5_000);
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_sync_that_follows_goes_on_after_its_connection_was_lost() {
    // An empty table must not be mistaken for a table that was emptied.
    for (name, records) in [("lost", 800), ("empty", 0)] {
        let database = Database::with(name, "");
        let sandbox = Sandbox::builder().deposit_addresses(records);
        let tool = Tool::with(sandbox, &format!("{name}-postgres")).await;
        let to = format!("{}&application_name={name}", database.url);
        let follow = ["sync", "list-deposit-addresses", "--every", "100ms", "--to", &to];
        let child = tool.start(&follow);
        tool.until(|_| database.is_followed()).await;
        let count = || database.query("SELECT id::text FROM deposit_addresses").len() as u64;
        assert_eq!(count(), records);

        database.cut_off(name);
        let known = Sandbox::builder().build();
        let mut address = known.deposit_addresses().max_by_key(|a| a.created_at).unwrap();
        address.id = Uuid::from_u128(7);
        tool.sandbox.insert_deposit_address(address);
        tool.until(|_| count() == records + 1).await;
        signal(&child, "-TERM");
        let run = ended(child).await;

        assert_eq!(run.signal, Some(15), "{run:?}");
        // The reason isn't checked, because the tool may notice the closed connection before it
        // reads the reason.
        run.tells("waiting for the database");
        run.tells("the database is responding again");
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_that_is_emptied_while_its_connection_is_lost_is_listed_again() {
    let database = Database::with("emptied", "");
    let tool = Tool::with(Sandbox::builder(), "emptied-postgres").await;
    let to = format!("{}&application_name=emptied", database.url);
    let sync = ["sync", "list-deposit-addresses", "--to", &to];
    let child = tool.start(&[&sync[..], &["--every", "1h"]].concat());
    tool.until(|_| database.is_followed()).await;

    let lose = "TRUNCATE deposit_addresses; SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE application_name = 'emptied'";
    database.execute(lose);
    tool.until(|_| database.query("SELECT id::text FROM deposit_addresses").len() == 800).await;
    signal(&child, "-TERM");

    ended(child).await.tells("has 0 of the 800 rows");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_that_somebody_else_made_is_left_as_it_is() {
    let tool = Tool::with(Sandbox::builder(), "others-postgres").await;

    for made in [
        "CREATE TABLE others.quote_executions (id UUID, market TEXT)",
        "CREATE VIEW others.quote_executions AS SELECT 1 AS id",
        "CREATE TABLE others.digital_assets_syncs (name TEXT)",
    ] {
        let database = Database::with("others", made);
        let run = tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 1), "{made}: {run:?}");
        assert!(run.stderr.contains("rename the existing tables"), "{made}: {run:?}");
    }
    assert!(tool.sandbox.requests().is_empty());
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_the_same_name_in_a_schema_behind_is_hidden_by_the_one_that_is_made() {
    let behind =
        "CREATE TABLE behind.quote_executions (id UUID PRIMARY KEY, price DOUBLE PRECISION)";
    Database::with("behind", behind);
    let mut database = Database::with("before", "");
    database.url += ",behind";
    let tool = Tool::with(Sandbox::builder(), "behind-postgres").await;

    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    tool.run(&sync).await.succeeds();

    assert!(database.equals(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn columns_of_postgres_that_keep_every_value_are_taken_as_they_are() {
    let made = "CREATE TABLE keeps.quote_executions (id TEXT PRIMARY KEY, price TEXT, \
                base_amount VARCHAR, quote_amount VARCHAR(80), created_at TIMESTAMPTZ(6), \
                status VARCHAR(20), metadata JSON)";
    let database = Database::with("keeps", made);
    let tool = Tool::with(Sandbox::builder().executions(50), "keeps-postgres").await;

    tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await.succeeds();

    assert!(database.equals(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_cell_that_postgres_cannot_hold_is_named() {
    let database = Database::with("cells", "");
    let tool = Tool::with(Sandbox::builder().executions(30), "cells-postgres").await;
    let execution = tool.sandbox.executions().nth(17).unwrap();

    for amount in ["", "abc", "1e200000"] {
        let mut execution = execution.clone();
        execution.base_amount = amount.into();
        tool.sandbox.insert_execution(execution.clone());

        let run = tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 1), "{amount}: {run:?}");
        let cell = format!("base_amount of the record {}", execution.id);
        assert!(run.stderr.contains(&cell), "{amount}: {run:?}");
        assert!(run.stderr.contains("SQLite"), "{amount}: {run:?}");
        assert!(database.query("SELECT id::text FROM quote_executions").is_empty());
    }
    tool.sandbox.insert_execution(execution);
    tool.run(&["sync", "list-quote-executions", "--to", &database.url]).await.succeeds();
    assert!(database.equals(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_that_lost_rows_is_listed_anew_and_one_of_another_service_is_refused() {
    let database = Database::with("lost_rows", "");
    let tool = Tool::with(Sandbox::builder().executions(1_000), "lost-rows-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];

    lost_rows_are_listed_anew_and_told(&tool, &database).await;
    let run = tool.run(&[&sync[..], &["--sandbox"]].concat()).await;
    run.says(1, "not from the sandbox");
    database.execute("ALTER TABLE quote_executions DROP COLUMN metadata");
    let run = tool.run(&[&sync[..], &["--overlap", "1h"]].concat()).await;
    run.tells("new or altered columns in quote_executions: metadata");
    assert!(database.equals(&tool));
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn every_planted_difference_is_found_in_postgres() {
    let database = Database::with("verified", "");
    let tool = Tool::with(Sandbox::builder().executions(25_000), "verified-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    tool.run(&sync).await.succeeds();

    let equal = tool.run(&verify).await;
    let planted = plant(&tool, &database);
    let different = tool.run(&verify).await.ends(4);
    let status = tool.run(&["status", "--of", &database.url]).await.succeeds();

    assert_eq!((equal.status, equal.stdout.as_str()), (Some(0), ""), "{equal:?}");
    assert_found(&planted, &different.stdout);
    assert!(status.stdout.contains("25000 rows"), "{status:?}");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn what_a_sync_adds_while_its_table_is_verified_is_not_additional() {
    let database = Database::with("beside", "");
    let tool = Tool::with(Sandbox::builder().executions(300), "beside-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    tool.run(&sync).await.succeeds();
    let asked = tool.sandbox.request_count(LIST);
    tool.sandbox.fault(LIST, Fault::Latency(Duration::from_secs(2)));

    let verify = tool.start(&["verify", "list-quote-executions", "--from", &database.url]);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked).await;
    signal(&verify, "-STOP");
    tool.sandbox.add_executions(20);
    tool.run(&sync).await.succeeds();
    // This is like a record that arrives after the end of the listing has been read.
    database.execute(&add_another("LIMIT 1", ""));
    signal(&verify, "-CONT");
    let verified = ended(verify).await;

    assert_eq!((verified.status, verified.stdout.as_str()), (Some(0), ""), "{verified:?}");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_row_without_a_time_is_compared_in_postgres_and_the_end_of_a_day_is_its_last_microsecond()
{
    let database = Database::with("times", "");
    let tool = Tool::with(Sandbox::builder().executions(25_000), "times-postgres").await;
    let mut execution = tool.sandbox.executions().next().unwrap();
    let day = execution.created_at.date_naive().pred_opt().unwrap();
    execution.id = Uuid::from_u128(7);
    execution.created_at = (day + Days::new(1)).and_time(NaiveTime::MIN).and_utc();
    tool.sandbox.insert_execution(execution);
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    tool.run(&sync).await.succeeds();

    let until = tool.run(&[&verify[..], &["--created-at-end", &day.to_string()]].concat()).await;
    database.execute(&add_another("LIMIT 1", ", created_at = NULL"));
    let all = tool.run(&verify).await;

    assert_eq!((until.status, until.stdout.as_str()), (Some(0), ""), "{until:?}");
    assert_eq!(all.stdout, format!("additional {ANOTHER}\n"), "{all:?}");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_row_of_postgres_that_changes_while_a_part_of_the_table_is_verified_is_not_additional() {
    let database = Database::with("amid", "");
    let tool = Tool::with(Sandbox::builder().executions(300), "amid-postgres").await;

    let run = verify_amid_a_change(&tool, &database).await;

    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
}
