//! Tests of the programs in `examples/`, with and without failures.

use std::{collections::BTreeSet, env, fs, io::Write, path::PathBuf, process};

use axum::{
    body::Body,
    http::{Request, header::RETRY_AFTER},
};
use digital_assets::{
    Change,
    sandbox::{Fault, Sandbox},
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd, QuoteExecutionStatus},
};
use tower::ServiceExt;

use crate::prelude::*;

#[path = "../../examples/add_members.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod add_members;
#[path = "../../examples/daily_round.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod daily_round;
#[path = "../../examples/export.rs"]
#[expect(dead_code, reason = "its `main` writes into the working directory")]
mod export;
#[path = "../../examples/network.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod network;
#[path = "../../examples/paused_clock.rs"]
#[expect(dead_code, reason = "its tests run, but its `main` doesn't")]
mod paused_clock;
#[path = "../../examples/tenants.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod tenants;
#[path = "../../examples/token_file.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod token_file;
#[path = "../../examples/web_handler.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod web_handler;

/// A temporary file in its own directory, which is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("digital-assets-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder.join("file"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn once(sandbox: &Sandbox) -> Client {
    sandbox.client_builder().retry(Retry::none()).build().unwrap()
}

/// A fault without effect. It's queued for a request before the one that fails.
const NONE: Fault = Fault::Latency(Duration::ZERO);

#[tokio::test]
async fn an_export_that_was_interrupted_continues_after_its_last_state() {
    let sandbox = Sandbox::builder().deposit_addresses(2_500).build();
    let (client, file) = (once(&sandbox), Scratch::new("export"));
    for fault in [NONE, Fault::Status(500)] {
        sandbox.fault(operation::LIST_DEPOSIT_ADDRESSES, fault);
    }

    export::export(&client, &file.0).await.unwrap_err();
    let kept = fs::metadata(&file.0).unwrap().len();
    // This is an incomplete line from a run that ended before it saved its state.
    fs::OpenOptions::new().append(true).open(&file.0).unwrap().write_all(b"half a li").unwrap();
    export::export(&client, &file.0).await.unwrap();

    let text = fs::read_to_string(&file.0).unwrap();
    let id = |line: &str| {
        let address: serde_json::Value = serde_json::from_str(line).unwrap();
        address["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<_> = text.lines().map(id).collect();
    assert!(kept > 0);
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (2_500, 2_500));
    assert_eq!(fs::read_dir(file.0.parent().unwrap()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_daily_round_returns_everything_and_then_what_is_new_or_changed() {
    let sandbox = Sandbox::builder().executions(30).build();
    let (profile, kept) = (sandbox.profile_id().to_string(), Scratch::new("daily"));
    let round = async || daily_round::round(&once(&sandbox), &profile, &kept.0).await;

    // The oldest record is open. Open records are requested however old they are.
    let mut oldest = sandbox.executions().last().unwrap();
    let settled = oldest.clone();
    (oldest.status, oldest.settled_at) = (QuoteExecutionStatus::Created, None);
    sandbox.insert_execution(oldest);

    assert_eq!(round().await.unwrap().len(), 30);
    assert_eq!(round().await.unwrap(), []);
    sandbox.add_executions(1);
    sandbox.insert_execution(settled.clone());
    sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, Fault::Status(500));
    round().await.unwrap_err();
    let mut changes = round().await.unwrap();

    changes.sort_by_key(|change| matches!(change, Change::New(_)));
    assert!(matches!(&changes[..], [Change::Changed(it), Change::New(_)] if *it == settled));
}

#[tokio::test(start_paused = true)]
async fn a_web_handler_maps_errors_by_who_is_at_fault() {
    let sandbox = Sandbox::builder().build();
    let router = web_handler::router(once(&sandbox));
    let path = format!("/profiles/{}/prices", sandbox.profile_id());
    let get = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let wait = response.headers().get(RETRY_AFTER).map(|it| it.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait)
    };

    let seven = Some(Duration::from_secs(7));
    for (fault, expected) in [
        (NONE, (200, None)),
        (Fault::Status(404), (404, None)),
        (Fault::Status(422), (400, None)),
        (Fault::Status(403), (500, None)),
        (Fault::Status(502), (502, None)),
        (Fault::NotJson, (502, None)),
        (Fault::Reset, (502, None)),
        (Fault::Silence, (504, None)),
        (Fault::TooManyRequests { retry_after: seven }, (503, Some("7".to_owned()))),
    ] {
        sandbox.fault(operation::LIST_QUOTE_EXECUTIONS, fault.clone());
        assert_eq!(get(&path).await, expected, "{fault:?}");
    }
}

#[tokio::test]
async fn members_that_may_have_been_added_are_unknown_and_sent_once() {
    for (fault, expected) in [
        (NONE, "added 1"),
        (Fault::Status(400), "unchanged: "),
        (Fault::Status(500), "unknown: "),
        (Fault::ResetAfterApplying, "unknown: "),
        (Fault::Truncated, "unknown: "),
    ] {
        let sandbox = Sandbox::builder().build();
        sandbox.fault(operation::ADD_INSTITUTION_MEMBERS, fault.clone());
        let request = AddInstitutionMembersRequest {
            institution_id: sandbox.institution_id(),
            members: vec![InstitutionMemberToAdd {
                identity_id: sandbox.identity_id(),
                roles: vec!["TRUSTEE".to_owned()],
            }],
        };
        let mut journal = Vec::new();

        let client = sandbox.client().unwrap();
        let outcome = add_members::add(&client, (7, request), &mut journal).await.unwrap();

        let journal = String::from_utf8(journal).unwrap();
        let lines: Vec<_> = journal.lines().collect();
        assert_eq!(lines.len(), 2, "{journal}");
        assert!(lines[0].starts_with(r#"7 {"institution_id":"#), "{journal}");
        assert!(lines[1].starts_with(&format!("7 {expected}")), "{fault:?}: {journal}");
        assert_eq!(sandbox.request_count(operation::ADD_INSTITUTION_MEMBERS), 1, "{outcome:?}");
    }
}

#[tokio::test]
async fn each_tenant_has_its_own_token_and_scopes() {
    let sandbox = Sandbox::builder()
        .client("north", "sesame", ["transfer:read_deposit_address"])
        .client("south", "barley", ["identity:write_identity"])
        .start()
        .await
        .unwrap();
    let tenants = tenants::Tenants::new(sandbox.base_url(), sandbox.token_url()).unwrap();
    let list = async |id: &str, secret: &str| {
        let client = tenants.client(id, || secret.to_owned());
        client.list_deposit_addresses().limit(1).send().await.map(drop)
    };

    list("north", "sesame").await.unwrap();
    list("north", "a secret that isn't read").await.unwrap();
    let refused = list("south", "barley").await.unwrap_err();
    tenants.remove("north");
    let forgotten = list("north", "another").await.unwrap_err();

    assert_eq!(refused.oauth_error(), Some("invalid_scope"));
    assert_eq!(forgotten.oauth_error(), Some("invalid_client"));
    assert_eq!(sandbox.token_requests(), 3);
}

#[tokio::test]
async fn a_token_that_was_renewed_in_its_file_is_read_after_a_401() {
    let sandbox = Sandbox::start().await.unwrap();
    let file = Scratch::new("token");
    let source = token_file::TokenFile(file.0.clone());
    let client = Client::builder(sandbox.base_url()).credentials(source).build().unwrap();
    let list = async || client.list_deposit_addresses().limit(1).send().await.map(drop);

    fs::write(&file.0, token_file::new_token(&sandbox).await.unwrap()).unwrap();
    list().await.unwrap();
    sandbox.revoke_tokens();
    fs::write(&file.0, token_file::new_token(&sandbox).await.unwrap()).unwrap();
    list().await.unwrap();

    assert_eq!(sandbox.request_count(operation::LIST_DEPOSIT_ADDRESSES), 3);
}

#[tokio::test]
async fn requests_of_both_kinds_go_through_the_proxy() {
    let sandbox = Sandbox::start().await.unwrap();
    let authorities = Scratch::new("network");
    let issued = rcgen::generate_simple_self_signed(["ca".to_owned()]).unwrap();
    fs::write(&authorities.0, issued.cert.pem()).unwrap();
    let proxy = sandbox.base_url().to_owned();
    let network = network::Network { proxy, authorities: authorities.0.clone() };
    let nowhere = "http://127.0.0.1:9";
    let credentials = ClientCredentials::new(
        format!("{nowhere}/oauth2/token"),
        sandbox.client_id(),
        sandbox.client_secret(),
    );

    let client = network.client(nowhere, credentials).unwrap();
    client.list_deposit_addresses().limit(1).send().await.unwrap();

    assert_eq!((sandbox.requests().len(), sandbox.token_requests()), (1, 1));
    fs::remove_file(&authorities.0).unwrap();
    let error = network.client(nowhere, sandbox.credentials()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
}
