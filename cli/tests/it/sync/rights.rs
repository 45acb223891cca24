//! Postgres tables that are shared with other programs, which change and lock them, and roles with
//! restricted privileges.

use std::{
    process::Child,
    time::{Duration, Instant},
};

use digital_assets::sandbox::Sandbox;
use postgres::{Client, NoTls};
use tokio::time::sleep;

use super::{Books, changed::a_sync_names_a_row, postgres::Database, settle_one};
use crate::tool::{Tool, ended};

const KEY: &str = "id UUID PRIMARY KEY";

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_that_drops_or_changes_rows_ends_the_sync_that_writes_them() {
    let tool = Tool::with(Sandbox::builder().executions(60), "drops-rows-postgres").await;
    let mut blank = tool.sandbox.executions().next().unwrap();
    blank.status = "AB   ".into();
    let table = |column: &str| format!("CREATE TABLE dropped.quote_executions ({KEY}{column})");
    let trigger = |action: &str| {
        table("")
            + &format!(
                "; CREATE FUNCTION dropped.tidy() RETURNS trigger LANGUAGE plpgsql AS '{action}'; \
                 CREATE TRIGGER tidy BEFORE INSERT ON dropped.quote_executions FOR EACH ROW \
                 EXECUTE FUNCTION dropped.tidy()"
            )
    };
    let after =
        trigger("BEGIN DELETE FROM dropped.quote_executions WHERE id = NEW.id; RETURN NULL; END");

    for (made, words) in [
        (trigger("BEGIN RETURN NULL; END"), "drops rows"),
        (after.replace("BEFORE INSERT", "AFTER INSERT"), "drops rows"),
        (trigger("BEGIN NEW.price = 1; RETURN NEW; END"), "price is "),
        (table(", price NUMERIC(38, 2)"), "price is "),
        (table(", price DOUBLE PRECISION"), "price is "),
        (table(", created_at TIMESTAMP"), "created_at is "),
        (table(", settled_at TIMESTAMPTZ(0)"), "settled_at is "),
        (table(", status \"char\""), "status is "),
    ] {
        let database = Database::with("dropped", &made);
        a_sync_names_a_row(&tool, &database, words).await;
        assert!(database.query("SELECT id::text FROM quote_executions").is_empty(), "{made}");
    }
    // Every status fits into three characters, except one with trailing spaces, which `VARCHAR`
    // truncates without an error.
    for mut execution in tool.sandbox.executions() {
        execution.status = "NEW".into();
        tool.sandbox.insert_execution(execution);
    }
    tool.sandbox.insert_execution(blank);
    let database = Database::with("dropped", &table(", status VARCHAR(3)"));
    a_sync_names_a_row(&tool, &database, "status is ").await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn rows_of_a_child_table_are_neither_counted_nor_taken_for_rows_of_the_table() {
    let database = Database::with("inherits", "");
    let tool = Tool::with(Sandbox::builder().executions(60), "inherits-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    tool.run(&sync).await.succeeds();
    database.execute(
        "CREATE TABLE older () INHERITS (quote_executions);
         WITH moved AS (DELETE FROM ONLY quote_executions WHERE id IN \
           (SELECT id FROM quote_executions LIMIT 10) RETURNING *) INSERT INTO older SELECT * FROM moved",
    );

    let synced = tool.run(&sync).await;
    let verified = tool.run(&verify).await.ends(4);

    synced.says(1, "quote_executions contains rows that no sync can have written");
    verified.tells("10 missing, 10 additional, 0 different");
    database.execute("ALTER TABLE older NO INHERIT quote_executions");
    tool.run(&sync).await.succeeds().tells("has 50 of the 60 rows");
    tool.run(&verify).await.succeeds();
    assert!(database.equals(&tool));
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_second_sync_into_postgres_writes_the_rows_that_have_changed_and_no_other() {
    let database = Database::with("unchanged", "");
    let tool = Tool::with(Sandbox::builder().executions(60), "unchanged-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    tool.run(&sync).await.succeeds();
    database.execute(
        "CREATE TABLE updates (id TEXT); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN INSERT INTO updates VALUES (NEW.id); RETURN NEW; END'; \
         CREATE TRIGGER note BEFORE INSERT OR UPDATE ON quote_executions FOR EACH ROW \
         EXECUTE FUNCTION note()",
    );

    tool.run(&sync).await.succeeds().tells("0 new, 0 changed");
    assert!(database.query("SELECT id FROM updates").is_empty());
    let changed = settle_one(&tool).to_string();
    tool.run(&sync).await.succeeds().tells("0 new, 1 changed");
    assert!(database.query("SELECT id FROM updates").contains_key(&changed));
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_following_sync_notices_within_a_minute_that_a_column_was_altered() {
    let database = Database::with("two_decimals", "");
    let tool = Tool::with(Sandbox::builder().executions(60), "two-decimals").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    let child = tool.start(&[&sync[..], &["--every", "1h"]].concat());
    tool.until(|_| database.is_followed()).await;

    database.execute("ALTER TABLE quote_executions ALTER price TYPE NUMERIC(38, 2)");
    let begun = Instant::now();
    let altered = "the column price of quote_executions was altered (its type was numeric";
    ended(child).await.says(1, altered);

    assert!(begun.elapsed() < Duration::from_secs(60));
    let again = tool.run(&[&sync[..], &["--overlap", "1h"]].concat()).await.ends(1);
    again.tells("new or altered columns in quote_executions: price; ").tells("price is ");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn three_first_syncs_at_once_make_their_tables() {
    let tool = Tool::with(Sandbox::builder().executions(20), "three-at-once").await;
    for _ in 0..8 {
        let database = Database::with("three_at_once", "");
        let listings =
            ["list-quote-executions", "list-deposit-addresses", "list-monitoring-addresses"];
        let start = |listing: &str| tool.start(&["sync", listing, "--to", &database.url]);
        let children: Vec<Child> = listings.into_iter().map(start).collect();
        for child in children {
            ended(child).await.succeeds();
        }
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_failure_that_passes_is_tried_again() {
    let tool = Tool::with(Sandbox::builder().executions(30), "passes-postgres").await;
    for code in ["40001", "40P01"] {
        let database = Database::with("passes", "");
        let sync = ["sync", "list-quote-executions", "--to", &database.url];
        tool.run(&sync).await.succeeds();
        tool.sandbox.add_executions(1);
        database.execute(&format!(
            "CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN IF nextval(''tries'') < 2 THEN RAISE ''once'' USING ERRCODE = ''{code}''; END IF; \
             RETURN NEW; END'; CREATE TRIGGER fail BEFORE INSERT ON quote_executions FOR EACH ROW \
             EXECUTE FUNCTION fail()"
        ));

        let run = tool.run(&sync).await.succeeds();

        run.tells("Postgres: once; trying again");
        assert!(database.equals(&tool), "{run:?}");
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_server_with_too_many_connections_is_tried_again() {
    let database = Database::with("crowded", "");
    let tool = Tool::with(Sandbox::builder(), "crowded-postgres").await;
    let url = role(&database, "crowded_role", "LOGIN CONNECTION LIMIT 1", "ALL");
    let connecting = url.clone();
    let connect = move || Client::connect(&connecting, NoTls).unwrap();
    let only = std::thread::spawn(connect).join().unwrap();

    let child = tool.start(&["sync", "list-deposit-addresses", "--to", &url]);
    sleep(Duration::from_secs(1)).await;
    std::thread::spawn(move || drop(only)).join().unwrap();
    let run = ended(child).await;

    run.ends(0).tells("too many connections");
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_locked_table_is_reported_by_a_sync_and_holds_up_no_status() {
    let database = Database::with("locked", "");
    let tool = Tool::with(Sandbox::builder().executions(30), "locked-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];
    tool.run(&sync).await.succeeds();
    let url = database.url.clone();
    let (locked, is_locked) = std::sync::mpsc::channel();
    let (done, until) = std::sync::mpsc::channel::<()>();
    let locks = std::thread::spawn(move || {
        let mut client = Client::connect(&url, NoTls).unwrap();
        client.batch_execute("BEGIN; LOCK TABLE quote_executions").unwrap();
        locked.send(()).unwrap();
        let _ = until.recv();
    });
    is_locked.recv().unwrap();

    let child = tool.start(&sync);
    let status = tool.run(&["status", "--of", &database.url]).await;
    sleep(Duration::from_secs(12)).await;
    drop(done);
    locks.join().unwrap();
    let synced = ended(child).await;

    status.tells("quote_executions is locked by another program, so its rows aren't counted");
    assert_eq!(status.status, Some(0), "{status:?}");
    synced.ends(0).tells("no response for 10 s, still waiting");
}

/// Creates a role with these privileges for the schema's tables. Returns the database's address for
/// the role.
fn role(database: &Database, name: &str, options: &str, rights: &str) -> String {
    let schema = database.url.rsplit("%3D").next().unwrap().to_owned();
    database.execute(&format!(
        "DO 'BEGIN CREATE ROLE {name}; EXCEPTION WHEN duplicate_object THEN END'; \
         ALTER ROLE {name} {options}; GRANT USAGE ON SCHEMA {schema} TO {name}; \
         GRANT {rights} ON ALL TABLES IN SCHEMA {schema} TO {name};"
    ));
    if rights == "ALL" {
        database.execute(&format!("GRANT CREATE ON SCHEMA {schema} TO {name}"));
    }
    database.url.replace("tester@", &format!("{name}@"))
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_role_needs_the_rights_that_its_command_uses_and_no_other() {
    let tool = Tool::with(Sandbox::builder().executions(60), "rights-postgres").await;
    let list = ["sync", "list-quote-executions", "--to"];
    let ddl = tool.run(&[&list[..], &["postgres://nowhere/x", "--dry-run"]].concat()).await.stdout;
    let database = Database::with("rights", "");
    database.execute(&ddl);
    let writes = role(&database, "rights_writes", "LOGIN", "SELECT, INSERT, UPDATE");
    let reads = role(&database, "rights_reads", "LOGIN", "SELECT");
    database.execute("ALTER ROLE rights_reads SET default_transaction_read_only = on");

    tool.run(&[&list[..], &[&writes]].concat()).await.succeeds();
    settle_one(&tool);
    tool.run(&[&list[..], &[&writes, "--overlap", "60d"]].concat()).await.succeeds();
    let verified =
        tool.run(&["verify", "list-quote-executions", "--from", &reads]).await.succeeds();

    verified.tells("can't save the verification progress of quote_executions");
    assert!(database.equals(&tool));
    tool.run(&["status", "--of", &reads]).await.succeeds();
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_that_is_partitioned_by_its_key_is_synced_and_verified() {
    let made = "CREATE TABLE parts.quote_executions (id UUID PRIMARY KEY) PARTITION BY HASH (id);
                CREATE TABLE parts.one PARTITION OF parts.quote_executions
                FOR VALUES WITH (MODULUS 2, REMAINDER 0);
                CREATE TABLE parts.two PARTITION OF parts.quote_executions
                FOR VALUES WITH (MODULUS 2, REMAINDER 1)";
    let database = Database::with("parts", made);
    let tool = Tool::with(Sandbox::builder().executions(300), "parts-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &database.url];

    tool.run(&sync).await.succeeds().tells("300 new");
    settle_one(&tool);
    tool.run(&sync).await.succeeds().tells("0 new, 1 changed");
    let verify = ["verify", "list-quote-executions", "--from", &database.url];
    tool.run(&verify).await.succeeds();

    assert!(database.equals(&tool));
    database.execute("DELETE FROM one");
    tool.run(&sync).await.succeeds().tells("listing everything again");
    assert!(database.equals(&tool));
}
