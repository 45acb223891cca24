//! Calls that change data: their output and their exit status.

use std::{fs, io::Write, process::Stdio};

use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
};
use serde_json::{Value, json};

use crate::tool::{Ended, Tool, bare, ended, set};

const ADD: Operation = operation::ADD_INSTITUTION_MEMBERS;

fn body(tool: &Tool) -> Value {
    json!({
        "institution_id": tool.sandbox.institution_id(),
        "members": [{ "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"] }],
    })
}

async fn add(tool: &Tool, body: &str) -> Ended {
    tool.run(&["add-institution-members", "--body", body]).await
}

#[tokio::test]
async fn a_body_is_a_text_a_file_or_stdin() {
    let tool = Tool::with(Sandbox::builder(), "bodies").await;
    let body = body(&tool).to_string();
    // Some editors on Windows start a file with a byte order mark.
    fs::write(tool.path("body.json"), format!("\u{feff}{body}")).unwrap();

    let text = add(&tool, &body).await;
    let file = add(&tool, "@body.json").await;
    let mut command = tool.command(&["add-institution-members", "--body", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let stdin = ended(child).await;

    let members = tool.sandbox.members();
    assert_eq!(members.len(), 3);
    for (run, member) in [text, file, stdin].iter().zip(&members) {
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer["members"][0], serde_json::to_value(member).unwrap());
    }
}

#[tokio::test]
async fn the_exit_status_says_whether_it_may_have_been_applied() {
    let tool = Tool::with(Sandbox::builder(), "applied").await;
    let body = body(&tool).to_string();

    for (fault, status, words) in [
        (Fault::Status(403), 1, "403"),
        (Fault::Status(422), 1, "422"),
        (Fault::Status(500), 3, "may have been applied"),
        (Fault::Reset, 3, "may have been applied"),
        (Fault::Truncated, 3, "may have been applied"),
    ] {
        let before = tool.sandbox.request_count(ADD);
        tool.sandbox.fault(ADD, fault.clone());
        let run = add(&tool, &body).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{fault:?}: {run:?}");
        assert!(run.stderr.contains(words), "{fault:?}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert_eq!(tool.sandbox.request_count(ADD), before + 1, "{fault:?}: sent once");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_applied_is_told_from_what_failed_when_its_answer_cannot_be_written() {
    let tool = Tool::with(Sandbox::builder(), "applied-unwritten").await;
    let mut command =
        tool.command(&["add-institution-members", "--body", &body(&tool).to_string()]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();

    let run = ended(command.stdout(full).spawn().unwrap()).await;

    assert_eq!(tool.sandbox.members().len(), 1);
    run.says(3, "the request has been applied");
}

#[tokio::test]
async fn a_body_that_would_not_be_sent_as_it_stands_is_not_sent() {
    let tool = Tool::with(Sandbox::builder(), "misread").await;
    let mut typo = body(&tool);
    typo["members"][0] = json!({ "identity_id": typo["members"][0]["identity_id"], "role": ["X"] });
    let mut lacking = body(&tool);
    lacking["members"][0] = json!({ "roles": [] });
    let twice = body(&tool).to_string().replacen('{', r#"{"members":[],"#, 1);
    let by_position = json!([tool.sandbox.institution_id(), body(&tool)["members"]]).to_string();

    for (body, status, words) in [
        (typo.to_string(), 2, "members[0].role"),
        (lacking.to_string(), 2, "identity_id"),
        ("{".to_owned(), 2, "not JSON"),
        (twice, 2, "duplicate field `members`"),
        (by_position, 2, "expected an object"),
        ("@nowhere.json".to_owned(), 1, "can't be read"),
        (
            json!({ "institution_id": tool.sandbox.institution_id(), "members": [] }).to_string(),
            2,
            "--body: members has 0 entries, the minimum is 1",
        ),
    ] {
        add(&tool, &body).await.says(status, words);
    }
    assert_eq!(tool.sandbox.request_count(ADD), 0);
    tool.run(&["add-institution-members"]).await.ends(2);
}

#[tokio::test]
async fn a_dry_run_checks_the_body_and_prints_the_request_alone() {
    let tool = Tool::with(Sandbox::builder(), "dry-run").await;
    let add = ["add-institution-members", "--dry-run", "--header", "x-request-id:r-1", "--body"];
    let text = body(&tool).to_string();
    let mut empty = body(&tool);
    empty["members"] = json!([]);

    let run = tool.run(&[&add[..], &[&text]].concat()).await.succeeds();
    let mut without_credentials = bare(&[&add[..], &[&text]].concat());
    let url = [("BASE_URL", "https://api.example.com/base/")];
    let other = ended(set(&mut without_credentials, &url).spawn().unwrap()).await.succeeds();
    let refused = tool.run(&[&add[..], &[&empty.to_string()]].concat()).await;

    let expected = |url: &str| {
        format!(
            "POST {url}/v2/identity/institution-members\nx-request-id: r-1\n\
             accept: application/json\naccept-encoding: gzip\ncontent-type: application/json\n\n"
        )
    };
    for (run, url) in [(run, tool.sandbox.base_url()), (other, "https://api.example.com/base")] {
        let sent = run.stdout.strip_prefix(&expected(url)).unwrap_or_else(|| panic!("{run:?}"));
        assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), body(&tool));
        assert_eq!(run.stderr, "");
    }
    refused.says(2, "--body: members has 0 entries");
    assert!(tool.sandbox.requests().is_empty() && tool.sandbox.members().is_empty());
}
