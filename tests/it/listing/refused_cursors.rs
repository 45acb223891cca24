//! Tests of cursors that the service no longer accepts. The specification doesn't say how long a
//! cursor stays valid.

use digital_assets::types::{MonitoringAddress, Order};
use futures_util::TryStreamExt;
use virtual_service::{Endpoint, Service, id};

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

#[tokio::test]
async fn a_listing_read_again_from_its_beginning_accepts_a_disorder_after_its_last_record() {
    let page = |number, created_at, next| {
        let record = with(&renamed(DEPOSIT_ADDRESS, number), "created_at", created_at);
        json(200, items(&[&record], next))
    };
    let (noon, earlier) = (r#""2025-06-01T12:00:00Z""#, r#""2025-06-01T11:00:00Z""#);
    let script = [
        page(1, noon, "c1"),
        page(2, noon, "c2"),
        status(410),
        page(1, noon, "d1"),
        page(2, noon, "d2"),
        page(3, noon, "d3"),
        page(4, earlier, ""),
    ];
    let env = Environment::playing(script);

    let list = env.client.list_deposit_addresses().order(Order::Asc).items();
    let walked: Vec<_> = list.map_ok(|it| it.id.as_u128()).try_collect().await.unwrap();

    assert_eq!(walked, [1, 2, 3, 4]);
    assert_eq!(cursors(&env), ["", "c1", "c2", "", "d1", "d2", "d3"]);
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
