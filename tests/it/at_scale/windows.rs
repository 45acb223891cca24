//! Tests of `concurrency`: many requests at once must have the same result as one after another.

use std::iter;

use chrono::{DateTime, Utc};
use digital_assets::types::{Market, Order, QuoteExecutionStatus, Side};
use fastrand::Rng;
use uuid::Uuid;
use virtual_service::{
    BEGIN, DAY, Endpoint, Fault, Record, Rounding, SECOND, SHAPES, Service, URL, id,
};

use super::{
    shaped,
    walk::{Walk, asking, number, numbers},
};
use crate::{log, prelude::*};

const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

/// Returns a record's creation time.
fn created(service: &Service, number: usize) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(service.records[number].created.try_into().unwrap())
}

#[tokio::test(start_paused = true)]
async fn windows_keep_to_the_other_filters() {
    let mut service = shaped("a hundredth", 4_000);
    let settled = service.records.iter_mut().step_by(5);
    settled.for_each(|record| record.settled = Some(Duration::ZERO));
    // Both bounds are inclusive, and both are the creation times of records.
    let [begin, end] = [300, 3_850].map(|number| created(&service, number));
    let endpoint = service.serve();
    let list = asking(&endpoint).list_quote_executions().profile_id(Uuid::nil()).limit(5);
    let list = list.market(Market::BtcUsd).side(Side::Buy).status(QuoteExecutionStatus::Settled);
    let list = list.created_at_begin(begin).created_at_end(end);
    let bounds = format!("created_at.begin={begin:?}&created_at.end={end:?}");
    for order in BOTH {
        let query = format!("market=BTCUSD&side=BUY&status=SETTLED&{bounds}&order={order}");
        let expected = endpoint.listed(&query);
        assert!(expected.len() > 30, "{} records", expected.len());

        let mut items = list.clone().order(order).items().concurrency(4);

        assert_eq!(numbers(&mut items, usize::MAX).await.unwrap(), expected, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn deposit_addresses_are_cut_by_bounds_of_another_style() {
    for shape in SHAPES {
        let service = shaped(shape, 1_500);
        let (after, before) = (created(&service, 10), created(&service, 1_496));
        let endpoint = service.serve();
        for order in BOTH {
            let list = asking(&endpoint).list_deposit_addresses().order(order.clone());
            let list = list.created_at_gt(after).created_at_lt(before).limit(7);

            let walked = numbers(&mut list.items().concurrency(6), usize::MAX).await.unwrap();

            let query = format!("created_at.gt={after:?}&created_at.lt={before:?}&order={order}");
            assert_eq!(walked, endpoint.listed(&query), "{shape} {query}");
        }
    }
}

/// The last record may have left the listing, or a response may be older than the one that showed
/// this record.
#[tokio::test(start_paused = true)]
async fn a_last_record_that_does_not_come_is_told() {
    for (is_removed, told) in [(false, 0), (true, 1)] {
        let endpoint = shaped("even", 400).serve();
        let list = asking(&endpoint).list_deposit_addresses().order(Order::Asc).limit(5);
        let mut items = list.items().concurrency(4);
        numbers(&mut items, 1).await.unwrap();
        let now = endpoint.elapsed();
        endpoint.change(|service| service.records[399].removed = is_removed.then_some(now));

        let (recorded, rest) = log::of(numbers(&mut items, usize::MAX)).await;

        assert_eq!(rest.unwrap().len(), 399 - told);
        let message = "the record that was last when the listing began wasn't listed";
        let events = recorded.events().filter(|event| event.field("message") == Some(message));
        assert_eq!(events.count(), told);
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_are_added_meanwhile_come_next_time() {
    for shape in ["even", "one instant", "a hundredth"] {
        for walk in Walk::both(5, 20) {
            let endpoint = shaped(shape, 800).serve();
            let before = walk.expected(&endpoint);
            let mut items = walk.items(&asking(&endpoint));

            let mut walked = Vec::new();
            while let Some(item) = items.next().await {
                walked.push(number(&item.unwrap()));
                let now = BEGIN + 4_000 * DAY + walked.len() as i128;
                endpoint
                    .change(|service| service.records.extend([0, 1, 2].map(|_| Record::at(now))));
            }

            assert!(walked == before, "{shape} {walk:?}: {} records", walked.len());
        }
    }
}

// A window that starts within a batch repeats records from the previous window.
#[tokio::test(start_paused = true)]
async fn batches_of_one_time_cost_at_most_twice_as_many_requests_and_a_page_for_each() {
    for (batch, page, concurrency) in [(84, 25_u8, 37), (116, 37, 19), (62, 17, 39)] {
        let mut random = Rng::with_seed(1);
        let mut batches = iter::repeat_with(|| random.i128(0..3 * SECOND));
        let mut time = BEGIN;
        let times: Vec<i128> = (0..150 * usize::from(page))
            .map(|n| {
                time += if n % batch == 0 { batches.next().unwrap() } else { 0 };
                time
            })
            .collect();
        for walk in Walk::both(concurrency, page.into()) {
            let takes = Duration::from_millis(1)..=Duration::from_millis(8);
            let told = Rounding::Down(SECOND);
            let walked = walk.whole(Service { takes, told, ..Service::of(times.clone()) }).await;

            let asked = walked.endpoint.count();
            assert!(asked <= 300 + concurrency, "{walk:?}: {asked} requests for 150 pages");
        }
    }
}

/// Starts a service that takes 15 ms for each page.
fn slowly(shape: &str, records: usize) -> Endpoint {
    let takes = Duration::from_millis(15);
    Service { takes: takes..=takes, ..shaped(shape, records) }.serve()
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_under_way_than_asked_for() {
    for shape in ["even", "a hundredth"] {
        for concurrency in [2, 5, 8] {
            for splits in [false, true] {
                let endpoint = slowly(shape, 1_500);
                let mut list = asking(&endpoint).list_deposit_addresses().limit(25);
                if splits {
                    list = list.ids((0..350).map(id)).limit(10);
                }

                let mut items = list.items().concurrency(concurrency);
                let walked = numbers(&mut items, usize::MAX).await.unwrap();

                assert_eq!(walked.len(), if splits { 350 } else { 1_500 });
                let most = endpoint.most_under_way();
                assert!(most <= concurrency, "{shape}: {most} of {concurrency} requests, {splits}");
                assert!(splits || most == concurrency, "{shape}: {most} of {concurrency} requests");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_begins_at_a_cursor_is_read_one_page_after_the_other() {
    let endpoint = slowly("even", 300);
    let list = asking(&endpoint).list_deposit_addresses().limit(50);
    let first = list.clone().send().await.unwrap().into_inner();

    let list = list.page_cursor(first.next_page_cursor.unwrap());
    let walked = numbers(&mut list.items().concurrency(8), usize::MAX).await.unwrap();

    assert_eq!(walked.len(), 250);
    assert_eq!(endpoint.most_under_way(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_rate_limit_holds_for_all_windows_together() {
    let endpoint = shaped("even", 1_500).serve();
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    let client = client.rate_limit(operation::LIST_DEPOSIT_ADDRESSES, 100.0).build().unwrap();
    let mut items = Walk { concurrency: 8, page: 50, ..Walk::ALONE }.items(&client);

    assert_eq!(numbers(&mut items, usize::MAX).await.unwrap().len(), 1_500);
    let asked = endpoint.asked();
    let took = asked[asked.len() - 1].at.saturating_sub(asked[0].at);
    let least = Duration::from_millis(10) * u32::try_from(asked.len() - 1).unwrap();
    assert!(took >= least, "{} requests in {took:?}", asked.len());
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_stops_leaves_nothing_behind() {
    let endpoint = slowly("even", 2_000);
    let mut items = Walk { concurrency: 4, page: 20, ..Walk::ALONE }.items(&asking(&endpoint));
    assert_eq!(numbers(&mut items, 30).await.unwrap().len(), 30);
    assert!(endpoint.under_way() > 0);

    drop(items);

    let asked = endpoint.count();
    assert!(asked < 30, "{asked} requests for 30 records");
    assert_eq!(endpoint.under_way(), 0);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(endpoint.count(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_takes_its_time_waits_only_for_the_first_pages() {
    for concurrency in [2, 8] {
        let walk = Walk { concurrency, page: 20, ..Walk::ALONE };
        let mut items = walk.items(&asking(&slowly("even", 2_000)));

        let mut waited = Duration::ZERO;
        loop {
            let asked = Instant::now();
            let Some(record) = items.next().await else { break };
            record.unwrap();
            waited += asked.elapsed();
            sleep(Duration::from_millis(5)).await;
        }

        assert!(waited <= Duration::from_millis(30), "{concurrency}: {waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_comes_again_ends_all_windows_with_an_error() {
    let endpoint = shaped("one instant", 500).serve();
    // The requests for the first page and for the last record have no cursor to repeat.
    (0..3).for_each(|_| endpoint.fault(Fault::RepeatedCursor));
    let mut items = Walk { concurrency: 4, ..Walk::ALONE }.items(&asking(&endpoint));

    let error = numbers(&mut items, usize::MAX).await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::RepeatedCursor);
    assert!(items.next().await.is_none());
}
