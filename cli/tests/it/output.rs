//! An output file is either complete or missing, however the process stops.

use std::{fs, process::Child, process::ExitStatus, time::Duration};

use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
};
use serde_json::Value;
use tokio::time::sleep;

use crate::tool::{Tool, ended, json_array, json_lines, signal, values};

const LIST: Operation = operation::LIST_QUOTE_EXECUTIONS;

/// Kills a process after this time. Returns its exit status if it had already finished.
async fn kill_after(mut child: Child, time: Duration) -> Option<ExitStatus> {
    sleep(time).await;
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    ended
}

#[tokio::test]
async fn a_file_killed_twenty_times_ends_with_every_record_once() {
    let builder = Sandbox::builder().executions(8_000).latency(Duration::from_millis(120));
    let tool = Tool::with(builder, "killed").await;
    let mut arguments = vec!["list-quote-executions", "--limit", "50", "--concurrency", "2"];
    arguments.extend(["--order", "ASC", "--output", "executions.jsonl", "--resume"]);
    let mut random = fastrand::Rng::with_seed(20);

    let mut resumed = 0;
    for kill in 0..20 {
        let asked = tool.sandbox.requests().len() + random.usize(1..8);
        let child = tool.start(&arguments);
        tool.until(|tool| tool.sandbox.requests().len() >= asked).await;
        let ended = kill_after(child, Duration::from_millis(random.u64(0..200))).await;
        assert!(ended.is_none(), "finished before kill {kill}: {ended:?}");
        assert!(!tool.path("executions.jsonl").exists(), "kill {kill}: the file looks complete");
        resumed += usize::from(tool.path("executions.jsonl.checkpoint").exists());
    }
    tool.run(&arguments).await.succeeds();

    assert!(resumed > 10, "only {resumed} of 20 runs had a checkpoint");
    let records = json_lines(&tool.read("executions.jsonl"));
    let expected = values(tool.sandbox.executions().rev());
    assert_eq!(records.len(), expected.len());
    assert!(records == expected, "the records differ");
    assert_eq!(tool.files(), ["executions.jsonl"]);

    let asked = tool.sandbox.requests().len();
    assert_eq!(tool.run(&arguments).await.status, Some(0), "whole already");
    assert_eq!(tool.sandbox.requests().len(), asked);
}

#[tokio::test]
async fn a_file_that_failed_is_marked_as_partial_and_goes_on_in_every_format() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "failed").await;
    let list = ["list-quote-executions", "--limit", "100", "--concurrency", "1", "--order", "ASC"];
    tool.run(&[&list[..], &["--output", "whole.jsonl"]].concat()).await.succeeds();

    for (file, lines) in [("some.csv", 2_001), ("some.jsonl", 2_000), ("some.json", 2_002)] {
        let arguments = [&list[..], &["--output", file]].concat();
        tool.fail_after(3, LIST);

        let run = tool.run(&arguments).await;
        run.says(1, "not complete").tells("403");
        assert!(!tool.path(file).exists());

        // The tool keeps an incomplete file unless it is told otherwise.
        tool.run(&arguments).await.says(1, "--resume");

        tool.run(&[&arguments[..], &["--resume"]].concat()).await.succeeds();
        assert_eq!(tool.read(file).lines().count(), lines, "{file}");
    }
    assert_eq!(tool.read("some.jsonl"), tool.read("whole.jsonl"));
    assert_eq!(json_array(&tool.read("some.json")), json_lines(&tool.read("whole.jsonl")));
}

#[tokio::test]
async fn a_file_that_never_began_leaves_nothing_behind() {
    let tool = Tool::with(Sandbox::builder().executions(10), "never-began").await;

    let run =
        tool.run(&["list-deposit-addresses", "--limit", "1001", "--output", "addresses.csv"]).await;

    run.says(2, "--limit is 1001, the maximum is 1000");
    assert!(!run.stderr.contains("--resume"), "{run:?}");
    assert!(tool.files().is_empty());
}

#[tokio::test]
async fn signals_have_their_statuses_and_leave_a_checkpoint() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let tool = Tool::with(Sandbox::builder().executions(2_000), name).await;
        // The service returns twenty pages, and then no longer responds.
        let whole = std::iter::repeat_n(Fault::Latency(Duration::ZERO), 20);
        whole.chain([const { Fault::Silence }; 20]).for_each(|it| tool.sandbox.fault(LIST, it));
        let child = tool.start(&["list-quote-executions", "--limit", "50", "-o", "executions.csv"]);
        let part = tool.path("executions.csv.part");
        tool.until(|_| fs::metadata(&part).is_ok_and(|part| part.len() > 0)).await;

        signal(&child, name);
        let run = ended(child).await;

        assert_eq!(run.status, Some(status));
        run.tells("--resume");
        assert!(tool.path("executions.csv.checkpoint").exists());
        assert!(!tool.path("executions.csv").exists());
    }
}

#[tokio::test]
async fn records_that_come_fast_leave_time_for_an_interrupt() {
    let tool = Tool::with(Sandbox::builder().executions(300_000), "fast").await;
    let list = ["list-quote-executions", "--limit", "1000", "-o", "executions.jsonl"];
    let child = tool.start(&list);
    tool.until(|tool| tool.sandbox.requests().len() > 6).await;

    signal(&child, "-INT");
    ended(child).await.ends(130);

    let saved: Value = serde_json::from_str(&tool.read("executions.jsonl.checkpoint")).unwrap();
    assert!(saved["records"].as_u64().unwrap() < 60_000, "{}", saved["records"]);
}

#[tokio::test]
async fn what_was_begun_goes_on_with_the_same_service_and_filters_alone() {
    let builder = || Sandbox::builder().executions(3_000).seed(5);
    let (tool, other) =
        (Tool::with(builder(), "begun").await, Tool::with(builder(), "other").await);
    let begun = ["list-quote-executions", "--limit", "100", "-o", "executions.jsonl", "--resume"];
    tool.run_failing(8, LIST, &begun).await;
    for file in ["executions.jsonl.part", "executions.jsonl.checkpoint"] {
        fs::copy(tool.path(file), other.path(file)).unwrap();
    }

    let run = other.run(&begun).await;
    run.says(1, tool.sandbox.base_url());

    let run = tool.run(&[&begun[..], &["--side", "BUY"]].concat()).await.ends(1);
    assert!(run.stderr.contains("--force") && run.stderr.contains("another listing"), "{run:?}");

    tool.run(&begun).await.succeeds();
    assert_eq!(tool.read("executions.jsonl").lines().count(), 3_000);
}

#[tokio::test]
async fn a_torn_file_is_cut_where_its_checkpoint_says() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "torn").await;
    let list = ["list-quote-executions", "--limit", "100", "-o", "executions.jsonl", "--resume"];
    tool.run_failing(8, LIST, &list).await;
    let part = tool.path("executions.jsonl.part");
    let mut torn = fs::read(&part).unwrap();
    torn.extend_from_slice(b"{\"id\":\"half a rec");
    fs::write(&part, &torn).unwrap();

    tool.run(&list).await.succeeds();
    assert_eq!(json_lines(&tool.read("executions.jsonl")).len(), 2_000);

    fs::rename(tool.path("executions.jsonl"), tool.path("whole.jsonl")).unwrap();
    tool.run_failing(8, LIST, &list).await;
    fs::write(&part, "").unwrap();

    tool.run(&list).await.says(1, "shorter than it was");
}

#[tokio::test]
async fn a_file_that_is_there_is_replaced_only_by_force() {
    let tool = Tool::with(Sandbox::builder(), "there").await;
    let list = ["list-deposit-addresses", "--output", "sales.csv"];
    fs::write(tool.path("sales.csv"), "mine").unwrap();

    let run = tool.run(&list).await;
    run.says(1, "sales.csv: the file already exists; use --force");
    assert_eq!(tool.read("sales.csv"), "mine");

    tool.run(&[&list[..], &["--force"]].concat()).await.succeeds();
    assert_eq!(tool.read("sales.csv").lines().count(), 801);
}

#[tokio::test]
async fn what_was_begun_in_one_format_goes_on_in_no_other() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "formats").await;
    let list = ["list-quote-executions", "--limit", "100", "-o", "executions", "--resume"];
    tool.run_failing(8, LIST, &[&list[..], &["--format", "csv"]].concat()).await;

    for other in [&["--format", "jsonl"][..], &["--format", "csv", "--columns", "id"]] {
        tool.run(&[&list[..], other].concat()).await.says(1, "file was started as Csv of id,");
    }
    tool.run(&[&list[..], &["--format", "csv"]].concat()).await.succeeds();
    assert_eq!(tool.read("executions").lines().count(), 2_001);
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_or_a_device_is_never_replaced() {
    let tool = Tool::with(Sandbox::builder(), "no-file").await;
    fs::create_dir(tool.path("directory")).unwrap();
    std::os::unix::fs::symlink("/dev/null", tool.path("device")).unwrap();

    for place in ["directory", "device"] {
        let run = tool.run(&["list-deposit-addresses", "--force", "--output", place]).await;

        run.says(1, "can't be replaced");
    }
    assert_eq!(tool.files().len(), 2, "{:?}", tool.files());
    assert!(tool.sandbox.requests().is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_behind_stdout_is_a_failure_in_every_format() {
    let tool = Tool::with(Sandbox::builder().executions(300), "full").await;

    for format in ["table", "json", "jsonl", "csv", "parquet"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = tool.command(&["list-quote-executions", "--format", format]);
        let run = ended(command.stdout(full).spawn().unwrap()).await;

        assert_eq!(run.status, Some(1), "{format}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{format}: {run:?}");
        assert!(run.stderr.contains("No space left"), "{format}: {run:?}");
    }
}

#[tokio::test]
async fn an_ending_that_isnt_known_needs_a_format_and_a_dash_is_stdout() {
    let tool = Tool::with(Sandbox::builder().executions(3), "endings").await;

    for name in ["a.xlsx", "a.tsv", "a.csv.gz", "a.table"] {
        tool.run(&["list-quote-executions", "-o", name]).await.says(2, "--format");
        let run = tool.run(&["list-quote-executions", "-o", name, "--format", "csv"]).await;
        assert_eq!((run.status, tool.read(name).lines().count()), (Some(0), 4), "{run:?}");
    }
    let dash = tool.run(&["list-quote-executions", "-o", "-", "--format", "csv"]).await;
    assert_eq!((dash.status, dash.stdout.lines().count()), (Some(0), 4), "{dash:?}");
    assert!(!tool.path("-").exists());
    tool.run(&["list-quote-executions", "-o", "-", "--resume"]).await.ends(2);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_replaced_keeps_its_mode_and_its_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let tool = Tool::with(Sandbox::builder().executions(3), "mode").await;
    fs::write(tool.path("there.csv"), "old").unwrap();
    fs::set_permissions(tool.path("there.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("there.csv", tool.path("link.csv")).unwrap();
    symlink("nowhere.csv", tool.path("lost.csv")).unwrap();
    let list = ["list-quote-executions", "--force", "-o"];

    let run = tool.run(&[&list[..], &["link.csv"]].concat()).await;
    let dangling = tool.run(&[&list[..], &["lost.csv"]].concat()).await;

    assert_eq!((run.status, tool.read("there.csv").lines().count()), (Some(0), 4), "{run:?}");
    assert!(fs::symlink_metadata(tool.path("link.csv")).unwrap().is_symlink());
    let mode = fs::metadata(tool.path("there.csv")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    dangling.says(1, "a broken symbolic link");
}

#[tokio::test]
async fn a_small_page_alone_is_warned_of_and_a_value_in_other_letters_is_named() {
    let tool = Tool::with(Sandbox::builder().executions(30), "small-page").await;
    let list = ["list-quote-executions", "--limit", "10"];

    let all = tool.run(&list).await;
    let ten = tool.run(&[&list[..], &["--max", "10"]].concat()).await;
    let meant = tool.run(&["list-quote-executions", "--market", "btc-usd", "--max", "1"]).await;

    assert_eq!((all.status, all.stdout.lines().count()), (Some(0), 30), "{all:?}");
    all.tells("use --max 10 to limit the number of records");
    assert_eq!(ten.stdout.lines().count(), 10);
    assert!(!ten.stderr.contains("--limit"), "{ten:?}");
    meant.tells("did you mean BTCUSD?");
}
