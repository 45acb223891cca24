//! The lock of a sync: it belongs to the database itself, and ends with the sync.

use std::{env, fs};

use digital_assets::sandbox::Sandbox;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
};

use super::{Books, SYNC, is_whole, postgres::Database, start_unanswered};
use crate::tool::{Tool, ended, signal};

/// The sessions in the server that hold an advisory lock.
const LOCKS: &str = "SELECT pid::text FROM pg_locks WHERE locktype = 'advisory'";

#[tokio::test]
async fn the_lock_of_a_table_of_sqlite_belongs_to_the_file_and_not_to_its_name() {
    let tool = Tool::with(Sandbox::builder().executions(50), "hard-link").await;
    let other_name = ["sync", "list-quote-executions", "--to", "sqlite:link.db"];
    let mut first = start_unanswered(&tool, &SYNC).await;

    let mut files = tool.files();
    files.sort();
    fs::hard_link(tool.path("books.db"), tool.path("link.db")).unwrap();
    let second = tool.run(&other_name).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let third = tool.run(&other_name).await;
    let status = tool.run(&["status", "--of", "sqlite:link.db"]).await;
    fs::remove_file(tool.path("link.db")).unwrap();
    let fourth = tool.run(&SYNC).await;

    assert_eq!(files, ["books.db", "books.db-shm", "books.db-wal"], "a lock file could be deleted");
    second.says(1, "another sync is writing to quote_executions");
    third.says(1, "the file has several names (hard links)");
    status.says(1, "the file has several names (hard links)");
    fourth.succeeds();
    assert!(is_whole(&tool), "the table doesn't equal the listing");
}

/// Starts a proxy that keeps its connection to the server when a client has gone, like a pool.
async fn keeps_sessions(server: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (mut client, mut to_client) = client.into_split();
            let server = TcpStream::connect(&server).await.unwrap();
            let (mut server, mut to_server) = server.into_split();
            tokio::spawn(async move { copy(&mut server, &mut to_client).await });
            tokio::spawn(async move {
                let mut sent = [0; 8_192];
                while let Ok(count @ 1..) = client.read(&mut sent).await {
                    // The server doesn't get the message that ends the session.
                    let sent = &sent[..count];
                    let sent = sent.strip_suffix(b"X\0\0\0\x04").unwrap_or(sent);
                    to_server.write_all(sent).await.unwrap();
                }
                std::future::pending::<()>().await;
                drop(to_server);
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_session_of_postgres_that_outlives_its_sync_holds_no_lock() {
    let database = Database::with("outlives", "");
    let tool = Tool::with(Sandbox::builder().deposit_addresses(60), "outlives-postgres").await;
    let server = database.url.split(['@', '/']).nth(3).unwrap().to_owned();
    let to = database.url.replace(&server, &keeps_sessions(server.clone()).await);
    // Another isolation level would give the idle transaction a snapshot.
    let to = format!("{to}%20-c%20default_transaction_isolation%3Dserializable");
    let to = format!("{to}&application_name=outlives");
    let sync = ["sync", "list-deposit-addresses", "--to", &to];
    let sessions = "SELECT pid::text, state, backend_xmin::text, backend_xid::text
                    FROM pg_stat_activity WHERE application_name = 'outlives'";
    let locks = format!(
        "{LOCKS} AND pid IN \
         (SELECT pid FROM pg_stat_activity WHERE application_name = 'outlives')"
    );

    tool.run(&sync).await.succeeds();
    let after_its_end = (database.query(sessions).len(), database.query(&locks).len());
    let follows = tool.start(&[&sync[..], &["--every", "1h"]].concat());
    let is_idle = |row: &Vec<Option<String>>| row[0].as_deref() == Some("idle in transaction");
    tool.until(|_| database.is_followed() && database.query(sessions).values().any(is_idle)).await;
    let holder = database.query(&locks).into_keys().next().unwrap();
    let holding = database.query(sessions)[&holder].clone();
    signal(&follows, "-TERM");
    assert_eq!(ended(follows).await.signal, Some(15));
    let after_a_signal = (database.query(sessions).len(), database.query(&locks).len());

    assert_eq!((after_its_end, after_a_signal), ((1, 0), (2, 0)));
    // A transaction without a snapshot and a number doesn't keep the server from cleaning up.
    assert_eq!(holding, [Some("idle in transaction".to_owned()), None, None]);
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn behind_a_pool_of_transactions_one_sync_writes_and_leaves_no_lock() {
    // The variable is set if pgbouncer is installed.
    let Ok(pool) = env::var("TEST_POSTGRES_POOL") else { return };
    let server = env::var("TEST_POSTGRES").unwrap().replace("/postgres", "/pool");
    let database = Database { url: server };
    database.execute("DROP TABLE IF EXISTS quote_executions, digital_assets_syncs");
    let tool = Tool::with(Sandbox::builder().executions(600), "pool-postgres").await;
    let sync = ["sync", "list-quote-executions", "--to", &pool, "--limit", "50"];
    let locks = || {
        let here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        database.query(&format!("{LOCKS} AND {here}")).len()
    };

    for kill in 0..10 {
        let mut first = start_unanswered(&tool, &sync).await;
        if kill == 0 {
            tool.run(&sync).await.says(1, "another sync is writing to quote_executions");
        }
        first.kill().unwrap();
        first.wait().unwrap();
        tool.run(&sync).await.succeeds();
        assert!(database.equals(&tool), "the table doesn't equal the listing");
        assert_eq!(locks(), 0, "after kill {kill}");
        tool.sandbox.add_executions(20);
    }
    let follows = tool.start(&[&sync[..], &["--every", "50ms"]].concat());
    tool.until(|tool| database.equals(tool)).await;
    assert_eq!(locks(), 1);
    signal(&follows, "-TERM");
    assert_eq!(ended(follows).await.signal, Some(15));
    assert_eq!(locks(), 0);
    tool.run(&["verify", "list-quote-executions", "--from", &pool]).await.succeeds();
}
