//! A saved state is only valid for the rows that it was saved with, and a table is for one service.

use chrono::TimeDelta;
use digital_assets::sandbox::Sandbox;
use uuid::Uuid;

use super::{Books, LIST, SYNC, in_sqlite, is_whole, settle};
use crate::tool::{Tool, ended, signal};

/// SQL that removes rows from a table.
pub(super) const LOSSES: [&str; 4] = [
    "DROP TABLE quote_executions",
    "DELETE FROM quote_executions",
    "DELETE FROM quote_executions WHERE market < 'E'",
    "ALTER TABLE quote_executions RENAME TO older",
];

const STATUS: [&str; 5] = ["status", "--of", "sqlite:books.db", "--max-age", "1h"];
/// Options for pages that are small enough for a listing to have several.
const PAGES: [&str; 4] = ["--limit", "100", "--concurrency", "1"];

/// Runs a following sync until the table is complete. Returns its stderr.
async fn follow(tool: &Tool) -> String {
    let asked = tool.sandbox.request_count(LIST);
    let child = tool.start(&[&SYNC[..], &["--every", "50ms"]].concat());
    // After its first request, a sync handles signals.
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked && is_whole(tool)).await;
    signal(&child, "-TERM");
    let run = ended(child).await;
    assert_eq!(run.signal, Some(15), "{run:?}");
    run.stderr
}

/// For each of `LOSSES`: interrupts a sync, removes rows, and checks that the next sync reports
/// this and lists everything again.
pub(super) async fn lost_rows_are_listed_anew_and_told(tool: &Tool, books: &impl Books) {
    let sync = ["sync", "list-quote-executions", "--to", books.name()];
    let sync = [&sync[..], &PAGES].concat();

    for loss in LOSSES {
        tool.run_failing(6, LIST, &[&sync[..], &["--force"]].concat()).await;
        books.execute(loss);
        let run = tool.run(&sync).await.succeeds();

        assert!(run.stderr.contains("listing everything again"), "{loss}: {run:?}");
        assert!(books.equals(tool), "{loss}");
        let run = tool.run(&sync).await;
        assert!(!run.stderr.contains("again"), "{loss}: {run:?}");
        books.execute("DROP TABLE IF EXISTS older");
    }
}

#[tokio::test]
async fn a_table_that_lost_rows_is_listed_anew_and_told() {
    let tool = Tool::with(Sandbox::builder().executions(1_000), "lost-rows").await;

    lost_rows_are_listed_anew_and_told(&tool, &tool).await;
    for loss in LOSSES {
        tool.execute(loss);
        assert!(follow(&tool).await.contains("listing everything again"), "{loss}");
        assert!(!follow(&tool).await.contains("again"), "{loss}");
        tool.execute("DROP TABLE IF EXISTS older");
    }
}

#[tokio::test]
async fn the_first_row_of_a_table_is_counted_whatever_was_written_before_it() {
    let tool = Tool::with(Sandbox::builder().executions(40).profiles(2), "first-row").await;
    let ids = tool.sandbox.profile_ids();
    for mut execution in tool.sandbox.executions() {
        execution.profile_id = ids[1];
        tool.sandbox.insert_execution(execution);
    }
    let (empty, full) = (ids[0].to_string(), ids[1].to_string());
    let full = [&SYNC[..], &["--concurrency", "1", "--profile-id", &full]].concat();
    let both = [&SYNC[..], &["--profile-id", &empty], &full[SYNC.len()..]].concat();

    for sync in [both, full] {
        tool.run(&sync).await.succeeds();
        tool.execute("DELETE FROM quote_executions WHERE rowid = 1");
        let run = tool.run(&sync).await;

        assert!(run.stderr.contains("has 39 of the 40 rows"), "{sync:?}: {run:?}");
        assert_eq!(in_sqlite(&tool).len(), 40);
        tool.execute("DELETE FROM quote_executions");
    }
}

#[tokio::test]
async fn a_table_that_is_listed_again_has_had_no_success_until_its_end() {
    let tool = Tool::with(Sandbox::builder().executions(300), "no-success").await;
    let sync = [&SYNC[..], &PAGES].concat();

    for loss in [LOSSES[2], "ALTER TABLE quote_executions DROP COLUMN metadata"] {
        tool.run(&sync).await.succeeds();
        tool.execute(loss);
        tool.fail_after(1, LIST);
        assert_eq!(tool.run(&sync).await.status, Some(1), "{loss}");
        let status = tool.run(&STATUS).await.ends(1);

        assert!(status.stdout.contains("not complete yet"), "{loss}: {status:?}");
    }
}

#[tokio::test]
async fn status_tells_that_a_table_has_lost_rows() {
    let tool = Tool::with(Sandbox::builder().executions(300), "status-of-lost").await;
    for loss in LOSSES {
        tool.run(&SYNC).await.succeeds();
        tool.run(&STATUS).await.succeeds();
        tool.execute(loss);
        let run = tool.run(&STATUS).await;

        assert_eq!(run.status, Some(1), "{loss}: {run:?}");
        assert!(run.stderr.contains("of the 300 rows that were written"), "{loss}: {run:?}");
        tool.execute("DROP TABLE IF EXISTS older");
    }
}

#[tokio::test]
async fn every_listing_of_an_emptied_table_is_to_be_listed_again() {
    let tool = Tool::with(Sandbox::builder().executions(300).profiles(2), "emptied").await;
    let [one, other] = [0, 1].map(|at| tool.sandbox.profile_ids()[at].to_string());
    let one = [&SYNC[..], &["--profile-id", &one]].concat();
    let both = [&one[..], &["--profile-id", &other]].concat();
    tool.run(&both).await.succeeds();
    tool.execute(LOSSES[1]);

    tool.run(&one).await.succeeds();
    let status = tool.run(&STATUS).await.ends(1);

    assert!(status.stdout.contains("not complete yet"), "{status:?}");
    tool.run(&both).await.succeeds();
    assert!(is_whole(&tool));
}

#[tokio::test]
async fn a_success_that_is_ahead_is_none() {
    let tool = Tool::with(Sandbox::builder().executions(3), "ahead").await;
    tool.run(&SYNC).await.succeeds();
    tool.execute("UPDATE digital_assets_syncs SET succeeded_at = '9999-01-01T00:00:00Z'");

    let status = tool.run(&STATUS).await.ends(1);

    assert!(status.stdout.contains("last success 9999-01-01T00:00:00Z, which is in the future"));
}

#[tokio::test]
async fn a_file_that_is_moved_while_it_is_followed_ends_that() {
    let tool = Tool::with(Sandbox::builder().executions(300), "gone").await;
    let child = tool.start(&[&SYNC[..], &["--every", "50ms"]].concat());
    let asked = tool.sandbox.request_count(LIST);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked + 2 && is_whole(tool)).await;

    std::fs::rename(tool.path("books.db"), tool.path("moved.db")).unwrap();
    let run = ended(child).await;

    run.says(1, "removed or replaced");
    tool.run(&SYNC).await.succeeds();
    assert!(is_whole(&tool));
}

#[tokio::test]
async fn rows_that_no_sync_has_written_are_told() {
    let tool = Tool::with(Sandbox::builder().executions(30), "unknown-rows").await;
    assert!(!tool.run(&SYNC).await.stderr.contains("no known sync"));
    tool.execute("DROP TABLE digital_assets_syncs");

    tool.run(&SYNC).await.succeeds().tells("contains 30 rows that no known sync has written");
}

#[tokio::test]
async fn a_longer_overlap_reaches_back_from_where_a_shorter_one_stopped() {
    let tool = Tool::with(Sandbox::builder().executions(300), "longer-overlap").await;
    let round = async |overlap: &str| {
        tool.run(&[&SYNC[..], &["--overlap", overlap]].concat()).await.succeeds();
    };
    for _ in 0..2 {
        round("1m").await;
    }

    let newest = tool.sandbox.executions().next().unwrap();
    let mut late = newest;
    (late.id, late.created_at) = (Uuid::max(), late.created_at - TimeDelta::hours(3));
    tool.sandbox.insert_execution(late);
    for (overlap, is_whole) in [("1m", false), ("1h", false), ("4h", true), ("1m", true)] {
        round(overlap).await;
        assert_eq!(self::is_whole(&tool), is_whole, "{overlap}");
    }
}

#[tokio::test]
async fn a_listing_that_was_interrupted_is_finished_by_the_next_sync_alone() {
    let tool = Tool::with(Sandbox::builder().executions(1_000), "interrupted").await;
    let sync = [&SYNC[..], &PAGES].concat();
    let descending = [&sync[..], &["--order", "DESC"]].concat();
    let interrupted = async |sync: &[&str]| {
        tool.run_failing(5, LIST, sync).await;
    };
    let since = "records read by an earlier run may have changed";
    tool.run(&sync).await.succeeds();

    interrupted(&sync).await;
    let run = tool.run(&sync).await;
    assert!(run.status == Some(0) && run.stderr.contains(since), "{run:?}");

    interrupted(&sync).await;
    tool.run(&[&SYNC[..], &["--overlap", "1m"]].concat()).await.succeeds();
    let mut oldest = tool.sandbox.executions().last().unwrap();
    oldest.market = "ZZZ".into();
    tool.sandbox.insert_execution(oldest);
    let run = tool.run(&sync).await;
    assert!(run.status == Some(0) && !run.stderr.contains(since), "{run:?}");
    assert!(is_whole(&tool));

    interrupted(&descending).await;
    tool.sandbox.add_executions(5);
    let run = tool.run(&descending).await;
    assert!(run.status == Some(0) && !run.stderr.contains(since), "{run:?}");
    assert!(is_whole(&tool));
}

#[tokio::test]
async fn a_column_that_comes_later_is_told_and_filled() {
    let tool = Tool::with(Sandbox::builder().executions(300), "later-column").await;
    follow(&tool).await;

    for follows in [true, false] {
        tool.execute("ALTER TABLE quote_executions DROP COLUMN metadata");
        let told = if follows { follow(&tool).await } else { tool.run(&SYNC).await.stderr };

        assert!(told.contains("new or altered columns in quote_executions: metadata"), "{told}");
        assert!(is_whole(&tool), "follows: {follows}");
    }
}

#[tokio::test]
async fn a_column_that_was_there_and_not_written_is_told_and_filled() {
    let tool = Tool::with(Sandbox::builder().executions(300), "unwritten-column").await;
    tool.run(&SYNC).await.succeeds();
    let columns = "json_extract(state, '$.columns')";
    let without =
        format!("json_set(state, '$.columns', json(replace({columns}, ',\"metadata\"', '')))");

    // These are the saved states of a version that didn't have the column, and of a version that
    // didn't save column names.
    for (state, words) in [
        (&without[..], "new or altered columns in quote_executions: metadata"),
        (
            "json_remove(state, '$.columns')",
            "quote_executions may be missing values in every column",
        ),
    ] {
        tool.execute("UPDATE quote_executions SET metadata = NULL");
        tool.execute(&format!("UPDATE digital_assets_syncs SET state = {state}"));
        let round = [&SYNC[..], &["--overlap", "1m"]].concat();
        let run = tool.run(&round).await;

        assert!(run.status == Some(0) && run.stderr.contains(words), "{run:?}");
        assert!(is_whole(&tool), "{words}");
        let run = tool.run(&round).await;
        assert!(!run.stderr.contains("again"), "{run:?}");
    }
}

#[tokio::test]
async fn a_table_holds_the_records_of_one_service() {
    let tool = Tool::with(Sandbox::builder().executions(50), "one-service").await;
    tool.run(&SYNC).await.succeeds();
    let to_another = [&SYNC[..], &["--sandbox"]].concat();

    for more in [&[][..], &["--force"], &["--every", "1s"]] {
        let run = tool.run(&[&to_another[..], more].concat()).await;

        run.says(1, "not from the sandbox").tells(tool.sandbox.base_url());
        assert!(is_whole(&tool));
    }
    tool.execute("DELETE FROM quote_executions");
    let run = tool.run(&to_another).await;
    assert_eq!(run.status, Some(0), "an empty table may be used for another service: {run:?}");
    assert_eq!(in_sqlite(&tool).len(), 5_000);
}

#[tokio::test]
async fn each_kind_of_sync_goes_on_where_another_stopped() {
    let tool = Tool::with(Sandbox::builder().executions(20_000), "each-kind").await;
    let round = [&SYNC[..], &["--overlap", "1h", "--recheck", "off"]].concat();
    let count = || tool.sandbox.request_count(LIST);
    tool.run_failing(30, LIST, &[&SYNC[..], &["--concurrency", "1"]].concat()).await;

    let mut asked = vec![count()];
    let mut run = async |arguments: &[&str]| {
        tool.run(arguments).await.succeeds();
        assert!(is_whole(&tool), "{arguments:?}");
        asked.push(count());
    };
    run(&round).await;
    run(&round).await;
    tool.sandbox.add_executions(5);
    run(&round).await;
    run(&SYNC).await;
    run(&round).await;
    follow(&tool).await;
    tool.sandbox.add_executions(5);
    run(&round).await;

    let asked: Vec<u64> = asked.windows(2).map(|two| two[1] - two[0]).collect();
    let full = asked[3];
    assert!(asked[0] < full, "not only the rest of the listing: {asked:?}");
    for at in [1, 2, 4] {
        assert!(asked[at] * 10 <= full, "round {at}: {asked:?}");
    }
}

#[tokio::test]
async fn an_open_record_is_asked_for_again_however_old_unless_recheck_is_off() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "open").await;
    let round = [&SYNC[..], &["--overlap", "1m"]].concat();
    tool.run(&SYNC).await.succeeds();

    for _ in 0..2 {
        settle(&tool, tool.sandbox.executions().rfind(|e| e.settled_at.is_none()).unwrap());
        let off = tool.run(&[&round[..], &["--recheck", "off"]].concat()).await;
        assert!(off.status == Some(0) && !is_whole(&tool), "{off:?}");
        let run = tool.run(&round).await;
        assert!(run.status == Some(0) && is_whole(&tool), "{run:?}");
    }
    let open = tool.sandbox.executions().filter(|e| e.settled_at.is_none()).count();
    let status = tool.run(&["status", "--of", "sqlite:books.db"]).await;
    assert!(status.stdout.contains(&format!(", {open} open, ")), "{open}: {status:?}");
}

#[tokio::test]
async fn an_unchanged_round_costs_a_tenth_of_the_requests_where_no_record_is_open() {
    let tool = Tool::with(Sandbox::builder().executions(20_000), "tenth").await;
    let round = [&SYNC[..], &["--overlap", "1h"]].concat();
    let count = async |arguments: &[&str]| {
        let before = tool.sandbox.request_count(LIST);
        tool.run(arguments).await.succeeds();
        tool.sandbox.request_count(LIST) - before
    };
    // One record in eight is open, so a recheck reads nearly every page.
    let (full, sweep) = (count(&SYNC).await, count(&round).await);
    assert!(sweep <= full, "{sweep} of {full}");
    for execution in tool.sandbox.executions().filter(|it| it.settled_at.is_none()) {
        settle(&tool, execution);
    }
    count(&round).await;
    assert!(is_whole(&tool));

    for _ in 0..2 {
        let asked = count(&round).await;
        assert!(asked * 10 <= full, "{asked} of {full}");
    }
}
