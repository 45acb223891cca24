//! Everyday use of the tool: values, settings, messages and options, written as users write them.

use std::{fs, os::unix::fs::PermissionsExt};

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};

use crate::tool::{Ended, Tool, ended, run};

const ADDRESSES: &str = "list-deposit-addresses";

#[tokio::test]
async fn a_comma_separates_values_only_where_no_value_can_have_one() {
    let tool = Tool::with(Sandbox::builder(), "commas").await;

    tool.run(&[ADDRESSES, "--ref-ids", "a,b", "--networks", "SOLANA,BASE"]).await.succeeds();

    let queries = tool.sandbox.requests();
    let sent =
        queries.iter().map(|it| format!("{it:?}")).find(|it| it.contains("ref_ids")).unwrap();
    assert!(sent.contains("a%2Cb") || sent.contains("a,b"), "{sent}");
    assert_eq!(sent.matches("ref_ids").count(), 1, "{sent}");
    assert_eq!(sent.matches("networks").count(), 2, "{sent}");
    let help = run(&[ADDRESSES, "--help"]).await.stdout;
    assert!(help.contains("a comma is part of the value"), "{help}");
    assert!(help.contains("values may also be separated by commas"), "{help}");
}

#[tokio::test]
async fn options_that_make_a_part_look_whole_or_exclude_each_other_are_a_matter_of_usage() {
    let tool = Tool::with(Sandbox::builder(), "partial").await;
    let (to, from) = (["--to", "sqlite:books.db"], ["--from", "sqlite:books.db"]);

    for (arguments, words) in [
        (&[&["sync", ADDRESSES, "--page-cursor", "abc"][..], &to].concat()[..], "--page-cursor"),
        (&[&["verify", ADDRESSES, "--page-cursor", "abc"][..], &from].concat(), "--page-cursor"),
        (&[&["sync", ADDRESSES, "--every", "1s", "--order", "DESC"][..], &to].concat(), "--order"),
        (&[&["sync", ADDRESSES, "--recheck", "1m"][..], &to].concat(), "--recheck"),
        (
            &[ADDRESSES, "--created-at-gte", "2026-01-01", "--created-at-lt", "2025-01-01"],
            "--created-at-gte isn't before --created-at-lt",
        ),
        (
            &["list-quote-executions", "--created-at-begin", "2026", "--created-at-end", "2025"],
            "no record can match",
        ),
        (&["status", "--of", "sqlite:x.db", "--forget", "x", "--max-age", "1m"], "--max-age"),
        (&["sync", "--all"], "--to"),
        (&["sync", "--to", "sqlite:books.db"], "--all"),
        (&[ADDRESSES, "--ref-ids", "-x"], "--OPTION=-x"),
        (&["sync", ADDRESSES, "--to", "postgres:///books"], "names no host"),
    ] {
        let run = tool.run(arguments).await;
        assert_eq!(run.status, Some(2), "{run:?}");
        run.tells(words);
    }
    assert!(tool.sandbox.requests().is_empty());
    tool.run(&[ADDRESSES, "--ref-ids=-x"]).await.succeeds();
    tool.run(&[ADDRESSES, "--output", "/dev/stdout"]).await.says(1, "is stdout; use - instead");
    tool.run(&[ADDRESSES, "--output", "a.csv"]).await.succeeds();
    let other = [ADDRESSES, "--output", "a.csv", "--resume", "--networks", "BASE"];
    tool.run(&other).await.says(0, "the filters that it was written with are unknown");
}

#[tokio::test]
async fn records_that_nobody_has_read_are_a_failure() {
    let tool = Tool::with(Sandbox::builder(), "unread-records").await;
    let mut child = tool.start(&[ADDRESSES]);
    drop(child.stdout.take());

    ended(child).await.says(1, "can't write to stdout");

    let full =
        tool.in_a_shell("digital-assets list-deposit-addresses > /dev/full").spawn().unwrap();
    ended(full).await.says(1, "can't write to stdout");
    let limit = "ulimit -f 8; digital-assets list-deposit-addresses --output a.csv";
    let limited = ended(tool.in_a_shell(limit).spawn().unwrap()).await;
    assert_eq!(limited.status, Some(1), "{limited:?}");
    limited.tells("ulimit -f");
    let limit = "ulimit -f 8; digital-assets sync list-deposit-addresses --to sqlite:books.db";
    let limited = ended(tool.in_a_shell(limit).spawn().unwrap()).await;
    assert_eq!(limited.status, Some(1), "{limited:?}");
    limited.tells("ulimit -f");
}

// The first page is longer than a pipe's buffer.
#[tokio::test]
async fn a_reader_that_has_read_enough_is_no_failure() {
    let tool = Tool::with(Sandbox::builder().executions(1_000), "read-enough").await;
    for line in ["list-quote-executions", "description", "--help", "sync --help"] {
        let line = format!("{{ digital-assets {line}; echo \"status $?\" >&2; }} | head -n 1");

        let run = ended(tool.in_a_shell(&line).spawn().unwrap()).await;

        assert_eq!(run.stderr, "status 0\n", "{line}");
    }
    for command in [&["description"][..], &["--help"]] {
        let mut child = tool.start(command);
        drop(child.stdout.take());
        ended(child).await.succeeds();
    }
}

fn failed(run: &Ended) -> Vec<&str> {
    run.stdout.lines().filter(|line| line.starts_with("FAILED")).collect()
}

#[tokio::test]
async fn a_check_has_a_line_for_each_cause() {
    let tool = Tool::with(Sandbox::builder(), "causes").await;
    let check = ["check", "--retries", "0"];
    let closed = [("BASE_URL", "http://127.0.0.1:1"), ("AUTH_URL", "http://127.0.0.1:1/token")];

    let secret = tool.run_with(&check, &[("CLIENT_SECRET", "hush-hush")]).await.ends(1);
    let refused = tool.run_with(&check, &closed).await.ends(1);
    let token = tool.run_with(&check, &[("TOKEN", "hush-hush")]).await.ends(1);

    assert_eq!(failed(&secret).len(), 1, "{secret:?}");
    secret.tells("1 check failed");
    let lines = failed(&refused);
    assert_eq!(lines.len(), 1, "{refused:?}");
    assert!(lines[0].contains("the connection to 127.0.0.1:1 was refused"), "{refused:?}");
    assert!(lines[0].contains("DIGITAL_ASSETS_BASE_URL"), "{refused:?}");
    let lines = failed(&token);
    assert_eq!(lines.len(), 1, "{token:?}");
    assert!(
        lines[0].contains("DIGITAL_ASSETS_TOKEN") && !lines[0].contains("may not"),
        "{token:?}"
    );
}

#[tokio::test]
async fn a_server_that_cant_be_reached_is_named_with_the_reason() {
    let tool = Tool::with(Sandbox::builder(), "unreached").await;
    let list = [ADDRESSES, "--max", "1", "--retries", "0"];

    for (settings, words) in [
        (&[("AUTH_URL", "http://127.0.0.1:1/t")][..], "the connection to 127.0.0.1:1 was refused"),
        (&[("AUTH_URL", "http://127.0.0.1:1/t")], "DIGITAL_ASSETS_AUTH_URL"),
        (&[("BASE_URL", "https://nowhere.invalid")], "nowhere.invalid can't be resolved"),
        (&[("AUTH_URL", "https://nowhere.invalid/t")], "nowhere.invalid can't be resolved"),
    ] {
        tool.run_with(&list, settings).await.says(1, words);
    }
    let mut proxied = tool.command(&list);
    proxied.env("DIGITAL_ASSETS_BASE_URL", "https://api.example.com");
    proxied.env("https_proxy", "http://127.0.0.1:1").env_remove("HTTPS_PROXY");
    let proxied = ended(proxied.spawn().unwrap()).await;
    proxied.says(1, "can't connect to api.example.com through the proxy 127.0.0.1:1");
}

#[tokio::test]
async fn a_setting_is_read_as_people_write_it_and_a_wrong_one_is_named() {
    let tool = Tool::with(Sandbox::builder(), "settings-as-written").await;
    let list = [ADDRESSES, "--max", "1"];
    let secret = format!("{}\n", tool.sandbox.client_secret());

    tool.run_with(&list, &[("CLIENT_SECRET", &secret)]).await.says(0, "1 record");
    let scope = tool.run_with(&list, &[("SCOPE", "all")]).await.succeeds();
    scope.tells(
        "DIGITAL_ASSETS_SCOPE is not a setting of this tool; did you mean DIGITAL_ASSETS_SCOPES?",
    );
    for (name, value) in [
        ("BASE_URL", "http://api.example.com"),
        ("BASE_URL", "nonsense"),
        ("AUTH_URL", "http://auth.example.com/t"),
        ("TOKEN", "a\u{7f}b"),
    ] {
        let run = tool.run_with(&list, &[(name, value)]).await;
        run.says(1, &format!("DIGITAL_ASSETS_{name}"));
    }
}

#[tokio::test]
async fn an_identifier_in_any_case_names_one_listing() {
    let tool = Tool::with(Sandbox::builder().executions(30), "one-listing").await;
    let id = tool.sandbox.profile_id().to_string();
    let upper = id.to_uppercase();
    let sync = ["sync", "list-quote-executions", "--to", "sqlite:books.db"];

    let both = [&sync[..], &["--profile-id", &id, "--profile-id", &upper]].concat();
    tool.run(&both).await.succeeds();
    tool.run(&[&sync[..], &["--profile-id", &upper]].concat()).await.succeeds();

    let status = tool.run(&["status", "--of", "sqlite:books.db"]).await.succeeds();
    assert_eq!(status.stdout.lines().count(), 1, "{status:?}");
}

#[tokio::test]
async fn a_profile_has_settings_that_the_environment_overrides() {
    let tool = Tool::with(Sandbox::builder(), "config").await;
    let settings = tool.settings();
    let lines =
        settings.iter().map(|(name, value)| format!("{} = \"{value}\"\n", name.to_lowercase()));
    let file = format!("[desk2]\n{}[empty]\n", lines.collect::<String>());
    fs::write(tool.path("config.toml"), file).unwrap();
    let mode = |mode| {
        fs::set_permissions(tool.path("config.toml"), fs::Permissions::from_mode(mode)).unwrap();
    };
    let with = async |profile: &str, more: &[(&str, &str)]| {
        let mut command = crate::tool::bare(&[ADDRESSES, "--max", "1", "--profile", profile]);
        command.env("DIGITAL_ASSETS_CONFIG", tool.path("config.toml")).envs(more.iter().copied());
        ended(command.spawn().unwrap()).await
    };

    mode(0o644);
    with("desk2", &[]).await.says(1, "contains a secret, but has group or world access");
    mode(0o600);
    with("desk2", &[]).await.says(0, "1 record");
    with("desk2", &[("DIGITAL_ASSETS_CLIENT_SECRET", "wrong")]).await.ends(1);
    with("desk3", &[]).await.says(1, "has no table [desk3]; existing tables: desk2, empty");
    with("empty", &[]).await.says(1, "missing settings");
    fs::create_dir_all(tool.path(".config/digital-assets")).unwrap();
    fs::copy(tool.path("config.toml"), tool.path(".config/digital-assets/config.toml")).unwrap();
    let mut command = crate::tool::bare(&["--profile", "desk2", ADDRESSES, "--max", "1"]);
    ended(command.env("HOME", tool.path("")).spawn().unwrap()).await.says(0, "1 record");
}

#[tokio::test]
async fn every_listing_that_the_settings_allow_is_synced_at_once() {
    let tool = Tool::with(Sandbox::builder().executions(30), "sync-all").await;
    let sync = ["sync", "--all", "--to", "sqlite:books.db"];

    let all = tool.run(&sync).await.succeeds();
    let round = tool.run(&[&sync[..], &["--overlap", "1h"]].concat()).await.succeeds();
    let some = tool.run_with(&sync, &[("PROFILE_ID", "")]).await.succeeds();
    tool.fail_after(0, operation::LIST_MONITORING_ADDRESSES);
    let failed = tool.run(&sync).await.ends(1);

    all.tells("quote_executions: 30 records, 30 new").tells("deposit_addresses: 800 records");
    all.tells("monitoring_addresses: 400 records");
    round.tells("quote_executions: 0 new, 0 changed");
    some.tells("list-quote-executions is not synced: ");
    assert!(!some.stderr.contains("30 records"), "{some:?}");
    failed.tells("list-monitoring-addresses: ").tells("1 of 3 listings failed");
    failed.tells("deposit_addresses: 800 records");
    let status = tool.run(&["status", "--of", "sqlite:books.db"]).await.succeeds();
    assert_eq!(status.stdout.lines().count(), 3, "{status:?}");
    run(&["sync", "--all", "--sandbox", "--to", "postgres://nowhere/x", "--dry-run"])
        .await
        .succeeds();
}

#[tokio::test]
async fn a_listing_that_is_no_longer_synced_is_told_from_a_late_one_and_can_be_forgotten() {
    let tool = Tool::with(Sandbox::builder().executions(40).profiles(2), "forgotten").await;
    let [one, other] = [0, 1].map(|at| tool.sandbox.profile_ids()[at].to_string());
    let sync = ["sync", "list-quote-executions", "--to", "sqlite:books.db", "--profile-id"];
    let status = ["status", "--of", "sqlite:books.db"];
    for id in [&one, &other] {
        tool.run(&[&sync[..], &[id]].concat()).await.succeeds();
    }
    let books = rusqlite::Connection::open(tool.path("books.db")).unwrap();
    books
        .execute_batch(
            "UPDATE digital_assets_syncs
             SET succeeded_at = '2025-01-01T00:00:00Z', tried_at = '2025-01-01T00:00:00Z'",
        )
        .unwrap();
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(403));
    tool.run(&[&sync[..], &[&one, "--concurrency", "1"]].concat()).await.ends(1);
    let max_age = [&status[..], &["--max-age", "1h"]].concat();

    let late = tool.run(&max_age).await.ends(1);
    assert!(
        late.stdout.lines().any(|it| it.contains(&one) && it.contains("last tried")),
        "{late:?}"
    );
    tool.run(&[&status[..], &["--forget", "quote_executions"]].concat())
        .await
        .says(1, "more than one");
    tool.run(&[&status[..], &["--forget", "others"]].concat())
        .await
        .says(1, "no listing is called");
    let name = format!("quote_executions --profile-id {other}");
    tool.run(&[&status[..], &["--forget", &name]].concat())
        .await
        .says(0, "the rows stay in the table");

    let rest = tool.run(&max_age).await.ends(1);
    assert_eq!(rest.stdout.lines().count(), 1, "{rest:?}");
    rest.tells("a sync was attempted recently");
    let rows: i64 =
        books.query_row("SELECT count(*) FROM quote_executions", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 40);
    let name = format!("list-quote-executions --profile-id {one}");
    books
        .execute_batch("UPDATE digital_assets_syncs SET tried_at = '2025-01-01T00:00:00Z'")
        .unwrap();
    let advice = "if this listing is no longer synced, remove it with --forget";
    tool.run(&max_age).await.ends(1).tells(advice);
    tool.run(&[&status[..], &["--forget", &name]].concat()).await.succeeds();
    tool.run(&status).await.succeeds().tells("nothing has been synced into this database");
}

#[tokio::test]
async fn every_page_of_the_manual_shows_the_version() {
    let commands = run(&["--help"]).await.stdout;
    let names = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = names.take_while(|line| !line.is_empty()).filter_map(|line| {
        line.strip_prefix("  ")?.split_whitespace().next().filter(|_| !line.starts_with("   "))
    });
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() > 8, "{names:?}");

    for name in names {
        let page = run(&["man", name]).await.succeeds().stdout;
        assert!(page.contains(env!("CARGO_PKG_VERSION")), "{name}");
    }
}
