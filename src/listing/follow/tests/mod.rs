//! Listings that are followed while records arrive late, change, move and go.

mod rounds;
mod service;

use std::collections::HashMap;

use proptest::{collection::vec, prelude::*};
use tokio::time::Instant;

use self::service::{Entry, Life, SERVICE, Service, fetch, life};
use super::*;
use crate::{
    Client, ErrorKind, Items, Operation,
    call::{Call, Query, Start},
    listing::{Listing, plan::Plan},
};

const OPERATION: Operation = Operation::ListQuoteExecutions;
const SECOND: u64 = 1_000;
const OVERLAP: u64 = 60 * SECOND;
const EVERY: u64 = 10 * SECOND;

thread_local! {
    static CLIENT: Client =
        Client::builder("http://127.0.0.1:1").bearer_token("token").build().unwrap();
}

fn items(filters: &[(&'static str, &str)]) -> Items<Entry> {
    items_of(OPERATION.listing().unwrap(), filters)
}

fn items_of(listing: &'static Listing, filters: &[(&'static str, &str)]) -> Items<Entry> {
    let mut query = Query::default();
    for (name, value) in filters {
        query.add(name, [value]);
    }
    let client = CLIENT.with(Client::clone);
    let call =
        Call { operation: OPERATION, path: "/".to_owned(), query, headers: Vec::new(), body: None };
    Items::of(Ok(Plan::new(listing, Start { client, call, is_empty: false }, fetch)))
}

fn follow() -> Following<Entry> {
    let follow = Follow::every(Duration::from_millis(EVERY));
    items(&[]).follow(follow.overlap(Duration::from_millis(OVERLAP)))
}

/// A checkpoint as another process gets it.
fn kept(following: &Following<Entry>) -> FollowCheckpoint {
    let json = serde_json::to_string(&following.checkpoint()).unwrap();
    serde_json::from_str(&json).unwrap()
}

/// The changes until so long after the beginning: whether new, which record, its content.
async fn until(following: &mut Following<Entry>, end: u64) -> Vec<(bool, u64, u64)> {
    let begin = SERVICE.with_borrow(|service| service.as_ref().unwrap().1);
    let mut changes = Vec::new();
    let end = begin + Duration::from_millis(end);
    while let Ok(Some(change)) = tokio::time::timeout_at(end, following.next()).await {
        changes.push(seen(change.unwrap()));
    }
    changes
}

fn seen(change: Change<Entry>) -> (bool, u64, u64) {
    let new = matches!(change, Change::New(_));
    let entry = change.into_inner();
    (new, entry.number, entry.content)
}

fn asked() -> Vec<String> {
    SERVICE.with_borrow(|service| service.as_ref().unwrap().0.asked.clone())
}

#[tokio::test(start_paused = true)]
async fn what_is_there_comes_first_and_then_what_arrives() {
    Service::of(vec![life(0), life(0), life(15 * SECOND)]).begin();
    let mut following = follow();

    let changes = until(&mut following, 25 * SECOND).await;

    assert_eq!(changes, [(true, 0, 0), (true, 1, 0), (true, 2, 0)]);
    // A round at once, and then one every ten seconds from the overlap before the newest.
    assert_eq!(asked(), ["the beginning", "2024-12-31T23:59:00Z", "2024-12-31T23:59:00Z"]);
}

#[tokio::test(start_paused = true)]
async fn a_late_record_within_the_overlap_comes_once_and_beyond_it_is_not_promised() {
    let (within, beyond) = (
        Life { late: OVERLAP - SECOND, ..life(95 * SECOND) },
        Life { late: OVERLAP + 20 * SECOND, ..life(90 * SECOND) },
    );
    let steady = (0..60).map(|n| life(n * 5 * SECOND));
    Service::of([within, beyond].into_iter().chain(steady).collect()).begin();
    let mut following = follow();

    let changes = until(&mut following, 290 * SECOND).await;

    let came = |number| changes.iter().filter(|(_, of, _)| *of == number).count();
    assert_eq!((came(0), came(1)), (1, 0));
    assert!((2..60).all(|number| came(number) == 1), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn changes_come_once_for_each_round_that_finds_other_content() {
    let changes = vec![(5 * SECOND, 1), (15 * SECOND, 2), (16 * SECOND, 3), (25 * SECOND, 0)];
    let changing = Life { changes, ..life(0) };
    let gone = Life { removed: Some(12 * SECOND), ..life(0) };
    Service::of(vec![changing, gone]).begin();
    let mut following = follow();

    let changes = until(&mut following, 60 * SECOND).await;

    // Of the second and the third only the third was there to be found.
    let news = [(true, 0, 0), (true, 1, 0)];
    assert_eq!(changes[..2], news);
    assert_eq!(changes[2..], [(false, 0, 1), (false, 0, 3), (false, 0, 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_records_of_one_instant_come_once_across_rounds() {
    let late = |n: u64| Life { late: (n % 7) * 5 * SECOND, ..life(SECOND) };
    Service::of((0..1_000).map(late).collect()).begin();
    let mut following = follow();

    let mut changes = until(&mut following, 100 * SECOND).await;

    changes.sort_unstable();
    assert_eq!(changes, (0..1_000).map(|number| (true, number, 0)).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn an_error_comes_out_and_the_next_poll_goes_on() {
    let mut service = Service::of((0..40).map(|n| life(n * SECOND)).collect());
    service.failing = 3;
    service.begin();
    let mut following = follow();

    let (mut numbers, mut errors) = (Vec::new(), 0);
    while numbers.len() < 40 {
        match following.next().await.unwrap() {
            Ok(change) => numbers.push(change.into_inner().number),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Transport);
                errors += 1;
            }
        }
    }

    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
    assert!(errors > 5, "{errors}");
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_pauses_for_a_day_misses_and_doubles_nothing() {
    const DAY: u64 = 24 * 3_600 * SECOND;
    let early = (0..10).map(|n| life(n * SECOND));
    // Visible while the first round stands still, created before where it stands.
    let late = Life { late: OVERLAP / 2, ..life(2 * SECOND) };
    let later = (0..10).map(|n| life(DAY / 2 + n * SECOND));
    Service::of(early.chain([late]).chain(later).collect()).begin();
    tokio::time::advance(Duration::from_secs(20)).await;
    let mut following = follow();
    let first = seen(following.next().await.unwrap().unwrap());
    tokio::time::advance(Duration::from_millis(DAY)).await;

    let mut changes = until(&mut following, DAY + 100 * SECOND).await;

    changes.push(first);
    changes.sort_unstable();
    assert_eq!(changes, (0..21).map(|number| (true, number, 0)).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn other_orders_cursors_and_checkpoints_are_refused_before_any_request() {
    Service::of(vec![life(0)]).begin();
    let every = || Follow::every(Duration::from_secs(1));
    let kept = kept(&follow());
    // Ordered, but without bounds: each round would ask for all.
    let unbounded = Operation::ListMonitoringAddresses.listing().unwrap();
    let cases = [
        (items_of(unbounded, &[]).follow(every()).resume(kept.clone()), "can't be filtered"),
        (items(&[("order", "DESC")]).follow(every()).resume(kept.clone()), "ascending order"),
        (items(&[("page_cursor", "0-0")]).follow(every()).resume(kept.clone()), "page_cursor"),
        (items(&[("market", "BTCUSD")]).follow(every()).resume(kept.clone()), "another listing"),
    ];
    for (mut following, words) in cases {
        let error = following.next().await.unwrap().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.to_string().contains(words), "{error}");
        assert!(following.next().await.is_none());
        assert_eq!(following.checkpoint(), kept);
    }
    assert_eq!(asked(), [""; 0]);
    let limited = items(&[("limit", "7"), ("order", "ASC")]).follow(every()).resume(kept);
    assert!({ limited }.next().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_takes_at_most_200_bytes_a_record() {
    Service::of((0..500).map(|n| life(n * 100 + 1)).collect()).begin();
    tokio::time::advance(Duration::from_secs(60)).await;
    let mut following = follow();
    let changes = until(&mut following, 75 * SECOND).await;

    let checkpoint = serde_json::to_string(&following.checkpoint()).unwrap();

    assert_eq!(changes.len(), 500);
    assert!(checkpoint.len() < 200 * 500, "{}", checkpoint.len());
    assert!(!format!("{:?}", following.checkpoint()).contains("2025"));
}

prop_compose! {
    fn lives()(
        created in 0..200_u64,
        late in prop_oneof![Just(0), 0..OVERLAP],
        changes in vec((0..OVERLAP, 1..9_u64), 0..3),
        together in any::<bool>(),
    ) -> Life {
        let created = if together { created / 40 * 40 } else { created } * SECOND;
        let changes: Vec<(u64, u64)> =
            changes.into_iter().map(|(after, content)| (created + after, content)).collect();
        let mut life = Life { created, late, changes, removed: None };
        life.changes.sort_unstable();
        life
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the kill points: each record is new once, and its last content is seen.
    #[test]
    fn a_listing_that_is_killed_after_any_item_loses_and_doubles_nothing(
        lives in vec(lives(), 1..40),
        page in 1..8_usize,
        latency in prop_oneof![Just(0), 1..3_000_u64],
        failing in prop_oneof![Just(0_usize), 2..6_usize],
        kills in vec(0..4_usize, 0..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        let changes = runtime.block_on(async {
            let mut service = Service::of(lives.clone());
            (service.page, service.latency, service.failing) = (page, latency, failing);
            service.begin();
            let begin = Instant::now();
            let mut end = begin + Duration::from_secs(600);
            let list = || items(&[]).follow(
                Follow::every(Duration::from_millis(EVERY)).overlap(Duration::from_millis(OVERLAP)),
            );
            let (mut following, mut kills, mut changes) = (list(), kills.into_iter(), Vec::new());
            let mut left = kills.next();
            while let Ok(Some(change)) = tokio::time::timeout_at(end, following.next()).await {
                if let Ok(change) = change {
                    changes.push(seen(change));
                }
                match left {
                    Some(0) => {
                        following = list().resume(kept(&following));
                        left = kills.next();
                        // Each takes it back by an overlap: it needs the time to come to the end.
                        end = end.max(Instant::now() + Duration::from_secs(600));
                    }
                    Some(more) => left = Some(more - 1),
                    None => {}
                }
            }
            changes
        });

        let mut last: HashMap<u64, u64> = HashMap::new();
        for (new, number, content) in &changes {
            prop_assert_eq!(*new, !last.contains_key(number), "{:?}", changes);
            prop_assert_ne!(last.insert(*number, *content), Some(*content), "{:?}", changes);
        }
        for (number, life) in lives.iter().enumerate() {
            prop_assert_eq!(last.get(&(number as u64)), Some(&life.content(600 * SECOND)), "record {} of {:?}", number, changes);
        }
    }
}
