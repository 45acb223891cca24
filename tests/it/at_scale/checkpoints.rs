//! Tests that stop a listing anywhere and resume it in another process. No record may be lost or
//! returned twice.

use digital_assets::{
    Checkpoint, Follow, FollowCheckpoint, Items, Record as _,
    types::{DepositAddress, Market, Order, OrderBy},
};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;
use virtual_service::{BEGIN, Endpoint, MINUTE, Record, SECOND, Service, id};

use super::{
    services::spread,
    shaped,
    walk::{Walk, asking, checkpoint_after, in_turn, kept, number, numbers},
};
use crate::prelude::*;

const SHAPES: [&str; 5] = ["even", "twenty bursts", "one instant", "bursts", "a hundredth"];

/// Reads a listing in several runs that stop at random, and returns all record numbers. `list`
/// creates the items for a run, given the run's index.
async fn walk_with_stops<T: digital_assets::Record>(
    seed: u64,
    most: usize,
    list: impl FnMut(usize) -> Items<T>,
) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(seed);
    let wanted = std::iter::repeat_with(|| random.usize(0..most));
    in_turn((0..).map(list).zip(wanted)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_merged_walk_with_stops_is_a_walk_in_every_mode() {
    for shape in SHAPES {
        let client = asking(&shaped(shape, 600).serve());
        for order in [Order::Desc, Order::Asc] {
            for (seed, modes) in [(1, [1, 1]), (2, [6, 6]), (3, [1, 6]), (4, [3, 7])] {
                let list = |stop: usize| {
                    let list = client.list_deposit_addresses().ids((0..600).step_by(2).map(id));
                    list.order(order.clone()).limit(20).items().concurrency(modes[stop % 2])
                };

                let mut walked = walk_with_stops(seed, 100, list).await;

                walked.sort_unstable();
                assert!(walked.into_iter().eq((0..600).step_by(2)), "{shape} {order} {modes:?}");
            }
        }
    }
}

/// Adds `count` records that are later than all existing ones.
fn add(endpoint: &Endpoint, count: i128) {
    endpoint.change(|service| {
        let last = service.records.iter().map(|record| record.created).max().unwrap();
        service.records.extend((1..=count).map(|n| Record::at(last + n * SECOND)));
    });
}

#[tokio::test(start_paused = true)]
async fn new_records_between_the_stops_change_nothing_for_the_newest_first() {
    for shape in ["even", "one instant"] {
        for modes in [[1, 1], [4, 4], [1, 4]] {
            // Stops within the first page, and at the end of the fourth page.
            for most in [2, 40, 200] {
                let endpoint = shaped(shape, 400).serve();
                let [first, rest] = modes.map(|concurrency| {
                    let walk = Walk { ascending: false, concurrency, page: 50, ..Walk::ALONE };
                    walk.items(&asking(&endpoint))
                });
                let (mut items, expected) = (first, endpoint.listed("order=DESC"));
                let mut walked = numbers(&mut items, most).await.unwrap();
                add(&endpoint, 120);

                let mut rest = rest.resume(kept(&items.checkpoint()));
                walked.extend(numbers(&mut rest, usize::MAX).await.unwrap());

                assert!(walked == expected, "{shape} {modes:?} {most}: {}", walked.len());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn new_records_between_the_stops_follow_for_the_oldest_first() {
    for modes in [[1, 1], [4, 4], [1, 4]] {
        let endpoint = shaped("even", 300).serve();
        let client = asking(&endpoint);
        let list = |stop: usize| {
            add(&endpoint, 10);
            Walk { concurrency: modes[stop % 2], page: 50, ..Walk::ALONE }.items(&client)
        };

        let walked = walk_with_stops(5, 60, list).await;

        assert!(walked.len() > 310, "{modes:?}: {}", walked.len());
        let expected = endpoint.listed("order=ASC");
        assert!(walked == expected[..walked.len()], "{modes:?}: {}", walked.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_cant_be_cut_goes_on_too() {
    let endpoint = shaped("even", 200).serve();
    let client = asking(&endpoint);

    let list = |_| client.list_monitoring_addresses().limit(30).items();
    let walked = walk_with_stops(8, 70, list).await;

    assert_eq!(walked, endpoint.listed(""));
}

#[tokio::test(start_paused = true)]
async fn faults_lose_and_double_nothing_between_stops() {
    for seed in 0..3 {
        let endpoint = Service { failing: 4, empty: 7, ..shaped("even", 500) }.serve();
        let client = asking(&endpoint);
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut walked, mut errors) = (Vec::new(), 0);
        let mut items = Walk { page: 40, ..Walk::ALONE }.items(&client);
        while let Some(item) = items.next().await {
            match item {
                Ok(record) => walked.push(number(&record)),
                Err(_) => errors += 1,
            }
            assert!(errors < 10_000, "no end");
            if random.u8(..) < 8 {
                let walk = Walk { page: 40, concurrency: random.usize(1..6), ..Walk::ALONE };
                items = walk.items(&client).resume(kept(&items.checkpoint()));
            }
        }
        assert!(errors > 0 && walked == endpoint.listed("order=ASC"), "{seed}: {}", walked.len());
    }
}

/// Returns a service with records from these seconds, which it sorts only by the minute.
fn ordered_by_minutes(seconds: impl Iterator<Item = i128>) -> Service {
    let times = seconds.map(|second| BEGIN + second * SECOND);
    Service { ordered: MINUTE, ..Service::of(times) }
}

#[tokio::test(start_paused = true)]
async fn what_shows_the_order_before_an_error_isnt_forgotten_by_who_resumes_again() {
    let endpoint = ordered_by_minutes([0, 60].into_iter().chain(120..180)).serve();
    let client = asking(&endpoint);
    // A page of one record can't show that records aren't sorted by second. The larger page that
    // the resumed listing requests first shows it.
    let mut items = Walk { page: 1, ..Walk::ALONE }.items(&client);
    let mut walked = numbers(&mut items, 2).await.unwrap();
    let walk = Walk { page: 20, ..Walk::ALONE };
    let begun = endpoint.count();
    endpoint.change(|service| service.failing = begun + 2);
    let mut items = walk.items(&client).resume(kept(&items.checkpoint()));
    assert!(items.next().await.unwrap().is_err());
    endpoint.change(|service| service.failing = 0);

    let mut items = walk.items(&client).resume(kept(&items.checkpoint()));
    walked.extend(numbers(&mut items, usize::MAX).await.unwrap());

    assert_eq!(walked, walk.expected(&endpoint));
    let has_bound = [0, 1, 2].map(|n| endpoint.asked()[begun + n].get("created_at.gte").is_some());
    assert_eq!(has_bound, [true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_knows_the_order_of_a_page_that_has_come_ahead() {
    let endpoint = ordered_by_minutes((0..10).map(|n| 60 * n).chain(600..660)).serve();
    let walk = Walk { page: 10, ..Walk::ALONE };
    let client = asking(&endpoint);
    let mut items = walk.items(&client);
    let mut walked = numbers(&mut items, 3).await.unwrap();
    assert_eq!(endpoint.count(), 2);

    let mut items = walk.items(&client).resume(kept(&items.checkpoint()));
    walked.extend(numbers(&mut items, usize::MAX).await.unwrap());

    assert_eq!(walked, walk.expected(&endpoint));
    assert_eq!(endpoint.asked()[2].get("created_at.gte"), None, "unexpected time bound");
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_knows_what_a_first_page_shows_before_the_end_is_known() {
    let service = ordered_by_minutes((0..10).map(|n| 60 * n).chain(600..660));
    let walk = Walk { page: 20, concurrency: 4, ..Walk::ALONE };
    let endpoint = service.serve();
    let client = asking(&endpoint);
    let mut items = Walk { page: 1, ..Walk::ALONE }.items(&client);
    let mut walked = numbers(&mut items, 9).await.unwrap();
    let begun = endpoint.count();
    let mut items = walk.items(&client).resume(kept(&items.checkpoint()));
    endpoint.change(|service| service.takes = Duration::ZERO..=Duration::from_secs(9));
    endpoint.change(|service| service.seed = 2);
    while endpoint.asked().get(begun).is_none_or(|first| first.answered.is_none()) {
        assert!(timeout(Duration::from_millis(100), items.next()).await.is_err());
    }
    assert_eq!(endpoint.asked()[begun + 1].answered, None, "the last record is known");
    let begun = endpoint.count();

    let mut items = walk.items(&client).resume(kept(&items.checkpoint()));
    walked.extend(numbers(&mut items, usize::MAX).await.unwrap());

    assert_eq!(walked, walk.expected(&endpoint));
    assert_eq!(endpoint.asked()[begun].get("created_at.gte"), None);
}

#[tokio::test(start_paused = true)]
async fn a_finished_listing_tells_of_records_that_arrive_before_its_last_one() {
    // The clock that dated the last record was ahead.
    let of = |minutes: &[i128]| Service::of(minutes.iter().map(|minute| BEGIN + minute * MINUTE));
    for (first, then) in [(&[0, 1, 5][..], &[2, 3, 6][..]), (&[5], &[3]), (&[5, 5], &[3, 6])] {
        let endpoint = of(first).serve();
        let client = asking(&endpoint);
        let checkpoint = checkpoint_after(Walk::ALONE.items(&client), usize::MAX).await;
        endpoint.change(|service| service.records.extend(of(then).records));

        let mut items = Walk::ALONE.items(&client).resume(checkpoint);

        let error = numbers(&mut items, usize::MAX).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StaleCheckpoint);
        assert!(error.to_string().contains("added before the last record"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_stop_among_records_of_one_time_resumes_as_near_as_the_first() {
    let times = (0..100).chain([100; 10]).map(|second| BEGIN + second * SECOND);
    let endpoint = Service::of(times).serve();

    let programs = [103, 2, usize::MAX].map(|most| (Walk::ALONE.items(&asking(&endpoint)), most));
    let walked = in_turn(programs).await.unwrap();

    assert_eq!(walked, Walk::ALONE.expected(&endpoint));
    // The first program requests two pages without a time bound. The other two programs send one
    // request each, with a bound.
    let asked = endpoint.asked().into_iter();
    let bounds: Vec<_> = asked.map(|asked| asked.get("created_at.gte").is_some()).collect();
    assert_eq!(bounds, [false, false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_holds_a_time_once_however_many_records_have_it() {
    let endpoint = Service::of([BEGIN; 50]).serve();

    let checkpoint = checkpoint_after(Walk::ALONE.items(&asking(&endpoint)), 50).await;

    let time = serde_json::to_string(&checkpoint.created_at()).unwrap();
    let text = serde_json::to_string(&checkpoint).unwrap();
    assert_eq!(text.matches(&time).count(), 1, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_finished_listing_resumes_with_what_is_new_or_says_where_that_is() {
    let endpoint = shaped("even", 120).serve();
    for walk in Walk::both(1, 100).into_iter().chain(Walk::both(4, 100)) {
        let list = || walk.items(&asking(&endpoint));
        let checkpoint = checkpoint_after(list(), usize::MAX).await;

        let mut rest = list().resume(checkpoint.clone());
        let next = rest.next().await;

        if walk.ascending {
            assert!(next.is_none(), "{walk:?}");
        } else {
            let error = next.unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            assert!(error.to_string().contains("order(Asc)"), "{error}");
            assert!(rest.checkpoint() == checkpoint && rest.next().await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_has_begun_keeps_its_place_when_it_refuses() {
    let client = asking(&shaped("even", 120).serve());
    let list = || client.list_deposit_addresses().items();
    let (mut one, mut other) = (list(), list());
    numbers(&mut one, 29).await.unwrap();
    let thirtieth = one.next().await.unwrap().unwrap();
    numbers(&mut other, 70).await.unwrap();
    let own = one.checkpoint();
    assert_eq!(own.created_at(), thirtieth.created_at());

    for mut refused in [one.resume(other.checkpoint()), other.concurrency(4)] {
        let before = refused.checkpoint();
        let error = refused.next().await.unwrap().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert_eq!(refused.checkpoint(), before);
        assert!(refused.next().await.is_none());
    }
    // A resumed listing that hasn't been polled returns the same checkpoint.
    let mut rest = list().resume(own.clone());
    assert_eq!(rest.checkpoint(), own);
    assert_eq!(numbers(&mut rest, usize::MAX).await.unwrap().len(), 90);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_another_base_url_is_refused_unless_the_service_has_moved() {
    let endpoint = shaped("even", 120).serve();
    let begun = asking(&endpoint).list_deposit_addresses().items();
    let checkpoint = checkpoint_after(begun, 50).await;
    let moved = Client::builder("http://127.0.0.1:9/moved").bearer_token("word");
    let moved = moved.http_service(endpoint.clone()).retry(Retry::none()).build().unwrap();
    let list = || moved.list_deposit_addresses().items();
    let asked = endpoint.count();

    let mut refused = list().resume(checkpoint.clone());
    let error = refused.next().await.unwrap().unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::InvalidRequest, 0));
    assert!(error.to_string().contains("for_moved_service()"), "{error}");
    assert!(refused.next().await.is_none() && endpoint.count() == asked);
    let mut rest = list().resume(kept(&checkpoint.for_moved_service()));
    let rest = numbers(&mut rest, usize::MAX).await.unwrap();
    assert_eq!(rest, endpoint.listed("")[50..]);
}

/// A function that serializes and deserializes a value followed by a number.
type Through<T> = fn(&(T, u64)) -> (T, u64);

fn through_postcard<T: Serialize + DeserializeOwned>(value: &(T, u64)) -> (T, u64) {
    postcard::from_bytes(&postcard::to_allocvec(value).unwrap()).unwrap()
}

/// Serializes with `MessagePack`, in which a struct becomes an array, and deserializes the result.
fn through_arrays<T: Serialize + DeserializeOwned>(value: &(T, u64)) -> (T, u64) {
    rmp_serde::from_slice(&rmp_serde::to_vec(value).unwrap()).unwrap()
}

/// Serializes with `MessagePack`, in which a struct becomes a map with field names, and
/// deserializes the result.
fn through_maps<T: Serialize + DeserializeOwned>(value: &(T, u64)) -> (T, u64) {
    rmp_serde::from_slice(&rmp_serde::to_vec_named(value).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_is_the_same_through_every_format() {
    let endpoint = spread(400, SECOND).serve();
    let client = asking(&endpoint);
    let list = || client.list_deposit_addresses().order(Order::Asc).limit(10).items();
    let split = || client.list_deposit_addresses().ids((0..150).map(id)).order(Order::Asc).items();
    let formats: [Through<Checkpoint>; 3] = [through_postcard, through_arrays, through_maps];
    for items in [list().resume(checkpoint_after(list(), 25).await), list(), split()] {
        let checkpoint = checkpoint_after(items, 25).await;
        for through in formats {
            let whole = (checkpoint.clone(), u64::MAX);
            assert!(through(&whole) == whole, "{}", serde_json::to_string(&whole).unwrap());
        }
    }
    let formats: [Through<FollowCheckpoint>; 3] = [through_postcard, through_arrays, through_maps];
    let mut following = list().follow(Follow::every(seconds(10)).overlap(seconds(100)));
    for _ in 0..30 {
        following.next().await.unwrap().unwrap();
        for through in formats {
            let whole = (following.checkpoint(), u64::MAX);
            assert!(through(&whole) == whole, "{}", serde_json::to_string(&whole).unwrap());
        }
    }
}

// A program can edit a checkpoint that it has stored.
#[tokio::test(start_paused = true)]
async fn a_checkpoint_with_any_numbers_resumes_or_says_that_it_can_not() {
    let client = asking(&shaped("one instant", 60).serve());
    let lists: [&dyn Fn() -> Items<DepositAddress>; 2] =
        [&|| client.list_deposit_addresses().limit(10).items(), &|| {
            client.list_deposit_addresses().ids((0..150).map(id)).limit(10).items()
        }];
    for list in lists {
        let whole = serde_json::to_value(checkpoint_after(list(), 25).await).unwrap();
        for name in ["records_at_time", "page_offset", "merged_listings"] {
            for changed in [0, 1, 24, 26, 59, 61, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
                let mut tampered = whole.clone();
                assert!(tampered["position"][name].is_u64(), "{name}: {whole}");
                tampered["position"][name] = changed.into();
                let checkpoint: Checkpoint = serde_json::from_value(tampered).unwrap();

                let (mut rest, mut failed) = (Vec::new(), false);
                let mut items = list().resume(checkpoint);
                while let Some(item) = items.next().await {
                    match item {
                        Ok(record) => rest.push(number(&record)),
                        Err(_) => failed = true,
                    }
                }

                // No record is returned twice, and none is missing unless there was an error.
                let all = rest.len();
                rest.sort_unstable();
                rest.dedup();
                assert_eq!(rest.len(), all, "{name} {changed}");
                assert!(all == 35 || failed, "{name} {changed}: {all}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_other_filters_is_refused_before_any_request() {
    let endpoint = shaped("even", 120).serve();
    let client = asking(&endpoint);
    let executions = || client.list_quote_executions().profile_id(Uuid::nil());
    let btc = || executions().market(Market::BtcUsd);
    let addresses = |entries| client.list_deposit_addresses().ids((0..entries).map(id)).items();
    let of_executions = checkpoint_after(btc().items(), 2).await;
    let of_addresses = checkpoint_after(addresses(9), 2).await;
    let of_all = checkpoint_after(client.list_deposit_addresses().items(), 2).await;
    let asked = endpoint.count();

    let of = |items: Items<_>| items.resume(of_executions.clone());
    for (case, mut items, keeps) in [
        ("no market", of(executions().items()), &of_executions),
        ("another market", of(executions().market(Market::EthUsd).items()), &of_executions),
        ("another order", of(btc().order(Order::Asc).items()), &of_executions),
        ("another listing", btc().items().resume(of_addresses.clone()), &of_addresses),
    ] {
        let error = items.next().await.unwrap().unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::InvalidRequest, 0), "{case}");
        assert!(items.next().await.is_none(), "{case}");
        assert_eq!(items.checkpoint(), *keeps, "{case}: it is lost");
    }
    for mut items in [addresses(8).resume(of_addresses), addresses(0).resume(of_all)] {
        assert_eq!(items.next().await.unwrap().unwrap_err().kind(), ErrorKind::InvalidRequest);
    }
    assert_eq!(endpoint.count(), asked);

    // A listing with an explicit default value or another page size counts as the same listing.
    for list in [btc().order(Order::Desc).order_by(OrderBy::CreatedAt), btc().limit(2)] {
        assert_eq!(numbers(&mut of(list.items()), usize::MAX).await.unwrap().len(), 58);
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_a_page_that_was_asked_for_is_not_handed_out_by_who_resumes() {
    for apart in [0, SECOND] {
        let endpoint = Service::of((0..9).map(|n| BEGIN + n * apart)).serve();
        let list = asking(&endpoint).list_deposit_addresses().order(Order::Asc).limit(2);
        let first = list.clone().pages().next().await.unwrap().unwrap();
        let items = list.clone().page_cursor(first.next_page_cursor.clone().unwrap()).items();

        let again = [1, usize::MAX].map(|most| (list.clone().items(), most));
        let walked = in_turn([(items, 1)].into_iter().chain(again)).await.unwrap();

        assert_eq!(walked, [2, 3, 4, 5, 6, 7, 8], "{apart}");
    }
}

// The docs of `Items` promise that a record is returned after resuming if it arrives within five
// minutes of its `created_at`.
#[tokio::test(start_paused = true)]
async fn what_arrives_while_parts_are_merged_comes_once_to_who_resumes_again_and_again() {
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let record = |random: &mut fastrand::Rng| {
            let created = random.u64(..2_000);
            let visible = created + random.u64(..290);
            let visible = Duration::from_secs(visible.saturating_sub(1_000));
            Record { visible, ..Record::at(BEGIN + (i128::from(created) - 1_000) * SECOND) }
        };
        let records = (0..240).map(|_| record(&mut random)).collect();
        let takes = Duration::ZERO..=Duration::from_secs(random.u64(..6));
        let endpoint = Service { records, takes, seed, ..Service::default() }.serve();
        let list = asking(&endpoint).list_deposit_addresses().ids((0..240).map(id));
        let (mut walked, mut checkpoint) = (Vec::new(), None);
        while endpoint.elapsed() < Duration::from_secs(1_300) {
            let list = list.clone().order(Order::Asc).limit(random.i32(1..9));
            let mut items = list.items().concurrency(random.usize(1..8));
            if let Some(checkpoint) = checkpoint {
                items = items.resume(checkpoint);
            }
            let most = if random.bool() { usize::MAX } else { random.usize(1..80) };
            walked.extend(numbers(&mut items, most).await.unwrap());
            checkpoint = Some(kept(&items.checkpoint()));
            sleep(Duration::from_secs(random.u64(..200))).await;
        }
        let rest = list.order(Order::Asc).items().resume(checkpoint.unwrap());
        walked.extend(numbers(&mut { rest }, usize::MAX).await.unwrap());

        walked.sort_unstable();
        assert_eq!(walked, (0..240).collect::<Vec<_>>(), "{seed}");
    }
}
