//! Applies the walk-through of CONTRIBUTING.md to copies of the repository.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    page::{Instruction, apply, instructions},
    root,
    steps::forgotten,
};

const PAGE: &str = include_str!("../../../CONTRIBUTING.md");

/// The tests that depend on the OpenAPI description, its examples or its types.
const TESTS: [&str; 9] = [
    "contributing::rows::",
    "contributing::walk_through::no_step_",
    "decoding::",
    "frozen::",
    "requests::",
    "sandbox::",
    "schemas::",
    "secrets::",
    "tokens::requests::",
];

/// Creates an empty directory for a copy of the repository.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a script in a folder, and returns what it printed.
#[track_caller]
fn sh(folder: &Path, script: &str) -> String {
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &format!("{{ {script}\n}} 2>&1")]).current_dir(folder);
    // The copy has its own target directory, and its tests' requests aren't recorded.
    bash.env("CARGO_TARGET_DIR", folder.join("target")).env_remove("RECORDED_REQUESTS");
    let output = bash.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}: {printed}");
    printed
}

#[test]
fn no_step_is_forgotten_for_any_operation() {
    assert_eq!(forgotten(root()), [""; 0]);
}

#[test]
fn each_step_that_is_forgotten_is_named() {
    let mut named = BTreeSet::new();
    let all = instructions(PAGE);
    for left_out in 0..=all.len() {
        let folder = fresh("forgotten");
        for file in [
            "openapi.yaml",
            "src/sandbox/routes.rs",
            "src/sandbox/deposit_address.rs",
            "tests/golden/client.rs",
            "tests/golden/api.txt",
            "tests/it/specification.rs",
            "tests/it/sandbox/pages.rs",
            "README.md",
            "CHANGELOG.md",
        ] {
            fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            fs::copy(root().join(file), folder.join(file)).unwrap();
        }
        let mut expected = BTreeSet::from([4]);
        for (number, instruction) in all.iter().enumerate() {
            let Instruction::Edit { step, file, place, lines } = instruction else { continue };
            if number != left_out {
                apply(&folder, file, place, lines);
            } else if file != "src/sandbox/deposit_address.rs" {
                // In the excluded file, the compiler reports a missing function.
                expected.insert(*step);
            }
        }
        // If the operation itself is missing, no other step counts as forgotten.
        if expected.remove(&1) {
            expected.clear();
        }

        let found: BTreeSet<u8> = forgotten(&folder)
            .iter()
            .map(|line| {
                assert!(line.contains("getDepositAddress"), "{line}");
                let step = line.split("(step ").nth(1).unwrap();
                step[..1].parse().unwrap()
            })
            .collect();

        assert_eq!(found, expected, "without {:?}", all.get(left_out));
        named.extend(found);
    }
    assert_eq!(named, BTreeSet::from([3, 4, 5, 6]));
}

#[test]
#[ignore = "run by .ci/run: it builds the workspace once more"]
fn the_example_builds_passes_the_tests_and_lints() {
    let folder = fresh("walk-through");
    let files = sh(root(), "git ls-files --cached --others --exclude-standard");
    let files = files.lines().filter(|file| root().join(file).exists());
    // The copies get new modification times. Otherwise cargo would reuse programs from the original
    // repository, and these would write to that repository.
    let mut copy = Command::new("cp");
    copy.args(["--parents", "-t"]).arg(&folder).args(files).current_dir(root());
    assert!(copy.status().unwrap().success());
    sh(&folder, "git init --quiet && git add .");
    // This reuses the compiled dependencies. Cargo writes to some of these files, so those are
    // copied instead of linked.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("debug");
    let built = built.display();
    sh(
        &folder,
        &format!(
            "mkdir -p target/debug && cp -al {built}/deps target/debug && \
             cp -a {built}/.fingerprint {built}/build target/debug"
        ),
    );
    for tools in ["node_modules", ".venv"] {
        let tools = format!("tests/description/{tools}");
        if root().join(&tools).exists() {
            symlink(root().join(&tools), folder.join(&tools)).unwrap();
        }
    }

    for instruction in instructions(PAGE) {
        match instruction {
            Instruction::Edit { file, place, lines, .. } => apply(&folder, &file, &place, &lines),
            Instruction::Run(commands) => drop(sh(&folder, &commands)),
        }
    }

    sh(&folder, "cargo fmt --all --check");
    let tests = TESTS.join(" ");
    let printed =
        sh(&folder, &format!("cargo test --package integration-tests --test it -- {tests}"));
    assert!(printed.contains("every_operation_sends_every_parameter"), "{printed}");
    sh(&folder, "cargo test --test golden && cargo check --package digital-assets-cli");
    sh(&folder, "tests/description/lint");
    let raised = format!("tests/description/diff {}/openapi.yaml", root().display());
    let printed = sh(&folder, &format!("! {raised}"));
    assert!(printed.contains("these changes need"), "step 2: {printed}");
}
