//! Each table has one number: the rows that it had after the last commit.

use digital_assets::sandbox::{Fault, Sandbox};

use super::{
    Books, LIST,
    postgres::Database,
    verified::{ANOTHER, add_another},
};
use crate::tool::{Tool, ended, signal};

const LOSE_TEN: &str =
    "DELETE FROM quote_executions WHERE id IN (SELECT id FROM quote_executions LIMIT 10)";
const LOSE_38: &str =
    "DELETE FROM quote_executions WHERE id IN (SELECT id FROM quote_executions LIMIT 38)";

fn sync<'a>(books: &'a impl Books, more: &[&'a str]) -> Vec<&'a str> {
    [&["sync", "list-quote-executions", "--to", books.name()], more].concat()
}

/// Runs `test` for each way of syncing a table: with a full sync, with rounds, and for two profiles
/// at a time.
async fn for_each_way(tool: &Tool, test: impl AsyncFn(&[&str])) {
    let ids = tool.sandbox.profile_ids();
    let [one, other] = [0, 1].map(|at| ids[at].to_string());
    for mut execution in tool.sandbox.executions().skip(30) {
        execution.profile_id = ids[1];
        tool.sandbox.insert_execution(execution);
    }
    let both = ["--profile-id", &one, "--profile-id", &other, "--concurrency", "1"];
    let round = ["--overlap", "1h"];
    for more in [&both[..], &[&both[..], &round].concat()] {
        test(more).await;
    }
    for mut execution in tool.sandbox.executions() {
        execution.profile_id = ids[0];
        tool.sandbox.insert_execution(execution);
    }
    for more in [&[][..], &round] {
        test(more).await;
    }
}

async fn a_loss_stays_known_until_it_is_repaired(tool: &Tool, books: &impl Books) {
    for_each_way(tool, async |more| {
        let sync = sync(books, more);
        let status = ["status", "--of", books.name(), "--max-age", "1h"];
        books.execute("DROP TABLE IF EXISTS quote_executions");
        books.execute("DROP TABLE IF EXISTS digital_assets_syncs");
        tool.run(&sync).await.succeeds();
        books.execute(LOSE_TEN);

        // The service refuses the first request of every listing, between detection and repair.
        for _ in 0..2 {
            tool.sandbox.fault(LIST, Fault::Status(403));
        }
        let refused = tool.run(&sync).await.ends(1);
        refused.tells("has 50 of the 60 rows that were written; listing everything again");
        let known = tool.run(&status).await.ends(1);
        known.tells("has 50 of the 60 rows");
        assert!(known.stdout.contains("not complete yet"), "{known:?}");
        // A full sync of one listing takes one request, so another fault may be left.
        while !books.equals(tool) {
            tool.run(&sync).await.tells("has 50 of the 60 rows");
        }
        assert!(!tool.run(&sync).await.succeeds().stderr.contains("again"));
        tool.run(&status).await.succeeds();

        books.execute(LOSE_38);
        tool.run(&sync).await.succeeds().tells("has 22 of the 60 rows");
        assert!(books.equals(tool), "{more:?}");
    })
    .await;
}

#[tokio::test]
async fn a_loss_stays_known_until_the_table_is_whole_again() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "loss-known").await;

    a_loss_stays_known_until_it_is_repaired(&tool, &tool).await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_loss_in_postgres_stays_known_until_the_table_is_whole_again() {
    let database = Database::with("loss_known", "");
    let sandbox = Sandbox::builder().executions(60).profiles(2);
    let tool = Tool::with(sandbox, "loss-known-postgres").await;

    a_loss_stays_known_until_it_is_repaired(&tool, &database).await;
}

async fn a_table_of_any_past_has_a_number(tool: &Tool, books: &impl Books) {
    let sync = sync(books, &[]);
    let status = ["status", "--of", books.name()];
    let forget = [&status[..], &["--forget", "quote_executions"]].concat();
    tool.run(&sync).await.succeeds();

    tool.run(&forget).await.succeeds();
    books.execute(LOSE_TEN);
    tool.run(&status).await.succeeds().tells("has 50 of the 60 rows");
    tool.run(&sync).await.succeeds().tells("has 50 of the 60 rows");
    tool.run(&forget).await.succeeds();
    tool.run(&sync).await.succeeds();
    books.execute(LOSE_TEN);
    tool.run(&sync).await.succeeds().tells("has 50 of the 60 rows");

    // The rows are from another program, or the states weren't restored from a backup.
    books.execute("DROP TABLE digital_assets_syncs");
    tool.run(&sync).await.succeeds().tells("contains 60 rows that no known sync has written");
    books.execute(LOSE_TEN);
    tool.run(&sync).await.succeeds().tells("has 50 of the 60 rows");
    assert!(books.equals(tool));

    // A row that the service doesn't list isn't listed again, and isn't missed for ever.
    books.execute(&add_another("LIMIT 1", ""));
    tool.run(&sync).await.succeeds();
    books.execute(&format!("DELETE FROM quote_executions WHERE id = '{ANOTHER}'"));
    tool.run(&sync).await.succeeds().tells("has 60 of the 61 rows");
    assert!(!tool.run(&sync).await.succeeds().stderr.contains("again"));
    assert!(books.equals(tool));
}

#[tokio::test]
async fn a_table_whose_states_were_forgotten_or_dropped_is_counted_too() {
    let tool = Tool::with(Sandbox::builder().executions(60), "any-past").await;

    a_table_of_any_past_has_a_number(&tool, &tool).await;
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_table_of_postgres_whose_states_were_forgotten_or_dropped_is_counted_too() {
    let database = Database::with("any_past", "");
    let tool = Tool::with(Sandbox::builder().executions(60), "any-past-postgres").await;

    a_table_of_any_past_has_a_number(&tool, &database).await;
}

#[tokio::test]
async fn the_number_stays_until_every_listing_of_the_table_has_been_listed_again() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "stays").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let [one, other] = [0, 1].map(|at| sync(&tool, &["--profile-id", &ids[at]]));
    for sync in [&one, &other] {
        tool.run(sync).await.succeeds();
    }
    let status = ["status", "--of", "sqlite:books.db"];
    tool.execute("DELETE FROM quote_executions");

    let run = tool.run(&one).await.succeeds();
    run.tells("has 0 of the 60 rows");
    let rows = |tool: &Tool| super::in_sqlite(tool).len();
    let of_one = rows(&tool);
    assert!(0 < of_one && of_one < 60);
    tool.run(&status).await.tells(&format!("has {of_one} of the 60 rows"));
    // Rows that were listed again are lost as well.
    tool.execute("DELETE FROM quote_executions WHERE rowid = 1");
    tool.run(&other).await.succeeds().tells("of the 60 rows");
    assert_eq!(rows(&tool), 59);
    tool.run(&status).await.tells("has 59 of the 60 rows");
    tool.run(&one).await.succeeds();

    assert!(super::is_whole(&tool));
    assert!(!tool.run(&status).await.stderr.contains("rows that were written"));
}

#[tokio::test]
async fn a_listing_that_is_forgotten_amid_a_repair_holds_it_up_no_longer() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "held-up").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let [one, other] = [0, 1].map(|at| sync(&tool, &["--profile-id", &ids[at]]));
    for sync in [&one, &other] {
        tool.run(sync).await.succeeds();
    }
    tool.execute(&format!("DELETE FROM quote_executions WHERE profile_id = '{}'", ids[1]));
    tool.run(&one).await.succeeds().tells("of the 60 rows");
    let status = ["status", "--of", "sqlite:books.db"];
    tool.run(&status).await.succeeds().tells("of the 60 rows");

    let name = format!("quote_executions --profile-id {}", ids[1]);
    tool.run(&[&status[..], &["--forget", &name]].concat()).await.succeeds();
    tool.run(&one).await.succeeds();

    assert!(!tool.run(&status).await.succeeds().stderr.contains("of the 60 rows"));
}

/// Removes rows while a sync follows. The sync must notice it, and list everything again.
pub(super) async fn a_follower_repairs_its_table(tool: &Tool, books: &impl Books, loss: &str) {
    let child = tool.start(&sync(books, &["--every", "1h"]));
    tool.until(|_| books.is_followed()).await;

    books.execute(loss);
    tool.until(|tool| books.equals(tool)).await;
    signal(&child, "-TERM");

    let run = ended(child).await;
    assert_eq!(run.signal, Some(15), "{run:?}");
    run.tells("of the 60 rows that were written; listing everything again");
}

#[tokio::test]
async fn a_following_sync_counts_every_minute_and_lists_lost_rows_again() {
    for (name, loss) in [("loses-ten", LOSE_TEN), ("loses-all", "DELETE FROM quote_executions")] {
        let tool = Tool::with(Sandbox::builder().executions(60), name).await;
        a_follower_repairs_its_table(&tool, &tool, loss).await;
    }
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn a_following_sync_into_postgres_counts_every_minute_and_lists_lost_rows_again() {
    let database = Database::with("loses", "");
    let tool = Tool::with(Sandbox::builder().executions(60), "loses-postgres").await;

    a_follower_repairs_its_table(&tool, &database, LOSE_TEN).await;
}

#[tokio::test]
async fn a_loss_that_a_sync_of_all_listings_has_noticed_stays_known() {
    let tool = Tool::with(Sandbox::builder().executions(60), "loss-of-all").await;
    let sync = ["sync", "--all", "--to", "sqlite:books.db"];
    tool.run(&sync).await.succeeds();
    tool.execute(LOSE_TEN);
    tool.sandbox.fault(LIST, Fault::Status(403));

    tool.run(&sync).await.ends(1).tells("has 50 of the 60 rows");
    tool.run(&sync).await.succeeds().tells("has 50 of the 60 rows");

    assert!(super::is_whole(&tool));
    tool.execute(LOSE_38);
    tool.run(&sync).await.succeeds().tells("has 22 of the 60 rows");
    assert!(super::is_whole(&tool));
}
