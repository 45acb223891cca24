//! Tests with other projects' servers, and with proxies in front of this project's servers. See
//! `tests/description/with`.

use std::time::Duration;

use digital_assets::{Client, types};
use uuid::Uuid;

use crate::{
    log,
    oidc::variable,
    specification::{OPERATIONS, PROFILE},
};

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn every_parameter_passes_the_description() {
    let client = Client::from_env().unwrap();

    for shown in OPERATIONS {
        let called = (shown.call)(&client).await;
        assert!(called.is_ok(), "{}: {called:?}", shown.path);
    }
}

#[tokio::test]
#[ignore = "run by tests/description/contract"]
async fn every_page_and_a_filter_of_a_hundred_entries_pass_the_description() {
    let client = Client::from_env().unwrap();

    let executions = client.list_quote_executions().profile_id(PROFILE).market("BTCUSD").limit(2);
    let mut pages = executions.pages();
    for _ in 0..3 {
        let Some(page) = pages.next().await else { break };
        assert!(page.unwrap().items.iter().all(|it| it.market == types::Market::BtcUsd));
    }
    client.list_deposit_addresses().ids([Uuid::nil(); 100]).limit(1).send().await.unwrap();
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

    // This server rejects an expired token with a 401, and then the client would make another
    // attempt.
    let attempts = recorded.spans("attempt");
    let statuses: Vec<_> =
        attempts.iter().map(|it| it.field("http.response.status_code")).collect();
    assert_eq!(statuses, [Some("200"), Some("200")]);
}
