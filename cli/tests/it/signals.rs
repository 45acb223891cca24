//! Signals while the tool waits for something other than the service.

use std::{
    cell::RefCell,
    fs,
    io::{Read as _, pipe},
    process::Command,
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
