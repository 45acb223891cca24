//! Listings of records that have a time and no identifier, or that come in another order than their
//! times.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};

use super::Items;
use crate::{
    BoxFuture, Checkpoint, Client, Error, Id, Operation, Record,
    call::{Call, PreparedCall, Query},
    listing::{
        CURSOR,
        pager::{Fetch, PageRecords},
        plan::Plan,
        sealed,
    },
};

struct Entry {
    number: usize,
    time: DateTime<Utc>,
    has_id: bool,
}

impl sealed::Record for Entry {}

impl Record for Entry {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(self.time)
    }

    fn id(&self) -> Option<Id> {
        self.has_id.then(|| self.number.to_string().as_str().into())
    }
}

/// When the records were created, in milliseconds, in the order of their listing.
const IN_ORDER: [i64; 10] = [1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 3_000, 4_000, 4_000, 5_000];
/// In the order of their seconds.
const IN_SECONDS: [i64; 20] = [
    1_700, 1_100, 1_900, 1_300, 2_200, 2_900, 2_100, 2_400, 3_800, 3_000, 3_400, 3_200, 4_500,
    4_600, 4_100, 4_900, 5_300, 5_000, 5_800, 5_100,
];

/// Pages of three records.
fn fetch(
    call: Call,
    times: &'static [i64],
    has_id: bool,
) -> BoxFuture<'static, Result<PageRecords<Entry>, Error>> {
    Box::pin(async move {
        let from: Option<DateTime<Utc>> =
            call.query.get("created_at.begin").map(|from| from.parse().unwrap());
        let at = call.query.get(CURSOR).map(str::to_owned);
        let behind = at.as_deref().map_or(0, |at| at.parse().unwrap());
        let all = times.iter().enumerate().map(|(number, time)| Entry {
            number,
            time: DateTime::from_timestamp_millis(*time).unwrap(),
            has_id,
        });
        let listed = all.filter(|record| from.is_none_or(|from| record.time >= from)).skip(behind);
        let records: Vec<Entry> = listed.take(3).collect();
        let next = (records.len() == 3).then(|| (behind + 3).to_string());
        Ok(PageRecords { at, records, next })
    })
}

fn items(operation: Operation, fetch: Fetch<PageRecords<Entry>>) -> Items<Entry> {
    let sender =
        Client::builder("http://127.0.0.1:1").bearer_token("token").build().unwrap().sender;
    let mut query = Query::default();
    query.add("order", ["ASC"]);
    let call = Call { operation, path: "/".to_owned(), query, headers: Vec::new(), body: None };
    let start = PreparedCall { sender, call, is_empty: false };
    Items::of(Ok(Plan::new(operation.listing().unwrap(), start, fetch)))
}

/// Hands out so many records, stops and resumes, until there are no more.
async fn numbers(step: usize, items: impl Fn() -> Items<Entry>) -> Vec<usize> {
    let (mut numbers, mut kept) = (Vec::new(), None::<Checkpoint>);
    loop {
        let mut items = items();
        if let Some(kept) = kept {
            items = items.resume(kept);
        }
        let before = numbers.len();
        while numbers.len() < before + step
            && let Some(record) = items.next().await
        {
            numbers.push(record.unwrap().number);
        }
        if numbers.len() == before || numbers.len() > 100 {
            return numbers;
        }
        kept = Some(items.checkpoint());
    }
}

/// With bounds of time, and without.
const OPERATIONS: [Operation; 2] =
    [Operation::ListQuoteExecutions, Operation::ListMonitoringAddresses];

/// With so many records at a time, up to all of them.
async fn assert_each_comes_once(steps: RangeInclusive<usize>, fetch: Fetch<PageRecords<Entry>>) {
    let all = *steps.end();
    for operation in OPERATIONS {
        for step in steps.clone() {
            let numbers = numbers(step, || items(operation, fetch)).await;

            assert!(numbers.iter().copied().eq(0..all), "{step} at a time: {numbers:?}");
        }
    }
}

#[tokio::test]
async fn each_comes_once_however_often_the_listing_is_resumed() {
    assert_each_comes_once(1..=10, |_, call| fetch(call, &IN_ORDER, false)).await;
}

#[tokio::test]
async fn each_comes_once_though_the_service_orders_in_seconds_and_tells_milliseconds() {
    // Fewer at a time don't show it.
    assert_each_comes_once(4..=20, |_, call| fetch(call, &IN_SECONDS, true)).await;
}
