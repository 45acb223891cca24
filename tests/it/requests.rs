//! What is sent: every part of a request, as it stands on the wire.

use digital_assets::types::{self, AddInstitutionMembersRequest, InstitutionMemberToAdd};
use serde_json::Value;

use crate::{
    prelude::*,
    specification::{NEW_MEMBERS, OPERATIONS, new_members, time},
};

const PROFILE: &str = "7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10";

fn sorted<const N: usize>(mut parameters: [&str; N]) -> [&str; N] {
    parameters.sort_unstable();
    parameters
}

// Section 4.1.
#[tokio::test]
async fn quote_executions_are_asked_for_with_every_parameter() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);

    let call = env.client.list_quote_executions().profile_id(PROFILE);
    let call = call.side(types::Side::Buy).market(types::Market::BtcUsd);
    let call = call.status(types::QuoteExecutionStatus::Settled);
    let call = call.created_at_begin(time("2025-01-01T00:00:00Z"));
    let call = call.created_at_end(time("2025-12-31T23:59:59.123456789Z"));
    let call = call.limit(25).order(types::Order::Asc).order_by(types::OrderBy::CreatedAt);
    call.send().await?;

    let request = env.service.request();
    assert_eq!(request.path(), format!("GET /v2/profiles/{PROFILE}/quote-executions"));
    let expected = sorted([
        "side=BUY",
        "market=BTCUSD",
        "status=SETTLED",
        "created_at.begin=2025-01-01T00%3A00%3A00Z",
        "created_at.end=2025-12-31T23%3A59%3A59.123456789Z",
        "limit=25",
        "order=ASC",
        "order_by=CREATED_AT",
    ]);
    assert_eq!(request.sorted_query(), expected);
    Ok(())
}

// RFC 3339, section 5.6: a year has four digits.
#[tokio::test]
async fn times_beyond_four_digits_of_a_year_are_sent_as_the_first_and_the_last() -> Result<(), Error>
{
    let env = Environment::playing([json(200, "{}")]);

    let call = env.client.list_deposit_addresses();
    let call = call.created_at_gte(chrono::DateTime::<chrono::Utc>::MIN_UTC);
    call.created_at_lt(chrono::DateTime::<chrono::Utc>::MAX_UTC).send().await?;

    let expected = [
        "created_at.gte=0000-01-01T00%3A00%3A00Z",
        "created_at.lt=9999-12-31T23%3A59%3A59.999999999Z",
    ];
    assert_eq!(env.service.request().sorted_query(), expected);
    Ok(())
}

// Section 4.2.
#[tokio::test]
async fn monitoring_addresses_are_asked_for_with_every_parameter() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);

    let call = env.client.list_monitoring_addresses();
    let call = call.address("0x52908400098527886E0F7030069857D2E4169EE7");
    let call = call.crypto_network(types::CryptoNetwork::Ethereum);
    call.limit(1000).order(types::Order::Desc).page_cursor("next").send().await?;

    let request = env.service.request();
    assert_eq!(request.path(), "GET /v2/rewards/monitor/address");
    let expected = sorted([
        "address=0x52908400098527886E0F7030069857D2E4169EE7",
        "crypto_network=ETHEREUM",
        "limit=1000",
        "order=DESC",
        "page_cursor=next",
    ]);
    assert_eq!(request.sorted_query(), expected);
    Ok(())
}

// Section 4.3.
#[tokio::test]
async fn deposit_addresses_are_asked_for_with_every_parameter() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);

    let call = env.client.list_deposit_addresses();
    let call = call.profile_ids(vec!["p-1".to_owned(), "p-2".to_owned()]);
    let call = call.identity_ids(vec!["i-1".to_owned()]);
    let call = call.account_ids(vec!["a-1".to_owned(), "a-2".to_owned(), "a-3".to_owned()]);
    let call = call.ids(vec![uuid::uuid!("5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05")]);
    let call = call.ref_ids(vec!["customer-42".to_owned()]);
    let call = call.networks(vec![types::CryptoNetwork::Solana, types::CryptoNetwork::BitcoinCash]);
    let call = call.created_at_lt(time("2025-01-01T00:00:01Z"));
    let call = call.created_at_lte(time("2025-01-01T00:00:02Z"));
    let call = call.created_at_eq(time("2025-01-01T00:00:03Z"));
    let call = call.created_at_gte(time("2025-01-01T00:00:04Z"));
    let call = call.created_at_gt(time("2025-01-01T00:00:05Z"));
    let call = call.limit(100).order(types::Order::Asc).order_by(types::OrderBy::CreatedAt);
    call.page_cursor("next").send().await?;

    let request = env.service.request();
    assert_eq!(request.path(), "GET /v2/transfer/deposit-addresses");
    let expected = sorted([
        "profile_ids=p-1",
        "profile_ids=p-2",
        "identity_ids=i-1",
        "account_ids=a-1",
        "account_ids=a-2",
        "account_ids=a-3",
        "ids=5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05",
        "ref_ids=customer-42",
        "networks=SOLANA",
        "networks=BITCOIN_CASH",
        "created_at.lt=2025-01-01T00%3A00%3A01Z",
        "created_at.lte=2025-01-01T00%3A00%3A02Z",
        "created_at.eq=2025-01-01T00%3A00%3A03Z",
        "created_at.gte=2025-01-01T00%3A00%3A04Z",
        "created_at.gt=2025-01-01T00%3A00%3A05Z",
        "limit=100",
        "order=ASC",
        "order_by=CREATED_AT",
        "page_cursor=next",
    ]);
    assert_eq!(request.sorted_query(), expected);
    Ok(())
}

// Section 4.4.
#[tokio::test]
async fn members_are_added_with_the_body_of_the_specification() -> Result<(), Error> {
    let env = Environment::playing([json(200, MEMBERS)]);

    env.client.add_institution_members().body(new_members()).send().await?;

    let request = env.service.request();
    assert_eq!(request.line, "POST /v2/identity/institution-members");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("content-length"), Some(&*request.body.len().to_string()));
    assert_eq!(request.header("transfer-encoding"), None);
    let (sent, expected) = (request.body.parse::<Value>(), NEW_MEMBERS.parse::<Value>());
    assert_eq!(sent.expect("JSON"), expected.expect("JSON"));
    Ok(())
}

// Section 4.4: the required status of `roles` is not shown.
#[tokio::test]
async fn roles_that_are_empty_are_left_out() -> Result<(), Error> {
    let answer = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[
        {"identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06","roles":["DEFAULT"],
         "id":"e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a"}]}"#;
    let env = Environment::playing([json(200, answer)]);

    let identity_id = uuid::uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06");
    let body = AddInstitutionMembersRequest {
        institution_id: uuid::uuid!("b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409"),
        members: vec![InstitutionMemberToAdd { identity_id, roles: Vec::new() }],
    };
    let added = env.client.add_institution_members().body(body).send().await?;

    let expected = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[{"identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"}]}"#;
    assert_eq!(env.service.request().body, expected);
    assert_eq!(added.members[0].roles, ["DEFAULT"]);
    Ok(())
}

// Section 5, point 2.
#[tokio::test]
async fn every_operation_bears_its_headers_and_no_others() -> Result<(), Error> {
    const AGENT: &str = "digital-assets/0.1.0";
    for (env, agent) in [
        (Environment::well(|client| client), AGENT),
        (Environment::well(|client| client.user_agent("backoffice/2")), "backoffice/2"),
    ] {
        call_each(&env.client).await?;

        let requests = env.service.requests();
        assert_eq!(requests.len(), 4);
        for (request, token) in std::iter::zip(requests, ["word-1", "word-2", "word-3", "word-4"]) {
            let line = &request.line;
            let authorization = format!("Bearer {token}");
            assert_eq!(request.header("authorization"), Some(&*authorization), "{line}");
            assert_eq!(request.header("accept"), Some("application/json"), "{line}");
            assert_eq!(request.header("user-agent"), Some(agent), "{line}");
            assert_eq!(request.header("api-version"), None, "{line}");
            if line.starts_with("GET") {
                assert_eq!(request.header("content-type"), None, "{line}");
                assert_eq!(request.body, "", "{line}");
            }
        }
    }
    Ok(())
}

// Section 1: all paths are appended to {base_url}.
#[tokio::test]
async fn paths_are_appended_to_the_base_url() -> Result<(), Error> {
    for (base, expected) in [
        ("", "GET /v2/rewards/monitor/address"),
        ("/", "GET /v2/rewards/monitor/address"),
        ("/gateway", "GET /gateway/v2/rewards/monitor/address"),
        ("/gateway/", "GET /gateway/v2/rewards/monitor/address"),
        ("/gateway/assets//", "GET /gateway/assets/v2/rewards/monitor/address"),
    ] {
        let env = Environment::playing([json(200, "{}")]);
        let client = Client::builder(format!("{}{base}", env.service.url()));
        let client = client.bearer_token("word").build()?;

        client.list_monitoring_addresses().send().await?;

        assert_eq!(env.service.lines(), [expected], "{base}");
    }
    Ok(())
}

// Sections 4 and 5.
#[test]
fn operations_are_those_of_the_specification() {
    let ours: Vec<_> = operation::ALL
        .iter()
        .map(|operation| {
            (operation.method().to_string(), operation.path(), operation.scopes().join(" "))
        })
        .collect();

    for (method, path, scope) in OPERATIONS {
        let shown = (method.to_owned(), path, scope.to_owned());
        assert!(ours.contains(&shown), "{shown:?} is not in {ours:#?}");
    }
}
