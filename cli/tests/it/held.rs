//! An output file belongs to the process that has it open: two exports of the same file, files that
//! other programs create meanwhile, and the permissions of unfinished files.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
    time::Duration,
};

use digital_assets::{operation, sandbox::Sandbox};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::{
    server::serve,
    tool::{Tool, bare, ended, fresh, set},
};

const FORMATS: [&str; 4] = ["csv", "json", "jsonl", "parquet"];

/// A service with two pages of deposit addresses. The second page is returned only when `release`
/// is called. The first page contains one address, and the second page another one.
struct Paused {
    settings: [(&'static str, String); 2],
    gate: Arc<Mutex<()>>,
}

impl Paused {
    fn start(name: &'static str) -> Self {
        let gate = Arc::<Mutex<()>>::default();
        let held = Arc::clone(&gate);
        let url = serve(move |request| {
            let is_last = request.contains("page_cursor=");
            let _open = is_last.then(|| held.blocking_lock());
            let id = if is_last {
                "00000000-0000-4000-8000-000000000002"
            } else {
                "00000000-0000-4000-8000-000000000001"
            };
            let address = json!({
                "id": id, "crypto_network": "SOLANA", "address": name,
                "created_at": "2025-01-01T00:00:00Z",
            });
            let next = if is_last { json!(null) } else { json!("next") };
            (200, json!({ "items": [address], "next_page_cursor": next }).to_string())
        });
        Self { settings: [("BASE_URL", url), ("TOKEN", "sesame".to_owned())], gate }
    }

    fn export(&self, directory: &Path, arguments: &[&str]) -> Command {
        let list = ["list-deposit-addresses", "--concurrency", "1", "--quiet"];
        let mut command = bare(&[&list[..], arguments].concat());
        set(&mut command, &self.settings).current_dir(directory);
        command
    }
}

/// Waits until the file has content. Panics if the process ends before that.
async fn until_begun(child: &mut Child, file: &Path) {
    while !fs::metadata(file).is_ok_and(|file| file.len() > 0) {
        assert!(child.try_wait().unwrap().is_none(), "the export ended early");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn an_export_never_publishes_the_file_of_another_process() {
    let directory = fresh("two-exports");
    for format in FORMATS {
        for resumed in [&[][..], &["--resume"]] {
            let file = format!("addresses.{format}");
            let (part, checkpoint) = (format!("{file}.part"), format!("{file}.checkpoint"));
            let [part, checkpoint] = [part, checkpoint].map(|file| directory.join(file));
            let arguments = [&["-o", &file][..], resumed].concat();
            let (one, two) = (Paused::start("one"), Paused::start("two"));
            let (first_gate, second_gate) = (one.gate.lock().await, two.gate.lock().await);
            let mut first = one.export(&directory, &arguments).spawn().unwrap();
            until_begun(&mut first, &part).await;
            fs::remove_file(&part).unwrap();
            fs::remove_file(&checkpoint).unwrap();
            let mut second = two.export(&directory, &arguments).spawn().unwrap();
            until_begun(&mut second, &part).await;
            let saved = fs::read(&checkpoint).unwrap();

            drop(first_gate);
            ended(first).await.says(1, "removed or replaced");
            assert!(!directory.join(&file).exists(), "{format} {resumed:?}");
            assert_eq!(fs::read(&checkpoint).unwrap(), saved, "{format} {resumed:?}");
            drop(second_gate);
            ended(second).await.succeeds();

            assert!(!part.exists() && !checkpoint.exists(), "{format} {resumed:?}");
            let content = fs::read(directory.join(&file)).unwrap();
            let count = |word: &str| {
                content.windows(word.len()).filter(|it| *it == word.as_bytes()).count()
            };
            assert!(count("two") > 0 && count("one") == 0, "{format} {resumed:?}");
            assert!(count("8000-000000000001") > 0 && count("8000-000000000002") > 0, "{format}");
            fs::remove_file(directory.join(&file)).unwrap();
        }
    }
}

#[tokio::test]
async fn only_one_of_two_exports_writes_to_a_file() {
    let directory = fresh("one-of-two");
    let one = Paused::start("one");
    let gate = one.gate.lock().await;
    let mut first = one.export(&directory, &["-o", "a.csv"]).spawn().unwrap();
    until_begun(&mut first, &directory.join("a.csv.part")).await;

    for more in [&[][..], &["--resume"], &["--force"]] {
        let second =
            one.export(&directory, &[&["-o", "a.csv"][..], more].concat()).spawn().unwrap();
        ended(second).await.says(1, "another process is writing to this file");
    }
    drop(gate);

    ended(first).await.succeeds();
    assert_eq!(fs::read_to_string(directory.join("a.csv")).unwrap().lines().count(), 3);
}

#[tokio::test]
async fn a_file_that_another_program_creates_meanwhile_is_replaced_only_by_force() {
    let directory = fresh("created-meanwhile");
    for format in FORMATS {
        let file = format!("addresses.{format}");
        let path = directory.join(&file);
        let one = Paused::start("one");
        for (more, is_replaced) in [(&[][..], false), (&["--resume"], false), (&["--force"], true)]
        {
            let arguments = [&["-o", &file][..], more].concat();
            let gate = one.gate.lock().await;
            let mut child = one.export(&directory, &arguments).spawn().unwrap();
            until_begun(&mut child, &directory.join(format!("{file}.part"))).await;
            fs::write(&path, "mine").unwrap();
            drop(gate);
            let run = ended(child).await;

            let is_mine = fs::read(&path).unwrap() == b"mine";
            assert_eq!(
                (run.status, is_mine),
                (Some(i32::from(!is_replaced)), !is_replaced),
                "{run:?}"
            );
            if !is_replaced {
                run.says(1, "another program has created this file");
                // The number of a removed file may later be that of another file.
                let checkpoint = fs::read(directory.join(format!("{file}.checkpoint"))).unwrap();
                let checkpoint: Value = serde_json::from_slice(&checkpoint).unwrap();
                assert_eq!(checkpoint["published"], json!(null), "{format} {more:?}");
                // The records aren't lost: they are complete once the other file is out of the way.
                let again = one.export(&directory, &["-o", &file, "--resume"]).spawn().unwrap();
                ended(again).await.says(1, "another program has created this file");
                fs::remove_file(&path).unwrap();
                let again = one.export(&directory, &["-o", &file, "--resume"]).spawn().unwrap();
                ended(again).await.succeeds();
            }
            assert!(fs::read(&path).unwrap().len() > 40, "{format} {more:?}");
            assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "{format} {more:?}");
            fs::remove_file(&path).unwrap();
        }
    }
}

#[tokio::test]
async fn a_forced_export_that_was_interrupted_still_replaces_the_old_file() {
    let tool = Tool::with(Sandbox::builder().executions(3_000), "forced-resume").await;
    let list = ["list-quote-executions", "--concurrency", "1", "-o", "executions.jsonl"];
    fs::write(tool.path("executions.jsonl"), "old").unwrap();
    tool.run_failing(1, operation::LIST_QUOTE_EXECUTIONS, &[&list[..], &["--force"]].concat())
        .await;
    assert_eq!(tool.read("executions.jsonl"), "old");

    tool.run(&[&list[..], &["--resume"]].concat()).await.succeeds();

    assert_eq!(tool.read("executions.jsonl").lines().count(), 3_000);
}

/// A library that, loaded into a process, makes locks fail with the error `LOCK_ERROR`, and makes
/// the removal of a file fail if its name ends in `KEPT`.
const FAULTY: &str = r#"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int file, int operation) {
    const char *error = getenv("LOCK_ERROR");
    if (error) { errno = atoi(error); return -1; }
    return syscall(SYS_flock, file, operation);
}

int unlink(const char *path) {
    const char *kept = getenv("KEPT");
    size_t length = strlen(path), end = kept ? strlen(kept) : 0;
    if (kept && length >= end && !strcmp(path + length - end, kept)) { errno = EIO; return -1; }
    return syscall(SYS_unlinkat, -100, path, 0);
}
"#;

fn faulty(directory: &Path) -> PathBuf {
    let (source, library) = (directory.join("faulty.c"), directory.join("faulty.so"));
    fs::write(&source, FAULTY).unwrap();
    let mut compiler = Command::new("cc");
    let built = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(built.unwrap().success());
    library
}

#[tokio::test]
async fn a_published_file_whose_checkpoint_stayed_is_complete() {
    let tool = Tool::with(Sandbox::builder().executions(30), "published").await;
    let library = faulty(&fresh("published-library"));
    for format in FORMATS {
        let file = format!("executions.{format}");
        let list = ["list-quote-executions", "-o", &file, "--resume"];
        let mut command = tool.command(&list);
        command.env("LD_PRELOAD", &library).env("KEPT", ".checkpoint");
        ended(command.spawn().unwrap()).await.says(1, "Input/output error");
        let content = fs::read(tool.path(&file)).unwrap();
        assert!(tool.path(&format!("{file}.checkpoint")).exists(), "{format}");

        tool.run(&list).await.succeeds().tells("already exists");

        assert_eq!(fs::read(tool.path(&file)).unwrap(), content, "{format}");
        assert_eq!(tool.files(), [file.as_str()]);
        fs::remove_file(tool.path(&file)).unwrap();
    }
}

#[tokio::test]
async fn a_file_system_without_locks_is_not_mistaken_for_another_process() {
    let tool = Tool::with(Sandbox::builder().executions(3), "no-locks").await;
    let library = faulty(&fresh("no-locks-library"));
    // ENOLCK, ENOSYS and EOPNOTSUPP, as Linux numbers them.
    for error in ["37", "38", "95"] {
        let mut command = tool.command(&["list-quote-executions", "-o", "executions.csv"]);
        command.env("LD_PRELOAD", &library).env("LOCK_ERROR", error);
        let run = ended(command.spawn().unwrap()).await;

        run.says(1, "the file system has no file locks");
        assert!(tool.files().is_empty(), "{error}: {:?}", tool.files());
    }
}

#[tokio::test]
async fn an_interrupted_export_over_a_read_only_file_is_resumed() {
    let directory = fresh("read-only");
    let one = Paused::start("one");
    let [file, part] = ["a.csv", "a.csv.part"].map(|file| directory.join(file));
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
    let gate = one.gate.lock().await;
    let mut killed = one.export(&directory, &["-o", "a.csv", "--force"]).spawn().unwrap();
    until_begun(&mut killed, &part).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(mode(&part), 0o400);

    let mut child = one.export(&directory, &["-o", "a.csv", "--resume"]).spawn().unwrap();
    while mode(&part) == 0o400 {
        assert!(child.try_wait().unwrap().is_none(), "the export ended early");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(mode(&part), 0o600);
    drop(gate);
    ended(child).await.succeeds();

    assert_eq!((mode(&file), fs::read_to_string(&file).unwrap().lines().count()), (0o400, 3));
}

#[tokio::test]
async fn unfinished_files_are_private_and_never_links() {
    let directory = fresh("private");
    let one = Paused::start("one");
    let mode =
        |file: &str| fs::metadata(directory.join(file)).unwrap().permissions().mode() & 0o777;
    fs::write(directory.join("new"), "").unwrap();
    let new = mode("new");
    fs::remove_file(directory.join("new")).unwrap();
    for (old, unfinished, whole) in
        [(None, 0o600, new), (Some(0o640), 0o600, 0o640), (Some(0o400), 0o400, 0o400)]
    {
        for format in FORMATS {
            let file = format!("addresses.{format}");
            let part = format!("{file}.part");
            if let Some(old) = old {
                fs::write(directory.join(&file), "old").unwrap();
                fs::set_permissions(directory.join(&file), fs::Permissions::from_mode(old))
                    .unwrap();
            }
            let gate = one.gate.lock().await;
            let mut child = one.export(&directory, &["-o", &file, "--force"]).spawn().unwrap();
            until_begun(&mut child, &directory.join(&part)).await;

            assert_eq!(mode(&part), unfinished, "{format} {old:?}");
            assert_eq!(mode(&format!("{file}.checkpoint")), unfinished, "{format} {old:?}");
            drop(gate);
            ended(child).await.succeeds();
            assert_eq!(mode(&file), whole, "{format} {old:?}");
            fs::remove_file(directory.join(&file)).unwrap();
        }
    }

    fs::write(directory.join("victim"), "").unwrap();
    for name in
        ["a.parquet.part", "a.parquet.checkpoint", "a.parquet.checkpoint.new", "a.parquet.part.new"]
    {
        for more in [&[][..], &["--resume"], &["--force"]] {
            symlink("victim", directory.join(name)).unwrap();
            let arguments = [&["-o", "a.parquet"][..], more].concat();
            let run = ended(one.export(&directory, &arguments).spawn().unwrap()).await;

            assert_eq!(
                fs::read(directory.join("victim")).unwrap(),
                b"",
                "{name} {more:?}: {run:?}"
            );
            for file in ["a.parquet", "a.parquet.part", "a.parquet.checkpoint", name] {
                let _ = fs::remove_file(directory.join(file));
            }
        }
    }
}
