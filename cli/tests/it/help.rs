//! Help, manual pages and shell completions.

use std::{
    fs,
    process::{Command, Stdio},
};

use digital_assets::{operation, sandbox::Sandbox};

use crate::tool::{Tool, command_of, fresh, listings, run};

#[tokio::test]
async fn every_operation_and_every_parameter_is_in_the_help() {
    let help = run(&["--help"]).await.succeeds();

    for operation in operation::ALL {
        let command = command_of(*operation);
        assert!(help.stdout.contains(&format!("  {command} ")), "{command}");
        let page = run(&[&command, "--help"]).await.succeeds();
        assert!(page.stdout.contains(operation.path()), "{}", page.stdout);
        assert!(page.stdout.contains("Example"), "{}", page.stdout);
    }
    let page = run(&["list-deposit-addresses", "--help"]).await.stdout;
    for option in [
        "--profile-ids",
        "--identity-ids",
        "--account-ids",
        "--ids",
        "--ref-ids",
        "--networks",
        "--created-at-lt",
        "--created-at-lte",
        "--created-at-eq",
        "--created-at-gte",
        "--created-at-gt",
        "--limit",
        "--order",
        "--order-by",
        "--page-cursor",
    ] {
        assert!(page.contains(&format!("{option} <")), "{option}");
    }
    assert!(page.contains("POLYGON_POS"), "the known values are missing");
}

/// Returns the description of an option in a help page, on one line.
fn about(help: &str, option: &str) -> String {
    let about = help.split(option).nth(1).unwrap().split("\n\n").next();
    about.unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_help_offers_a_date_where_one_is_understood() {
    let help = run(&["list-deposit-addresses", "--help"]).await.stdout;

    for (name, has_days) in
        [("lt", true), ("lte", true), ("eq", false), ("gte", true), ("gt", true)]
    {
        let option = format!("--created-at-{name}");
        let about = about(&help, &format!("{option} <TIME>"));
        assert_eq!(about.contains("date"), has_days, "{option}: {about}");
        let run = run(&["list-deposit-addresses", "--sandbox", &option, "2025-06-01"]).await;
        assert_eq!(run.status, Some(if has_days { 0 } else { 2 }), "{option}: {run:?}");
    }
}

#[tokio::test]
async fn the_help_names_the_defaults_that_are_sent() {
    let tool = Tool::with(Sandbox::builder(), "defaults").await;
    let sync = ["sync", "list-deposit-addresses", "--to", "sqlite:a.db"];

    for (arguments, sent) in
        [(&sync[1..2], &[("limit", "1000")][..]), (&sync, &[("limit", "1000"), ("order", "ASC")])]
    {
        let help = tool.run(&[arguments, &["--help"]].concat()).await.stdout;
        tool.run(arguments).await.succeeds();
        let asked = tool.sandbox.requests();
        for (name, value) in sent {
            let about = about(&help, &format!("--{name} <"));
            assert!(about.contains(&format!("[default: {value}]")), "{about}");
            assert_eq!(about.matches("[default").count(), 1, "{about}");
            let query = (name.to_string(), value.to_string());
            assert!(asked.iter().any(|request| request.query.contains(&query)), "{asked:?}");
        }
    }
}

#[tokio::test]
async fn the_help_of_a_sync_has_only_options_of_its_own() {
    for command in listings().await {
        let help = run(&["sync", &command, "--help"]).await.stdout;

        assert!(!help.contains("--max"), "{help}");
        assert!(help.contains("--force"), "{help}");
    }
}

#[tokio::test]
async fn completions_know_commands_options_and_values() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).await.succeeds();
        for word in ["list-deposit-addresses", "created-at-gte", "POLYGON_POS"] {
            assert!(script.stdout.contains(word), "{shell} doesn't know {word}");
        }
    }
}

/// Command lines, each with a word that the Tab key must offer: an option, a value, and a further
/// entry of a list.
const TABS: [(&str, &str); 3] = [
    ("list-quote-executions --mark", "--market"),
    ("list-deposit-addresses --networks SOL", "SOLANA"),
    ("list-deposit-addresses --networks BASE,SOL", "BASE,SOLANA"),
];

#[tokio::test]
async fn a_real_shell_completes_options_values_and_entries_of_lists() {
    let directory = fresh("completions");
    let bash = r#"source "$1"; words=(digital-assets $2); COMP_WORDS=("${words[@]}");
        COMP_CWORD=$(( ${#words[@]} - 1 ));
        function=$(complete -p digital-assets | sed 's/.*-F \([^ ]*\).*/\1/');
        "$function" digital-assets "${words[-1]}" "${words[-2]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let fish = r#"source $argv[1]; complete -C "digital-assets $argv[2]""#;
    let zsh = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/zsh.py");

    for shell in ["bash", "fish", "zsh"] {
        let there = Command::new(shell).arg("--version").stdout(Stdio::null()).status();
        if there.is_err() {
            continue;
        }
        let script = directory.join(shell);
        fs::write(&script, run(&["completions", shell]).await.stdout).unwrap();
        let script = script.to_str().unwrap();
        for (line, expected) in TABS {
            let tab = match shell {
                "bash" => Command::new(shell).args(["-c", bash, "tab", script, line]).output(),
                "fish" => Command::new(shell).args(["-c", fish, script, line]).output(),
                _ => {
                    let typed = format!("digital-assets {line}");
                    Command::new(zsh).args([script, &typed, expected]).output()
                }
            };
            let tab = tab.unwrap();
            assert!(tab.status.success(), "{shell}: {line}: {tab:?}");
            let offered = String::from_utf8_lossy(&tab.stdout);
            let is_offered = offered.lines().any(|word| word.split('\t').next() == Some(expected));
            assert!(is_offered || shell == "zsh", "{shell}: {line}: {tab:?}");
        }
    }
}

#[tokio::test]
async fn manual_pages_have_the_exit_statuses_and_every_command() {
    let page = run(&["man"]).await.succeeds();
    assert!(page.stdout.starts_with(".ie") && page.stdout.contains("Exit status"), "{page:?}");
    assert!(page.stdout.contains("may have been applied"), "{page:?}");
    let page = run(&["man", "list-deposit-addresses"]).await;
    assert!(page.stdout.contains("POLYGON_POS"), "{page:?}");
    run(&["man", "nothing"]).await.ends(2);
}

/// Returns all commands of the tool, including subcommands.
async fn commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while let Some(command) = all.get(at).cloned() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = run(&[&words[..], &["-h"]].concat()).await.stdout;
        let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        let listed = listed.lines().take_while(|line| !line.is_empty());
        let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        for name in names.filter(|name| !["", "help"].contains(name)) {
            all.push([&command[..], &[name.to_owned()]].concat());
        }
        at += 1;
    }
    all
}

#[tokio::test]
async fn no_page_has_words_for_those_who_read_the_description() {
    let commands = commands().await;
    assert!(commands.contains(&vec!["sync".to_owned(), "list-quote-executions".to_owned()]));

    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = run(&[&words[..], &["--help"]].concat()).await;
        let page = run(&[&["man"], &words[..]].concat()).await;
        for text in [help.stdout, page.stdout.replace("\\-", "-")] {
            assert!(text.len() > 100, "{command:?}: {text}");
            let is_for_others = |word: &&str| {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                word.starts_with("x-") || word.contains("::") || word.contains("info.")
            };
            assert_eq!(text.split_whitespace().find(is_for_others), None, "{command:?}");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for words in ["Guide", "this description", "This description", "enum ", "()", "`order`"]
            {
                assert!(!text.contains(words), "{command:?}: {words}: {text}");
            }
        }
    }
}
