//! Signals while the tool waits for something other than the service.

use std::{
    cell::RefCell,
    fs,
    io::{PipeReader, PipeWriter, Read as _, Write as _, pipe},
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};
use serde_json::json;
use tokio::time::sleep;

use crate::tool::{Tool, ended, signal};

#[tokio::test]
async fn a_signal_ends_a_listing_whose_reader_has_stopped_reading() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let tool =
            Tool::with(Sandbox::builder().executions(20_000), &format!("unread{name}")).await;
        let (reader, writer) = pipe().unwrap();
        let mut command = tool.command(&["list-quote-executions", "--limit", "1000"]);
        let child = RefCell::new(command.stdout(writer).spawn().unwrap());
        tool.until(|tool| !tool.sandbox.requests().is_empty()).await;
        sleep(Duration::from_secs(1)).await;

        signal(&child.borrow(), name);
        tool.until(|_| child.borrow_mut().try_wait().unwrap().is_some()).await;

        let run = ended(child.into_inner()).await;
        assert_eq!(run.status, Some(status), "{run:?}");
        drop(reader);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_signal_while_the_answer_to_a_change_is_unread_says_that_it_was_applied() {
    let tool = Tool::with(Sandbox::builder(), "answer-unread").await;
    let institution = tool.sandbox.institution_id();
    let member = json!({ "identity_id": institution, "roles": [] });
    // The response is longer than a pipe's buffer.
    let body = json!({ "institution_id": institution, "members": vec![member; 2_000] });
    fs::write(tool.path("body.json"), body.to_string()).unwrap();
    let (mut reader, writer) = pipe().unwrap();
    let mut command = tool.command(&["add-institution-members", "--body", "@body.json"]);
    let child = command.stdout(writer).spawn().unwrap();
    drop(command);
    // The response has arrived, but the tool can't write all of it.
    let read = tokio::task::spawn_blocking(move || reader.read_exact(&mut [0]).map(|()| reader));
    let reader = read.await.unwrap().unwrap();

    signal(&child, "-INT");
    ended(child).await.ends(130).tells("the request has been applied");
    drop(reader);
}

/// On a terminal, a sync first measures the length of its listing.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_signal_ends_a_sync_that_measures_its_listing() {
    let tool = Tool::with(Sandbox::builder(), "measured").await;
    tool.sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Silence);
    // The timeout is longer than the test.
    let sync = "echo $$ > pid; exec digital-assets sync list-quote-executions --timeout 1h \
                --to sqlite:books.db";
    let line = format!("exec script --quiet --return --command '{sync}' log");
    let child = tool.in_a_shell(&line).spawn().unwrap();
    tool.until(|tool| !tool.sandbox.requests().is_empty()).await;

    let id = fs::read_to_string(tool.path("pid")).unwrap();
    assert!(Command::new("kill").args(["-INT", id.trim()]).status().unwrap().success());
    ended(child).await.ends(130);
}

/// Runs the tool as process 1 of a container. Returns `None` if this system doesn't allow that.
#[cfg(target_os = "linux")]
fn as_process_1(tool: &Tool, arguments: &[&str]) -> Option<Child> {
    let unshare = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child"];
    if !Command::new("unshare").args(unshare).arg("true").status().is_ok_and(|it| it.success()) {
        return None;
    }
    let command = tool.command(arguments);
    let mut container = Command::new("unshare");
    container.args(unshare).arg(command.get_program()).args(arguments);
    container.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    container.current_dir(tool.path("")).stdin(Stdio::piped());
    Some(container.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Sends a signal to the process in the container.
#[cfg(target_os = "linux")]
fn signal_to_process_1(container: &Child, name: &str) {
    let id = container.id();
    let process = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    assert!(Command::new("kill").args([name, process.trim()]).status().unwrap().success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_signal_ends_process_1_with_its_status() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let tool = Tool::with(Sandbox::builder(), &format!("process-1{name}")).await;
        let sync = ["sync", "list-quote-executions", "--every", "1h", "--to", "sqlite:books.db"];
        let Some(container) = as_process_1(&tool, &sync) else { return };
        tool.until(|tool| tool.path("books.db").exists()).await;
        tool.until(|tool| !tool.sandbox.requests().is_empty()).await;
        signal_to_process_1(&container, name);
        ended(container).await.ends(status);

        // `status` and a command that reads its body don't listen for signals.
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("postgres://me@{}/books", server.local_addr().unwrap());
        let container = as_process_1(&tool, &["status", "--of", &address]).unwrap();
        // The server accepts the connection and says nothing.
        let connection = tokio::task::spawn_blocking(move || server.accept().unwrap().0);
        let connection = connection.await.unwrap();
        signal_to_process_1(&container, name);
        ended(container).await.ends(status);
        drop(connection);
    }
}

/// Returns both ends of a pipe that is full, so that a write to it waits for a reader.
#[cfg(target_os = "linux")]
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = pipe().unwrap();
    // The size of a pipe on Linux.
    writer.write_all(&vec![b'x'; 1 << 16]).unwrap();
    (reader, writer)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stderr_that_nobody_reads_keeps_no_process_alive() {
    let tool = Tool::with(Sandbox::builder().executions(300), "unread-stderr").await;
    let list = ["list-quote-executions", "--verbose", "--force", "-o", "executions.csv"];
    let sync = ["sync", "list-quote-executions", "--verbose", "--to", "sqlite:books.db"];

    for (command, status) in
        [(&list[..], 0), (&sync, 0), (&["status", "--of", "sqlite:none.db"], 1), (&["--x"], 2)]
    {
        let (reader, writer) = full_pipe();
        let child = tool.command(command).stderr(writer).spawn().unwrap();
        ended(child).await.ends(status);
        drop(reader);
    }
    assert_eq!(tool.read("executions.csv").lines().count(), 301);

    let (reader, writer) = full_pipe();
    let sync = [&sync[..], &["--every", "1ms"]].concat();
    let asked = tool.sandbox.requests().len();
    let child = tool.command(&sync).stderr(writer).spawn().unwrap();
    tool.until(|tool| tool.sandbox.requests().len() > asked + 20).await;
    signal(&child, "-TERM");
    assert_eq!(ended(child).await.signal, Some(15));
    drop(reader);
}
