//! Filter arrays longer than one request allows. Specification, sections 4.3 and 8: at most 100
//! entries each.

use std::collections::{BTreeMap, HashSet};

use digital_assets::{
    ErrorKind, Operation,
    sandbox::{Sandbox, Times},
    types::{CryptoNetwork, DepositAddress, Order},
};
use reqwest::Url;
use uuid::Uuid;

use super::{ALL_TIMES, Recorded, id, ids, ids_despite_errors, reversed, sandbox, truth};
use crate::within_bounds;

const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

/// Every third address's id, unordered, some of them twice, and some that don't exist.
fn some_ids(sandbox: &Sandbox, count: usize) -> Vec<Uuid> {
    let known = sandbox.deposit_addresses().step_by(3).map(|address| address.id);
    let mut entries: Vec<Uuid> = known.take(count - 10).collect();
    entries.extend((0..10).map(Uuid::from_u128));
    entries.extend_from_within(..20);
    fastrand::Rng::with_seed(7).shuffle(&mut entries);
    entries
}

fn matching(sandbox: &Sandbox, filter: impl Fn(&DepositAddress) -> bool) -> Vec<String> {
    sandbox.deposit_addresses().filter(filter).map(|address| id(&address)).collect()
}

/// The sandbox refuses 101 entries, but not a long URL.
fn assert_modest(sandbox: &Sandbox) {
    for request in sandbox.requests() {
        let mut entries = BTreeMap::<&str, usize>::new();
        for (name, _) in &request.query {
            *entries.entry(name).or_default() += 1;
        }
        assert!(entries.values().all(|&count| count <= 100), "{entries:?}");
        let base = format!("{}{}", sandbox.base_url(), request.path);
        let length = Url::parse_with_params(&base, &request.query).unwrap().as_str().len();
        assert!(length <= 7_000, "{length} bytes, {entries:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_hundred_and_fifty_ids_are_three_listings_in_one_order() {
    for times in ALL_TIMES {
        let (sandbox, client) = sandbox(900, times);
        let entries = some_ids(&sandbox, 250);
        let wanted: HashSet<Uuid> = entries.iter().copied().collect();
        let newest_first = matching(&sandbox, |address| wanted.contains(&address.id));
        assert_eq!(newest_first.len(), 240);
        for concurrency in [1, 2, 9] {
            for order in BOTH {
                let list = client.list_deposit_addresses().ids(entries.clone()).limit(30);

                let walked = ids(list.order(order.clone()).items().concurrency(concurrency)).await;

                assert_merged(&sandbox, &walked, &newest_first, &order);
            }
        }
        assert_modest(&sandbox);
    }
}

/// Equal times leave the order among them open, and nothing else.
fn assert_merged(sandbox: &Sandbox, walked: &[String], newest_first: &[String], order: &Order) {
    let times: BTreeMap<String, _> =
        sandbox.deposit_addresses().map(|address| (id(&address), address.created_at)).collect();
    let ordered = walked.is_sorted_by_key(|id| times[id]);
    let walked = if *order == Order::Asc { walked.to_vec() } else { reversed(walked) };
    assert!(*order == Order::Desc || ordered, "{order}: not in order");
    assert!(walked.is_sorted_by_key(|id| times[id]), "{order}: not in order");
    let (mut found, mut expected) = (walked, newest_first.to_vec());
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{order}");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_distinct_entries_are_one_request_however_often_they_come() {
    let (sandbox, client) = sandbox(300, Times::Uniform);
    let known: Vec<Uuid> =
        sandbox.deposit_addresses().map(|address| address.id).take(100).collect();
    let entries = known.repeat(3);

    let walked = ids(client.list_deposit_addresses().ids(entries).items()).await;

    assert_eq!(walked.len(), 100);
    assert_eq!(sandbox.request_count(Operation::ListDepositAddresses), 1);
}

#[tokio::test(start_paused = true)]
async fn several_full_arrays_are_cut_until_no_url_is_long() {
    let (sandbox, client) = sandbox(900, Times::Uniform);
    let entries = some_ids(&sandbox, 250);
    let wanted: HashSet<Uuid> = entries.iter().copied().collect();
    // Quotes, spaces and accents take three bytes each in a URL.
    let refs: Vec<String> = (0..900).step_by(2).map(|n| format!("customer-{n}")).collect();
    let odd = (0..60).map(|n| format!("Kündigung \"{n}\" & Söhne"));
    let profiles: HashSet<Uuid> =
        sandbox.deposit_addresses().filter_map(|address| address.profile_id).take(30).collect();
    let unknown = (0..90).map(Uuid::from_u128);
    let profile_ids = profiles.iter().copied().chain(unknown).map(|id| id.to_string());
    let networks = CryptoNetwork::KNOWN.to_vec();
    let expected = matching(&sandbox, |address| {
        wanted.contains(&address.id)
            && address.ref_id.as_ref().is_some_and(|known| refs.contains(known))
            && address.profile_id.is_some_and(|known| profiles.contains(&known))
    });
    assert!(expected.len() > 20, "{} records", expected.len());

    let list = client.list_deposit_addresses().ids(entries).networks(networks);
    let list = list.ref_ids(refs.iter().cloned().chain(odd).collect::<Vec<_>>());
    let list = list.profile_ids(profile_ids.collect::<Vec<_>>());
    for concurrency in [1, 16] {
        let walked = ids(list.clone().items().concurrency(concurrency)).await;

        assert_merged(&sandbox, &walked, &expected, &Order::Desc);
    }
    assert_modest(&sandbox);
}

#[tokio::test(start_paused = true)]
async fn parts_without_a_record_are_over_and_hold_nothing_up() {
    let (sandbox, client) = sandbox(300, Times::Uniform);
    let known = sandbox.deposit_addresses().map(|address| address.id);
    let unknown = || (0..1_000).map(Uuid::from_u128);
    let entries: Vec<Uuid> = unknown().take(250).chain(known).chain(unknown()).collect();
    for concurrency in [1, 2, 50] {
        let items = client.list_deposit_addresses().ids(entries.clone()).limit(7).items();

        let walk = tokio::spawn(ids(items.concurrency(concurrency)));

        assert_eq!(within_bounds(walk).await.unwrap(), truth(sandbox.deposit_addresses()));
    }
}

#[tokio::test(start_paused = true)]
async fn filters_that_would_need_a_million_requests_are_refused_before_the_first() {
    let (sandbox, client) = sandbox(50, Times::Uniform);
    let texts: Vec<String> = (0..10_000).map(|n| format!("text-{n}")).collect();
    let ids: Vec<Uuid> = (0..10_000).map(Uuid::from_u128).collect();
    let list = client.list_deposit_addresses().ids(ids);
    let mut items = list.ref_ids(texts.clone()).profile_ids(texts).items();

    let error = items.next().await.unwrap().unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.operation(), Some(Operation::ListDepositAddresses));
    assert!(
        error.to_string().contains("ref_ids") && error.to_string().contains("10000"),
        "{error}"
    );
    assert!(items.next().await.is_none());
    assert_eq!(sandbox.request_count(Operation::ListDepositAddresses), 0);
}

#[tokio::test(start_paused = true)]
async fn an_empty_array_lists_nothing_and_asks_for_nothing() {
    let (sandbox, client) = sandbox(50, Times::Uniform);

    let list = client.list_deposit_addresses().ids(some_ids(&sandbox, 30)).ref_ids([""; 0]);

    assert_eq!(ids(list.items().concurrency(4)).await, [""; 0]);
    assert_eq!(sandbox.request_count(Operation::ListDepositAddresses), 0);
}

#[tokio::test(start_paused = true)]
async fn faults_lose_and_double_nothing_of_a_merged_listing() {
    for seed in 0..3 {
        let builder = Sandbox::builder().deposit_addresses(900).chaos(0.2, seed);
        let sandbox = Recorded::of(builder);
        let client = super::eager(&sandbox);
        let entries = some_ids(&sandbox, 250);
        let wanted: HashSet<Uuid> = entries.iter().copied().collect();
        let newest_first = matching(&sandbox, |address| wanted.contains(&address.id));
        for concurrency in [1, 9] {
            let list = client.list_deposit_addresses().ids(entries.clone()).limit(10);

            let (walked, errors) = ids_despite_errors(list.items().concurrency(concurrency)).await;

            assert!(!errors.contains(&ErrorKind::RepeatedCursor), "{errors:?}");
            assert_merged(&sandbox, &walked, &newest_first, &Order::Desc);
        }
    }
}
