//! Tests of services that list a record again: on the next page, or each time that other records
//! arrive.

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::types::{DepositAddress, Order};

use super::{page, ref_id, renamed, time};
use crate::{
    prelude::*,
    specification::{DEPOSIT_ADDRESS, MONITORING_ADDRESS, addresses, items, with},
};

/// Returns the `ref_id`s of a listing's records.
async fn listed(script: impl IntoIterator<Item = Answer>) -> Vec<String> {
    let env = Environment::playing(script);
    let mut records = env.client.list_deposit_addresses().items();
    let mut listed = Vec::new();
    while let Some(record) = within_bounds(records.next()).await {
        listed.push(ref_id(record.unwrap()));
    }
    listed
}

// If cursors are offsets, records that arrive push earlier records onto the next page.
#[tokio::test]
async fn a_record_of_the_page_before_comes_once() {
    for (script, expected) in [
        (vec![page(&["3", "2"], "a"), page(&["3", "2"], "b"), page(&["1"], "")], "3 2 1"),
        (vec![page(&["4", "3"], "a"), page(&["3", "2"], "b"), page(&["2", "1"], "")], "4 3 2 1"),
        (vec![page(&["2", "1"], "a"), page(&[], "b"), page(&["1", "0"], "")], "2 1 0"),
        (vec![page(&["2", "1"], "a"), page(&["2", "1"], "")], "2 1"),
    ] {
        assert_eq!(listed(script).await.join(" "), expected);
    }
}

// Section 4.2 of the specification has no `order`, and doesn't say how the records are sorted.
#[tokio::test]
async fn a_record_of_the_page_before_comes_once_whatever_the_listing() {
    let record = |number: u128| {
        let time = format!("\"2025-06-01T12:00:0{number}Z\"");
        with(&renamed(MONITORING_ADDRESS, number), "created_at", &time)
    };
    let [one, two, three] = [1, 2, 3].map(record);
    let script = [
        json(200, addresses(&[&three, &two], "a")),
        json(200, addresses(&[&three, &two], "b")),
        json(200, addresses(&[&two, &one], "")),
    ];
    let env = Environment::playing(script);

    let mut records = env.client.list_monitoring_addresses().items();
    let mut seconds = Vec::new();
    while let Some(record) = records.next().await {
        seconds.push(record.unwrap().created_at.timestamp() % 60);
    }

    assert_eq!(seconds, [3, 2, 1]);
}

const BEGIN: &str = "2025-06-01T12:00:00Z";

/// Returns a service with fifty records, a second apart. Each page has ten records and begins with
/// the last record of the previous page.
fn overlapping() -> InMemory {
    InMemory::scripted(|_, request| {
        let query: std::collections::HashMap<_, _> = request.url().query_pairs().collect();
        let begin: DateTime<Utc> = time(BEGIN);
        let from = query.get("created_at.gte").map_or(begin, |from| time(from));
        let descending = query.get("order").is_none_or(|order| order == "DESC");
        let mut numbers: Vec<u32> =
            (0..50).filter(|number| begin + second(*number) >= from).collect();
        if descending {
            numbers.reverse();
        }
        let at: usize = query.get("page_cursor").map_or(0, |at| at.parse().unwrap());
        let size: usize = query.get("limit").map_or(10, |size| size.parse().unwrap());
        let end = (at + size).min(numbers.len());
        let records: Vec<String> = numbers[at..end]
            .iter()
            .map(|number| {
                let record = renamed(DEPOSIT_ADDRESS, (*number + 1).into());
                let time = (begin + second(*number)).to_rfc3339();
                with(&record, "created_at", &format!("{time:?}"))
            })
            .collect();
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        let next = if end < numbers.len() { (end - 1).to_string() } else { String::new() };
        json(200, items(&records, &next))
    })
}

fn second(number: u32) -> TimeDelta {
    TimeDelta::seconds(number.into())
}

#[tokio::test(start_paused = true)]
async fn a_page_that_repeats_the_last_record_before_it_doubles_none_at_any_concurrency() {
    for order in [Order::Asc, Order::Desc] {
        for concurrency in [1, 2, 4, 8] {
            let list = overlapping().client().list_deposit_addresses().order(order.clone());
            let mut records = list.limit(10).items().concurrency(concurrency);
            let mut numbers = Vec::new();
            while let Some(record) = within_bounds(records.next()).await {
                let record: DepositAddress = record.unwrap();
                numbers.push((record.created_at - time(BEGIN)).num_seconds());
            }

            let mut expected: Vec<i64> = (0..50).collect();
            if order == Order::Desc {
                expected.reverse();
            }
            assert_eq!(numbers, expected, "{order} {concurrency}");
        }
    }
}
