//! The progress bar on a terminal.

use std::process::Command;

use digital_assets::{operation, sandbox::Sandbox};

use crate::{
    sync::{is_whole, settle_one},
    tool::{Tool, ended},
};

/// Returns the percentages that the progress bar has shown, in order.
fn drawn(screen: &str) -> Vec<u32> {
    let mut before = screen.split('%').collect::<Vec<_>>();
    before.pop();
    let number = |text: &str| text.rsplit(' ').next()?.parse().ok();
    before.into_iter().filter_map(number).collect()
}

#[tokio::test]
async fn a_bar_ends_where_the_listing_does() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "bar").await;
    let list = "digital-assets list-quote-executions --limit 100 --concurrency 1";

    for (what, fails, more) in [
        ("all", false, ""),
        ("some", false, "--max 310"),
        ("more than there are", false, "--max 9000"),
        ("the rest", true, ""),
        ("the rest of some", true, "--max 1900"),
    ] {
        let list = format!("{list} {more} --output {}.csv --resume", what.replace(' ', "-"));
        if fails {
            tool.fail_after(9, operation::LIST_QUOTE_EXECUTIONS);
            let failed = tool.on_a_terminal(100, &list).await;
            assert_ne!(drawn(&failed.stdout).last(), Some(&100), "{what}: {failed:?}");
        }
        let run = tool.on_a_terminal(100, &list).await;

        let drawn = drawn(&run.stdout);
        assert_eq!((run.status, drawn.last()), (Some(0), Some(&100)), "{what}: {run:?}");
        assert!(drawn.is_sorted(), "{what}: {drawn:?}");
    }
    let sync = "digital-assets sync list-quote-executions --to sqlite:books.db";
    let run = tool.on_a_terminal(100, sync).await;
    assert_eq!(drawn(&run.stdout).last(), Some(&100), "{run:?}");
}

#[tokio::test]
async fn nothing_is_drawn_where_another_program_may_draw_or_nobody_looks() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "no-bar").await;
    let list = "digital-assets list-quote-executions --limit 100";

    for (line, is_drawn) in [
        (format!("{list} > a.jsonl"), true),
        (format!("{list} --max 9 --output a.csv | cat > none"), true),
        (format!("{list} | cat > b.jsonl"), false),
        (format!("{list} 2> told > c.jsonl"), false),
        (format!("{list} --quiet > d.jsonl"), false),
    ] {
        let run = tool.on_a_terminal(100, &line).await;

        assert_eq!(run.status, Some(0), "{line}: {run:?}");
        assert_eq!(!drawn(&run.stdout).is_empty(), is_drawn, "{line}: {run:?}");
        assert_eq!(run.stdout.contains('\u{1b}'), is_drawn, "{line}: {run:?}");
    }
    assert_eq!(tool.read("b.jsonl").lines().count(), 2_000);
    assert_eq!(tool.read("told").lines().count(), 1);
}

#[tokio::test]
async fn a_terminal_without_bars_shows_the_messages() {
    let tool = Tool::with(Sandbox::builder().executions(300), "dumb").await;
    let list = "digital-assets list-quote-executions --limit 100 --output a.csv";
    let sync = "digital-assets sync list-quote-executions --to sqlite:books.db";
    let verify = "digital-assets verify list-quote-executions --from sqlite:books.db";

    for terminal in ["env -u TERM", "TERM=dumb"] {
        for (line, words) in [
            (format!("{list} --force"), "300 records"),
            (format!("{list} --resume"), "already exists"),
            (sync.to_owned(), " new, 0 changed"),
            (verify.to_owned(), "0 missing"),
        ] {
            let run = tool.on_a_terminal(100, &format!("{terminal} {line}")).await;

            assert!(run.stdout.contains(words), "{terminal} {line}: {run:?}");
            assert!(drawn(&run.stdout).is_empty(), "{terminal} {line}: {run:?}");
        }
    }
}

/// Follows on a terminal until the table has the records that `changes` has added, and returns what
/// the terminal has shown.
async fn followed(tool: &Tool, sync: &str, changes: impl Fn()) -> String {
    let line = format!("echo $$ > pid; exec digital-assets sync {sync} --every 1s");
    let child = tool.start_on_a_terminal(150, &line);
    let rounds = || tool.sandbox.request_count(operation::LIST_QUOTE_EXECUTIONS);
    let until_later = async || {
        let before = rounds();
        tool.until(|_| rounds() > before + 4).await;
    };
    tool.until(|tool| tool.path("books.db").exists() && is_whole(tool)).await;
    until_later().await;
    changes();
    tool.until(is_whole).await;
    until_later().await;
    let pid = tool.read("pid");
    Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    ended(child).await.stdout
}

#[tokio::test]
async fn a_sync_that_follows_shows_one_line_for_each_listing() {
    let tool = Tool::with(Sandbox::builder().executions(60).profiles(2), "lines").await;
    let ids: Vec<String> = tool.sandbox.profile_ids().iter().map(ToString::to_string).collect();
    let sync = "list-quote-executions --to sqlite:books.db --concurrency 1";

    let both = format!("{sync} --profile-id {} --profile-id {}", ids[0], ids[1]);
    let shown = followed(&tool, &both, || tool.sandbox.add_executions(1)).await;
    for (id, words) in
        [(&ids[0], ": 61 rows, "), (&ids[1], ": 61 rows, "), (&ids[1], ": 60 rows, ")]
    {
        assert!(shown.contains(&format!("quote_executions --profile-id {id}{words}")), "{shown}");
    }
    assert!(shown.contains("61 rows, 1 new, 0 changed at "), "{shown}");
    assert!(shown.contains("61 rows, 0 new, 0 changed at "), "{shown}");

    let shown = followed(&tool, "--all --to sqlite:books.db", || {
        settle_one(&tool);
    })
    .await;
    assert!(shown.contains("quote_executions: 61 rows, 0 new, 1 changed at "), "{shown}");
    assert!(shown.contains("deposit_addresses: 800 rows, 800 new, 0 changed at "), "{shown}");
    assert!(shown.contains("deposit_addresses: 800 rows, 0 new, 0 changed at "), "{shown}");
    assert!(!shown.contains(" records, "), "{shown}");
    assert!(shown.contains(" UTC"), "{shown}");
}
