//! Tests of how responses are read: those from the specification, and variants that services send.

mod decimals;
mod enums;
mod errors;
mod metadata;

use chrono::Timelike;
use digital_assets::{ResponseValue, types};
use uuid::Uuid;

use crate::{
    prelude::*,
    specification::{
        DEPOSIT_ADDRESS, MONITORING_ADDRESS, QUOTE_EXECUTION, addresses, fields, items,
        new_members, time, with, without,
    },
};

fn answering(answer: Answer) -> Environment {
    Environment::with([answer], |client| client.bearer_token("word").retry(Retry::none()))
}

async fn executions(answer: Answer) -> Result<ResponseValue<types::QuoteExecutionPage>, Error> {
    answering(answer).client.list_quote_executions().profile_id("p").send().await
}

async fn monitored(answer: Answer) -> Result<ResponseValue<types::MonitoringAddressPage>, Error> {
    answering(answer).client.list_monitoring_addresses().send().await
}

async fn deposits(answer: Answer) -> Result<ResponseValue<types::DepositAddressPage>, Error> {
    answering(answer).client.list_deposit_addresses().send().await
}

async fn added(
    answer: Answer,
) -> Result<ResponseValue<types::AddInstitutionMembersResponse>, Error> {
    answering(answer).client.add_institution_members().body(new_members()).send().await
}

async fn execution(record: &str) -> Result<types::QuoteExecution, Error> {
    Ok(executions(json(200, items(&[record], ""))).await?.into_inner().items.remove(0))
}

async fn deposit(record: &str) -> Result<types::DepositAddress, Error> {
    Ok(deposits(json(200, items(&[record], ""))).await?.into_inner().items.remove(0))
}

// Section 2.1 of the specification.
#[tokio::test]
async fn a_quote_execution_has_every_field() -> Result<(), Error> {
    let record = execution(QUOTE_EXECUTION).await?;

    assert_eq!(record.id, uuid::uuid!("0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01"));
    assert_eq!(record.profile_id, uuid::uuid!("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"));
    assert_eq!(record.quote_id, uuid::uuid!("9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03"));
    assert_eq!(record.status, types::QuoteExecutionStatus::Settled);
    assert_eq!(record.market, types::Market::BtcUsd);
    assert_eq!(record.side, types::Side::Buy);
    assert_eq!(record.price, "64250.10");
    assert_eq!(record.base_amount, "0.016663334");
    assert_eq!(record.base_asset, "BTC");
    assert_eq!(record.quote_amount, "1070.62");
    assert_eq!(record.quote_asset, "USD");
    assert_eq!(record.created_at, time("2025-06-01T12:00:00Z"));
    assert_eq!(record.settled_at, Some(time("2025-06-01T12:00:05.250Z")));
    assert_eq!(record.metadata["order"], "A-1001");
    Ok(())
}

// Section 2.2 of the specification.
#[tokio::test]
async fn a_monitoring_address_has_every_field() -> Result<(), Error> {
    let page = monitored(json(200, addresses(&[MONITORING_ADDRESS], "next"))).await?;

    let record = &page.addresses[0];
    assert_eq!(record.address, "0x52908400098527886E0F7030069857D2E4169EE7");
    assert_eq!(record.id, uuid::uuid!("2e9a6d14-70b3-4c8f-9e21-8b4c5d6e7f04"));
    assert_eq!(record.crypto_network, types::CryptoNetwork::Ethereum);
    assert_eq!(record.name.as_deref(), Some("Treasury"));
    assert_eq!(record.created_at, time("2025-06-01T12:00:00Z"));
    assert_eq!(page.next_page_cursor.as_deref(), Some("next"));
    Ok(())
}

// Section 2.3 of the specification.
#[tokio::test]
async fn a_deposit_address_has_every_field() -> Result<(), Error> {
    let record = deposit(DEPOSIT_ADDRESS).await?;

    assert_eq!(record.id, uuid::uuid!("5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05"));
    assert_eq!(record.profile_id, Some(uuid::uuid!("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10")));
    assert_eq!(record.customer_id, Some(uuid::uuid!("8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607")));
    assert_eq!(record.identity_id, Some(uuid::uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06")));
    assert_eq!(record.ref_id.as_deref(), Some("customer-42"));
    assert_eq!(record.crypto_network, types::CryptoNetwork::Solana);
    assert_eq!(record.address, "4Nd1mYvXhT9pQeRsJ7wKcZbUaGfLxD2Ek8Hn5MtVoPq3");
    assert_eq!(record.conversion_target_asset.as_deref(), Some("USD"));
    let networks = [types::CryptoNetwork::Solana, types::CryptoNetwork::Base];
    assert_eq!(record.compatible_crypto_networks, networks);
    assert_eq!(record.metadata["desk"], "emea");
    assert_eq!(record.created_at, time("2025-06-01T12:00:00Z"));
    Ok(())
}

// Sections 2.4 and 4.4 of the specification.
#[tokio::test]
async fn an_institution_member_has_every_field() -> Result<(), Error> {
    let answer = added(json(200, MEMBERS)).await?;

    assert_eq!(answer.institution_id, uuid::uuid!("b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409"));
    let member = &answer.members[1];
    assert_eq!(member.identity_id, uuid::uuid!("8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607"));
    assert_eq!(member.roles, ["GRANTOR"]);
    assert_eq!(member.id, uuid::uuid!("f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b"));
    Ok(())
}

#[tokio::test]
async fn an_answer_comes_with_its_status_and_headers() -> Result<(), Error> {
    let answer = json(200, r#"{"total_count":7}"#).header("x-request-id", "r-1");
    let answer = answer.header("link", "</a>").header("x-plain", "1").header("link", "</b>");
    let page = executions(answer).await?;

    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["x-request-id"], "r-1");
    let links: Vec<_> = page.headers().get_all("link").iter().collect();
    assert_eq!(links, ["</a>", "</b>"]);
    assert_eq!(page.total_count, Some(7));
    Ok(())
}

#[tokio::test]
async fn records_are_written_as_they_were_read() -> Result<(), Error> {
    let written = serde_json::to_string(&execution(QUOTE_EXECUTION).await?).expect("JSON");
    let (mut written, mut read) = (fields(&written), fields(QUOTE_EXECUTION));
    let times = [written.remove("settled_at"), read.remove("settled_at")];
    let [written_time, read_time] = times.map(|t| t.and_then(|t| t.as_str().map(time)));

    assert_eq!(written, read);
    assert_eq!(written_time, read_time);
    let written = serde_json::to_string(&deposit(DEPOSIT_ADDRESS).await?).expect("JSON");
    assert_eq!(fields(&written), fields(DEPOSIT_ADDRESS));
    Ok(())
}

#[tokio::test]
async fn unknown_fields_are_passed_over() -> Result<(), Error> {
    let record = with(QUOTE_EXECUTION, "fee", r#"{"amount":"1","parts":[null,1.5,true]}"#);
    let body = format!(r#"{{"version":[{{}}],"items":[{record}],"total_count":1}}"#);

    let page = executions(json(200, body)).await?;

    assert_eq!(page.items.len(), 1);
    let with_link = with(MEMBERS, "link", r#""https://example.com""#);
    assert_eq!(added(json(200, with_link)).await?.members.len(), 2);
    Ok(())
}

#[tokio::test]
async fn an_empty_page_is_written_in_many_ways() -> Result<(), Error> {
    for body in [
        "{}",
        r#"{"items":[]}"#,
        r#"{"items":null}"#,
        r#"{"items":null,"next_page_cursor":null}"#,
        r#"{"items":[],"success":false}"#,
        r#"{"error":null,"next_page_cursor":""}"#,
        r#"{"items":null,"next_page_cursor":null,"unknown":null}"#,
        " \n{ \"items\" : [ ] }\r\n",
    ] {
        let page = executions(json(200, body)).await?;
        assert!(page.items.is_empty() && page.next_page_cursor.is_none(), "{body}");

        let page = deposits(json(200, body)).await?;
        assert!(page.items.is_empty() && page.next_page_cursor.is_none(), "{body}");

        let page = monitored(json(200, body.replace("items", "addresses"))).await?;
        assert!(page.addresses.is_empty() && page.next_page_cursor.is_none(), "{body}");
    }
    Ok(())
}

// An invalid value for an optional count doesn't make the whole page an error.
#[tokio::test]
async fn a_count_may_be_a_text_or_have_a_point() -> Result<(), Error> {
    for (count, expected) in [
        ("\"3\"", Some(3)),
        ("3.0", Some(3)),
        ("\" 3 \"", Some(3)),
        ("\"3.00\"", Some(3)),
        ("3", Some(3)),
        ("-3", Some(-3)),
        ("\"\"", None),
        ("null", None),
    ] {
        let page =
            executions(json(200, format!(r#"{{"items":[],"total_count":{count}}}"#))).await?;
        assert_eq!(page.total_count, expected, "{count}");
    }
    for count in ["3.5", "\"three\"", "true", "[]", "3e30", "2147483648", "\"2147483648\""] {
        let page = format!(r#"{{"items":[],"total_count":{count}}}"#);
        let error = executions(json(200, page)).await.expect_err(count);
        assert!(error.to_string().contains("total_count"), "{count}: {error}");
    }
    Ok(())
}

// Only one of the three listings has a `total_count` in the OpenAPI description.
#[tokio::test]
async fn a_member_that_another_listing_describes_is_not_described() -> Result<(), Error> {
    let body = r#"{"total_count":0}"#;
    assert!(executions(json(200, body)).await?.items.is_empty());
    let error = monitored(json(200, body)).await.expect_err("a page without addresses");
    assert_eq!(error.kind(), ErrorKind::Decode);

    // A property without a value doesn't show that the response is something else.
    let body = r#"{"addresses":null,"next_page_cursor":null,"total_count":null}"#;
    assert!(monitored(json(200, body)).await?.addresses.is_empty());
    Ok(())
}

fn absent_and_null(record: &str, optional: &[&str]) -> [String; 2] {
    let absent = optional.iter().fold(record.to_owned(), |record, field| without(&record, field));
    let null =
        optional.iter().fold(record.to_owned(), |record, field| with(&record, field, "null"));
    [absent, null]
}

#[tokio::test]
async fn what_is_optional_may_be_absent_or_null() -> Result<(), Error> {
    for record in absent_and_null(QUOTE_EXECUTION, &["settled_at", "metadata"]) {
        let record = execution(&record).await?;
        assert_eq!(record.settled_at, None);
        assert!(record.metadata.is_empty());
    }

    let optional = [
        "profile_id",
        "customer_id",
        "identity_id",
        "ref_id",
        "conversion_target_asset",
        "compatible_crypto_networks",
        "metadata",
    ];
    for record in absent_and_null(DEPOSIT_ADDRESS, &optional) {
        let record = deposit(&record).await?;
        assert_eq!((record.profile_id, record.customer_id, record.identity_id), (None, None, None));
        assert_eq!((record.ref_id, record.conversion_target_asset), (None, None));
        assert!(record.compatible_crypto_networks.is_empty() && record.metadata.is_empty());
    }

    let [absent, null] = absent_and_null(MONITORING_ADDRESS, &["name"]);
    let page = monitored(json(200, addresses(&[&absent, &null], ""))).await?;
    assert!(page.addresses.iter().all(|record| record.name.is_none()));
    Ok(())
}

#[tokio::test]
async fn an_optional_identifier_or_time_may_be_blank() -> Result<(), Error> {
    let record = execution(&with(QUOTE_EXECUTION, "settled_at", r#""""#)).await?;
    assert_eq!(record.settled_at, None);

    let ids = ["profile_id", "customer_id", "identity_id"];
    let blank = ids.iter().fold(DEPOSIT_ADDRESS.to_owned(), |r, f| with(&r, f, r#""""#));
    let record = deposit(&blank).await?;
    assert_eq!((record.profile_id, record.customer_id, record.identity_id), (None, None, None));
    Ok(())
}

#[tokio::test]
async fn the_nil_identifier_is_an_identifier() -> Result<(), Error> {
    let nil = r#""00000000-0000-0000-0000-000000000000""#;

    let record = execution(&with(QUOTE_EXECUTION, "quote_id", nil)).await?;
    assert_eq!(record.quote_id, Uuid::nil());
    let record = deposit(&with(DEPOSIT_ADDRESS, "customer_id", nil)).await?;
    assert_eq!(record.customer_id, Some(Uuid::nil()));
    Ok(())
}

// Section 2 of the specification: timestamps follow RFC 3339.
#[tokio::test]
async fn timestamps_keep_their_nanoseconds_and_heed_their_offset() -> Result<(), Error> {
    for (text, nanoseconds) in [
        ("2025-06-01T12:00:00Z", 0),
        ("2025-06-01T12:00:00.250Z", 250_000_000),
        ("2025-06-01T12:00:00.000250Z", 250_000),
        ("2025-06-01T12:00:00.123456789Z", 123_456_789),
        ("2025-06-01T14:00:00+02:00", 0),
        ("2025-06-01T06:30:00.5-05:30", 500_000_000),
    ] {
        let record = execution(&with(QUOTE_EXECUTION, "created_at", &format!("{text:?}"))).await?;
        assert_eq!(record.created_at.with_nanosecond(0), Some(time("2025-06-01T12:00:00Z")));
        assert_eq!(record.created_at.nanosecond(), nanoseconds, "{text}");
    }
    Ok(())
}
