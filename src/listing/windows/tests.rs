//! How much windows keep in memory, and whether requests are in flight. The records that they hand
//! out are tested through the whole client.

use std::{future::poll_fn, time::Duration};

use virtual_service::{BEGIN, MILLISECOND, Service, URL};

use super::{window::Mark, *};
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

/// Records that are so many milliseconds old.
async fn records(times: &[i128]) -> Vec<DepositAddress> {
    let service = Service::of(times.iter().map(|time| BEGIN + time * MILLISECOND));
    let Windows { start, fetch, .. } = windows(service, 1);
    Pager::new(start, fetch).page().await.unwrap().unwrap().records
}

// As of a service that orders by the second alone.
#[tokio::test(start_paused = true)]
async fn what_shows_the_order_is_noticed_after_windows_have_ended() {
    let Windows { start, fetch, .. } = windows(service("even", Duration::ZERO), 4);
    let pager = || Pager::new(start.clone(), fetch);
    let end = Mark::of(&records(&[30_690]).await[0], true);
    let first = records(&[0, 1_000, 2_000]).await;
    let mut window_set = WindowSet::new(pager(), first, end, true, 4);
    let (front, _) = window_set.next().unwrap();
    let (window, _) = window_set.next().unwrap();
    window_set.take_in(window, pager(), records(&[30_516]).await);
    let (behind, _) = window_set.next().unwrap();

    // The window in front should have listed that one.
    window_set.take_in(front, pager(), records(&[30_538]).await);
    assert!(!window_set.time_order.broken);
    // This page goes beyond the end without it.
    window_set.take_in(behind, pager(), records(&[30_857]).await);
    assert!(window_set.time_order.broken);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_out_behind_the_end_before_a_record_that_is_not() {
    let Windows { start, fetch, .. } = windows(service("even", Duration::ZERO), 4);
    let pager = || Pager::new(start.clone(), fetch);
    let page = records(&[29_000, 30_000, 31_000]).await;
    let end = Mark::of(&page[1], true);
    let first = records(&[0, 1_000, 2_000]).await;
    let mut window_set = WindowSet::new(pager(), first, end, true, 4);
    let (front, _) = window_set.next().unwrap();
    let (window, _) = window_set.next().unwrap();
    window_set.take_in(front, pager(), page);
    // Windows end: one has arrived that the page before doesn't list.
    window_set.take_in(window, pager(), records(&[29_500, 30_000]).await);
    let (behind, _) = window_set.next().unwrap();
    window_set.take_in(behind, pager(), records(&[32_000]).await);

    let mut listed = 0;
    while window_set.pop().is_some() {
        listed += 1;
    }
    assert_eq!(listed, 5);
}

#[tokio::test(start_paused = true)]
async fn a_record_is_left_out_though_another_one_has_its_time() {
    let Windows { start, fetch, .. } = windows(service("even", Duration::ZERO), 4);
    let pager = || Pager::new(start.clone(), fetch);
    let end = Mark::of(&records(&[200_000]).await[0], true);
    let first = records(&[0, 10_000, 20_000]).await;
    let mut window_set = WindowSet::new(pager(), first, end, true, 4);
    let (front, _) = window_set.next().unwrap();
    let (window, _) = window_set.next().unwrap();
    window_set.take_in(front, pager(), records(&[60_000, 103_000, 107_000]).await);
    // The first of these comes on a later page there: windows end.
    window_set.take_in(window, pager(), records(&[103_000, 103_000, 107_000]).await);

    let mut listed = 0;
    while window_set.pop().is_some() {
        listed += 1;
    }
    assert_eq!(listed, 6);
}
