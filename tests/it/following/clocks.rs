//! Tests of services that send no `Date` header, or an outdated one.

use digital_assets::Follow;
use virtual_service::{BEGIN, DAY, MINUTE, Record};

use super::{all_once, follow, serve, until};
use crate::{
    at_scale::walk::asking,
    prelude::*,
    specification::{DEPOSIT_ADDRESS, items, with},
};

// If the client used its own clock, which is behind, all records would seem to be in the future,
// and the client would request all of them again.
#[tokio::test(start_paused = true)]
async fn without_a_date_the_newest_record_bounds_the_rounds() {
    let ahead = |n: i128| Record::at(BEGIN + 80 * 365 * DAY + n * MINUTE);
    let endpoint = serve((0..30).map(ahead));
    endpoint.change(|service| (service.nodes, service.page) = (Vec::new(), 10));
    let mut following = follow(&asking(&endpoint));

    assert_eq!(until(&mut following, &endpoint, 35).await, all_once(30));

    // The first round has three pages, and each later round has one.
    let asked = endpoint.asked();
    assert_eq!(asked.len(), 6, "{asked:?}");
    assert!(asked[3..].iter().all(|asked| asked.get("created_at.gte").is_some()), "{asked:?}");
}

// RFC 9111, section 5.1: a cache repeats the `Date` of the response that it has stored.
#[tokio::test(start_paused = true)]
async fn the_age_of_a_response_is_added_to_its_date() {
    for (age, is_asked_from_it) in [("0", false), ("3600", true), ("sesame", false)] {
        let service = InMemory::scripted(move |_, _| {
            let old = renamed(DEPOSIT_ADDRESS, 1, "2025-06-01T10:00:00Z");
            let new = renamed(DEPOSIT_ADDRESS, 2, "2025-06-01T12:30:00Z");
            let newer = renamed(DEPOSIT_ADDRESS, 3, "2025-06-01T12:58:00Z");
            let date = "Sun, 01 Jun 2025 12:00:00 GMT";
            let answer = json(200, items(&[&old, &new, &newer], ""));
            answer.header("date", date).header("age", age)
        });
        let follow = Follow::every(seconds(10)).overlap(seconds(60));
        let mut following = service.client().list_deposit_addresses().items().follow(follow);
        for _ in 0..3 {
            following.next().await.unwrap().unwrap();
        }
        assert!(timeout(seconds(15), following.next()).await.is_err());

        let second = service.requests()[1].url().to_string();
        let from = if is_asked_from_it { "12%3A30%3A00Z" } else { "10%3A00%3A00Z" };
        assert!(second.contains(&format!("created_at.gte=2025-06-01T{from}")), "{age}: {second}");
    }
}

fn renamed(record: &str, number: u128, time: &str) -> String {
    let record = with(record, "id", &format!("\"{}\"", uuid::Uuid::from_u128(number)));
    with(&record, "created_at", &format!("{time:?}"))
}
