//! Tables that another program changes at random while a sync follows the listing and is killed.
//! The next sync must make the table equal to the listing, or say why it can't.

use std::time::Duration;

use digital_assets::sandbox::Sandbox;
use tokio::time::sleep;

use super::{
    Books, LIST, faults,
    follow::{FOLLOW, change},
    is_refused,
    postgres::Database,
};
use crate::tool::{Ended, Tool};

/// A change to a table, and the SQL that reverts it. If the latter is empty, a sync repairs the
/// table.
type Meddling = (&'static str, &'static str);

const BACKUP: &str = "DROP TABLE IF EXISTS older; DROP TABLE IF EXISTS older_syncs;
    CREATE TABLE older AS SELECT * FROM quote_executions;
    CREATE TABLE older_syncs AS SELECT * FROM digital_assets_syncs";

/// Changes whose SQL works in SQLite and in Postgres.
const MEDDLINGS: [Meddling; 5] = [
    ("DELETE FROM quote_executions WHERE market < 'E'", ""),
    ("DELETE FROM quote_executions", ""),
    ("UPDATE quote_executions SET status = 'LOST' WHERE market < 'E'", ""),
    (
        "BEGIN; DELETE FROM quote_executions; INSERT INTO quote_executions SELECT * FROM older;
         DELETE FROM digital_assets_syncs; INSERT INTO digital_assets_syncs SELECT * FROM older_syncs;
         COMMIT",
        "",
    ),
    ("ALTER TABLE quote_executions DROP COLUMN metadata", ""),
];
const OF_SQLITE: [Meddling; 3] = [
    (
        "CREATE TRIGGER tidy AFTER INSERT ON quote_executions
         BEGIN DELETE FROM quote_executions WHERE id = NEW.id; END",
        "DROP TRIGGER tidy",
    ),
    (
        "CREATE TRIGGER tidy AFTER UPDATE ON quote_executions
         BEGIN UPDATE quote_executions SET price = 1 WHERE id = NEW.id; END",
        "DROP TRIGGER tidy",
    ),
    (
        "ALTER TABLE quote_executions DROP COLUMN price;
         ALTER TABLE quote_executions ADD COLUMN price DECIMAL(38, 2)",
        "ALTER TABLE quote_executions DROP COLUMN price",
    ),
];
const OF_POSTGRES: [Meddling; 3] = [
    (
        "CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN DELETE FROM quote_executions WHERE id = NEW.id; RETURN NULL; END';
         CREATE TRIGGER tidy AFTER INSERT ON quote_executions FOR EACH ROW EXECUTE FUNCTION tidy()",
        "DROP FUNCTION tidy CASCADE",
    ),
    (
        "CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN NEW.price = 1; RETURN NEW; END';
         CREATE TRIGGER tidy BEFORE UPDATE ON quote_executions FOR EACH ROW EXECUTE FUNCTION tidy()",
        "DROP FUNCTION tidy CASCADE",
    ),
    (
        "ALTER TABLE quote_executions ALTER price TYPE NUMERIC(38, 2)",
        "ALTER TABLE quote_executions ALTER price TYPE NUMERIC",
    ),
];

/// Repeats a sync as long as it fails because of the sandbox's random 401s, or because of a 403.
async fn unrefused(tool: &Tool, sync: &[&str]) -> Ended {
    loop {
        let run = tool.run(sync).await;
        if !is_refused(&run) && !run.stderr.contains("403") {
            return run;
        }
    }
}

/// Changes the table during a sync, kills the sync, and checks that the next sync repairs the table
/// or fails.
///
/// The command `sync` connects through a proxy, which may cut the connection; `direct` doesn't.
async fn through_meddling(
    tool: &Tool,
    books: &impl Books,
    [sync, direct]: [&[&str]; 2],
    own: &[Meddling],
) {
    let follow = [sync, &FOLLOW].concat();
    let meddlings = [&MEDDLINGS, own].concat();
    let mut random = fastrand::Rng::with_seed(29);
    let (mut repaired, mut told) = (0, 0);
    assert_eq!(unrefused(tool, direct).await.status, Some(0));

    for round in 0..faults::kills(24) {
        let (meddling, undone) = match usize::try_from(round) {
            Ok(round) if round < meddlings.len() => meddlings[round],
            _ => meddlings[random.usize(..meddlings.len())],
        };
        books.execute(BACKUP);
        let asked = tool.sandbox.request_count(LIST);
        let mut child = tool.start(&follow);
        tool.until_ended_or(&mut child, |tool| tool.sandbox.request_count(LIST) > asked).await;
        change(tool, &mut random);
        sleep(Duration::from_millis(random.u64(..200))).await;
        books.execute(meddling);
        change(tool, &mut random);
        sleep(Duration::from_millis(random.u64(..300))).await;
        let _ = child.kill();
        child.wait().unwrap();

        // The service may refuse a request after the sync has noticed the change, and before it has
        // repaired the table.
        if random.bool() {
            tool.fail_after(random.usize(..2), LIST);
        }
        let run = unrefused(tool, direct).await;
        if run.status == Some(0) {
            assert!(books.equals(tool), "{meddling}: {run:?}");
            repaired += 1;
        } else {
            assert!(run.status == Some(1) && run.stderr.contains("quote_executions"), "{run:?}");
            assert!(!undone.is_empty(), "{meddling}: {run:?}");
            told += 1;
        }
        if !undone.is_empty() {
            books.execute(undone);
        }
        let run = unrefused(tool, direct).await;
        assert_eq!(run.status, Some(0), "{meddling}: {run:?}");
        assert!(books.equals(tool), "{meddling}: {run:?}");
    }
    assert!(repaired > 0 && told > 0, "{repaired} repaired, {told} reported");
}

#[tokio::test]
async fn a_table_of_sqlite_that_others_change_equals_the_service_or_the_tool_says_why() {
    let tool = Tool::with(Sandbox::builder().executions(300).chaos(0.1, 8), "meddled").await;
    let sync = &super::SYNC[..];

    through_meddling(&tool, &tool, [sync, sync], &OF_SQLITE).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_that_others_change_equals_the_service_or_the_tool_says_why() {
    let database = Database::with("meddled", "");
    let tool =
        Tool::with(Sandbox::builder().executions(300).chaos(0.1, 8), "meddled-postgres").await;
    let server = database.url.split(['@', '/']).nth(3).unwrap().to_owned();
    let proxy = faults::Proxy::before(server.clone()).await;
    let to = database.url.replace(&server, &proxy.address);
    let sync = ["sync", "list-quote-executions", "--to", &to];
    let direct = ["sync", "list-quote-executions", "--to", &database.url];

    through_meddling(&tool, &database, [&sync, &direct], &OF_POSTGRES).await;
}
