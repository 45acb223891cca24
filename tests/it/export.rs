//! The export example: a file that is complete or marked as partial, whatever kills the process.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use digital_assets::{
    Operation,
    sandbox::{Fault, Sandbox, SandboxBuilder},
    types,
};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::recording::Recorded;

/// A sandbox that outlives the exports, and the directory that they write into.
struct Export {
    sandbox: Recorded,
    directory: PathBuf,
}

impl Export {
    async fn from(builder: SandboxBuilder, name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        Self { sandbox: Recorded::start(builder).await, directory }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn start(&self, file: &str, arguments: &[&str]) -> Child {
        Command::new(binary())
            .args(arguments)
            .arg("--out")
            .arg(self.path(file))
            .env("DIGITAL_ASSETS_BASE_URL", self.sandbox.base_url())
            .env("DIGITAL_ASSETS_AUTH_URL", self.sandbox.token_url())
            .env("DIGITAL_ASSETS_CLIENT_ID", self.sandbox.client_id())
            .env("DIGITAL_ASSETS_CLIENT_SECRET", self.sandbox.client_secret())
            .env("DIGITAL_ASSETS_PROFILE_ID", self.sandbox.profile_id().to_string())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The exit status, and what was printed.
    async fn run(&self, file: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let child = self.start(file, arguments);
        let output = tokio::task::spawn_blocking(|| child.wait_with_output());
        let output = timeout(Duration::from_secs(60), output).await.unwrap().unwrap().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

/// Built by `cargo test`, beside the tests; `cargo test --test it` alone builds no examples.
fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let binary = test.parent().and_then(Path::parent).unwrap().join("examples").join("export");
    assert!(binary.exists(), "cargo build --example export comes first");
    binary
}

/// The exit status, if it ended by itself before.
async fn kill_after(mut child: Child, time: Duration) -> Option<ExitStatus> {
    sleep(time).await;
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    ended
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn an_export_killed_twenty_times_ends_with_every_record_once() {
    let builder = Sandbox::builder().executions(4_000).latency(Duration::from_millis(150));
    let export = Export::from(builder, "killed").await;
    let mut arguments = vec!["quote-executions", "--page-size", "50", "--concurrency", "2"];
    arguments.push("--resume");
    let mut random = fastrand::Rng::with_seed(20);

    let mut resumed = 0;
    for kill in 0..20 {
        // With every page, and seldom, so that more is written than the checkpoint knows.
        let every = [["--checkpoint-every", "0"], ["--checkpoint-every", "0.3"]][kill % 2];
        let child = export.start("executions.jsonl", &[&arguments[..], &every].concat());
        let time = Duration::from_millis(random.u64(30..600));
        let ended = kill_after(child, time).await;
        assert!(ended.is_none(), "ended by itself before kill {kill}: {ended:?}");
        assert!(!export.path("executions.jsonl").exists(), "kill {kill}: it looks complete");
        resumed += usize::from(export.path("executions.jsonl.checkpoint").exists());
    }
    let (status, printed) = export.run("executions.jsonl", &arguments).await;

    assert_eq!(status, Some(0), "{printed}");
    assert!(resumed > 10, "{resumed} of 20 had a checkpoint to go on from");
    let records = json_lines(&export.read("executions.jsonl"));
    let expected: Vec<Value> = export
        .sandbox
        .executions()
        .rev()
        .map(|execution| serde_json::to_value(execution).unwrap())
        .collect();
    assert_eq!(records.len(), expected.len());
    assert!(records == expected, "the records are others");
    assert!(!export.path("executions.jsonl.part").exists());
    assert!(!export.path("executions.jsonl.checkpoint").exists());

    let asked = export.sandbox.requests().len();
    assert_eq!(export.run("executions.jsonl", &arguments).await.0, Some(0), "complete already");
    assert_eq!(export.sandbox.requests().len(), asked);
}

#[tokio::test]
async fn csv_has_a_row_a_record_and_decimals_as_text() {
    let export = Export::from(Sandbox::builder().executions(700), "csv").await;

    for (listing, record) in [
        ("quote-executions", "QuoteExecution"),
        ("deposit-addresses", "DepositAddress"),
        ("monitoring-addresses", "MonitoringAddress"),
    ] {
        let (status, printed) = export.run(&format!("{listing}.csv"), &[listing]).await;
        assert_eq!((status, printed.as_str()), (Some(0), ""), "{listing}: quiet");
        let written = export.read(&format!("{listing}.csv"));
        let columns: Vec<&str> = written.lines().next().unwrap().split(',').collect();

        let schema = serde_json::to_value(&types::schemas()[record]).unwrap();
        let fields: BTreeSet<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert!(fields.iter().eq(&columns.iter().copied().collect::<BTreeSet<_>>()), "{listing}");
        let help = Command::new(binary()).args([listing, "--help"]).output().unwrap().stdout;
        let help =
            String::from_utf8(help).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&format!("CSV columns: {}.", columns.join(", "))), "{help}");
    }

    let mut rows = csv::Reader::from_path(export.path("quote-executions.csv")).unwrap();
    let headers = rows.headers().unwrap().clone();
    let column = |name| headers.iter().position(|header| header == name).unwrap();
    let mut count = 0;
    for (row, execution) in rows.records().zip(export.sandbox.executions().rev()) {
        let row = row.unwrap();
        assert_eq!(row[column("id")], execution.id.to_string());
        assert_eq!(row[column("price")], *execution.price.as_str());
        assert_eq!(row[column("settled_at")].is_empty(), execution.settled_at.is_none());
        count += 1;
    }
    assert_eq!(count, 700);
}

#[tokio::test]
async fn a_span_of_days_has_its_last_day() {
    let export = Export::from(Sandbox::builder().executions(3_000), "days").await;
    let span = ["quote-executions", "--from", "2025-03-01", "--to", "2025-03-31"];

    assert_eq!(export.run("march.jsonl", &span).await.0, Some(0));

    let expected = export
        .sandbox
        .executions()
        .filter(|execution| execution.created_at.format("%Y-%m").to_string() == "2025-03");
    let expected = expected.count();
    assert!(expected > 200, "{expected}");
    assert_eq!(export.read("march.jsonl").lines().count(), expected);
}

#[tokio::test]
async fn a_failed_export_is_marked_as_partial_and_goes_on() {
    let export = Export::from(Sandbox::builder().executions(2_000), "failed").await;
    // The first page and the last record before it.
    for _ in 0..2 {
        let slow = Fault::Latency(Duration::ZERO);
        export.sandbox.fault(Operation::ListQuoteExecutions, slow);
    }
    let gone = Fault::Status(404);
    export.sandbox.fault(Operation::ListQuoteExecutions, gone);
    let arguments = ["quote-executions", "--page-size", "100"];

    let (status, printed) = export.run("executions.csv", &arguments).await;

    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("not complete") && printed.contains("404"), "{printed}");
    assert!(!export.path("executions.csv").exists());

    let (status, printed) = export.run("executions.csv", &arguments).await;
    assert_eq!(status, Some(1), "what is there isn't thrown away unasked");
    assert!(printed.contains("--resume"), "{printed}");

    let (status, printed) =
        export.run("executions.csv", &[&arguments[..], &["--resume"]].concat()).await;
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(export.read("executions.csv").lines().count(), 2_001);
}

#[tokio::test]
async fn an_export_that_never_began_leaves_nothing_behind() {
    let export = Export::from(Sandbox::builder().executions(10), "never").await;
    let arguments = ["deposit-addresses", "--page-size", "1001"];

    let (status, printed) = export.run("addresses.csv", &arguments).await;

    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("`limit` is 1001, the maximum is 1000"), "{printed}");
    assert!(!printed.contains("--resume"), "{printed}");
    for file in ["addresses.csv.part", "addresses.csv.checkpoint"] {
        assert!(!export.path(file).exists(), "{file}");
    }
}

#[tokio::test]
async fn an_interrupted_export_says_how_to_go_on() {
    let builder = Sandbox::builder().executions(2_000).latency(Duration::from_millis(100));
    let export = Export::from(builder, "interrupted").await;
    let arguments = ["quote-executions", "--page-size", "50"];
    let child = export.start("executions.csv", &arguments);
    let part = export.path("executions.csv.part");
    let is_begun = || fs::metadata(&part).is_ok();
    timeout(Duration::from_secs(20), async {
        while !is_begun() || export.sandbox.requests().len() < 6 {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();

    let interrupt = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();

    assert_eq!(output.status.code(), Some(130));
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("--resume"), "{printed}");
    assert!(export.path("executions.csv.checkpoint").exists());
    assert!(!export.path("executions.csv").exists());
}

#[tokio::test]
async fn records_that_come_fast_leave_time_for_an_interrupt() {
    let export = Export::from(Sandbox::builder().executions(300_000), "fast").await;
    let child = export.start("executions.jsonl", &["quote-executions"]);
    timeout(Duration::from_secs(20), async {
        while export.sandbox.requests().len() < 6 {
            sleep(Duration::from_millis(1)).await;
        }
    })
    .await
    .unwrap();

    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let output = tokio::task::spawn_blocking(|| child.wait_with_output().unwrap()).await.unwrap();

    assert_eq!(output.status.code(), Some(130));
    let saved: Value = serde_json::from_str(&export.read("executions.jsonl.checkpoint")).unwrap();
    assert!(saved["records"].as_u64().unwrap() < 60_000, "{}", saved["records"]);
}

#[tokio::test]
async fn what_was_begun_goes_on_with_the_same_service_and_filters_alone() {
    let builder = || Sandbox::builder().executions(3_000).seed(5);
    let (export, other) =
        (Export::from(builder(), "begun").await, Export::from(builder(), "other").await);
    let begun = ["quote-executions", "--page-size", "100", "--resume"];
    for _ in 0..2 {
        let slow = Fault::Latency(Duration::ZERO);
        export.sandbox.fault(Operation::ListQuoteExecutions, slow);
    }
    export.sandbox.fault(Operation::ListQuoteExecutions, Fault::Status(404));
    assert_eq!(export.run("executions.jsonl", &begun).await.0, Some(1));
    for file in ["executions.jsonl.part", "executions.jsonl.checkpoint"] {
        fs::copy(export.path(file), other.path(file)).unwrap();
    }

    let (status, printed) = other.run("executions.jsonl", &begun).await;
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains(export.sandbox.base_url()), "{printed}");

    let with_filter = [&begun[..], &["--side", "BUY"]].concat();
    let (status, printed) = export.run("executions.jsonl", &with_filter).await;
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("--force") && printed.contains("another listing"), "{printed}");

    let (status, printed) = export.run("executions.jsonl", &begun).await;
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(export.read("executions.jsonl").lines().count(), 3_000);
}

#[tokio::test]
async fn a_filter_that_nobody_knows_is_named() {
    let export = Export::from(Sandbox::builder(), "unknown").await;
    fs::write(export.path("sales.csv"), "").unwrap();

    let (status, printed) =
        export.run("sales.csv", &["quote-executions", "--market", "NOSUCH"]).await;

    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("NOSUCH is no market that this program knows"), "{printed}");
    assert!(printed.contains("sales.csv: it is there already; --force"), "{printed}");
}

#[tokio::test]
async fn what_cant_be_understood_is_a_matter_of_usage() {
    let export = Export::from(Sandbox::builder(), "usage").await;

    for (file, arguments) in [
        ("executions.xlsx", &["quote-executions"][..]),
        ("executions.csv", &["quote-executions", "--from", "yesterday"]),
        ("executions.csv", &["quote-executions", "--from", "2025-02-01", "--to", "2025-01-31"]),
        ("executions.csv", &["quote-executions", "--page-size", "0"]),
        ("executions.csv", &["quote-executions", "--checkpoint-every", "nan"]),
        ("executions.csv", &["quote-executions", "--checkpoint-every", "1e19"]),
        ("executions.csv", &["monitoring-addresses", "--concurrency", "4"]),
        ("executions.csv", &["quote-executions", "--resume", "--force"]),
        ("executions.csv", &[]),
    ] {
        let (status, printed) = export.run(file, arguments).await;
        assert_eq!(status, Some(2), "{arguments:?}: {printed}");
    }
    assert!(fs::read_dir(&export.directory).unwrap().next().is_none());
}
