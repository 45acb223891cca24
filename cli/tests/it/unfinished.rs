//! Incomplete files, and the tool's advice about them.

use std::{fs, time::Duration};

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};
use serde_json::Value;

use crate::tool::{Ended, Tool, ended, json_lines, signal, values};

const LIST: [&str; 5] = ["list-monitoring-addresses", "--limit", "50", "-o", "addresses.csv"];

/// Runs a listing that writes three pages of eight to its file, and then fails.
async fn begun(name: &str) -> Tool {
    let tool = Tool::with(Sandbox::builder(), name).await;
    tool.run_failing(3, operation::LIST_MONITORING_ADDRESSES, &LIST).await;
    tool
}

async fn resumed(tool: &Tool) -> Ended {
    tool.run(&[&LIST[..], &["--resume"]].concat()).await
}

async fn begins_anew_by_force(tool: &Tool) {
    tool.run(&[&LIST[..], &["--force"]].concat()).await.succeeds();
    assert_eq!(tool.read("addresses.csv").lines().count(), 401);
}

#[tokio::test]
async fn a_checkpoint_that_cant_be_resumed_is_left_behind_by_force() {
    let tool = begun("refused").await;
    let saved = tool.read("addresses.csv.checkpoint");

    // The service rejects the request with the saved cursor, and then the request without a cursor.
    for _ in 0..2 {
        tool.sandbox.fault(operation::LIST_MONITORING_ADDRESSES, Fault::Status(400));
    }
    let refused = resumed(&tool).await;
    fs::write(tool.path("addresses.csv.checkpoint"), "?").unwrap();
    let unreadable = resumed(&tool).await;
    let mut other: Value = serde_json::from_str(&saved).unwrap();
    other["checkpoint"] = 7.into();
    fs::write(tool.path("addresses.csv.checkpoint"), other.to_string()).unwrap();
    let malformed = resumed(&tool).await;

    for run in [refused, unreadable, malformed] {
        run.says(1, "use --force to start over");
        assert!(!run.stderr.contains("--resume"), "{run:?}");
    }
    begins_anew_by_force(&tool).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_cant_be_written_on_says_why_and_how_it_continues() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "full-disk").await;

    // With few records, writing fails at the end of the listing; with many records, earlier.
    for max in ["20", "3000"] {
        let line = format!(
            "trap '' XFSZ; ulimit -f 8; exec digital-assets list-quote-executions --max {max} \
             --output executions-{max}.jsonl"
        );
        let full = ended(tool.in_a_shell(&line).spawn().unwrap()).await;

        let words = format!("executions-{max}.jsonl is not complete (use --resume to continue): ");
        full.says(1, &words).tells("File too large");

        let file = format!("executions-{max}.jsonl");
        let list = ["list-quote-executions", "--max", max, "--resume", "--output", &file];
        tool.run(&list).await.succeeds();
        assert_eq!(json_lines(&tool.read(&file)).len().to_string(), max);
    }
}

#[tokio::test]
async fn a_file_whose_part_is_lost_can_start_again() {
    let tool = begun("lost-part").await;
    fs::remove_file(tool.path("addresses.csv.part")).unwrap();

    resumed(&tool).await.says(1, "use --force to start over");
    begins_anew_by_force(&tool).await;
}

#[tokio::test]
async fn a_file_that_force_failed_to_replace_is_not_taken_as_complete() {
    let tool = Tool::with(Sandbox::builder(), "force-failed").await;

    for (file, lines) in [("addresses.csv", 401), ("addresses.jsonl", 400), ("addresses.json", 402)]
    {
        let list = ["list-monitoring-addresses", "-o", file];
        tool.run(&[&list[..], &["--max", "9"]].concat()).await.succeeds();
        tool.fail_after(0, operation::LIST_MONITORING_ADDRESSES);
        let failed = tool.run(&[&list[..], &["--force"]].concat()).await;
        tool.run(&[&list[..], &["--resume"]].concat()).await.succeeds();

        failed.says(1, "use --resume to continue");
        assert_eq!(tool.read(file).lines().count(), lines, "{file}");
    }
    assert_eq!(tool.files().len(), 3, "{:?}", tool.files());
}

#[tokio::test]
async fn a_file_that_has_more_records_than_asked_for_is_not_completed() {
    let tool = begun("more-than-max").await;
    let resume = [&LIST[..], &["--resume", "--max"]].concat();

    let fewer = tool.run(&[&resume[..], &["149"]].concat()).await;
    tool.run(&[&resume[..], &["150"]].concat()).await.succeeds();

    fewer.says(2, "150 records").tells("--max");
    assert_eq!(tool.read("addresses.csv").lines().count(), 151);
}

const PARQUET: [&str; 3] = ["list-quote-executions", "-o", "executions.parquet"];

/// Runs a listing whose last step fails: its records have been read, but the Parquet file can't be
/// created.
async fn without_its_last_step(tool: &Tool, more: &[&str]) {
    let obstacle = tool.path("executions.parquet.part.new");
    fs::create_dir(&obstacle).unwrap();
    let failed = tool.run(&[&PARQUET[..], more].concat()).await;
    fs::remove_dir(obstacle).unwrap();
    failed.says(1, "use --resume to continue");
}

/// The arguments that resume the listing with JSON lines as its format, which a test can read
/// easily.
const AS_LINES: [&str; 6] =
    ["list-quote-executions", "--resume", "--format", "jsonl", "-o", "executions.parquet"];

#[tokio::test]
async fn a_file_that_failed_in_its_last_step_goes_on_with_the_same_filters_alone() {
    let tool = Tool::with(Sandbox::builder().executions(300), "last-step").await;

    for max in [&[][..], &["--max", "10"]] {
        without_its_last_step(&tool, max).await;
        let asked = tool.sandbox.requests().len();

        for other in [&["--market", "ETHUSD"][..], &["--order", "ASC"]] {
            let run = tool.run(&[&AS_LINES[..], max, other].concat()).await;
            run.says(1, "use --force to start over").tells("another listing");
        }
        assert!(!tool.path("executions.parquet").exists());
        let run = tool.run(&[&AS_LINES[..], max].concat()).await;

        assert_eq!((run.status, tool.sandbox.requests().len()), (Some(0), asked), "{run:?}");
        let records = if max.is_empty() { 300 } else { 10 };
        assert_eq!(json_lines(&tool.read("executions.parquet")).len(), records);
        fs::remove_file(tool.path("executions.parquet")).unwrap();
    }
}

#[tokio::test]
async fn a_file_that_max_has_cut_goes_on_to_a_larger_one_or_to_the_end() {
    let tool = Tool::with(Sandbox::builder().executions(300), "cut").await;

    for (max, records) in [(&["--max", "250"][..], 250), (&[], 300)] {
        without_its_last_step(&tool, &["--max", "10", "--force"]).await;
        tool.run(&[&AS_LINES[..], max].concat()).await.succeeds();

        let expected = values(tool.sandbox.executions().take(records));
        assert!(json_lines(&tool.read("executions.parquet")) == expected, "not {records}");
        assert_eq!(tool.files(), ["executions.parquet"]);
    }
}

#[tokio::test]
async fn an_array_that_max_has_cut_goes_on_before_its_end() {
    let tool = Tool::with(Sandbox::builder().executions(300), "cut-array").await;
    let list = ["list-quote-executions", "-o", "executions.json", "--resume", "--max"];
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Latency(Duration::from_secs(5)));

    let child = tool.start(&[&list[..], &["10"]].concat());
    tool.until(|tool| tool.path("executions.json.part").exists()).await;
    fs::create_dir(tool.path("executions.json")).unwrap();
    let failed = ended(child).await;
    fs::remove_dir(tool.path("executions.json")).unwrap();
    tool.run(&[&list[..], &["20"]].concat()).await.succeeds();

    failed.says(1, "use --resume to continue");
    let array: Vec<Value> = serde_json::from_str(&tool.read("executions.json")).unwrap();
    assert_eq!(array.len(), 20);
}

#[tokio::test]
async fn a_part_without_a_checkpoint_is_another_programs() {
    let tool = Tool::with(Sandbox::builder(), "another-part").await;
    fs::write(tool.path("addresses.csv.part"), "mine").unwrap();

    for refused in [tool.run(&LIST).await, resumed(&tool).await] {
        refused.says(1, "addresses.csv.part");
        assert_eq!(tool.read("addresses.csv.part"), "mine");
        assert!(!tool.path("addresses.csv.checkpoint").exists());
    }
    begins_anew_by_force(&tool).await;
}

#[tokio::test]
async fn a_file_that_was_killed_before_its_first_checkpoint_is_resumed() {
    let tool = Tool::with(Sandbox::builder().executions(2_000), "killed-early").await;
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Latency(Duration::ZERO));
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Silence);
    // With sequential requests, the first response has the first records.
    let list = ["list-quote-executions", "--concurrency", "1", "-o", "executions.jsonl"];
    let child = tool.start(&list);
    let part = tool.path("executions.jsonl.part");
    tool.until(|_| fs::metadata(&part).is_ok_and(|part| part.len() > 0)).await;
    signal(&child, "-KILL");
    assert_eq!(ended(child).await.status, None);

    let refused = tool.run(&list).await;
    tool.run(&[&list[..], &["--resume"]].concat()).await.succeeds();

    refused.tells("incomplete; use --resume to continue");
    assert_eq!(json_lines(&tool.read("executions.jsonl")).len(), 2_000);
}

#[tokio::test]
async fn a_file_and_a_table_say_that_they_wait_for_the_service() {
    let tool = Tool::with(Sandbox::builder().executions(50), "waits").await;
    // With sequential requests, the listing can't continue without the request that fails.
    let one = ["list-quote-executions", "--retries", "0", "--concurrency", "1"];
    let list = [&one[..], &["-o", "executions.csv"]].concat();
    let sync = [&["sync"], &one[..], &["--to", "sqlite:books.db"]].concat();

    for command in [&list[..], &sync] {
        tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(503));
        let run = tool.run(command).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(0), 3), "{run:?}");
        run.tells("retrying in 2 s: ");
        run.tells("is responding again");
    }
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(503));
    let run = tool.run(&[&list[..], &["--force", "--quiet"]].concat()).await;
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}
