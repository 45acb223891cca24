//! The output of records in each format.

use std::io::Read;

use digital_assets::sandbox::Sandbox;
use serde_json::Value;

use crate::tool::{Tool, ended, json_array, json_lines, values};

const LISTINGS: [&str; 3] =
    ["list-quote-executions", "list-deposit-addresses", "list-monitoring-addresses"];

fn known(tool: &Tool, listing: &str) -> Vec<Value> {
    match listing {
        "list-quote-executions" => values(tool.sandbox.executions()),
        "list-deposit-addresses" => values(tool.sandbox.deposit_addresses()),
        _ => values(tool.sandbox.monitoring_addresses()),
    }
}

#[tokio::test]
async fn json_and_its_lines_have_the_services_own_fields() {
    let tool = Tool::with(Sandbox::builder().executions(700), "json").await;

    for listing in LISTINGS {
        let lines = tool.run(&[listing, "--quiet"]).await;
        let array = tool.run(&[listing, "--format", "json"]).await;

        assert_eq!((lines.status, lines.stderr.as_str()), (Some(0), ""), "{listing}");
        let expected = known(&tool, listing);
        assert!(json_lines(&lines.stdout) == expected, "{listing}");
        assert!(json_array(&array.stdout) == expected, "{listing}");
    }
    let none =
        tool.run(&["list-deposit-addresses", "--format", "json", "--ref-ids", "nobody"]).await;
    assert_eq!(none.stdout, "[\n]\n");
}

#[tokio::test]
async fn a_number_in_metadata_keeps_its_last_digit() {
    let tool = Tool::with(Sandbox::builder().executions(1), "last-digit").await;
    let mut execution = tool.sandbox.executions().next().unwrap();
    execution.metadata.insert("share".to_owned(), 0.381_204_237_688_212_43.into());
    tool.sandbox.insert_execution(execution);

    let run = tool.run(&["list-quote-executions", "--format", "jsonl"]).await;

    assert!(run.stdout.contains(r#""share":0.38120423768821243"#), "{run:?}");
}

#[tokio::test]
async fn an_empty_array_and_an_empty_object_are_kept() {
    let tool = Tool::with(Sandbox::builder().deposit_addresses(1), "empty-values").await;
    let mut address = tool.sandbox.deposit_addresses().next().unwrap();
    address.compatible_crypto_networks.clear();
    address.metadata.clear();
    tool.sandbox.insert_deposit_address(address);

    let run = tool.run(&["list-deposit-addresses", "--format", "jsonl"]).await;

    assert!(run.stdout.contains(r#""compatible_crypto_networks":[],"metadata":{},"#), "{run:?}");
}

#[tokio::test]
async fn an_option_of_another_format_is_refused() {
    let tool = Tool::with(Sandbox::builder(), "another-format").await;

    for (options, reason) in [
        (["--format", "csv", "--decimals=2"], "--decimals needs --format parquet"),
        (["--format", "json", "--safe-cells"], "--safe-cells needs --format csv"),
    ] {
        let run = tool.run(&[&["list-quote-executions"], &options[..]].concat()).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        run.tells(reason);
    }
}

#[tokio::test]
async fn csv_has_a_row_for_each_record_and_amounts_as_they_came() {
    let tool = Tool::with(Sandbox::builder().executions(700), "csv").await;

    let run = tool.run(&["list-quote-executions", "--format", "csv"]).await.succeeds();

    assert!(run.stdout.ends_with("\r\n"), "RFC 4180 requires CRLF");
    let mut rows = csv::Reader::from_reader(run.stdout.as_bytes());
    let headers = rows.headers().unwrap().clone();
    assert_eq!(&headers[0], "id");
    let column = |name| headers.iter().position(|header| header == name).unwrap();
    let mut count = 0;
    for (row, execution) in rows.records().zip(tool.sandbox.executions()) {
        let row = row.unwrap();
        assert_eq!(row[column("id")], execution.id.to_string());
        assert_eq!(&row[column("price")], execution.price.as_str());
        assert_eq!(&row[column("quote_amount")], execution.quote_amount.as_str());
        assert_eq!(row[column("settled_at")].is_empty(), execution.settled_at.is_none());
        let time = &row[column("created_at")];
        assert_eq!(time.len(), "2025-01-01T00:00:00.000000000Z".len(), "{time}");
        assert_eq!(time.parse(), Ok(execution.created_at));
        let metadata = &row[column("metadata")];
        let metadata = if metadata.is_empty() { "{}" } else { metadata };
        assert_eq!(
            serde_json::from_str::<Value>(metadata).unwrap(),
            Value::Object(execution.metadata)
        );
        count += 1;
    }
    assert_eq!(count, 700);
}

#[tokio::test]
async fn columns_are_those_asked_for_in_their_order() {
    let tool = Tool::with(Sandbox::builder(), "columns").await;
    let list =
        ["list-quote-executions", "--max", "2", "--columns", "price,id", "--columns", "side"];
    let newest = tool.sandbox.executions().next().unwrap();
    let (price, id, side) = (newest.price, newest.id, newest.side);

    for (format, expected) in [
        ("csv", format!("price,id,side\r\n{price},{id},{side}\r\n")),
        ("jsonl", format!(r#"{{"price":"{price}","id":"{id}","side":"{side}"}}"#)),
        ("json", format!("[\n{{\"price\":\"{price}\",\"id\":\"{id}\",\"side\":\"{side}\"}}")),
    ] {
        let run = tool.run(&[&list[..], &["--format", format]].concat()).await;
        assert!(run.stdout.starts_with(&expected), "{format}: {}", run.stdout);
    }

    let run = tool.run(&["list-monitoring-addresses", "--columns", "id,price"]).await;
    run.says(2, "address, id, crypto_network, name, created_at");
}

#[tokio::test]
async fn a_table_has_numbers_to_the_right_and_times_to_the_second() {
    let tool = Tool::with(Sandbox::builder(), "table").await;
    let columns = ["--columns", "market,price,created_at", "--max", "40", "--format", "table"];

    let run = tool.run(&[&["list-quote-executions"], &columns[..]].concat()).await.succeeds();

    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 41);
    let ends = lines[0].find("price").unwrap() + "price".len();
    for (line, execution) in lines[1..].iter().zip(tool.sandbox.executions()) {
        assert!(line.starts_with(execution.market.as_str()), "{line}");
        assert!(line[..ends].ends_with(&format!(" {}", execution.price)), "{line}");
        let time = execution.created_at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        assert!(line.ends_with(&time), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_table_on_a_terminal_is_as_wide_as_it() {
    let tool = Tool::with(Sandbox::builder(), "terminal").await;
    for width in [40, 80, 132] {
        let list = "digital-assets list-quote-executions --max 30 2>left-out";
        let run = tool.on_a_terminal(width, list).await.succeeds();

        assert_eq!(run.stdout.lines().count(), 31, "{}", run.stdout);
        for line in run.stdout.lines() {
            assert!(line.trim_end().chars().count() <= width, "{width}: {line}");
        }
        let left_out = tool.read("left-out");
        assert!(left_out.contains("metadata") && left_out.contains("--columns"), "{left_out}");
    }
}

#[tokio::test]
async fn a_reader_that_goes_ends_it_quietly() {
    let tool = Tool::with(Sandbox::builder().executions(50_000), "head").await;
    let mut child = tool.start(&["list-quote-executions", "--format", "csv"]);
    let mut first = [0; 100];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);

    let run = ended(child).await;

    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(tool.sandbox.requests().len() < 400, "it stopped asking");
}

#[tokio::test]
async fn a_listing_ends_where_max_says() {
    let tool = Tool::with(Sandbox::builder().executions(5_000), "max").await;

    for max in [1, 100, 101, 250] {
        let run = tool.run(&["list-quote-executions", "--max", &max.to_string()]).await;
        assert_eq!(run.stdout.lines().count(), max);
        assert_eq!(run.stderr.lines().count(), 1, "a summary: {run:?}");
        let records = if max == 1 { "record" } else { "records" };
        assert!(run.stderr.starts_with(&format!("{max} {records}, ")), "{run:?}");
    }
    tool.run(&["list-quote-executions", "--max", "0"]).await.ends(2);
}
