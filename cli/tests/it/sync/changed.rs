//! Tables that change or drop the rows of a sync, and tables that other programs change.

use chrono::TimeDelta;
use digital_assets::sandbox::Sandbox;

use super::{Books, LIST, SYNC, is_whole, sqlite};
use crate::tool::{Tool, ended, signal};

/// The columns of a table that was created by another program.
pub(super) const MADE: &str = "profile_id TEXT, status TEXT, market TEXT, side TEXT, price TEXT, \
                               base_amount TEXT, quote_amount TEXT, created_at TEXT, metadata TEXT";

/// Checks that a sync fails with an error that names the table and a row, and contains these words.
pub(super) async fn a_sync_names_a_row(tool: &Tool, books: &impl Books, words: &str) {
    let run = tool.run(&["sync", "list-quote-executions", "--to", books.name()]).await;

    run.says(1, "quote_executions").tells(words);
    let ids = tool.sandbox.executions().map(|execution| execution.id.to_string());
    assert!(ids.into_iter().any(|id| run.stderr.contains(&id)), "{run:?}");
}

#[tokio::test]
async fn a_table_that_drops_or_changes_rows_ends_the_sync_that_writes_them() {
    let tool = Tool::with(Sandbox::builder().executions(60), "drops-rows").await;
    let made = |key: &str, column: &str| {
        let columns = format!("{MADE}, settled_at TEXT");
        let columns =
            columns.replace(&format!("{} TEXT", column.split(' ').next().unwrap()), column);
        format!("CREATE TABLE quote_executions (id TEXT {key}, {columns})")
    };

    for (made, words) in [
        (
            made("PRIMARY KEY", "status TEXT")
                + "; CREATE TRIGGER tidy AFTER INSERT ON quote_executions \
                   BEGIN DELETE FROM quote_executions WHERE id = NEW.id; END",
            "drops rows",
        ),
        (
            made("PRIMARY KEY", "status TEXT")
                + "; CREATE TRIGGER tidy AFTER INSERT ON quote_executions \
                   BEGIN DELETE FROM quote_executions WHERE id <> NEW.id; END",
            "drops rows",
        ),
        (
            made("PRIMARY KEY", "status TEXT")
                + "; CREATE TRIGGER picky BEFORE INSERT ON quote_executions \
                   WHEN NEW.status = 'SETTLED' BEGIN SELECT raise(ignore); END",
            "drops rows",
        ),
        (made("PRIMARY KEY", "market TEXT UNIQUE ON CONFLICT REPLACE"), "drops rows"),
        (
            made("PRIMARY KEY", "settled_at TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 'never'"),
            "settled_at is null in the service, never in the table",
        ),
        // SQLite stores these columns as floating-point numbers, and so loses digits.
        (made("PRIMARY KEY", "price REAL"), "price is "),
        (made("PRIMARY KEY", "base_amount NUMERIC"), "base_amount is "),
        (made("PRIMARY KEY", "quote_amount STRING"), "quote_amount is "),
    ] {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(tool.path(&format!("books.db{end}")));
        }
        tool.execute(&made);
        a_sync_names_a_row(&tool, &tool, words).await;
        let count = "SELECT count(*), '' FROM quote_executions";
        let count = count.replace("count(*)", "CAST(count(*) AS TEXT)");
        assert_eq!(sqlite(&tool, &count).into_keys().collect::<Vec<_>>(), ["0"], "{made}");
    }
}

#[tokio::test]
async fn a_table_without_rowids_counts_its_rows_as_any_other() {
    let tool = Tool::with(Sandbox::builder().executions(60), "no-rowid").await;
    tool.execute(&format!(
        "CREATE TABLE quote_executions (id TEXT PRIMARY KEY, {MADE}, settled_at TEXT) WITHOUT ROWID"
    ));
    tool.run(&SYNC).await.succeeds().tells("60 new, 0 changed");
    tool.execute("DELETE FROM quote_executions");
    tool.sandbox.add_executions(1);

    let round = tool.run(&[&SYNC[..], &["--overlap", "1h"]].concat()).await.succeeds();

    round.tells("has 0 of the 60 rows");
    assert!(is_whole(&tool), "the table doesn't equal the listing");
    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];
    tool.run(&verify).await.succeeds();
}

/// SQL that makes the database record updated rows. A sync must not update unchanged rows.
pub(super) const COUNTS_UPDATES: &str = "CREATE TABLE updates (id TEXT); CREATE TRIGGER count_updates AFTER UPDATE ON quote_executions \
     BEGIN INSERT INTO updates VALUES (NEW.id); END";

#[tokio::test]
async fn a_second_sync_writes_the_rows_that_have_changed_and_no_other() {
    let tool = Tool::with(Sandbox::builder().executions(60), "unchanged").await;
    tool.run(&SYNC).await.succeeds().tells("60 records, 60 new, 0 changed");
    tool.execute(COUNTS_UPDATES);

    tool.run(&SYNC).await.succeeds().tells("60 records, 0 new, 0 changed");
    assert!(sqlite(&tool, "SELECT id, '' FROM updates").is_empty());
    let changed = super::settle_one(&tool).to_string();
    tool.run(&SYNC).await.succeeds().tells("60 records, 0 new, 1 changed");
    assert_eq!(
        sqlite(&tool, "SELECT id, '' FROM updates").into_keys().collect::<Vec<_>>(),
        [changed]
    );
}

#[tokio::test]
async fn a_row_that_a_later_transaction_drops_is_missed_at_the_end_of_the_listing() {
    let tool = Tool::with(Sandbox::builder().executions(60), "later-drops").await;
    let sync = [&SYNC[..], &["--limit", "10", "--concurrency", "1"]].concat();
    tool.run_failing(3, LIST, &sync).await;
    tool.execute(
        "CREATE TRIGGER tidy AFTER INSERT ON quote_executions \
         WHEN (SELECT count(*) FROM quote_executions) > 59 \
         BEGIN DELETE FROM quote_executions WHERE rowid = 1; END",
    );

    let run = tool.run(&sync).await.ends(1);

    run.tells("quote_executions has 59 of the 60 rows that were written");
}

#[tokio::test]
async fn a_first_round_counts_each_record_once() {
    let tool = Tool::with(Sandbox::builder().executions(40), "first-round").await;
    let round = [&SYNC[..], &["--overlap", "60d"]].concat();

    tool.run(&round).await.says(0, "40 records, 40 new, 0 changed");
    tool.sandbox.add_executions(2);
    super::settle_one(&tool);
    let run = tool.run(&round).await;

    run.says(0, "quote_executions: 2 new, 1 changed, in");
}

#[tokio::test]
async fn a_mark_names_the_last_equal_record() {
    let tool = Tool::with(Sandbox::builder().executions(60), "last-equal").await;
    tool.run(&SYNC).await.succeeds();
    let executions: Vec<_> = tool.sandbox.executions().collect();
    let (different, equal) = (&executions[20], &executions[21]);
    tool.execute(&format!("UPDATE quote_executions SET price = '1' WHERE id = '{}'", different.id));
    let verify = ["verify", "list-quote-executions", "--from", "sqlite:books.db"];

    tool.run(&verify).await.ends(4);

    let mark = "SELECT table_name, verified_through FROM digital_assets_syncs WHERE asked <> ''";
    let mark = sqlite(&tool, mark)["quote_executions"][0].clone().unwrap();
    let mark: chrono::DateTime<chrono::Utc> = mark.parse().unwrap();
    assert!(different.created_at - equal.created_at > TimeDelta::zero());
    assert_eq!(mark, equal.created_at);
}

#[tokio::test]
async fn a_following_sync_notices_that_its_state_was_restored_from_a_backup() {
    let tool = Tool::with(Sandbox::builder().executions(60), "restored").await;
    tool.run(&SYNC).await.succeeds();
    tool.execute("CREATE TABLE backup AS SELECT * FROM digital_assets_syncs");
    let child = tool.start(&[&SYNC[..], &["--every", "50ms"]].concat());
    tool.until(Books::is_followed).await;

    tool.execute(
        "BEGIN IMMEDIATE; DELETE FROM digital_assets_syncs; \
         INSERT INTO digital_assets_syncs SELECT * FROM backup; COMMIT",
    );
    let run = ended(child).await;

    run.says(1, "quote_executions has changed since this sync's last write");
}

#[tokio::test]
async fn a_following_sync_notices_within_a_minute_that_a_column_was_altered() {
    let tool = Tool::with(Sandbox::builder().executions(60), "altered").await;
    let child = tool.start(&[&SYNC[..], &["--every", "1h"]].concat());
    tool.until(super::has_states).await;
    tool.until(is_whole).await;
    tool.until(Books::is_followed).await;

    tool.execute(
        "ALTER TABLE quote_executions RENAME price TO old; \
         ALTER TABLE quote_executions ADD price DECIMAL(10, 2)",
    );

    ended(child).await.says(1, "the column price of quote_executions was altered");
}

#[tokio::test]
async fn another_account_at_the_same_address_has_to_be_confirmed() {
    let sandbox =
        Sandbox::builder().executions(60).client("other", "geheim", LIST.scopes().iter().copied());
    let tool = Tool::with(sandbox, "accounts").await;
    let other = [("CLIENT_ID", "other"), ("CLIENT_SECRET", "geheim")];
    tool.run(&SYNC).await.succeeds();

    let refused = tool.run_with(&SYNC, &other).await;
    let forced = tool.run_with(&[&SYNC[..], &["--force"]].concat(), &other).await;
    let again = tool.run_with(&SYNC, &other).await;

    refused.says(1, "was synced as the client").tells("--force");
    assert_eq!((forced.status, again.status), (Some(0), Some(0)), "{forced:?} {again:?}");
    tool.run(&SYNC).await.says(1, "was synced as the client other");
}

#[tokio::test]
async fn each_listing_of_a_sync_is_continued_by_its_own_client() {
    let sandbox = Sandbox::builder().executions(60).profiles(2);
    let sandbox = sandbox.client("other", "geheim", LIST.scopes().iter().copied());
    let tool = Tool::with(sandbox, "account-of-each").await;
    let other = [("CLIENT_ID", "other"), ("CLIENT_SECRET", "geheim")];
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let [one, two] = [["--profile-id", &ids[0]], ["--profile-id", &ids[1]]];
    tool.run(&[&SYNC[..], &one].concat()).await.succeeds();
    tool.run_with(&[&SYNC[..], &two].concat(), &other).await.succeeds();

    let both = [&SYNC[..], &one, &two].concat();
    let ours = tool.run(&both).await;
    let theirs = tool.run_with(&both, &other).await;

    ours.says(1, "was synced as the client other");
    theirs.says(1, "was synced as the client").tells("but the client other may list");
}

#[tokio::test]
async fn a_signal_still_ends_a_sync_that_follows() {
    let tool = Tool::with(Sandbox::builder().executions(10), "follows-and-ends").await;
    let child = tool.start(&[&SYNC[..], &["--every", "1h"]].concat());
    tool.until(super::has_states).await;
    signal(&child, "-TERM");

    assert_eq!(ended(child).await.signal, Some(15));
}
