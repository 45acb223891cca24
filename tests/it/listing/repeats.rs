//! Tests of services that list a record again: on the next page, or each time that other records
//! arrive.

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::types::{DepositAddress, Order};

use virtual_service::{BEGIN as START, Endpoint, Record, SECOND, Service};

use super::{page, queries, ref_id, renamed, time};
use crate::{
    at_scale::walk::{Walk, asking, in_turn, numbers},
    following::heard,
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
        // The page before also listed a record that wasn't returned, because it was a repeat.
        (vec![page(&["3", "1"], "a"), page(&["2", "1"], "b"), page(&["1", "9"], "")], "3 1 2 9"),
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

/// Ways of reading a listing whose pages repeat records. With `overlap`, each page repeats the last
/// records of the page before it. With `offsets`, cursors are offsets, and records that arrive
/// before a page push earlier records onto it.
fn repeating(overlap: usize, offsets: bool) -> Endpoint {
    let mut service = Service::of((0..120).map(|n| START + n * SECOND));
    if offsets {
        // Two records arrive every 30 ms: one before all others in ascending order, and one before
        // all others in descending order. There are fewer of each than records on a page.
        service.records.extend((1..6).flat_map(|n| {
            let visible = millis(30 * n);
            let moved = i128::from(n) * SECOND;
            [START - moved, START + 120 * SECOND + moved]
                .map(|created| Record { visible, ..Record::at(created) })
        }));
    }
    Service { overlap, offsets, takes: millis(5)..=millis(15), ..service }.serve()
}

/// Checks that the first 120 records were returned in order, and no record twice.
fn assert_once(walked: &[usize], ascending: bool, way: &str) {
    let mut first: Vec<usize> = (0..120).collect();
    if !ascending {
        first.reverse();
    }
    let returned: Vec<usize> = walked.iter().copied().filter(|number| *number < 120).collect();
    assert_eq!(returned, first, "{way}");
    let distinct: std::collections::HashSet<_> = walked.iter().collect();
    assert_eq!(distinct.len(), walked.len(), "{way}: {walked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_repeat_is_dropped_whether_requests_are_sequential_concurrent_merged_or_resumed() {
    for (overlap, offsets) in [(2, false), (0, true)] {
        for concurrency in [1, 2, 4, 8] {
            for walk in Walk::both(concurrency, 7) {
                let way = format!("{overlap} {walk:?}");
                let endpoint = repeating(overlap, offsets);
                let walked = numbers(&mut walk.items(&asking(&endpoint)), usize::MAX).await;
                assert_once(&walked.unwrap(), walk.ascending, &way);

                let endpoint = repeating(overlap, offsets);
                let programs =
                    [5, 40, usize::MAX].map(|most| (walk.items(&asking(&endpoint)), most));
                let walked = in_turn(programs).await.unwrap();
                assert_once(&walked, walk.ascending, &format!("resumed, {way}"));

                let endpoint = repeating(overlap, offsets);
                let order = if walk.ascending { Order::Asc } else { Order::Desc };
                let list = asking(&endpoint).list_deposit_addresses().order(order).limit(7);
                let list = list.ids((0..200).map(virtual_service::id));
                let walked = numbers(&mut list.items().concurrency(concurrency), usize::MAX).await;
                assert_once(&walked.unwrap(), walk.ascending, &format!("merged, {way}"));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_followed_listing_drops_repeats() {
    for (overlap, offsets) in [(2, false), (0, true)] {
        let endpoint = repeating(overlap, offsets);
        let list = asking(&endpoint).list_deposit_addresses().limit(7).items();
        let follow = digital_assets::Follow::every(seconds(1)).overlap(seconds(600));
        let mut following = list.follow(follow);

        let (changes, errors) = heard(&mut following, &endpoint, 5).await;

        assert!(errors.is_empty(), "{errors:?}");
        let all = endpoint.listed("").len();
        assert_eq!(changes.len(), all, "{overlap}");
    }
}

// Each page has a new cursor, but only records from the page before.
#[tokio::test(start_paused = true)]
async fn a_listing_that_only_repeats_a_page_ends_with_an_error() {
    let service = InMemory::scripted(|earlier, _| page(&["2", "1"], &format!("c{earlier}")));
    let env_of = || service.client().list_deposit_addresses().order(Order::Asc);
    for concurrency in [1, 4] {
        let before = service.count();
        let mut records = env_of().items().concurrency(concurrency);
        let mut listed = 0;
        let error = loop {
            match within_bounds(records.next()).await.unwrap() {
                Ok(_) => listed += 1,
                Err(error) => break error,
            }
        };

        assert_eq!((error.kind(), listed), (ErrorKind::RepeatedCursor, 2), "{concurrency}");
        assert!(error.to_string().contains("only repeat"), "{error}");
        assert!(records.next().await.is_none());
        // With concurrency, an additional request asks for the last record.
        let asked = service.count() - before;
        assert_eq!(asked, 101 + usize::from(concurrency > 1), "{concurrency}");
    }
}

#[tokio::test]
async fn a_page_with_a_new_record_after_99_repeated_pages_continues_the_listing() {
    let repeated = (0..100).map(|n| page(&["2"], &format!("c{n}")));
    let env = Environment::playing(repeated.chain([page(&["2", "1"], "d"), page(&["0"], "")]));
    let mut records = env.client.list_deposit_addresses().items();

    let mut listed = Vec::new();
    while let Some(record) = within_bounds(records.next()).await {
        listed.push(ref_id(record.unwrap()));
    }

    assert_eq!(listed, ["2", "1", "0"]);
    assert_eq!(queries(&env).len(), 102);
}
