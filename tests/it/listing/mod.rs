//! Tests of listings, which are read page by page or record by record, exactly to their end.

mod ahead;
mod cursors;
mod refused_cursors;
mod repeats;

use digital_assets::types;
use futures_util::TryStreamExt;
use uuid::Uuid;

use crate::{
    prelude::*,
    specification::{
        DEPOSIT_ADDRESS, MONITORING_ADDRESS, QUOTE_EXECUTION, addresses, items, time, with,
    },
};

const PATH: &str = "GET /v2/transfer/deposit-addresses";

/// Returns a page as in section 4.3 of the specification. The records have these `ref_id`s, and
/// each has its own `id`.
fn page(ref_ids: &[&str], next_page_cursor: &str) -> Answer {
    let record = |ref_id: &&str| {
        let number = ref_id.bytes().fold(0, |number, byte| number * 256 + u128::from(byte));
        with(&renamed(DEPOSIT_ADDRESS, number), "ref_id", &format!("{ref_id:?}"))
    };
    let records: Vec<String> = ref_ids.iter().map(record).collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    json(200, items(&records, next_page_cursor))
}

/// Returns the record with another `id`.
fn renamed(record: &str, number: u128) -> String {
    with(record, "id", &format!("\"{}\"", Uuid::from_u128(number)))
}

fn once(script: impl IntoIterator<Item = Answer>) -> Environment {
    Environment::with(script, |client| client.retry(Retry::none()))
}

fn ref_id(record: types::DepositAddress) -> String {
    record.ref_id.unwrap_or_default()
}

/// Returns the queries that the service received, in order.
fn queries(env: &Environment) -> Vec<String> {
    let lines = env.service.lines().into_iter();
    lines.map(|line| line.trim_start_matches(PATH).trim_start_matches('?').to_owned()).collect()
}

// Section 8 of the specification: a response with further results contains a `next_page_cursor`. A
// request with this value as its `page_cursor` returns the next page.
#[tokio::test]
async fn a_listing_goes_from_cursor_to_cursor() -> Result<(), Error> {
    let script = || [page(&["1", "2"], "c1"), page(&["3"], "c2"), page(&["4", "5"], "")];
    let env = Environment::playing(script());
    let records = env.client.list_deposit_addresses().items();

    let ref_ids: Vec<String> = records.map_ok(ref_id).try_collect().await?;

    assert_eq!(ref_ids, ["1", "2", "3", "4", "5"]);
    assert_eq!(queries(&env), ["", "page_cursor=c1", "page_cursor=c2"]);

    let env = Environment::playing(script());
    let pages: Vec<_> = env.client.list_deposit_addresses().pages().try_collect().await?;
    assert_eq!(pages.iter().map(|page| page.items.len()).collect::<Vec<_>>(), [2, 1, 2]);
    assert_eq!(queries(&env), ["", "page_cursor=c1", "page_cursor=c2"]);
    Ok(())
}

// Sections 4.1, 4.2 and 4.3 of the specification.
#[tokio::test]
async fn every_listing_has_pages_and_items() -> Result<(), Error> {
    let script = [
        json(200, addresses(&[MONITORING_ADDRESS], "c")),
        json(
            200,
            addresses(&[&renamed(MONITORING_ADDRESS, 2), &renamed(MONITORING_ADDRESS, 3)], ""),
        ),
        json(200, items(&[QUOTE_EXECUTION], "c")),
        json(200, items(&[&renamed(QUOTE_EXECUTION, 2)], "")),
    ];
    let env = Environment::playing(script);

    let monitored: Vec<_> = env.client.list_monitoring_addresses().items().try_collect().await?;
    let executions = env.client.list_quote_executions().profile_id("p");
    let executions: Vec<_> = executions.items().try_collect().await?;

    assert_eq!((monitored.len(), executions.len()), (3, 2));
    let expected = [
        "GET /v2/rewards/monitor/address",
        "GET /v2/rewards/monitor/address?page_cursor=c",
        "GET /v2/profiles/p/quote-executions",
        "GET /v2/profiles/p/quote-executions?page_cursor=c",
    ];
    assert_eq!(env.service.lines(), expected);
    Ok(())
}

#[tokio::test]
async fn an_absent_null_or_empty_cursor_ends_a_listing() -> Result<(), Error> {
    for end in ["{}", r#"{"next_page_cursor":null}"#, r#"{"items":[],"next_page_cursor":""}"#] {
        let script = [page(&["1"], "c"), json(200, end)];
        let env = Environment::playing(script.clone().into_iter().chain(script));

        let list = || env.client.list_deposit_addresses();

        let pages: Vec<_> = list().pages().try_collect().await?;
        let records: Vec<_> = list().items().try_collect().await?;

        assert_eq!((pages.len(), records.len()), (2, 1), "{end}");
        assert_eq!(queries(&env), ["", "page_cursor=c", "", "page_cursor=c"], "{end}");
    }
    Ok(())
}

#[tokio::test]
async fn filters_are_repeated_with_every_cursor() -> Result<(), Error> {
    let env = Environment::playing([page(&[], "c/1+="), page(&[], "c 2"), page(&[], "")]);

    let call =
        env.client.list_deposit_addresses().ref_ids(vec!["a b".to_owned(), "ü&=".to_owned()]);
    let call = call.networks(vec![types::CryptoNetwork::Base, types::CryptoNetwork::Ink]);
    let call = call.created_at_gte(time("2025-01-01T00:00:00.5Z"));
    let pages: Vec<_> = call.limit(2).order(types::Order::Asc).pages().try_collect().await?;

    assert_eq!(pages.len(), 3);
    let requests = env.service.requests();
    let first = requests[0].sorted_query();
    assert_eq!(first.len(), 7);
    for (request, cursor) in std::iter::zip(&requests[1..], ["c/1+=", "c 2"]) {
        let (cursors, rest): (Vec<&str>, Vec<&str>) =
            request.sorted_query().into_iter().partition(|pair| pair.starts_with("page_cursor="));
        assert_eq!(rest, first);
        assert_eq!(cursors.len(), 1);
        assert!(request.parameters().contains(&("page_cursor".to_owned(), cursor.to_owned())));
    }
    Ok(())
}

#[tokio::test]
async fn after_an_error_a_listing_goes_on_at_the_page_that_failed() -> Result<(), Error> {
    for failure in [status(500), status(403), reset(), json(200, "[]"), json(200, "{").truncated()]
    {
        let script = [failure.clone(), page(&["1", "2"], "c1"), failure.clone(), failure];
        let script = script.into_iter().chain([page(&["3"], "c2"), page(&["4"], "")]);
        let env = once(script.clone());

        let (mut ref_ids, mut errors) = (Vec::new(), 0);
        let mut records = env.client.list_deposit_addresses().items();
        while let Some(record) = records.next().await {
            match record {
                Ok(record) => ref_ids.push(ref_id(record)),
                Err(_) => errors += 1,
            }
        }

        assert_eq!((ref_ids.join(" "), errors), ("1 2 3 4".to_owned(), 3));
        let c1 = "page_cursor=c1";
        assert_eq!(queries(&env), ["", "", c1, c1, c1, "page_cursor=c2"]);

        let env = once(script);
        let pages = env.client.list_deposit_addresses().pages().collect::<Vec<_>>().await;
        let outcomes: Vec<bool> = pages.iter().map(Result::is_ok).collect();
        assert_eq!(outcomes, [false, true, false, false, true, true]);
        assert_eq!(queries(&env), ["", "", c1, c1, c1, "page_cursor=c2"]);
    }
    Ok(())
}

#[tokio::test]
async fn a_page_comes_with_its_status_and_headers() -> Result<(), Error> {
    let env = Environment::playing([page(&["1"], "").header("x-request-id", "r-1")]);

    let page = env.client.list_deposit_addresses().pages().next().await.expect("a page")?;

    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["x-request-id"], "r-1");
    Ok(())
}
