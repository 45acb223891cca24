//! Tests of the public API as programs use it: the code compiles, futures are `Send`, and every
//! type in the API has a name at the crate's root.

use std::{fmt::Debug, time::Duration};

use digital_assets::{
    AccessToken, AuthStyle, CallOptions, Change, Checkpoint, Client, ClientBuilder,
    ClientCredentials, Error, ErrorKind, Follow, FollowCheckpoint, Following, Items, OPENAPI_YAML,
    Operation, Pages, Problem, ResponseValue, Retry, builder, sandbox,
    types::{self, CryptoNetwork},
    uuid::Uuid,
};
use futures_util::Stream;

fn is_clone<T: Clone>() {}

fn is_value<T: Debug + Send + Sync + 'static>() {}
fn is_stream<
    T: Debug + Send + Unpin + 'static,
    S: Stream<Item = T> + Debug + Send + Unpin + 'static,
>() {
}
fn is_setting<T: Clone + Debug + Eq + Send + Sync + 'static>() {}
fn is_sendable<T: Send + 'static>(_: T) {}

#[test]
fn what_is_public_is_debug_and_send() {
    is_value::<(Client, ClientBuilder, ClientCredentials, CallOptions, AccessToken, AuthStyle)>();
    is_value::<(Retry, Error, ErrorKind, Problem, Operation, Checkpoint, FollowCheckpoint, Follow)>(
    );
    is_value::<(Change<types::DepositAddress>, ResponseValue<types::QuoteExecutionPage>)>();
    is_value::<(sandbox::Sandbox, builder::ListDepositAddresses)>();
    is_setting::<(Retry, CallOptions, Follow)>();
    is_clone::<Error>();
    is_stream::<_, Items<types::DepositAddress>>();
    is_stream::<_, Pages<types::MonitoringAddressPage>>();
    is_stream::<_, Following<types::QuoteExecution>>();
    assert_eq!(ErrorKind::InvalidRequest.to_string(), "invalid_request");
    assert!(OPENAPI_YAML.contains("openapi: 3.0.3"));
}

#[test]
fn debug_names_what_it_shows_nothing_of() -> Result<(), Error> {
    let client = Client::builder("https://api.example.com").bearer_token("sesame").build()?;
    let list = || client.list_deposit_addresses().ref_ids(["sesame"]);
    let follow = || list().items().follow(Follow::every(Duration::from_secs(1)));
    let operation = r#"{ operation: "listDepositAddresses", filters: "#;

    for (shown, begins) in [
        (format!("{:?}", list().pages()), "Pages { .. }"),
        (format!("{:?}", list().items()), "Items { .. }"),
        (
            format!("{:?}", follow()),
            "Following { follow: Follow { every: Some(1s), overlap: 300s, recheck: None }, .. }",
        ),
        (format!("{:?}", list().items().checkpoint()), &format!("Checkpoint {operation}")),
        (format!("{:?}", follow().checkpoint()), &format!("FollowCheckpoint {operation}")),
        (
            format!(
                "{:?}",
                ClientCredentials::new("https://a.example.com", "backoffice", "sesame")
            ),
            "ClientCredentials { style: Body, .. }",
        ),
    ] {
        assert!(shown.starts_with(begins) && !shown.contains("sesame"), "{shown}");
    }
    Ok(())
}

#[test]
fn setters_take_what_programs_have_and_calls_go_to_other_tasks() {
    let id = Uuid::nil();
    let client = Client::builder("https://api.example.com").bearer_token("word").build().unwrap();

    let executions = client
        .list_quote_executions()
        .profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10")
        .page_cursor(String::from("c"));
    let addresses = || client.list_monitoring_addresses().order("DESC").page_cursor("c");
    let deposits = || {
        client
            .list_deposit_addresses()
            .profile_ids(["a"])
            .identity_ids(vec![String::from("b")])
            .ids(vec![id])
            .ids(["0c1f4a3e-5b6d-4f70-8a91-b2c3d4e5f607"])
            .ref_ids(["a"])
            .networks(["SOLANA"])
            .networks(vec![CryptoNetwork::Base])
            .options(CallOptions::new())
    };
    let members = types::AddInstitutionMembersRequest {
        institution_id: id,
        members: vec![types::InstitutionMemberToAdd { identity_id: id, roles: Vec::new() }],
    };

    // A builder owns its client, so this future needs no reference to the client.
    is_sendable(async move { executions.send().await });
    is_sendable(addresses().send());
    is_sendable(addresses().items());
    is_sendable(deposits().send());
    is_sendable(deposits().pages());
    let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3_600));
    is_sendable(deposits().items().concurrency(8).follow(follow));
    is_sendable(client.add_institution_members().options(CallOptions::new()).body(members).send());
}
