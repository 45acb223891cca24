//! Tests of followed listings whose records arrive late, change, move and disappear.

use std::collections::HashMap;

use digital_assets::{Change, types::Order};
use proptest::{collection::vec, prelude::*};
use reqwest::StatusCode;
use tokio::time::timeout_at;
use virtual_service::{
    BEGIN, Bounds, DAY, Endpoint, Fault, HOUR, MINUTE, Record, Rounding, SECOND, Service,
};

use super::{
    OVERLAP, all_once, every, follow, heard, kept, late, life, numbers, seen, serve, until,
};
use crate::{
    at_scale::walk::asking,
    prelude::*,
    specification::{DEPOSIT_ADDRESS, items},
};

/// Returns the lower time bound of each request.
fn asked(endpoint: &Endpoint) -> Vec<String> {
    let asked = endpoint.asked().into_iter();
    asked.map(|asked| asked.get("created_at.gte").unwrap_or("the beginning").to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_there_comes_first_and_then_what_arrives() {
    let endpoint = serve([5, 15, 70].map(life));

    let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 85).await;

    assert_eq!(changes, all_once(3));
    // There is a round at once, and then one every ten seconds. A round starts at the last record
    // that is as old as the overlap, or at the beginning if there is no such record.
    let from: Vec<_> = [["the beginning"; 8].as_slice(), &["2025-01-01T00:00:05Z"]].concat();
    assert_eq!(asked(&endpoint), from);
}

#[tokio::test(start_paused = true)]
async fn a_late_record_within_the_overlap_comes_once_and_beyond_it_is_not_promised() {
    let (within, beyond) = (late(95, OVERLAP - 1), late(90, OVERLAP + 20));
    let steady = (0..60).map(|n| life(n * 5));
    let endpoint = serve([within, beyond].into_iter().chain(steady));

    let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 290).await;

    let came = |number| changes.iter().filter(|(_, of, _)| *of == number).count();
    assert_eq!((came(0), came(1)), (1, 0));
    assert!((2..60).all(|number| came(number) == 1), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_number_that_changes_beyond_a_floats_digits_is_a_change() {
    let service = InMemory::scripted(|round, _| {
        let digits = if round < 2 { "0.1234567890123456789" } else { "0.1234567890123456780" };
        let record = DEPOSIT_ADDRESS.replace("\"emea\"", digits);
        json(200, items(&[&record], ""))
    });
    let mut following = service.client().list_deposit_addresses().items().follow(every());

    let first = within_bounds(following.next()).await.unwrap().unwrap();
    let second = within_bounds(following.next()).await.unwrap().unwrap();

    assert!(matches!(first, Change::New(_)), "{first:?}");
    assert_eq!(service.count(), 3);
    let Change::Changed(record) = second else { panic!("{second:?}") };
    assert_eq!(record.metadata["desk"], "0.1234567890123456780");
}

#[tokio::test(start_paused = true)]
async fn changes_come_once_for_each_round_that_finds_other_content() {
    let changes = [(5, 1), (15, 2), (16, 3), (25, 0)];
    let changes = changes.map(|(after, content)| (seconds(after), content)).to_vec();
    let gone = Record { removed: Some(seconds(12)), ..life(0) };
    let endpoint = serve([Record { changes, ..life(0) }, gone]);

    let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 60).await;

    // The second change wasn't visible in any round, because the third one followed too soon.
    assert_eq!(changes[..2], all_once(2));
    assert_eq!(changes[2..], [(false, 0, 1), (false, 0, 3), (false, 0, 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_records_of_one_instant_come_once_across_rounds() {
    let endpoint = serve((0..1_000).map(|n| late(1, (n % 7) * 5)));

    let mut changes = until(&mut follow(&asking(&endpoint)), &endpoint, 100).await;

    changes.sort_unstable();
    assert_eq!(changes, all_once(1_000));
}

#[tokio::test(start_paused = true)]
async fn an_error_comes_out_and_the_next_poll_goes_on() {
    let endpoint = serve((0..40).map(life));
    endpoint.change(|service| service.failing = 3);

    let (changes, errors) = heard(&mut follow(&asking(&endpoint)), &endpoint, 200).await;

    assert_eq!(numbers(changes), (0..40).collect::<Vec<_>>());
    assert!(errors.len() > 5, "{errors:?}");
    assert!(errors.iter().all(|error| error.kind() == ErrorKind::Transport), "{errors:?}");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_at_once_is_asked_after_pauses_that_double_up_to_the_interval() {
    let endpoint = serve((0..40).map(life));
    endpoint.change(|service| service.down = vec![seconds(15)..seconds(75)]);

    let (changes, errors) = heard(&mut follow(&asking(&endpoint)), &endpoint, 100).await;

    assert_eq!(numbers(changes), (0..40).collect::<Vec<_>>());
    assert!((6..=10).contains(&errors.len()), "{}", errors.len());
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_expires_amid_a_round_is_one_error() {
    let endpoint = serve((0..40).map(|n| Record::at(BEGIN - DAY + n * 10 * SECOND)));
    let mut following = follow(&asking(&endpoint));
    let mut changes = Vec::new();
    for _ in 0..16 {
        changes.push(following.next().await.unwrap().unwrap());
    }
    endpoint.expire();

    let (rest, errors) = heard(&mut following, &endpoint, 100).await;

    changes.extend(rest);
    assert_eq!(numbers(changes), (0..40).collect::<Vec<_>>());
    let gone: Vec<_> = errors.iter().map(Error::status).collect();
    assert_eq!(gone, [Some(StatusCode::GONE)]);
    let asked = endpoint.asked();
    let anew = asked.iter().skip(1).find(|asked| asked.get("page_cursor").is_none()).unwrap();
    // A new round begins on schedule. It starts one overlap before the previous round's last
    // record.
    assert_eq!(anew.get("created_at.gte"), Some("2024-12-31T00:01:50Z"));
    assert_eq!(anew.at, seconds(10));
}

#[tokio::test(start_paused = true)]
async fn a_round_goes_on_at_its_page_behind_a_refused_token() {
    for (status, is_anew) in [(401, false), (403, false), (429, false), (400, true), (404, true)] {
        let endpoint = serve((0..9).map(|n| Record::at(BEGIN - DAY + n)));
        let mut following = follow(&asking(&endpoint));
        assert!(following.next().await.unwrap().is_ok());
        (0..2).for_each(|_| endpoint.fault(Fault::Status(status, None)));

        let mut error = None;
        while error.is_none() {
            error = following.next().await.unwrap().err();
        }
        let asked = endpoint.count();
        assert!(following.next().await.is_some());

        let next = &endpoint.asked()[asked];
        assert_eq!(next.get("page_cursor").is_none(), is_anew, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_pauses_for_a_day_misses_and_doubles_nothing() {
    const DAY: u64 = 24 * 3_600;
    // One record becomes visible while the first round is paused. It was created before the round's
    // position.
    let records = (0..10).map(life).chain([late(2, OVERLAP / 2)]);
    let endpoint = serve(records.chain((0..10).map(|n| life(DAY / 2 + n))));
    advance(seconds(20)).await;
    let mut following = follow(&asking(&endpoint));
    let first = seen(following.next().await.unwrap().unwrap());
    advance(seconds(DAY)).await;

    let mut changes = until(&mut following, &endpoint, DAY + 100).await;

    changes.push(first);
    changes.sort_unstable();
    assert_eq!(changes, all_once(21));
}

#[tokio::test(start_paused = true)]
async fn other_orders_cursors_and_checkpoints_are_refused_before_any_request() {
    let endpoint = serve([life(0)]);
    let client = asking(&endpoint);
    let (list, kept) = (|| client.list_deposit_addresses(), kept(&follow(&client)));
    for (list, words) in [
        (list().order(Order::Desc), "ascending order"),
        (list().page_cursor("0-0"), "page_cursor"),
        (list().ref_ids(["a"]), "another listing"),
        (list().options(CallOptions::new().header("host", "another")), "host"),
    ] {
        let mut following = list.items().follow(every()).resume(kept.clone());

        let error = following.next().await.unwrap().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.to_string().contains(words), "{error}");
        assert!(following.next().await.is_none());
        assert_eq!(following.checkpoint(), kept);
    }
    assert_eq!(endpoint.count(), 0);
    let mut limited = list().limit(7).order(Order::Asc).items().follow(every()).resume(kept);
    assert!(limited.next().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_takes_at_most_200_bytes_a_record() {
    let milliseconds = |n: i128| BEGIN + (n * 100 + 1) * 1_000_000;
    let endpoint = serve((0..500).map(|n| Record::at(milliseconds(n))));
    let mut following = follow(&asking(&endpoint));
    let changes = until(&mut following, &endpoint, 15).await;

    let checkpoint = serde_json::to_string(&following.checkpoint()).unwrap();

    assert_eq!(changes.len(), 500);
    assert!(checkpoint.len() < 200 * 500, "{}", checkpoint.len());
    assert!(!format!("{:?}", following.checkpoint()).contains("2025"));
}

// While a round reads several pages, records may become visible in the part that it has already
// read. So the next round reaches back farther, by the time that the round took.
#[tokio::test(start_paused = true)]
async fn a_round_after_one_of_several_pages_reaches_back_by_as_long_as_it_took() {
    // The first case reaches back a second farther than necessary.
    for (page, asked_again) in [(65, "2024-12-31T23:58:59Z"), (40, "2024-12-31T23:58:56Z")] {
        let endpoint = serve((0..65).map(|n| Record::at(BEGIN - n * SECOND)));
        endpoint.change(|service| (service.page, service.takes) = (page, seconds(2)..=seconds(2)));

        let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 19).await;

        assert_eq!(changes.len(), 65);
        let asked = asked(&endpoint);
        let (first, again) = asked.split_at(asked.len() / 2);
        assert!(first.iter().all(|from| from == "the beginning"), "{asked:?}");
        assert!(again.iter().all(|from| from == asked_again), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_service_shows_of_the_time_before_a_round_is_not_new() {
    let endpoint = serve((0..60).map(|n| life(n * 5)));
    endpoint.change(|service| service.bounds = Bounds::Read(Rounding::Down(MINUTE)));

    let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 400).await;

    assert_eq!(changes, all_once(60));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_rounds_bounds_up_hides_nothing_within_the_overlap() {
    for bounds in [Rounding::Up(MINUTE), Rounding::Nearest(MINUTE), Rounding::Up(60 * MINUTE)] {
        let changing = |n: u64| Record { changes: vec![(seconds(n * 5 + 40), 1)], ..life(n * 5) };
        let endpoint = serve((0..60).map(changing));
        endpoint.change(|service| service.bounds = Bounds::Read(bounds));

        let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 400).await;

        let last: HashMap<usize, u64> =
            changes.iter().map(|(_, of, content)| (*of, *content)).collect();
        let stale: Vec<_> = (0..60).filter(|number| last.get(number) != Some(&1)).collect();
        assert!(stale.is_empty(), "{bounds:?}: {stale:?}");

        let endpoint = serve([life(1), late(75, 59), life(125)]);
        endpoint.change(|service| service.bounds = Bounds::Read(bounds));

        let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 145).await;

        assert_eq!(changes.len(), 3, "{bounds:?}: {changes:?}");
    }
}

// A round requests the records from a known record's time on. While that record still exists, it
// shows whether the service rounds the bound.
#[tokio::test(start_paused = true)]
async fn a_service_that_rounds_bounds_up_hides_nothing_behind_a_record_that_is_gone() {
    let serve = || {
        let gone = Record { removed: Some(seconds(41)), ..Record::at(BEGIN - 5 * MINUTE) };
        let late = Record { visible: seconds(55), ..Record::at(BEGIN - SECOND) };
        let endpoint = serve([gone, late, life(40)]);
        endpoint.change(|service| service.bounds = Bounds::Read(Rounding::Up(HOUR)));
        endpoint
    };
    for resumed in [None, Some(42), Some(54)] {
        let endpoint = serve();
        let client = asking(&endpoint);
        let mut following = follow(&client);
        let mut changes = until(&mut following, &endpoint, resumed.unwrap_or(41)).await;
        if resumed.is_some() {
            following = follow(&client).resume(kept(&following));
        }

        changes.extend(until(&mut following, &endpoint, 95).await);

        assert_eq!(changes, [(true, 0, 0), (true, 2, 0), (true, 1, 0)], "{resumed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_rounds_bounds_up_hides_nothing_after_many_records_are_gone() {
    let gone = |created| Record { removed: Some(seconds(81)), ..life(created) };
    let endpoint = serve([20, 25, 30].map(gone).into_iter().chain([80, 150].map(life)));
    endpoint.change(|service| service.bounds = Bounds::Read(Rounding::Up(HOUR)));

    let changes = until(&mut follow(&asking(&endpoint)), &endpoint, 200).await;

    assert_eq!(changes, all_once(5));
}

prop_compose! {
    fn lives()(
        created in 0..200_u64,
        is_late in prop_oneof![Just(0), 0..OVERLAP],
        changes in vec((0..OVERLAP, 1..9_u64), 0..3),
        together in any::<bool>(),
    ) -> Record {
        let created = if together { created / 40 * 40 } else { created };
        let changes = changes.into_iter().map(|(after, content)| (seconds(created + after), content));
        let mut life = Record { changes: changes.collect(), ..late(created, is_late) };
        life.changes.sort_unstable();
        life
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Wherever the program is killed, each record is new once, and its last content is returned.
    #[test]
    fn a_listing_that_is_killed_after_any_item_loses_and_doubles_nothing(
        records in vec(lives(), 1..40),
        page in 1..8_usize,
        latency in prop_oneof![Just(0), 1..3_000_u64],
        failing in prop_oneof![Just(0_usize), 2..6_usize],
        kills in vec(0..4_usize, 0..30),
    ) {
        let latency = millis(latency);
        let service = Service { records, page, takes: latency..=latency, failing, ..Service::default() };
        let changes = paused().block_on(async {
            let client = asking(&service.clone().serve());
            let mut end = Instant::now() + seconds(600);
            let (mut following, mut kills, mut changes) = (follow(&client), kills.into_iter(), Vec::new());
            let mut left = kills.next();
            while let Ok(Some(change)) = timeout_at(end, following.next()).await {
                if let Ok(change) = change {
                    changes.push(seen(change));
                }
                match left {
                    Some(0) => {
                        following = follow(&client).resume(kept(&following));
                        left = kills.next();
                        // Each kill sets the listing back by the overlap, so the listing needs more
                        // time to reach the end.
                        end = end.max(Instant::now() + seconds(600));
                    }
                    Some(more) => left = Some(more - 1),
                    None => {}
                }
            }
            changes
        });

        let mut last: HashMap<usize, u64> = HashMap::new();
        for (is_new, number, content) in &changes {
            prop_assert_eq!(*is_new, !last.contains_key(number), "{:?}", changes);
            prop_assert_ne!(last.insert(*number, *content), Some(*content), "{:?}", changes);
        }
        for (number, life) in service.records.iter().enumerate() {
            prop_assert_eq!(last.get(&number), Some(&life.content(seconds(600))), "record {} of {:?}", number, changes);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_round_lists_comes_however_far_it_stands_behind_its_time() {
    // One record in ten is sorted up to an hour later than its time, which is far more than the
    // overlap.
    for concurrency in [1, 4] {
        let endpoint = serve((0..200).map(|n| Record::at(BEGIN - DAY + n * MINUTE)));
        endpoint.change(|it| (it.astray, it.nearly, it.page) = (10, HOUR, 30));
        let items = asking(&endpoint).list_deposit_addresses().items().concurrency(concurrency);

        let (changes, errors) = heard(&mut items.follow(every()), &endpoint, 95).await;

        let mut found = numbers(changes);
        found.sort_unstable();
        assert!(!errors.is_empty() || found.into_iter().eq(0..200), "{concurrency}");
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_are_not_listed_for_a_minute_are_no_news_when_they_are_again() {
    let endpoint = serve((0..20).map(|n| life(7 * n)));
    let mut following = follow(&asking(&endpoint));
    let before = until(&mut following, &endpoint, 145).await;
    let hide = |hidden: bool| {
        endpoint.change(|service| {
            for record in &mut service.records {
                record.removed = hidden.then_some(seconds(145));
            }
        });
    };

    hide(true);
    let hidden = until(&mut following, &endpoint, 205).await;
    hide(false);
    let again = until(&mut following, &endpoint, 265).await;

    assert_eq!((before.len(), hidden.len(), again.len()), (20, 0, 0), "{again:?}");
}
