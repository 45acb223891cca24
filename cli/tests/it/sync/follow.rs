//! `sync --every`: a table that follows a listing.

use std::{cell::RefCell, time::Duration};

use digital_assets::{sandbox::Sandbox, types::QuoteExecution};
use tokio::time::sleep;
use uuid::Uuid;

use super::{LIST, SYNC, faults, is_refused, is_whole};
use crate::tool::{Tool, ended, signal};

pub(super) const FOLLOW: [&str; 4] = ["--every", "50ms", "--overlap", "60d"];

/// Starts and kills a following sync again and again, while new and late records appear and others
/// change. Then runs a sync until the table is complete.
#[allow(clippy::zombie_processes, reason = "each child is waited for before it is replaced")]
pub(super) async fn through_kills(
    tool: &Tool,
    sync: &[&str],
    (seed, kills): (u64, u32),
    table_is_whole: impl Fn(&Tool) -> bool,
) {
    let sync = [sync, &FOLLOW].concat();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut killed, mut ended_itself) = (0, 0);
    while killed < kills {
        let asked = tool.sandbox.request_count(LIST);
        let mut child = tool.start(&sync);
        // Some syncs are killed before their first request, while they open the table.
        if random.u8(..4) > 0 {
            tool.until_ended_or(&mut child, |tool| tool.sandbox.request_count(LIST) > asked).await;
        }
        for _ in 0..3 {
            change(tool, &mut random);
            sleep(Duration::from_millis(random.u64(..100))).await;
        }
        // The sync may have failed because of a 401 (see `is_refused`), or because its connection
        // was cut while it opened the table.
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1), "before kill {killed}");
            ended_itself += 1;
            assert!(ended_itself < 20 * kills, "only {killed} of {kills} runs were killed");
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
    }
    let started = || (tool.sandbox.request_count(LIST), tool.start(&sync));
    let child = RefCell::new(started());
    change(tool, &mut random);
    let waited = tool.until(|tool| {
        let (asked, child) = &mut *child.borrow_mut();
        if child.try_wait().unwrap().is_some() {
            (*asked, *child) = started();
        }
        // After its first request, a sync handles signals.
        tool.sandbox.request_count(LIST) > *asked && table_is_whole(tool)
    });
    waited.await;
    let (_, child) = child.into_inner();
    signal(&child, "-TERM");
    let run = ended(child).await;

    assert!(run.signal == Some(15) || is_refused(&run), "{run:?}");
}

/// Changes the sandbox's records at random: adds a record, adds a late record, or changes one.
pub(super) fn change(tool: &Tool, random: &mut fastrand::Rng) {
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

#[tokio::test]
async fn a_followed_table_killed_at_random_equals_the_listing_in_the_end() {
    let tool = Tool::with(Sandbox::builder().executions(600).chaos(0.2, 5), "followed").await;

    let sync = [&SYNC[..], &["--limit", "50"]].concat();
    for part in faults::parts(faults::kills(50)) {
        through_kills(&tool, &sync, part, is_whole).await;
    }

    assert!(is_whole(&tool), "the table doesn't equal the listing");
}

#[tokio::test]
async fn what_cant_be_followed_has_no_every() {
    let tool = Tool::with(Sandbox::builder(), "not-followed").await;
    let to = ["--to", "sqlite:books.db"];

    for arguments in [
        &["sync", "list-monitoring-addresses", "--every", "1s"][..],
        &["sync", "list-monitoring-addresses", "--overlap", "1h"],
        &["sync", "list-deposit-addresses", "--every", "often"],
        &["sync", "add-institution-members"],
    ] {
        tool.run(&[arguments, &to[..]].concat()).await.ends(2);
    }
    let newest_first = ["sync", "list-deposit-addresses", "--every", "1s", "--order", "DESC"];
    tool.run(&[&newest_first[..], &to].concat()).await.ends(2);
    assert!(tool.sandbox.requests().is_empty());
}
