//! Tests of listings that are followed for one round, and of the requests during an outage.

use digital_assets::Follow;
use virtual_service::{BEGIN, DAY, Fault, HOUR, MINUTE, Record, SECOND};

use super::{Seen, every, follow, kept, late, life, seen, serve, until};
use crate::{at_scale::walk::asking, prelude::*};

/// Returns all changes of a listing that ends, and its last checkpoint.
async fn all(
    mut following: digital_assets::Following<digital_assets::types::DepositAddress>,
) -> (Vec<Seen>, digital_assets::FollowCheckpoint) {
    let mut changes = Vec::new();
    while let Some(change) = within_bounds(following.next()).await {
        changes.push(seen(change.unwrap()));
    }
    assert!(following.next().await.is_none());
    (changes, kept(&following))
}

#[tokio::test(start_paused = true)]
async fn one_round_returns_what_is_there_and_then_what_is_new_late_or_changed() {
    let changing = Record { changes: vec![(seconds(50), 7)], ..life(8) };
    let records = [life(5), changing, life(70), late(9, 45), life(3_000)];
    let endpoint = serve(records);
    let client = asking(&endpoint);
    let once =
        || client.list_deposit_addresses().items().follow(Follow::once().overlap(seconds(60)));

    let (first, checkpoint) = all(once()).await;
    sleep(seconds(10)).await;
    let (second, checkpoint) = all(once().resume(checkpoint)).await;
    sleep(seconds(80)).await;
    let (mut third, checkpoint) = all(once().resume(checkpoint)).await;
    let (fourth, checkpoint) = all(once().resume(checkpoint)).await;

    assert_eq!(first, []);
    assert_eq!(second, [(true, 0, 0), (true, 1, 0)]);
    third.sort_unstable();
    assert_eq!(third, [(false, 1, 7), (true, 2, 0), (true, 3, 0)]);
    assert_eq!(fourth, []);
    let mut followed = follow(&client).resume(checkpoint);
    assert_eq!(until(&mut followed, &endpoint, 3_100).await, [(true, 4, 0)]);
    assert_eq!(all(once().resume(kept(&followed))).await.0, []);
}

#[tokio::test(start_paused = true)]
async fn one_round_asks_for_open_records_however_old_they_are() {
    let old =
        |number: i128, settled| Record { settled, ..Record::at(BEGIN - 30 * DAY + number * HOUR) };
    let endpoint = serve([old(0, Some(seconds(50))), old(1, None), Record::at(BEGIN - MINUTE)]);
    let client = asking(&endpoint);
    let once = |recheck: Option<Duration>| {
        let follow = Follow::once().overlap(seconds(5));
        let follow = recheck.into_iter().fold(follow, Follow::recheck);
        let list =
            client.list_quote_executions().profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10");
        list.items().follow(follow)
    };
    let mut first = once(None);
    let mut count = 0;
    while let Some(change) = first.next().await {
        assert!(matches!(change.unwrap(), digital_assets::Change::New(_)));
        count += 1;
    }
    assert_eq!(count, 3);
    sleep(seconds(60)).await;

    let mut never = once(Some(Duration::MAX)).resume(first.checkpoint());
    assert!(never.next().await.is_none());
    let mut second = once(None).resume(first.checkpoint());
    let change = second.next().await.unwrap().unwrap();

    let digital_assets::Change::Changed(record) = change else { panic!("{change:?}") };
    assert_eq!(record.status, "SETTLED");
    assert!(second.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn one_round_goes_on_after_an_error_and_pauses_first() {
    let endpoint = serve((0..9).map(|n| Record::at(BEGIN - (100 - n) * SECOND)));
    for fault in [Fault::Late(seconds(0)), Fault::Status(403, None), Fault::Status(403, None)] {
        endpoint.fault(fault);
    }
    let client = asking(&endpoint);
    let mut following = client.list_deposit_addresses().items().follow(Follow::once());
    let began = Instant::now();

    let (mut changes, mut errors) = (0, 0);
    while let Some(change) = within_bounds(following.next()).await {
        *(if change.is_ok() { &mut changes } else { &mut errors }) += 1;
    }

    assert_eq!((changes, errors), (9, 2));
    assert!(began.elapsed() >= seconds(3), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_outage_costs_a_request_less_and_less_often_up_to_the_interval() {
    let service = InMemory::always(status(503));
    let client = service.with(|client| client.retry(Retry::none()));
    let mut following =
        client.list_deposit_addresses().items().follow(Follow::every(seconds(3_600)));

    let began = Instant::now();
    while began.elapsed() < seconds(20 * 3_600) {
        within_bounds(following.next()).await.unwrap().unwrap_err();
    }

    let times = service.times();
    let gaps: Vec<u64> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]).as_secs()).collect();
    assert_eq!(gaps[..5], [1, 2, 4, 8, 16]);
    assert!(gaps[12..].iter().all(|gap| *gap == 3_600), "{gaps:?}");
    // A shorter interval limits the pause.
    let mut following = client.list_deposit_addresses().items().follow(every());
    for _ in 0..6 {
        following.next().await.unwrap().unwrap_err();
    }
    let began = Instant::now();
    following.next().await.unwrap().unwrap_err();
    assert_eq!(began.elapsed(), seconds(10));
}
