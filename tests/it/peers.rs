//! Servers of other projects, and proxies in front of ours: `tests/description/with`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use digital_assets::{Client, types};
use uuid::Uuid;

use crate::{
    log,
    oidc::{request, variable},
};

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn every_parameter_passes_the_description() {
    let client = Client::from_env().unwrap();
    let begin: DateTime<Utc> = "2020-01-01T00:00:00.123456789Z".parse().unwrap();
    let end: DateTime<Utc> = "2030-01-01T00:00:00Z".parse().unwrap();
    let (uuids, texts) = (vec![Uuid::nil(); 100], vec!["a b/c&d=é".to_owned(); 2]);

    let executions = client
        .list_quote_executions()
        .profile_id(variable("PROFILE_ID"))
        .side(types::Side::Buy)
        .market(types::Market::BtcUsd)
        .status(types::QuoteExecutionStatus::Settled)
        .created_at_begin(begin)
        .created_at_end(end)
        .limit(2)
        .order(types::Order::Asc)
        .order_by(types::OrderBy::CreatedAt);
    let mut pages = executions.clone().pages();
    for _ in 0..3 {
        let Some(page) = pages.next().await else { break };
        assert!(page.unwrap().items.iter().all(|it| it.market == types::Market::BtcUsd));
    }
    executions.send().await.unwrap();

    let mut addresses = client
        .list_monitoring_addresses()
        .address("0x52908400098527886E0F7030069857D2E4169EE7")
        .crypto_network(types::CryptoNetwork::Ethereum)
        .limit(1000)
        .order(types::Order::Desc)
        .items();
    while let Some(address) = addresses.next().await {
        assert_eq!(address.unwrap().crypto_network, types::CryptoNetwork::Ethereum);
    }

    client
        .list_deposit_addresses()
        .profile_ids(texts.clone())
        .identity_ids(texts.clone())
        .account_ids(texts.clone())
        .ids(uuids)
        .ref_ids(texts)
        .networks(vec![types::CryptoNetwork::Solana, types::CryptoNetwork::Base])
        .created_at_lt(end)
        .created_at_lte(end)
        .created_at_eq(begin)
        .created_at_gte(begin)
        .created_at_gt(begin)
        .limit(1)
        .order(types::Order::Asc)
        .order_by(types::OrderBy::CreatedAt)
        .send()
        .await
        .unwrap();

    let added = client.add_institution_members().body(request()).send().await.unwrap();
    assert_eq!(added.members[0].roles, ["ROLE_NAME"]);
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn a_token_of_a_few_seconds_is_renewed() {
    let client = Client::from_env().unwrap();
    let lifetime = Duration::from_secs(variable("TOKEN_SECONDS").parse().unwrap());

    let (recorded, ()) = log::of(async {
        client.list_monitoring_addresses().send().await.unwrap();
        tokio::time::sleep(lifetime + Duration::from_millis(500)).await;
        client.list_monitoring_addresses().send().await.unwrap();
    })
    .await;

    // This server answers an old token with 401, and the client would call once more.
    let attempts = recorded.spans("attempt");
    let statuses: Vec<_> =
        attempts.iter().map(|it| it.field("http.response.status_code")).collect();
    assert_eq!(statuses, [Some("200"), Some("200")]);
}
