//! Tests of cursors that the service no longer accepts. The specification doesn't say how long a
//! cursor stays valid.

use digital_assets::types::{MonitoringAddress, Order};
use futures_util::TryStreamExt;
use virtual_service::{BEGIN, DAY, Endpoint, Record, Service, id};

use super::renamed;
use crate::{
    at_scale::{
        shaped,
        walk::{asking, number, numbers},
    },
    prelude::*,
    specification::{DEPOSIT_ADDRESS, MONITORING_ADDRESS, addresses, items, with},
};

/// Returns a page of addresses with these numbers, as in section 4.2 of the specification.
fn page(numbers: &[u128], next_page_cursor: &str) -> Answer {
    let records: Vec<_> = numbers.iter().map(|it| renamed(MONITORING_ADDRESS, *it)).collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    json(200, addresses(&records, next_page_cursor))
}

fn named(address: &MonitoringAddress) -> u128 {
    address.id.as_u128()
}

fn cursors(env: &Environment) -> Vec<String> {
    let cursor = |line: String| line.rsplit_once("page_cursor=").map(|(_, it)| it.to_owned());
    env.service.lines().into_iter().map(|line| cursor(line).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_resumed_listing_whose_saved_cursor_is_refused_begins_at_its_beginning() {
    for code in [400, 404, 410] {
        let env = Environment::playing([page(&[1, 2], "c1"), page(&[3, 4], "c2")]);
        let mut items = env.client.list_monitoring_addresses().items();
        for _ in 0..3 {
            items.next().await.unwrap().unwrap();
        }
        let kept = items.checkpoint().for_moved_service();
        let env = Environment::playing([status(code), page(&[1, 2], "d1"), page(&[3, 4], "")]);

        let items = env.client.list_monitoring_addresses().items().resume(kept);
        let rest: Vec<_> = items.map_ok(|it| named(&it)).try_collect().await.unwrap();

        assert_eq!(rest, [4], "{code}");
        assert_eq!(cursors(&env), ["c1", "", "d1"], "{code}");
    }
}

#[tokio::test]
async fn a_listing_whose_next_cursor_is_refused_continues_after_its_last_record() {
    let script = [
        page(&[1, 2], "c1"),
        page(&[3, 4], "c2"),
        status(410),
        // This is the page of the last record again.
        page(&[3, 4], "d2"),
        page(&[5], ""),
    ];
    let env = Environment::playing(script);

    let items = env.client.list_monitoring_addresses().items();
    let walked: Vec<_> = items.map_ok(|it| named(&it)).try_collect().await.unwrap();

    assert_eq!(walked, [1, 2, 3, 4, 5]);
    assert_eq!(cursors(&env), ["", "c1", "c2", "c1", "d2"]);
}

#[tokio::test]
async fn a_refusal_that_isnt_of_a_cursor_is_returned() {
    let script = [page(&[1], "c1"), status(404), status(404), status(404), status(404)];
    let env = Environment::playing(script);
    let mut items = env.client.list_monitoring_addresses().items();

    assert!(items.next().await.unwrap().is_ok());
    let error = items.next().await.unwrap().unwrap_err();

    assert_eq!(error.status().map(|it| it.as_u16()), Some(404));
    assert_eq!(env.service.count(), 3);
}

// The OpenAPI description says that the listing is sorted by time. Listing again relies on it.
#[tokio::test]
async fn a_disorder_before_or_after_a_refused_cursor_is_an_error() {
    let record = |number: u128| {
        let created_at = format!("\"2025-06-01T{number}:00:00Z\"");
        with(&renamed(DEPOSIT_ADDRESS, number), "created_at", &created_at)
    };
    let page = |numbers: &[u128], next| {
        let records: Vec<String> = numbers.iter().map(|number| record(*number)).collect();
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        json(200, items(&records, next))
    };
    let gone = status(410);
    let before = vec![page(&[12, 11], "c1"), gone.clone(), page(&[12, 11], ""), page(&[], "")];
    let after =
        vec![page(&[11, 12], "c1"), gone.clone(), page(&[11, 12, 14], "d1"), page(&[13], "")];
    let again = vec![page(&[11, 12, 13], "c1"), gone.clone(), page(&[12, 11, 13], "")];
    let none = vec![page(&[11, 12], "c1"), gone, page(&[11, 12, 13], "d1"), page(&[14], "")];
    for (name, script, expected) in [
        ("before", before, vec![12, 11]),
        ("after", after, vec![11, 12, 14]),
        ("before the last record, after the refusal", again, vec![11, 12, 13]),
        ("none", none, vec![11, 12, 13, 14]),
    ] {
        let env = Environment::playing(script);
        let mut list = env.client.list_deposit_addresses().order(Order::Asc).items();

        let (mut walked, mut failed) = (Vec::new(), None);
        while let Some(record) = list.next().await {
            match record {
                Ok(record) => walked.push(record.id.as_u128()),
                Err(error) => failed = Some(error),
            }
        }

        assert_eq!(walked, expected, "{name}");
        let error = failed.map(|error| (error.kind(), error.to_string()));
        let says_so = error.as_ref().is_some_and(|(_, it)| it.contains("in order of time"));
        assert_eq!(
            error.as_ref().map(|(kind, _)| *kind),
            (name != "none").then_some(ErrorKind::Decode)
        );
        assert_eq!(says_so, name != "none", "{name}: {error:?}");
    }
}

/// Makes all cursors expire that the service has issued so far.
fn expire_all(endpoint: &Endpoint) {
    let issued = endpoint.asked().into_iter().filter_map(|asked| asked.next);
    endpoint.change(|service| {
        service.expired.extend(issued);
        service.ballast = service.expired.len().to_string();
    });
}

#[tokio::test(start_paused = true)]
async fn the_cursors_of_a_split_filter_may_age_while_its_other_part_is_read() {
    for (order, concurrency, step) in
        [(Order::Asc, 1, 110), (Order::Desc, 1, 37), (Order::Asc, 8, 60), (Order::Desc, 8, 5)]
    {
        // The records of the filter's second hundred entries were created after those of the first
        // hundred.
        let endpoint = shaped("even", 200).serve();
        let list = asking(&endpoint).list_deposit_addresses().ids((0..200).map(id)).limit(10);
        let mut items = list.order(order.clone()).items().concurrency(concurrency);

        let mut walked = Vec::new();
        while let Some(record) = items.next().await {
            walked.push(number(&record.unwrap()));
            if walked.len() % step == 0 {
                expire_all(&endpoint);
            }
        }

        assert_eq!(walked, endpoint.listed(&format!("order={order}")), "{order} {concurrency}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_whose_every_cursor_is_refused_is_listed_by_its_times() {
    let service =
        Service { refuses: |asked| asked.get("page_cursor").map(|_| 400), ..shaped("even", 50) };
    let endpoint = service.serve();
    let mut items = asking(&endpoint).list_deposit_addresses().limit(10).order(Order::Asc).items();

    let walked = numbers(&mut items, usize::MAX).await.unwrap();

    assert_eq!(walked, endpoint.listed("order=ASC"));
}

#[tokio::test(start_paused = true)]
async fn a_concurrent_listing_that_begins_again_ends_where_it_would_have_ended() {
    let endpoint = shaped("even", 400).serve();
    let list = asking(&endpoint).list_deposit_addresses().limit(10).order(Order::Asc);
    let mut items = list.items().concurrency(4);
    let mut walked = numbers(&mut items, 50).await.unwrap();

    // A record arrives after the end, and the cursors expire.
    endpoint.change(|service| service.records.push(Record::at(BEGIN + 10_000 * DAY)));
    expire_all(&endpoint);
    walked.extend(numbers(&mut items, usize::MAX).await.unwrap());

    assert!(walked.into_iter().eq(0..400));
    let asked = endpoint.asked();
    let in_reverse = asked.iter().filter(|asked| asked.get("order") == Some("DESC")).count();
    assert_eq!(in_reverse, 1);
}

#[tokio::test(start_paused = true)]
async fn each_part_of_a_long_filter_that_begins_again_ends_where_it_would_have_ended() {
    let endpoint = shaped("even", 400).serve();
    let list = asking(&endpoint).list_deposit_addresses().limit(10).order(Order::Asc);
    let mut items = list.ids((0..401).map(id)).items().concurrency(16);
    let mut walked = numbers(&mut items, 50).await.unwrap();

    // A record arrives after the end, and the cursors expire.
    endpoint.change(|service| service.records.push(Record::at(BEGIN + 10_000 * DAY)));
    expire_all(&endpoint);
    walked.extend(numbers(&mut items, usize::MAX).await.unwrap());

    assert!(walked.into_iter().eq(0..400));
}
