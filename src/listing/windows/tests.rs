//! How much windows keep in memory, and whether requests are in flight. The records that they hand
//! out are tested through the whole client.

use std::{future::poll_fn, time::Duration};

use virtual_service::{BEGIN, Service, URL};

use super::*;
use crate::{
    Client, Operation, Retry,
    call::{Call, Query},
    listing::pager::fetch_records,
    types::{DepositAddress, DepositAddressPage},
};

const PAGE: usize = 20;

fn windows(service: Service, concurrency: usize) -> Windows<DepositAddress> {
    let client = Client::builder(URL).bearer_token("word").retry(Retry::none());
    let client = client.http_service(service.serve()).build().unwrap();
    let operation = Operation::ListDepositAddresses;
    let listing = operation.listing().unwrap();
    let (order, range) = (listing.order.as_ref().unwrap(), listing.time_range.as_ref().unwrap());
    let mut query = Query::default();
    query.set(ORDER, order.word(true));
    query.set(LIMIT, PAGE.to_string());
    let (path, headers) = (operation.path().to_owned(), Vec::new());
    let call = Call { operation, path, query, headers, body: None };
    let start = PreparedCall { sender: client.sender, call, is_empty: false };
    Windows::new(start, fetch_records::<DepositAddressPage>, listing, order, range, concurrency)
}

fn service(shape: &str, takes: Duration) -> Service {
    let times = virtual_service::times(shape, 1_000, 1).into_iter().map(|time| BEGIN + time);
    Service { takes: Duration::ZERO..=takes, ..Service::of(times) }
}

#[tokio::test(start_paused = true)]
async fn no_more_than_four_pages_wait_for_each_request_that_may_be_under_way() {
    for shape in ["even", "bursts", "heavy tails"] {
        for concurrency in [2, 8] {
            let mut windows = windows(service(shape, Duration::from_millis(8)), concurrency);

            while let Some(record) = poll_fn(|cx| windows.poll_record(cx, true)).await {
                record.unwrap();
                let waiting =
                    windows.window_set.as_ref().map_or(0, |window_set| window_set.waiting);
                assert!(waiting <= 4 * concurrency * PAGE, "{shape}: {waiting} records wait");
            }

            assert_eq!(windows.window_set.map(|window_set| window_set.waiting), Some(0));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_under_way_until_all_has_come() {
    let mut windows = windows(service("even", Duration::from_millis(8)), 8);

    for _ in 0..100 {
        assert!(poll_fn(|cx| windows.poll_record(cx, true)).await.is_some());
    }
    assert!(windows.is_in_flight());

    while poll_fn(|cx| windows.poll_record(cx, true)).await.is_some() {}
    assert!(!windows.is_in_flight());
}
