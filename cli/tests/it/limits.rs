//! Limits of the operating system that are too low for the tool.

use std::{env, fs, process::Command};

use digital_assets::sandbox::Sandbox;

use crate::tool::{Tool, ended};

const SYNC: &str = "sync list-quote-executions --to sqlite:books.db";

#[tokio::test]
async fn too_few_files_are_an_error_in_one_line() {
    let tool = Tool::with(Sandbox::builder().executions(300), "few-files").await;

    for command in [SYNC, "list-quote-executions --output a.parquet", "check", "sandbox"] {
        for files in [6, 8, 10, 12, 16, 20, 32, 48] {
            let line = format!("ulimit -n {files}; exec digital-assets {command}");
            let run = ended(tool.in_a_shell(&line).spawn().unwrap()).await;

            assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{line}: {run:?}");
            run.says(1, "the process can't open enough files: ").tells("(ulimit -n)");
        }
    }
    assert!(tool.files().is_empty() && tool.sandbox.requests().is_empty());
    let line = format!("ulimit -n 80; exec digital-assets {SYNC}");
    ended(tool.in_a_shell(&line).spawn().unwrap()).await.succeeds();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn too_few_threads_are_an_error_in_one_line() {
    let tool = Tool::with(Sandbox::builder(), "few-threads").await;
    let user = Command::new("id").arg("-u").output().unwrap().stdout;
    // The limit doesn't apply to root, so root runs a copy of the tool as another user.
    let copy = env::temp_dir().join(format!("digital-assets-{}", std::process::id()));
    let (as_other, program) = if user == b"0\n" {
        fs::copy(env!("CARGO_BIN_EXE_digital-assets"), &copy).unwrap();
        let other = "setpriv --reuid 65534 --regid 65534 --clear-groups";
        (other, copy.to_str().unwrap())
    } else {
        ("", "digital-assets")
    };

    for threads in [1, 2, 3] {
        for command in ["list-quote-executions", "check", "sandbox"] {
            let line = format!("exec {as_other} prlimit --nproc={threads} {program} {command}");
            let run = ended(tool.in_a_shell(&line).spawn().unwrap()).await;

            assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{line}: {run:?}");
            run.says(1, "the process can't start enough threads: ").tells("ulimit -u");
        }
    }
    let _ = fs::remove_file(copy);
    assert!(tool.sandbox.requests().is_empty());
}
