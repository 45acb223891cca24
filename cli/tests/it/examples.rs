//! Runs the examples from each command's help in a shell, unchanged.

use digital_assets::{OPENAPI_YAML, operation, sandbox::Sandbox};

use crate::tool::{bare, command_of, ended, fresh, in_a_shell, run};

/// Returns the commands below `Example:` or `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let after = help.split("\nExample").nth(1).unwrap_or_default();
    after.lines().skip(1).map(str::trim).take_while(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn the_examples_of_every_operations_help_work_with_a_sandbox() {
    let directory = fresh("examples");
    for operation in operation::ALL {
        let command = command_of(*operation);
        let help = run(&[&command, "--help"]).await.stdout;
        let mut lines: Vec<String> = examples(&help).into_iter().map(str::to_owned).collect();
        assert!(!lines.is_empty(), "{command} has no example");
        let sync = run(&["sync", &command, "--help"]).await;
        if sync.status == Some(0) {
            lines.extend(examples(&sync.stdout).into_iter().map(str::to_owned));
        }
        for mut line in lines {
            if !line.contains(" --sandbox") {
                line += " --sandbox";
            }
            let run = ended(in_a_shell(&line).current_dir(&directory).spawn().unwrap()).await;
            assert_eq!(run.status, Some(0), "{line}: {run:?}");
            let is_elsewhere = line.contains("--output") || line.contains(" sync ");
            assert!(is_elsewhere || !run.stdout.is_empty(), "{line}: {run:?}");
        }
    }
}

#[tokio::test]
async fn the_example_of_the_sandboxs_help_works_as_a_script() {
    let help = run(&["sandbox", "--help"]).await.stdout;
    let script = format!("set -e\n{}", examples(&help).join("\n"));

    let directory = fresh("sandbox-example");
    // This settings file is from an earlier sandbox that no longer runs.
    std::fs::write(directory.join("sandbox.env"), "DIGITAL_ASSETS_BASE_URL=http://127.0.0.1:1\n")
        .unwrap();
    let run = ended(in_a_shell(&script).current_dir(&directory).spawn().unwrap()).await;

    assert_eq!((run.status, run.stdout.lines().count()), (Some(0), 5), "{script}: {run:?}");
}

#[tokio::test]
async fn an_example_stays_on_one_line_however_narrow_the_terminal_is() {
    let mut narrow = bare(&["add-institution-members", "--help"]);
    let help = ended(narrow.env("COLUMNS", "20").spawn().unwrap()).await.stdout;

    let examples = examples(&help);

    assert_eq!(examples.len(), 1, "{help}");
    assert!(examples[0].contains(" --body '") && examples[0].ends_with('\''), "{help}");
    let page = run(&["man", "add-institution-members"]).await.stdout;
    assert!(!page.contains('\u{e000}') && !help.contains('\u{e000}'));
}

#[tokio::test]
async fn the_sandbox_has_the_identifiers_of_the_descriptions_examples() {
    let sandbox = Sandbox::builder().seed(99).build();

    for id in [sandbox.profile_id(), sandbox.institution_id()] {
        assert!(OPENAPI_YAML.contains(&id.to_string()), "{id}");
    }
}
