//! The public surface as programs use it: it compiles, is `Send`, and what it is made of is named at
//! the crate's root.

use std::{fmt::Debug, time::Duration};

use digital_assets::{
    AccessToken, AuthStyle, BoxFuture, CallOptions, Change, Checkpoint, Client, ClientBuilder,
    ClientCredentials, Error, ErrorKind, Follow, FollowCheckpoint, Following, Items, OPENAPI_YAML,
    Operation, Pages, Problem, ResponseValue, Retry, TokenSource, builder,
    chrono::{DateTime, Utc},
    reqwest, sandbox, serde_json,
    types::{self, CryptoNetwork, Market, Order, OrderBy, QuoteExecutionStatus, Side},
    uuid::Uuid,
};
use futures_util::Stream;

fn is_value<T: Debug + Send + Sync + 'static>() {}
fn is_stream<T: Debug + Send + Unpin + 'static, S: Stream<Item = T> + Debug + Send + 'static>() {}
fn is_sendable<T: Send + 'static>(_: T) {}

#[test]
fn what_is_public_is_debug_and_send() {
    is_value::<Client>();
    is_value::<ClientBuilder>();
    is_value::<ClientCredentials>();
    is_value::<CallOptions>();
    is_value::<AccessToken>();
    is_value::<AuthStyle>();
    is_value::<Retry>();
    is_value::<Error>();
    is_value::<ErrorKind>();
    is_value::<Problem>();
    is_value::<Operation>();
    is_value::<Checkpoint>();
    is_value::<FollowCheckpoint>();
    is_value::<Follow>();
    is_value::<Change<types::DepositAddress>>();
    is_value::<ResponseValue<types::QuoteExecutionPage>>();
    is_value::<sandbox::Sandbox>();
    is_value::<builder::ListDepositAddresses>();
    is_stream::<_, Items<types::DepositAddress>>();
    is_stream::<_, Pages<types::MonitoringAddressPage>>();
    is_stream::<_, Following<types::QuoteExecution>>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
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
            "Following { follow: Follow { every: 1s, overlap: 300s, recheck: None }, .. }",
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

/// A source of a program's own.
struct Vault;

impl TokenSource for Vault {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            match scopes {
                [] => Err(Error::token("no scope")),
                _ => Ok(AccessToken::new("open-sesame").expires_in(Duration::from_secs(60))),
            }
        })
    }
}

#[test]
fn every_setting_and_every_setter_takes_what_programs_have() {
    let (time, id): (DateTime<Utc>, _) = (DateTime::UNIX_EPOCH, Uuid::nil());
    let client = Client::builder("https://api.example.com")
        .credentials(Vault)
        .scopes(["a", "b"])
        .http_client(reqwest::Client::new())
        .connect_timeout(Duration::from_secs(1))
        .attempt_timeout(Duration::from_secs(2))
        .call_timeout(Duration::from_secs(3))
        .retry(Retry::default().max_attempts(2).base_delay(Duration::ZERO).max_delay(Duration::MAX))
        .rate_limit(Operation::AddInstitutionMembers, 2.5)
        .max_response_bytes(1 << 20)
        .user_agent("back office")
        .build()
        .unwrap();
    let options = CallOptions::new()
        .call_timeout(Duration::from_secs(2))
        .attempt_timeout(Duration::from_millis(700))
        .retry(Retry::none())
        .max_response_bytes(1 << 20)
        .header("x-request-id", String::from("7"));
    let client: Client = client.with_options(options.clone());

    let executions = client
        .list_quote_executions()
        .profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10")
        .side(Side::Buy)
        .market(Market::BtcUsd)
        .status(QuoteExecutionStatus::Settled)
        .created_at_begin(time)
        .created_at_end(time)
        .limit(100)
        .order(Order::Asc)
        .order_by(OrderBy::CreatedAt)
        .page_cursor(String::from("c"));
    let addresses = client
        .list_monitoring_addresses()
        .address("0x1")
        .crypto_network(CryptoNetwork::Xlayer)
        .limit(1)
        .order("DESC")
        .page_cursor("c");
    let deposits = || {
        client
            .list_deposit_addresses()
            .profile_ids(["a"])
            .identity_ids(vec![String::from("b")])
            .account_ids(["c", "d"])
            .ids(vec![id])
            .ref_ids(["a"])
            .networks(["SOLANA"])
            .networks(vec![CryptoNetwork::Base])
            .created_at_lt(time)
            .created_at_lte(time)
            .created_at_eq(time)
            .created_at_gte(time)
            .created_at_gt(time)
            .options(CallOptions::new())
    };
    let members = types::AddInstitutionMembersRequest {
        institution_id: id,
        members: vec![types::InstitutionMemberToAdd { identity_id: id, roles: Vec::new() }],
    };

    // A builder owns its client: a call can go to another task.
    is_sendable(async move { executions.send().await });
    is_sendable(addresses.items());
    is_sendable(deposits().pages());
    let follow = Follow::every(Duration::from_secs(10)).overlap(Duration::from_secs(3_600));
    is_sendable(deposits().items().concurrency(8).follow(follow));
    is_sendable(client.add_institution_members().options(options).body(members).send());
}

#[test]
fn known_values_have_the_names_that_programs_match() {
    for (value, name) in [
        (Market::BtcUsd.as_str(), "BTCUSD"),
        (Market::TrumpUsd.as_str(), "TRUMPUSD"),
        (CryptoNetwork::BitcoinCash.as_str(), "BITCOIN_CASH"),
        (CryptoNetwork::PolygonPos.as_str(), "POLYGON_POS"),
        (CryptoNetwork::Xlayer.as_str(), "XLAYER"),
        (Side::Sell.as_str(), "SELL"),
        (QuoteExecutionStatus::Created.as_str(), "CREATED"),
        (Order::Desc.as_str(), "DESC"),
    ] {
        assert_eq!(value, name);
    }
    assert!(Market::KNOWN.contains(&Market::BtcUsd) && Market::BtcUsd.is_known());
    let json: serde_json::Value = serde_json::to_value(Market::from("DOGEUSD")).unwrap();
    assert_eq!(json, "DOGEUSD");
}

/// All kinds that a program may match.
#[test]
fn kinds_are_matched_by_name() {
    use ErrorKind::{
        Configuration, Connect, Decode, InvalidRequest, RepeatedCursor, ResponseTooLarge,
        StaleCheckpoint, Status, Timeout, Token, Transport,
    };
    let kinds = [
        Configuration,
        Connect,
        Decode,
        InvalidRequest,
        RepeatedCursor,
        ResponseTooLarge,
        StaleCheckpoint,
        Status,
        Timeout,
        Token,
        Transport,
    ];

    let names: std::collections::BTreeSet<String> =
        kinds.iter().map(|kind| format!("{kind:?}")).collect();

    assert_eq!(names.len(), kinds.len());
}
