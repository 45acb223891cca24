//! How answers are read: those of the specification, and those that services give besides.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    fmt::{Debug, Display},
    str::FromStr,
};

use chrono::Timelike;
use digital_assets::{Error, ErrorKind, ResponseValue, Retry, types};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{
    Environment, cases, printed,
    server::{Answer, json, status},
    specification::{
        DEPOSIT_ADDRESS, MARKETS, MEMBERS, MONITORING_ADDRESS, NETWORKS, QUOTE_EXECUTION,
        addresses, fields, items, new_members, time, with, without,
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

// Section 2.1.
#[tokio::test]
async fn a_quote_execution_has_every_field() -> Result<(), Error> {
    let record = execution(QUOTE_EXECUTION).await?;

    assert_eq!(record.id, uuid::uuid!("0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01"));
    assert_eq!(record.profile_id, uuid::uuid!("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"));
    assert_eq!(record.quote_id, uuid::uuid!("9b2d7c60-41c5-4e0a-b3a7-5d8e6f1a2b03"));
    assert_eq!(record.status, types::QuoteExecutionStatus::Settled);
    assert_eq!(record.market, types::Market::BtcUsd);
    assert_eq!(record.side, types::Side::Buy);
    assert_eq!(&*record.price, "64250.10");
    assert_eq!(&*record.base_amount, "0.016663334");
    assert_eq!(record.base_asset, "BTC");
    assert_eq!(&*record.quote_amount, "1070.62");
    assert_eq!(record.quote_asset, "USD");
    assert_eq!(record.created_at, time("2025-06-01T12:00:00Z"));
    assert_eq!(record.settled_at, Some(time("2025-06-01T12:00:05.250Z")));
    assert_eq!(record.metadata["order"], "A-1001");
    Ok(())
}

// Section 2.2.
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

// Section 2.3.
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

// Sections 2.4 and 4.4.
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
async fn an_unknown_value_of_an_enum_is_kept() -> Result<(), Error> {
    let record = with(QUOTE_EXECUTION, "market", r#""BTCGBP""#);
    let record = with(&with(&record, "side", r#""SHORT""#), "status", r#""CANCELLED""#);
    let record = execution(&record).await?;

    let texts = [record.market.as_str(), record.side.as_str(), record.status.as_str()];
    assert_eq!(texts, ["BTCGBP", "SHORT", "CANCELLED"]);
    assert!(!record.market.is_known() && !record.side.is_known() && !record.status.is_known());

    let record = with(DEPOSIT_ADDRESS, "compatible_crypto_networks", r#"["BASE","TRON",""]"#);
    let record = deposit(&with(&record, "crypto_network", r#""TRON""#)).await?;

    assert_eq!(record.crypto_network.to_string(), "TRON");
    let networks = record.compatible_crypto_networks.iter().map(types::CryptoNetwork::as_str);
    assert_eq!(networks.collect::<Vec<_>>(), ["BASE", "TRON", ""]);
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
        r#"{"items":null,"next_page_cursor":null,"total_count":null}"#,
        r#"{"total_count":0}"#,
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

#[tokio::test]
async fn what_is_optional_may_be_absent_or_null() -> Result<(), Error> {
    let optional = ["settled_at", "metadata"];
    let absent = optional.iter().fold(QUOTE_EXECUTION.to_owned(), |r, f| without(&r, f));
    let null = optional.iter().fold(QUOTE_EXECUTION.to_owned(), |r, f| with(&r, f, "null"));
    for record in [absent, null] {
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
    let absent = optional.iter().fold(DEPOSIT_ADDRESS.to_owned(), |r, f| without(&r, f));
    let null = optional.iter().fold(DEPOSIT_ADDRESS.to_owned(), |r, f| with(&r, f, "null"));
    for record in [absent, null] {
        let record = deposit(&record).await?;
        assert_eq!((record.profile_id, record.customer_id, record.identity_id), (None, None, None));
        assert_eq!((record.ref_id, record.conversion_target_asset), (None, None));
        assert!(record.compatible_crypto_networks.is_empty() && record.metadata.is_empty());
    }

    let absent = without(MONITORING_ADDRESS, "name");
    let null = with(MONITORING_ADDRESS, "name", "null");
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

// Section 2.1: a decimal number carried as text.
#[tokio::test]
async fn decimals_are_kept_byte_for_byte() -> Result<(), Error> {
    for text in ["25", "100.00", "0.016663334", "0.1234567890123456789012345678901", "-0", "1E-7"] {
        let record = with(QUOTE_EXECUTION, "price", &format!("{text:?}"));
        assert_eq!(execution(&record).await?.price.as_str(), text);
    }
    Ok(())
}

// Section 2: RFC 3339.
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

// Section 2.1: the types of the metadata values are not shown.
#[tokio::test]
async fn metadata_takes_any_value() -> Result<(), Error> {
    let values = r#"{"":"","n":1.50,"big":18446744073709551615,"no":null,"in":{"a":[1,"2"]}}"#;

    let record = execution(&with(QUOTE_EXECUTION, "metadata", values)).await?;

    assert_eq!(record.metadata, fields(values));
    Ok(())
}

#[tokio::test]
async fn another_shape_is_an_error_that_names_the_field_and_no_data() {
    let late = with(QUOTE_EXECUTION, "created_at", r#""sesame""#);
    let good = QUOTE_EXECUTION;
    let page = |record: &str| items(&[record], "");
    for (body, words) in [
        (items(&[good, good, good, &late], ""), "items[3].created_at"),
        (page(&with(good, "id", r#""sesame""#)), "items[0].id"),
        (page(&with(good, "id", r#""""#)), "items[0].id"),
        (page(&with(good, "market", "5309")), "items[0].market"),
        (page(&with(good, "price", "null")), "items[0].price"),
        (page(&with(good, "metadata", r#"["sesame"]"#)), "items[0].metadata"),
        (page(&without(good, "quote_id")), "quote_id"),
        (page("[]"), "items[0]"),
        (page(r#""sesame""#), "items[0]"),
        (page("null"), "items[0]"),
        (r#"{"items":{"sesame":1}}"#.to_owned(), "items"),
        (r#"{"items":"sesame"}"#.to_owned(), "items"),
        (r#"{"total_count":"sesame"}"#.to_owned(), "total_count"),
        (r#"{"next_page_cursor":{"sesame":1}}"#.to_owned(), "next_page_cursor"),
        ("[]".to_owned(), ""),
        (r#"["sesame"]"#.to_owned(), ""),
        ("null".to_owned(), ""),
        (r#""sesame""#.to_owned(), ""),
        (r#"{"items":[]} sesame"#.to_owned(), ""),
        (r#"{"items":[]"#.to_owned(), ""),
        ("<html>sesame</html>".to_owned(), ""),
        (String::new(), ""),
    ] {
        let answer = json(200, body.clone()).header("x-request-id", "r-1");

        let error = executions(answer).await.expect_err(&body);

        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(200), "{body}");
        assert_eq!(error.headers().map(|h| h["x-request-id"].as_bytes()), Some(&b"r-1"[..]));
        assert_eq!(error.body(), Some(body.as_bytes()));
        assert_eq!(error.attempts(), 1, "{body}");
        assert!(!error.is_retryable(), "{body}");
        let message = error.to_string();
        assert!(message.contains(words) && message.lines().count() == 1, "{words}: {message}");
        let printed = printed(&error);
        assert!(!printed.contains("sesame") && !printed.contains("5309"), "{printed}");
        assert!(!printed.contains("64250") && !printed.contains("0c1f4a3e"), "{printed}");
    }
}

#[tokio::test]
async fn the_array_of_every_listing_is_named_in_its_errors() {
    let record = with(MONITORING_ADDRESS, "created_at", "1748779200");
    let error = monitored(json(200, addresses(&[MONITORING_ADDRESS, &record], ""))).await;
    let error = error.expect_err("a number for a time");
    assert!(error.to_string().contains("addresses[1].created_at"), "{error}");

    let record = with(DEPOSIT_ADDRESS, "compatible_crypto_networks", r#"["BASE",[]]"#);
    let error = deposits(json(200, items(&[&record], ""))).await.expect_err("an array in an array");
    let path = "items[0].compatible_crypto_networks[1]";
    assert!(error.to_string().contains(path), "{error}");

    let members = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[[]]}"#;
    let error = added(json(200, members)).await.expect_err("an array for a member");
    assert!(error.to_string().contains("members[0]"), "{error}");
}

#[tokio::test]
async fn nesting_without_end_is_an_error_and_no_crash() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", r#"{"sesame":"#.repeat(100_000), "}".repeat(100_000));
    for deep in [deep, objects, "[".repeat(100_000)] {
        let metadata = QUOTE_EXECUTION.replace(r#"{"order": "A-1001"}"#, &deep);
        let value_in_metadata = QUOTE_EXECUTION.replace(r#""A-1001""#, &deep);
        for record in [&deep, &metadata, &value_in_metadata] {
            let error = executions(json(200, items(&[record], ""))).await.expect_err("too deep");
            assert_eq!(error.kind(), ErrorKind::Decode);
            assert!(!printed(&error).contains("sesame"));
        }

        let problem = executions(json(500, format!(r#"{{"meta":{deep}}}"#))).await;
        assert_eq!(problem.expect_err("a failure").kind(), ErrorKind::Status);
        // What nobody asks for may be passed over.
        let unknown = executions(json(200, format!(r#"{{"unknown":{deep}}}"#))).await;
        assert!(unknown.is_ok_and(|page| page.items.is_empty()) || !deep.ends_with([']', '}']));
    }
}

// RFC 7807, section 3.1; whatever the content type (section 7 shows none).
#[tokio::test]
async fn a_problem_is_read_whatever_its_content_type() {
    let body = r#"{"type":"https://example.com/probs/funds","title":"Not enough funds",
        "status":422,"detail":"Account 12345 holds 30","meta":{"balance":[30]}}"#;
    let answer = status(422).body(body);
    for answer in [
        answer.clone(),
        answer.clone().header("content-type", "application/json"),
        answer.clone().header("content-type", "application/problem+json; charset=utf-8"),
        answer.clone().header("content-type", "text/html"),
    ] {
        let error = executions(answer).await.expect_err("a problem");

        assert_eq!(error.kind(), ErrorKind::Status);
        assert_eq!(error.body(), Some(body.as_bytes()));
        let problem = error.problem().expect("a problem");
        assert_eq!(problem.type_uri.as_deref(), Some("https://example.com/probs/funds"));
        assert_eq!(problem.title.as_deref(), Some("Not enough funds"));
        assert_eq!(problem.status, Some(422));
        assert_eq!(problem.detail.as_deref(), Some("Account 12345 holds 30"));
        assert_eq!(problem.meta, Some(serde_json::json!({ "balance": [30] })));
        let message = error.to_string();
        assert!(message.contains("422") && message.contains("Not enough funds"), "{message}");
        assert!(!printed(&error).contains("12345"), "{error:?}");
    }
}

#[tokio::test]
async fn a_problem_may_lack_any_of_its_fields() {
    for body in [
        r#"{"title":"Gone"}"#,
        r#"{"title":"Gone","status":null,"detail":null,"type":null,"meta":null}"#,
        r#"{"title":"Gone","status":"410","detail":["a"],"type":7}"#,
        r#"{"title":"Gone","status":70000}"#,
    ] {
        let error = executions(json(410, body)).await.expect_err(body);

        let problem = error.problem().expect(body);
        assert_eq!(problem.title.as_deref(), Some("Gone"), "{body}");
        assert_eq!((&problem.type_uri, problem.status, &problem.detail), (&None, None, &None));
        assert_eq!(problem.meta, None, "{body}");
    }
}

#[tokio::test]
async fn a_status_is_never_lost_behind_a_body() {
    for body in ["", "<html>502</html>", "[]", "null", "{", "7", r#""title""#, "\u{feff}{}"] {
        let error = executions(status(502).body(body)).await.expect_err(body);

        assert_eq!(error.kind(), ErrorKind::Status, "{body}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(502), "{body}");
        assert_eq!(error.body(), Some(body.as_bytes()));
        assert_eq!(error.problem(), None, "{body}");
    }
    let error = executions(status(502).body("half").truncated()).await.expect_err("half a body");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    assert_eq!(error.body(), Some(&b"half"[..]));
}

#[tokio::test]
async fn of_a_failed_answer_64_kib_are_kept() {
    let body = "x".repeat(300_000);

    let error = executions(status(500).body(body)).await.expect_err("a failure");

    assert_eq!(error.body().map(<[u8]>::len), Some(65_536));
}

#[tokio::test]
async fn a_title_of_many_lines_prints_as_one() {
    let body = r#"{"title":"Gone\r\nfor\u001b[31m good"}"#;

    let error = executions(json(410, body)).await.expect_err("a problem");

    let message = error.to_string();
    assert!(!message.contains(char::is_control), "{message:?}");
}

// Section 4: every successful response has status 200.
#[tokio::test]
async fn a_success_of_another_status_is_no_success() {
    for code in [201, 202, 204, 206] {
        let answer = if code == 204 { status(204) } else { json(code, MEMBERS) };

        let error = added(answer).await.expect_err("not 200");

        assert_eq!(error.kind(), ErrorKind::Status, "{code}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(code));
        assert!(error.may_have_been_applied(), "{code}");
    }
}

fn texts(list: &str) -> Vec<&str> {
    list.split(", ").collect()
}

// Sections 2.1, 2.5, 2.6, 4.1 and 4.3.
#[test]
fn the_known_values_are_those_of_the_specification_in_its_order() {
    use types::{CryptoNetwork, Market, Order, OrderBy, QuoteExecutionStatus, Side};

    let known = |values: &mut dyn Iterator<Item = &'static str>| values.collect::<Vec<_>>();

    assert_eq!(known(&mut Market::KNOWN.iter().map(Market::as_str)), texts(MARKETS));
    assert_eq!(known(&mut CryptoNetwork::KNOWN.iter().map(CryptoNetwork::as_str)), texts(NETWORKS));
    assert_eq!(known(&mut Side::KNOWN.iter().map(Side::as_str)), ["BUY", "SELL"]);
    assert_eq!(known(&mut Order::KNOWN.iter().map(Order::as_str)), ["DESC", "ASC"]);
    assert_eq!(known(&mut OrderBy::KNOWN.iter().map(OrderBy::as_str)), ["CREATED_AT"]);
    let statuses = known(&mut QuoteExecutionStatus::KNOWN.iter().map(QuoteExecutionStatus::as_str));
    assert_eq!(statuses, ["CREATED", "SETTLED"]);
}

#[test]
fn variants_are_named_in_words() {
    use types::{CryptoNetwork, Market};

    assert_eq!(Market::from("BTCUSD"), Market::BtcUsd);
    assert_eq!(Market::from("TRUMPUSD"), Market::TrumpUsd);
    assert_eq!(CryptoNetwork::from("BITCOIN_CASH"), CryptoNetwork::BitcoinCash);
    assert_eq!(CryptoNetwork::from("POLYGON_POS"), CryptoNetwork::PolygonPos);
    assert_eq!(CryptoNetwork::from("XLAYER"), CryptoNetwork::Xlayer);
    assert_eq!(types::Side::from("BUY"), types::Side::Buy);
    assert_eq!(types::QuoteExecutionStatus::from("SETTLED"), types::QuoteExecutionStatus::Settled);
    assert_eq!(types::Order::from("DESC"), types::Order::Desc);
    assert_eq!(types::OrderBy::from("CREATED_AT"), types::OrderBy::CreatedAt);
}

trait Open:
    FromStr<Err = Infallible>
    + From<String>
    + for<'a> From<&'a str>
    + Serialize
    + DeserializeOwned
    + Display
    + Debug
    + Clone
    + Ord
    + std::hash::Hash
{
}

impl Open for types::Market {}
impl Open for types::CryptoNetwork {}
impl Open for types::Side {}
impl Open for types::QuoteExecutionStatus {}
impl Open for types::Order {}
impl Open for types::OrderBy {}

/// Whatever the way in, it is the same value; whatever the way out, the same text.
fn assert_open<T: Open>(text: &str, known: &[T], as_str: fn(&T) -> &str, is_known: fn(&T) -> bool) {
    let value = T::from(text);

    let Ok(parsed) = text.parse::<T>();
    let json = serde_json::to_string(&value).expect("JSON");
    assert_eq!(json, serde_json::to_string(text).expect("JSON"));
    let borrowed: T = serde_json::from_str(&json).expect("a string");
    let owned: T = serde_json::from_value(text.into()).expect("a string");
    let ways_in = BTreeSet::from([T::from(text.to_owned()), parsed, borrowed, owned]);

    assert_eq!(ways_in, BTreeSet::from([value.clone()]));
    assert_eq!((as_str(&value), &*value.to_string()), (text, text));
    let is_listed = known.iter().any(|value| as_str(value) == text);
    assert_eq!(is_known(&value), is_listed, "{value:?}");
    assert_eq!(known.contains(&value), is_listed, "{value:?}");
}

fn assert_all_open(text: &str) {
    use types::{CryptoNetwork, Market, Order, OrderBy, QuoteExecutionStatus as Status, Side};

    assert_open(text, Market::KNOWN, Market::as_str, Market::is_known);
    assert_open(text, CryptoNetwork::KNOWN, CryptoNetwork::as_str, CryptoNetwork::is_known);
    assert_open(text, Side::KNOWN, Side::as_str, Side::is_known);
    assert_open(text, Status::KNOWN, Status::as_str, Status::is_known);
    assert_open(text, Order::KNOWN, Order::as_str, Order::is_known);
    assert_open(text, OrderBy::KNOWN, OrderBy::as_str, OrderBy::is_known);
}

#[test]
fn known_values_go_round() {
    let lists = [MARKETS, NETWORKS, "BUY, SELL, CREATED, SETTLED, DESC, ASC, CREATED_AT"];

    for text in lists.into_iter().flat_map(texts) {
        assert_all_open(text);
        assert_all_open(&text.to_lowercase());
        assert_all_open(&format!(" {text}"));
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_value_of_an_enum_goes_round(text in any::<String>()) {
        assert_all_open(&text);
    }

    #[test]
    fn any_decimal_goes_round(text in prop_oneof!["-?[0-9]{0,30}\\.?[0-9]{0,30}", any::<String>()]) {
        let json = serde_json::to_string(&text).expect("JSON");

        let decimal: types::Decimal = serde_json::from_str(&json).expect("a string");

        prop_assert_eq!(decimal.as_str(), &text);
        prop_assert_eq!(&*decimal, &text);
        prop_assert_eq!(decimal.to_string(), text);
        prop_assert_eq!(serde_json::to_string(&decimal).expect("JSON"), json);
    }
}
