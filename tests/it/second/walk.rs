//! Tests that read listings of the second service, whole and in parts. The result must be the same
//! as with one request after another.

use std::iter;

use digital_assets::{Items, Record, Timed};
use second::Client;
use virtual_service::{BEGIN, End, Endpoint, HOUR, Record as Created, SECOND, Service};

use super::{asking, depots, number, parcels, scans};
use crate::{
    at_scale::{shaped, walk::kept},
    prelude::*,
};

const PAGES: [i32; 3] = [3, 40, 1000];

const SHAPES: [(&str, End); 3] =
    [("even", End::Blank), ("bursts", End::Absent), ("batches of 110", End::Null)];

/// Returns services with 300 records each. Their creation times are distributed differently, and
/// their last pages differ.
fn services() -> impl Iterator<Item = Service> {
    SHAPES.into_iter().map(|(shape, end)| Service { end, ..shaped(shape, 300) })
}

/// Reads up to `most` more records, and returns their numbers.
async fn numbers<T: Record>(items: &mut Items<T>, most: usize) -> Vec<usize> {
    let records = items.by_ref().take(most).map(|record| number(&record.unwrap()));
    records.collect().await
}

fn expected(endpoint: &Endpoint, ascending: bool) -> Vec<usize> {
    endpoint.listed(if ascending { "order=ASC" } else { "order=DESC" })
}

/// Reads a whole listing with one request and with many at once, in both orders, and with pages of
/// each size.
async fn walk<T: Timed>(list: fn(&Client, bool, i32) -> Items<T>, bounds: [&str; 2]) {
    for service in services() {
        for (page, ascending) in PAGES.into_iter().flat_map(|page| [(page, true), (page, false)]) {
            for concurrency in [1, 8] {
                let endpoint = service.clone().serve();
                let mut items = list(&asking(&endpoint), ascending, page).concurrency(concurrency);

                let walked = numbers(&mut items, usize::MAX).await;

                let case = format!("{endpoint:?} {page} {ascending} {concurrency}");
                assert_eq!(walked, expected(&endpoint, ascending), "{case}");
                let bound = bounds[usize::from(!ascending)];
                let asked = endpoint.asked();
                let windows = asked.iter().filter(|asked| asked.get(bound).is_some()).count();
                // Batches with the same time don't show where a window could begin.
                let is_cut = concurrency > 1 && page < 100;
                let is_sure = !is_cut || service.end != End::Null;
                assert!(!is_sure || is_cut == (windows > 0), "{case}: {windows} windows");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn windows_of_a_listing_with_an_exclusive_bound_are_whole() {
    walk(parcels, ["booked_since", "booked_before"]).await;
}

#[tokio::test(start_paused = true)]
async fn windows_of_a_listing_that_is_ordered_by_a_boolean_are_whole() {
    walk(scans, ["since", "until"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_listing_without_times_is_whole() {
    for (service, page) in services().flat_map(|service| PAGES.map(|page| (service.clone(), page)))
    {
        let endpoint = service.serve();

        let walked = numbers(&mut depots(&asking(&endpoint), page), usize::MAX).await;

        assert!(walked.into_iter().eq((0..300).rev()), "{page}");
    }
}

/// Reads a listing in several programs. Each stops after a different number of records, and has its
/// own page size and its own number of concurrent requests.
async fn in_turn<T: Record>(
    endpoint: &Endpoint,
    mut list: impl FnMut(&Client, usize, i32) -> Items<T>,
) -> Vec<usize> {
    let (mut walked, mut checkpoint) = (Vec::new(), None);
    for (most, page) in iter::zip([1, 7, 30, 100, usize::MAX], [40, 3, 1, 1000, 7]) {
        let mut items = list(&asking(endpoint), most, page);
        if let Some(checkpoint) = &checkpoint {
            items = items.resume(kept(checkpoint));
        }
        walked.extend(numbers(&mut items, most).await);
        checkpoint = Some(items.checkpoint());
    }
    walked
}

#[tokio::test(start_paused = true)]
async fn a_listing_is_resumed_with_pages_of_another_size() {
    for (service, ascending) in services().flat_map(|it| [(it.clone(), true), (it, false)]) {
        let endpoint = service.serve();
        let of = |concurrent: bool, most: usize| if concurrent { most.min(5) } else { 1 };
        for concurrent in [false, true] {
            let walked = in_turn(&endpoint, |client, most, page| {
                parcels(client, ascending, page).concurrency(of(concurrent, most))
            });
            assert_eq!(walked.await, expected(&endpoint, ascending), "{endpoint:?}");
            let walked = in_turn(&endpoint, |client, most, page| {
                scans(client, ascending, page).concurrency(of(concurrent, most))
            });
            assert_eq!(walked.await, expected(&endpoint, ascending), "{endpoint:?}");
        }
        let walked = in_turn(&endpoint, |client, _, page| depots(client, page));
        assert!(walked.await.into_iter().eq((0..300).rev()), "{endpoint:?}");
    }
}

/// Returns the query of the first request after a listing is resumed.
async fn continues<T: Record>(list: impl Fn(&Client) -> Items<T>) -> String {
    let endpoint = Service::of((0..6).map(|n| BEGIN + n * HOUR)).serve();
    let mut items = list(&asking(&endpoint));
    numbers(&mut items, 3).await;
    let begun = endpoint.count();
    numbers(&mut list(&asking(&endpoint)).resume(items.checkpoint()), 1).await;
    let query = endpoint.asked()[begun].query.clone();
    let query: Vec<_> = query.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    query.join("&")
}

// The bound is one second outside the second-to-last time that was read. If the bound is exclusive,
// it's another millisecond later.
#[tokio::test(start_paused = true)]
async fn a_resumed_listing_begins_at_the_bound_of_its_order() {
    let query = continues(|client| parcels(client, true, 3)).await;
    assert_eq!(query, "per_page=3&sort=oldest_first&booked_since=2025-01-01T00:59:59Z");
    let query = continues(|client| parcels(client, false, 3)).await;
    assert_eq!(query, "per_page=3&sort=newest_first&booked_before=2025-01-01T04:00:01.001Z");
    let query = continues(|client| scans(client, false, 3)).await;
    assert_eq!(query, "count=3&oldest_first=false&until=2025-01-01T04:00:01Z");
    let query = continues(|client| depots(client, 2)).await;
    assert_eq!(query, "page_size=2&from=4.2.");
}

/// If records arrive while a listing is read, all earlier records are still returned once.
#[tokio::test(start_paused = true)]
async fn records_that_arrive_lose_and_double_none_of_those_that_are_there() {
    for (ascending, concurrency) in [(true, 1), (true, 8), (false, 1), (false, 8)] {
        let mut service = Service::of((0..300).map(|n| BEGIN + n * SECOND));
        let arriving = (300..400).map(|n: u64| Created {
            visible: millis(n - 299),
            ..Created::at(BEGIN + i128::from(n) * SECOND)
        });
        service.records.extend(arriving);
        let endpoint = Service { takes: millis(1)..=millis(4), ..service }.serve();
        let mut items = parcels(&asking(&endpoint), ascending, 10).concurrency(concurrency);

        let mut walked = numbers(&mut items, usize::MAX).await;

        if !ascending {
            walked.reverse();
        }
        assert!(
            walked.iter().copied().eq(0..walked.len()),
            "{ascending} {concurrency}: {walked:?}"
        );
        assert!(walked.len() >= 300, "{ascending} {concurrency}: {}", walked.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_filter_of_more_entries_than_a_request_may_have_is_split() {
    let endpoint = services().next().unwrap().serve();
    for concurrency in [1, 8] {
        let list = asking(&endpoint).list_parcels().per_page(7);
        let list = list.depots((0..300).step_by(2).map(|number| format!("D{number}")));

        let mut items = list.items().concurrency(concurrency);

        let walked = numbers(&mut items, usize::MAX).await;
        assert!(walked.into_iter().eq((0..300).step_by(2).rev()), "{concurrency}");
    }
}
