//! Tests of filter arrays that are longer than one request allows. Sections 4.3 and 8 of the
//! specification: an array has at most 100 entries.

use digital_assets::types::Order;
use uuid::Uuid;
use virtual_service::{Service, id};

use super::{
    shaped,
    walk::{asking, number, numbers},
};
use crate::prelude::*;

/// Returns identifiers in random order: those of every third of the first 720 records, twenty of
/// them twice, and ten that don't exist.
fn entries() -> Vec<Uuid> {
    let mut entries: Vec<Uuid> = (0..720).step_by(3).chain(900..910).map(id).collect();
    entries.extend_from_within(..20);
    fastrand::Rng::with_seed(7).shuffle(&mut entries);
    entries
}

// The service rejects arrays of more than 100 entries, and URLs of more than 7,000 bytes.
#[tokio::test(start_paused = true)]
async fn two_hundred_and_fifty_ids_are_three_listings_in_one_order() {
    for shape in ["even", "twenty bursts", "one instant", "bursts", "a hundredth"] {
        for concurrency in [1, 2, 9] {
            for (order, failing) in [(Order::Desc, 0), (Order::Asc, 0), (Order::Desc, 5)] {
                let service = Service { longest_url: 7_000, failing, ..shaped(shape, 900) };
                let list = asking(&service.serve()).list_deposit_addresses().ids(entries());
                let mut items =
                    list.limit(30).order(order.clone()).items().concurrency(concurrency);

                let (mut walked, mut times) = (Vec::new(), Vec::new());
                while let Some(item) = items.next().await {
                    match item {
                        Ok(record) => {
                            walked.push(number(&record));
                            times.push(record.created_at);
                        }
                        Err(error) => assert!(failing > 0, "{error}"),
                    }
                }

                if order == Order::Desc {
                    times.reverse();
                }
                assert!(times.is_sorted(), "{shape} {order}: not in order");
                walked.sort_unstable();
                assert!(walked.into_iter().eq((0..720).step_by(3)), "{shape} {order} {failing}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_distinct_entries_are_one_request_however_often_they_come() {
    let endpoint = shaped("even", 300).serve();
    let entries: Vec<Uuid> = (0..100).map(id).collect();
    let mut items = asking(&endpoint).list_deposit_addresses().ids(entries.repeat(3)).items();

    assert_eq!(numbers(&mut items, usize::MAX).await.unwrap().len(), 100);
    assert_eq!(endpoint.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn several_long_arrays_are_cut_until_no_url_is_long() {
    let service = Service { longest_url: 7_000, ref_ids: Some(30), ..shaped("even", 900) };
    // Percent-encoding makes quotes, spaces and accented letters longer in a URL.
    let odd = (0..60).map(|n| format!("Kündigung \"{n}\" & Söhne"));
    let refs = (0..900).step_by(2).map(|n| format!("{n:030}")).chain(odd);
    let list = asking(&service.serve()).list_deposit_addresses().ids(entries()).ref_ids(refs);
    for concurrency in [1, 16] {
        let mut items = list.clone().items().concurrency(concurrency);

        let mut walked = numbers(&mut items, usize::MAX).await.unwrap();

        walked.sort_unstable();
        assert!(walked.into_iter().eq((0..720).step_by(6)), "{concurrency}");
    }
}

#[tokio::test(start_paused = true)]
async fn parts_without_a_record_are_over_and_hold_nothing_up() {
    let endpoint = shaped("even", 300).serve();
    let entries = || (1_000..1_250).chain(0..300).chain(1_000..2_000).map(id);
    for concurrency in [1, 2, 50] {
        let items = asking(&endpoint).list_deposit_addresses().ids(entries()).limit(7).items();
        let mut items = items.concurrency(concurrency);

        let walked = timeout(Duration::from_secs(60), numbers(&mut items, usize::MAX)).await;

        assert_eq!(walked.expect("an end").unwrap(), endpoint.listed(""));
    }
}

#[tokio::test(start_paused = true)]
async fn filters_that_would_need_a_million_requests_are_refused_before_the_first() {
    let endpoint = shaped("even", 50).serve();
    let texts: Vec<String> = (0..10_000).map(|n| format!("text-{n}")).collect();
    let list = asking(&endpoint).list_deposit_addresses().ids((0..10_000).map(id));
    let mut items = list.ref_ids(texts.clone()).profile_ids(texts).items();

    let error = items.next().await.unwrap().unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.operation(), Some(operation::LIST_DEPOSIT_ADDRESSES));
    let message = error.to_string();
    assert!(message.contains("ref_ids") && message.contains("10000"), "{message}");
    assert!(items.next().await.is_none());
    assert_eq!(endpoint.count(), 0);
}
