//! Commands and options that are generated from the OpenAPI description.

use std::{fs, time::Duration};

use digital_assets::{
    OPENAPI_YAML, operation,
    sandbox::{Fault, Sandbox},
};

use crate::tool::{Tool, bare, ended, fresh, json_lines, run, signal};

#[tokio::test]
async fn parameters_are_sent_under_the_services_names() {
    let tool = Tool::with(Sandbox::builder(), "sent").await;
    let mut arguments =
        vec!["list-deposit-addresses", "--networks", "SOLANA", "--networks", "BASE,INK"];
    arguments.extend(["--created-at-gte", "2025-01-01T00:00:00Z", "--created-at-lt=2025-12-31"]);
    arguments.extend(["--limit", "10", "--max", "1", "--order", "ASC", "--concurrency", "1"]);

    tool.run(&arguments).await.succeeds();

    let request = tool.sandbox.requests().swap_remove(0);
    assert_eq!(request.path, "/v2/transfer/deposit-addresses");
    let mut query: Vec<String> =
        request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    query.sort();
    assert_eq!(
        query,
        [
            "created_at.gte=2025-01-01T00:00:00Z",
            "created_at.lt=2025-12-31T00:00:00Z",
            "limit=10",
            "networks=BASE",
            "networks=INK",
            "networks=SOLANA",
            "order=ASC",
        ]
    );
}

#[tokio::test]
async fn a_span_of_days_has_its_last_day() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "days").await;
    let span = ["--created-at-begin", "2025-03-01", "--created-at-end", "2025-03-31"];

    let run = tool.run(&[&["list-quote-executions"], &span[..]].concat()).await;

    let march = |at: chrono::DateTime<chrono::Utc>| at.format("%Y-%m").to_string() == "2025-03";
    let expected = tool.sandbox.executions().filter(|e| march(e.created_at)).count();
    assert!(expected > 200, "{expected}");
    assert_eq!(run.stdout.lines().count(), expected);
}

#[tokio::test]
async fn a_value_that_nobody_knows_is_named_and_sent() {
    let tool = Tool::with(Sandbox::builder(), "unknown").await;

    let run = tool.run(&["list-quote-executions", "--market", "NOSUCH"]).await;

    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    run.tells("NOSUCH is not a known value for --market");
    let request = tool.sandbox.requests().swap_remove(0);
    assert!(request.query.contains(&("market".to_owned(), "NOSUCH".to_owned())), "{request:?}");
}

#[tokio::test]
async fn what_cant_be_understood_is_a_matter_of_usage() {
    let tool = Tool::with(Sandbox::builder(), "usage").await;

    for arguments in [
        &["list-quote-executions", "--created-at-begin", "someday"][..],
        &["list-deposit-addresses", "--created-at-eq", "2025-01-01"],
        &["list-deposit-addresses", "--ids", "1"],
        &["list-quote-executions", "--limit", "many"],
        &["list-quote-executions", "--limit", "99999999999"],
        &["list-quote-executions", "--market", ""],
        &["list-quote-executions", "--format", "xlsx"],
        &["list-quote-executions", "--columns", "id,price,id"],
        &["list-quote-executions", "--resume"],
        &["list-quote-executions", "--output", "a.csv", "--resume", "--force"],
        &["list-quote-executions", "--timeout", "soon"],
        &["list-monitoring-addresses", "--concurrency", "4"],
        &["sandbox", "--executions", "18446744073709551615"],
        &["list-quote-execution"],
        &["list-quote-executions", "--profileid", "x"],
        &[],
    ] {
        let run = tool.run(arguments).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:?}");
        let lines = run.stderr.lines().count();
        assert!(lines == 1 || arguments.is_empty(), "{arguments:?}: {run:?}");
    }
    assert!(tool.files().is_empty());
    assert!(tool.sandbox.requests().is_empty());

    let run =
        tool.command(&["list-quote-executions"]).env_remove("DIGITAL_ASSETS_PROFILE_ID").spawn();
    let run = ended(run.unwrap()).await.ends(2);
    run.tells("--profile-id");
    let typo = tool.run(&["list-deposit-addresses", "--network", "BASE"]).await;
    assert!(typo.stderr.contains("'--networks'"), "a suggestion: {typo:?}");
}

#[tokio::test]
async fn failures_are_one_line_that_says_what_to_do() {
    let tool = Tool::with(Sandbox::builder(), "failures").await;

    run(&["list-deposit-addresses"]).await.says(1, "DIGITAL_ASSETS_BASE_URL").tells("--sandbox");

    let secret = [("CLIENT_SECRET", "a-secret-that-is-wrong")];
    let wrong = tool.run_with(&["list-deposit-addresses"], &secret).await;
    wrong.says(1, "DIGITAL_ASSETS_CLIENT_SECRET");
    assert_eq!(wrong.stdout, "");
    assert!(!wrong.stderr.contains("a-secret-that-is-wrong"), "{wrong:?}");

    tool.sandbox.fault(operation::LIST_DEPOSIT_ADDRESSES, Fault::Status(503));
    let once = tool.run(&["list-deposit-addresses", "--retries", "0", "--concurrency", "1"]).await;
    once.says(1, "503");
    assert_eq!(once.stdout, "");
    assert_eq!(tool.sandbox.request_count(operation::LIST_DEPOSIT_ADDRESSES), 1);

    let slow = Fault::Latency(Duration::from_secs(3_600));
    tool.sandbox.fault(operation::LIST_DEPOSIT_ADDRESSES, slow);
    // With concurrent requests, the fault could affect the request for the last record instead.
    let late = ["list-deposit-addresses", "--timeout", "2s", "--concurrency", "1"];
    tool.run(&late).await.says(1, "--timeout");
}

#[tokio::test]
async fn settings_come_from_a_file_as_the_sandbox_prints_them() {
    let tool = Tool::with(Sandbox::builder(), "settings").await;
    let mut served = bare(&["sandbox", "--executions", "7", "--seed", "3"]).spawn().unwrap();
    let file = tool.path("sandbox.env");
    let mut stdout = std::io::BufReader::new(served.stdout.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("IDENTITY_ID") {
        std::io::BufRead::read_line(&mut stdout, &mut printed).unwrap();
    }
    fs::write(&file, printed).unwrap();

    let file = file.to_str().unwrap();
    let behind = run(&["list-quote-executions", "--env-file", file]).await;
    let before = run(&["--env-file", file, "list-quote-executions"]).await;
    signal(&served, "-INT");

    assert_eq!(json_lines(&behind.stdout).len(), 7, "{behind:?}");
    assert_eq!(before.stdout, behind.stdout);
    assert_eq!(served.wait().unwrap().code(), Some(130));
}

#[tokio::test]
async fn a_settings_file_may_have_quotes_comments_and_the_marks_of_windows() {
    let tool = Tool::with(Sandbox::builder().executions(3), "editors").await;

    for (begin, quote, end) in
        [("\u{feff}", "", "\n"), ("", "'", "\r\n"), ("# mine\n\n", "\"", " # theirs\n")]
    {
        let line = |(name, value)| format!("DIGITAL_ASSETS_{name}={quote}{value}{quote}{end}");
        let text: String = tool.settings().into_iter().map(line).collect();
        fs::write(tool.path("editor.env"), format!("{begin}{text}")).unwrap();

        let file = tool.path("editor.env");
        let run = run(&["list-quote-executions", "--env-file", file.to_str().unwrap()]).await;
        assert_eq!((run.status, run.stdout.lines().count()), (Some(0), 3), "{text}: {run:?}");
    }
}

#[tokio::test]
async fn a_settings_file_that_cant_be_read_is_not_printed() {
    let tool = Tool::with(Sandbox::builder(), "unread").await;
    fs::write(tool.path("bad.env"), "DIGITAL_ASSETS_CLIENT_SECRET='hush-hush\nX Y Z hush-hush\n")
        .unwrap();

    for (file, words) in [("bad.env", "NAME=VALUE"), ("nowhere.env", "No such file")] {
        let run = tool.run(&["list-deposit-addresses", "--env-file", file]).await.ends(1);
        assert!(run.stderr.contains(words) && !run.stderr.contains("hush"), "{run:?}");
    }
}

#[tokio::test]
async fn a_sandbox_of_its_own_serves_any_command() {
    let one = run(&["list-quote-executions", "--sandbox", "--max", "3"]).await;
    let other = run(&["--sandbox", "list-quote-executions", "--max", "3"]).await;

    assert_eq!((one.status, one.stdout.lines().count()), (Some(0), 3), "{one:?}");
    assert_eq!(one.stdout, other.stdout, "the records differ between runs");
}

#[tokio::test]
async fn the_description_is_printed_as_it_is_and_as_json() {
    let yaml = run(&["description"]).await;
    let json = run(&["description", "--json"]).await;

    assert_eq!(yaml.stdout, OPENAPI_YAML);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["openapi"], "3.0.3");
    for operation in operation::ALL {
        let method = operation.method().as_str().to_lowercase();
        assert_eq!(json["paths"][operation.path()][method]["operationId"], operation.id());
    }
}

#[tokio::test]
async fn the_records_of_a_sandbox_end_today_or_now_if_asked() {
    let since = |time: &str| {
        let time = time.to_owned();
        async move {
            let list = ["list-deposit-addresses", "--sandbox", "--created-at-gte", &time];
            run(&list).await.succeeds().stdout.lines().count()
        }
    };
    assert!(since("yesterday").await >= 20 && since("-30d").await >= 100);

    // The same records in every run, so that a table can be verified.
    let directory = fresh("sandbox-again");
    let of = |arguments: &[&str]| {
        let mut command = bare(arguments);
        ended(command.current_dir(&directory).spawn().unwrap())
    };
    let listing = ["list-deposit-addresses", "--sandbox"];
    let to = ["--to", "sqlite:sandbox.db"];
    of(&[&["sync"], &listing[..], &to].concat()).await.succeeds();
    let from = ["--from", "sqlite:sandbox.db"];
    of(&[&["verify"], &listing[..], &from].concat()).await.succeeds();

    for (option, records) in [(&["--now"][..], 1..), (&[], 0..)] {
        let file = directory.join("sandbox.env");
        let mut served = bare(&[&["sandbox", "--executions", "7"], option].concat());
        let served = served.stdout(fs::File::create(&file).unwrap()).spawn().unwrap();
        while fs::read_to_string(&file).unwrap().lines().count() < 7 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let list =
            ["list-quote-executions", "--env-file", "sandbox.env", "--created-at-begin", "-2h"];
        let listed = of(&list).await.succeeds().stdout.lines().count();
        assert!(records.contains(&listed) && (listed == 0) == option.is_empty(), "{option:?}");
        signal(&served, "-TERM");
        ended(served).await.ends(143);
    }
}
