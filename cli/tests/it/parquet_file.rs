//! Parquet files, which are converted from JSON lines after all records have been read.

use std::{fs, path::Path, process::Stdio};

use digital_assets::{Operation, operation, sandbox::Sandbox};
use parquet::file::reader::SerializedFileReader;

use crate::tool::{Tool, ended, json_lines, signal};

const LIST: Operation = operation::LIST_QUOTE_EXECUTIONS;

#[tokio::test]
async fn parquet_is_whole_or_not_there_too() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "parquet").await;
    let list = ["list-quote-executions", "--limit", "100", "-o", "executions.parquet", "--resume"];
    tool.run_failing(8, LIST, &list).await;
    assert!(!tool.path("executions.parquet").exists());

    // The sandbox has amounts with twenty digits after the decimal point.
    let misfit = tool.run(&[&list[..], &["--decimals=18"]].concat()).await;
    misfit.says(1, "decimal places; use --decimals=");
    assert!(!tool.path("executions.parquet").exists());

    tool.run(&[&list[..], &["--decimals"]].concat()).await.succeeds();
    let bytes = fs::read(tool.path("executions.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert_eq!(tool.files(), ["executions.parquet"]);
}

#[tokio::test]
async fn a_signal_doesnt_wait_until_parquet_is_written() {
    let tool = Tool::with(Sandbox::builder().executions(60_000), "joined").await;
    let list = ["list-quote-executions", "--limit", "10000", "-o", "executions.parquet"];

    let child = tool.start(&list);
    tool.until(|tool| tool.path("executions.parquet.part.new").exists()).await;
    signal(&child, "-INT");
    ended(child).await.ends(130).tells("use --resume to continue");
    assert!(!tool.path("executions.parquet").exists());

    let asked = tool.sandbox.requests().len();
    let run = tool.run(&[&list[..], &["--resume"]].concat()).await;
    assert_eq!((run.status, tool.sandbox.requests().len()), (Some(0), asked), "{run:?}");
    assert_eq!(tool.files(), ["executions.parquet"]);
}

#[tokio::test]
async fn a_time_that_parquet_cant_hold_is_completed_as_lines_of_json() {
    let tool = Tool::with(Sandbox::builder().executions(30), "old-time").await;
    let mut execution = tool.sandbox.executions().next().unwrap();
    execution.created_at = "1600-01-01T00:00:00Z".parse().unwrap();
    tool.sandbox.insert_execution(execution);
    let list = ["list-quote-executions", "-o", "executions.parquet"];

    let run = tool.run(&list).await;

    run.says(1, "--format jsonl");
    tool.run(&[&list[..], &["--resume", "--format", "jsonl"]].concat()).await.succeeds();
    assert_eq!(json_lines(&tool.read("executions.parquet")).len(), 30);
}

#[tokio::test]
async fn a_scale_that_doesnt_fit_is_found_at_its_record_and_no_record_is_lost() {
    let tool = Tool::with(Sandbox::builder().executions(600), "misfit").await;
    let mut execution = tool.sandbox.executions().nth(400).unwrap();
    execution.base_amount = "0.1234567890123456789012345".into();
    tool.sandbox.insert_execution(execution.clone());
    let list = ["list-quote-executions", "--limit", "50", "--concurrency", "1", "--order", "ASC"];
    let scale = |digits| format!("--decimals={digits}");
    let told = format!("the base_amount of the record {}", execution.id);

    for columns in [&[][..], &["--columns", "base_amount,side"]] {
        let file = [&list[..], columns, &["-o", "a.parquet"]].concat();
        for to in [&file, &[&list[..], columns, &["--format", "parquet"]].concat()] {
            let asked = tool.sandbox.requests().len();
            let failed =
                ended(tool.command(to).arg(scale(20)).stdout(Stdio::null()).spawn().unwrap());
            let failed = failed.await;
            let asked = tool.sandbox.requests().len() - asked;
            failed.says(1, &told).tells(&scale(25));
            assert!(asked < 8, "it stops at page 4 of 12, not after {asked}");
            assert!(!tool.path("a.parquet").exists());
        }
        let again = ended(tool.command(&file).args([&scale(24), "--resume"]).spawn().unwrap());
        assert!(again.await.stderr.contains(&told), "at the same record");
        let resumed = ended(tool.command(&file).args([&scale(25), "--resume"]).spawn().unwrap());
        resumed.await.succeeds();
        let amounts = parquet_column(&tool.path("a.parquet"), "base_amount");
        let expected = tool.sandbox.executions().rev();
        let expected: Vec<_> = expected.map(|e| to_scale(e.base_amount.as_str(), 25)).collect();
        assert!(amounts == expected, "a record is lost or repeated");
        fs::remove_file(tool.path("a.parquet")).unwrap();
    }
}

#[tokio::test]
async fn what_stands_beside_a_file_of_parquet_is_left_as_it_is() {
    let tool = Tool::with(Sandbox::builder().executions(30), "beside").await;
    fs::write(tool.path("executions.parquet.new"), "mine").unwrap();

    for (decimals, status) in [("--decimals=2", 1), ("--decimals=20", 0)] {
        let list = ["list-quote-executions", "--resume", decimals, "-o", "executions.parquet"];
        let run = tool.run(&list).await;

        assert_eq!(run.status, Some(status), "{run:?}");
        assert_eq!(tool.read("executions.parquet.new"), "mine");
        assert!(!tool.path("executions.parquet.part.new").exists());
    }
}

#[tokio::test]
async fn a_column_that_no_scale_holds_is_told_and_not_a_scale_for_one_of_its_records() {
    let tool = Tool::with(Sandbox::builder().executions(30), "no-scale").await;
    let mut executions = tool.sandbox.executions();
    for amount in [format!("{}.5", "9".repeat(30)), format!("0.{}", "1".repeat(20))] {
        let mut execution = executions.next().unwrap();
        execution.quote_amount = amount.into();
        tool.sandbox.insert_execution(execution);
    }
    let list = ["list-quote-executions", "-o", "a.parquet", "--decimals", "--resume"];

    let failed = tool.run(&list).await;
    tool.run(&[&list[..3], &["--resume"]].concat()).await.succeeds();

    failed.says(1, "quote_amount needs 30 digits before the decimal point and 20 after it");
    failed.tells("omit --decimals to write amounts as text");
}

/// Returns a column of a Parquet file as strings.
fn parquet_column(path: &Path, name: &str) -> Vec<String> {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let rows = reader.into_iter().map(Result::unwrap);
    rows.map(|row| {
        let mut columns = row.get_column_iter();
        columns.find(|(column, _)| *column == name).unwrap().1.to_string()
    })
    .collect()
}

/// Formats a decimal number with this many digits after the decimal point.
fn to_scale(number: &str, digits: usize) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    format!("{whole}.{fraction:0<digits$}")
}
