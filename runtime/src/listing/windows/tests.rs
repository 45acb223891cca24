//! Tests how many records windows keep in memory, and when they have requests in flight. The
//! returned records are tested through the whole client.

use std::{iter, time::Duration};

use virtual_service::{BEGIN, MILLISECOND, Service};

use super::{window::RecordKey, *};
use crate::{
    fixture::{BY_TIME, Item, ItemPage},
    listing::{
        pager::fetch_records,
        tests::{next, start},
    },
};

const PAGE: usize = 20;

fn windows(service: Service, concurrency: usize) -> Windows<Item> {
    let start = start(service.serve(), BY_TIME, PAGE);
    let listing = BY_TIME.listing().unwrap();
    let (order, range) = (listing.order.as_ref().unwrap(), listing.time_range.as_ref().unwrap());
    Windows::new(
        start,
        fetch_records::<ItemPage>,
        listing,
        order,
        range,
        concurrency,
        ListingEnd::default(),
    )
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

            while let Some(record) = next(&mut windows).await {
                record.unwrap();
                let waiting = windows.window_set.waiting;
                assert!(waiting <= 4 * concurrency * PAGE, "{shape}: {waiting} records wait");
            }

            assert_eq!(windows.window_set.waiting, 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_under_way_until_all_has_come() {
    let mut windows = windows(service("even", Duration::from_millis(8)), 8);

    for _ in 0..100 {
        assert!(next(&mut windows).await.is_some());
    }
    assert!(windows.is_in_flight());

    while next(&mut windows).await.is_some() {}
    assert!(!windows.is_in_flight());
}

fn pages(service: Service) -> RecordPages<Item> {
    let start = start(service.serve(), BY_TIME, PAGE);
    RecordPages::new(start, fetch_records::<ItemPage>, Some(true))
}

/// Records created at these times, in milliseconds after `BEGIN`.
async fn records(times: &[i128]) -> Vec<Item> {
    let service = Service::of(times.iter().map(|time| BEGIN + time * MILLISECOND));
    pages(service).page().await.unwrap().unwrap()
}

/// A window set that has read its first page, and the requests for the next page and for the next
/// window.
async fn begun(first: &[i128], end: &Item) -> (WindowSet<Item>, Request<Item>, Request<Item>) {
    let service = || service("even", Duration::ZERO);
    let mut window_set = windows(service(), 4).window_set;
    window_set.begin(pages(service()), records(first).await, RecordKey::of(end, true));
    let front = window_set.next().unwrap();
    let window = window_set.next().unwrap();
    (window_set, front, window)
}

/// Adds a page with the records created at these times.
async fn add(window_set: &mut WindowSet<Item>, mut request: Request<Item>, times: &[i128]) {
    let page = request.reader.pages.take_in(records(times).await);
    window_set.add_page(request, page);
}

/// The number of records that haven't been returned yet.
fn left(mut window_set: WindowSet<Item>) -> usize {
    iter::from_fn(|| window_set.pop()).count()
}

// The service ignores fractions of a second when it sorts records.
#[tokio::test(start_paused = true)]
async fn what_shows_the_order_is_noticed_after_windows_have_ended() {
    let end = &records(&[30_690]).await[0];
    let (mut window_set, front, window) = begun(&[0, 1_000, 2_000], end).await;
    add(&mut window_set, window, &[30_516]).await;
    let behind = window_set.next().unwrap();

    // The front window should have listed the record at 30,516 ms before this record.
    add(&mut window_set, front, &[30_538]).await;
    assert!(!window_set.time_order.is_violated);
    // This page passes the listing's end without listing the record there. The client asks for the
    // last records again, and the record is still among them.
    add(&mut window_set, behind, &[30_857]).await;
    assert!(!window_set.time_order.is_violated);
    assert!(window_set.pop().is_none());
    let end_check = window_set.next().unwrap();
    add(&mut window_set, end_check, &[30_690]).await;
    assert!(window_set.time_order.is_violated);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_out_behind_the_end_before_a_record_that_is_not() {
    let page = records(&[29_000, 30_000, 31_000]).await;
    let (mut window_set, front, window) = begun(&[0, 1_000, 2_000], &page[1]).await;
    window_set.add_page(front, page);
    // The windows are dropped, because the front window doesn't list the record at 29,500 ms.
    add(&mut window_set, window, &[29_500, 30_000]).await;
    let behind = window_set.next().unwrap();
    add(&mut window_set, behind, &[32_000]).await;

    assert_eq!(left(window_set), 5);
}

#[tokio::test(start_paused = true)]
async fn a_record_is_left_out_though_another_one_has_its_time() {
    let end = &records(&[200_000]).await[0];
    let (mut window_set, front, window) = begun(&[0, 10_000, 20_000], end).await;
    add(&mut window_set, front, &[60_000, 103_000, 107_000]).await;
    // The windows are dropped, because the front window lists only one of the two records at
    // 103,000 ms.
    add(&mut window_set, window, &[103_000, 103_000, 107_000]).await;

    assert_eq!(left(window_set), 6);
}
