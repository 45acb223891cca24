//! Listings for many profiles in one table.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::{Duration, Instant},
};

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
    types::QuoteExecution,
};

use super::{LIST, SYNC, faults, is_whole, settle, settle_one, sqlite};
use crate::tool::{Tool, command_of, ended, signal};

const UNKNOWN: &str = "00000000-0000-4000-8000-00000000000x";
const OF_FILE: [&str; 2] = ["--profile-id", "@profiles.txt"];

fn profiles(tool: &Tool) -> Vec<String> {
    tool.sandbox.profile_ids().iter().map(ToString::to_string).collect()
}

/// Returns whether each profile's listing has been listed completely.
fn states(tool: &Tool) -> BTreeMap<String, bool> {
    let states = "SELECT asked, succeeded_at FROM digital_assets_syncs WHERE asked <> ''";
    let state = |(asked, cells): (String, Vec<Option<String>>)| {
        let asked: serde_json::Value = serde_json::from_str(&asked).unwrap();
        (asked["profile-id"][0].as_str().unwrap().to_owned(), cells[0].is_some())
    };
    sqlite(tool, states).into_iter().map(state).collect()
}

/// Returns the expected states after a sync of all profiles.
fn expected(tool: &Tool) -> BTreeMap<String, bool> {
    profiles(tool).into_iter().map(|id| (id, true)).collect()
}

#[tokio::test]
async fn several_listings_fill_one_table_and_each_has_its_state() {
    let tool = Tool::with(Sandbox::builder().executions(600).profiles(6), "profiles").await;
    let known = profiles(&tool);
    fs::write(tool.path("profiles.txt"), format!("{}\n{UNKNOWN}\n", known[2..].join("\n")))
        .unwrap();
    let two = ["--profile-id", &known[0], "--profile-id", &known[1]];

    for more in [&[][..], &["--overlap", "1h"]] {
        tool.sandbox.add_executions(12);
        let run = tool.run(&[&SYNC[..], &two, &OF_FILE, more].concat()).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 2), "{run:?}");
        let lines: Vec<&str> = run.stderr.lines().collect();
        let told =
            format!("--profile-id {UNKNOWN}: listQuoteExecutions: the service responded with 404");
        assert!(lines[0].starts_with(&told), "{run:?}");
        assert!(
            lines[1].starts_with(&format!("digital-assets: 1 of 7 listings failed: {told}")),
            "{run:?}"
        );
        assert!(is_whole(&tool), "{more:?}: {run:?}");
        let mut states = states(&tool);
        assert_eq!(states.remove(UNKNOWN), Some(false), "{more:?}");
        assert_eq!(states, expected(&tool), "{more:?}");
    }
}

#[tokio::test]
async fn a_file_of_profiles_is_read_as_any_editor_writes_it_and_each_is_listed_once() {
    let tool = Tool::with(Sandbox::builder().executions(300).profiles(4), "profile-editors").await;
    let known = profiles(&tool);
    let twice = format!("{}\r\n\r\n  {}\t\r\n{}", known.join("\r\n"), known[1], known[0]);

    for text in [twice.clone(), twice.replace('\r', ""), format!("\u{feff}{twice}\r\n\r\n")] {
        fs::write(tool.path("profiles.txt"), &text).unwrap();
        let asked = tool.sandbox.requests().len();
        let run = tool.run(&[&SYNC[..], &OF_FILE, &["--profile-id", &known[2]]].concat()).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(0), 1), "{text:?}: {run:?}");
        let paths: Vec<String> =
            tool.sandbox.requests().into_iter().skip(asked).map(|request| request.path).collect();
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), 4, "{text:?}: {paths:?}");
        assert_eq!(paths.len(), 4, "not one page per profile: {text:?}: {paths:?}");
        assert!(is_whole(&tool), "{text:?}");
        assert_eq!(states(&tool), expected(&tool), "{text:?}");
    }
    for (text, words) in [("\r\n\r\n", "has no value"), ("", "has no value")] {
        fs::write(tool.path("profiles.txt"), text).unwrap();
        let run = tool.run(&[&SYNC[..], &OF_FILE].concat()).await;
        assert_eq!((run.status, run.stderr.lines().count()), (Some(2), 1), "{text:?}: {run:?}");
        assert!(run.stderr.contains(&format!("--profile-id @profiles.txt: {words}")), "{run:?}");
    }
}

#[tokio::test]
async fn many_listings_share_one_rate() {
    let tool = Tool::with(Sandbox::builder().executions(200).profiles(20), "rate").await;
    fs::write(tool.path("profiles.txt"), profiles(&tool).join("\n")).unwrap();

    for command in [&SYNC[..], &["verify", "list-quote-executions", "--from", "sqlite:books.db"]] {
        let (asked, begun) = (tool.sandbox.request_count(LIST), Instant::now());
        let run = tool.run(&[command, &OF_FILE, &["--rate", "10"]].concat()).await;
        let (asked, time) = (tool.sandbox.request_count(LIST) - asked, begun.elapsed());

        // `verify` may send more than 20 requests, because it requests the end of a listing while a
        // page is slow.
        assert!(run.status == Some(0) && asked >= 20, "{asked}: {run:?}");
        assert!(time >= Duration::from_millis(100 * (asked - 1)), "{asked} requests in {time:?}");
    }
    for rate in ["--rate=0", "--rate=-1", "--rate=many", "--rate=inf"] {
        tool.run(&[&SYNC[..], &OF_FILE, &[rate]].concat()).await.says(2, "--rate");
    }
}

#[tokio::test]
async fn all_listings_together_share_one_rate() {
    let tool = Tool::with(Sandbox::builder().executions(20), "rate-of-all").await;
    let all = ["sync", "--all", "--every", "1ms", "--rate", "20", "--to", "sqlite:books.db"];
    let begun = Instant::now();
    let child = tool.start(&all);

    tool.until(|tool| tool.sandbox.requests().len() > 40).await;

    let (asked, time) = (tool.sandbox.requests().len(), begun.elapsed());
    let least = Duration::from_millis(50) * u32::try_from(asked - 1).unwrap();
    assert!(time >= least, "{asked} requests in {time:?}");
    signal(&child, "-TERM");
    ended(child).await;
}

#[tokio::test]
async fn a_listing_that_is_refused_for_a_while_is_followed_again_unless_all_are() {
    let tool =
        Tool::with(Sandbox::builder().executions(300).profiles(2), "refused-for-a-while").await;
    let known = profiles(&tool);
    let both = ["--profile-id", &known[0], "--profile-id", &known[1], "--concurrency", "1"];
    let sync = [&SYNC[..], &both, &["--every", "50ms"]].concat();

    tool.sandbox.fault(LIST, Fault::Status(403));
    tool.sandbox.fault(LIST, Fault::Status(403));
    let all = tool.run(&sync).await.ends(1);
    tool.sandbox.fault(LIST, Fault::Status(403));
    let child = tool.start(&sync);
    tool.until(|tool| tool.path("books.db").exists() && is_whole(tool)).await;
    signal(&child, "-TERM");
    let one = ended(child).await;

    all.tells("2 of 2 listings failed");
    assert_eq!(one.signal, Some(15), "{one:?}");
    let refused = |line: &&str| line.contains("403");
    assert_eq!(one.stderr.lines().filter(refused).count(), 1, "{one:?}");
}

#[tokio::test]
async fn open_records_are_asked_for_again_in_the_round_behind_one_that_failed() {
    let tool = Tool::with(Sandbox::builder().executions(300).profiles(2), "recheck-failed").await;
    let known = profiles(&tool);
    let both = ["--profile-id", &known[0], "--profile-id", &known[1], "--concurrency", "1"];
    let child = tool.start(&[&SYNC[..], &both, &["--every", "50ms", "--recheck", "1h"]].concat());
    tool.until(|tool| tool.path("books.db").exists() && is_whole(tool)).await;
    let asked = tool.sandbox.request_count(LIST);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked + 20).await;

    // Settles the oldest open record of each profile, which no round lists. Later, the service
    // rejects a request for one of the two listings.
    let open = |execution: &QuoteExecution| execution.settled_at.is_none();
    let oldest = known.iter().map(|profile| {
        let mut oldest_first = tool.sandbox.executions().rev().filter(open);
        oldest_first.find(|it| it.profile_id.to_string() == *profile).unwrap()
    });
    let oldest: Vec<QuoteExecution> = oldest.collect();
    let ids: Vec<String> = oldest.iter().map(|execution| execution.id.to_string()).collect();
    for execution in oldest {
        settle(&tool, execution);
    }
    let settled = "SELECT id FROM quote_executions WHERE status = 'SETTLED'";
    let listed = || ids.iter().filter(|id| sqlite(&tool, settled).contains_key(*id)).count();
    let asked = tool.sandbox.request_count(LIST);
    tool.until(|tool| tool.sandbox.request_count(LIST) > asked + 20).await;
    assert_eq!(listed(), 0, "a recheck ran before a request was rejected");
    tool.sandbox.fault(LIST, Fault::Status(403));
    tool.until(|_| listed() == 1).await;
    signal(&child, "-TERM");

    assert_eq!(ended(child).await.signal, Some(15));
}

#[tokio::test]
async fn a_sync_of_many_profiles_killed_in_the_middle_has_every_record_once_in_the_end() {
    let (count, kills) = (faults::profiles(30), faults::kills(12));
    let builder = Sandbox::builder().executions(50 * count).profiles(count);
    let tool = Tool::with(builder.latency(Duration::from_millis(5)), "many-killed").await;
    fs::write(tool.path("profiles.txt"), profiles(&tool).join("\n")).unwrap();
    let sync = [&SYNC[..], &OF_FILE, &["--limit", "10"]].concat();
    let mut random = fastrand::Rng::with_seed(30);

    let mut in_the_middle = 0;
    for kill in 0..kills {
        let round = if kill % 2 == 0 { &[][..] } else { &["--overlap", "1h"] };
        let asked = tool.sandbox.request_count(LIST) + random.u64(1..5 * count);
        let mut child = tool.start(&[&sync[..], round].concat());
        tool.until_ended_or(&mut child, |tool| tool.sandbox.request_count(LIST) >= asked).await;
        in_the_middle += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        tool.sandbox.add_executions(7);
        settle_one(&tool);
    }
    assert!(in_the_middle > kills * 2 / 3, "{in_the_middle} of {kills}");

    tool.run(&sync).await.succeeds();
    assert!(is_whole(&tool), "a record is missing or differs from the service");
    assert_eq!(states(&tool), expected(&tool));
    let own = "SELECT CAST(records AS TEXT), CAST(rows_added AS TEXT) FROM digital_assets_syncs \
               WHERE asked = ''";
    let rows = tool.sandbox.executions().count().to_string();
    assert_eq!(sqlite(&tool, own), [(rows.clone(), vec![Some(rows)])].into());
    let listing = command_of(operation::LIST_QUOTE_EXECUTIONS);
    let verify = [&["verify", &listing, "--from", "sqlite:books.db"], &OF_FILE[..]].concat();
    tool.run(&verify).await.succeeds();
}
