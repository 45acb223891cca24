//! Tests of records and checkpoints that are dated in the future.

use chrono::TimeDelta;
use digital_assets::{
    FollowCheckpoint,
    types::{DepositAddress, Order},
};
use futures_util::TryStreamExt;
use reqwest::StatusCode;
use serde_json::json;
use virtual_service::{BEGIN, DAY, Fault, Record, SECOND, id, number};

use super::{all_once, every, follow, kept, late, life, serve, until};
use crate::{at_scale::walk::asking, prelude::*};

// One record is dated an hour in the future, and the clocks of the service's nodes differ by a
// minute. Each record that becomes visible within the overlap is returned once, in this process or
// in the next.
#[tokio::test(start_paused = true)]
async fn a_record_dated_ahead_moves_nothing_else() {
    for nodes in [[0, 60 * SECOND], [60 * SECOND, 0]] {
        let ahead = Record { visible: seconds(30), ..life(3_600) };
        let steady = (0..300).zip([0, 7, 40].into_iter().cycle()).map(|(n, by)| late(n * 5, by));
        let endpoint = serve([ahead].into_iter().chain(steady));
        endpoint.change(|service| (service.nodes, service.page) = (nodes.to_vec(), 100));
        let client = asking(&endpoint);
        let mut following = follow(&client);

        let mut changes = until(&mut following, &endpoint, 200).await;
        let mut following = follow(&client).resume(kept(&following));
        changes.extend(until(&mut following, &endpoint, 1_700).await);

        changes.sort_unstable();
        assert_eq!(changes, all_once(301), "{nodes:?}");
    }
}

// A record dated in the future says nothing about the position of a round, even after its time has
// passed. Here, the request for the round's next page fails.
#[tokio::test(start_paused = true)]
async fn a_record_dated_ahead_amid_older_ones_passes_over_none_of_them() {
    let created = |after: i128| Record::at(BEGIN - DAY + after * SECOND);
    for (ahead_by, pause) in [(TimeDelta::days(1_000), 0), (TimeDelta::seconds(86_400 + 150), 250)]
    {
        let endpoint = serve((0..20).map(|n| created(n * 10)).chain([created(85)]));
        let client = asking(&endpoint);
        let all = client.list_deposit_addresses().order(Order::Asc).items();
        let mut page: Vec<DepositAddress> = all.try_collect().await.unwrap();
        // The page contains the first ten records, without record 20, which is listed before the
        // tenth.
        page.retain(|address| number(address.id) < 10);
        let mut ahead = page[5].clone();
        (ahead.id, ahead.created_at) = (id(21), ahead.created_at + ahead_by);
        page.insert(5, ahead);
        let page = json!({ "items": page, "next_page_cursor": "9.3." });
        endpoint.fault(Fault::Body(200, page.to_string()));
        endpoint.change(|service| service.expired.push("9.3.".to_owned()));
        let mut following = follow(&client);

        let mut numbers = Vec::new();
        for most in [5, 100] {
            for change in following.next_batch(most).await.unwrap().unwrap() {
                numbers.push(number(change.into_inner().id));
            }
            advance(seconds(pause)).await;
        }
        let error = following.next().await.unwrap().unwrap_err();
        let changes = until(&mut following, &endpoint, 1_000).await;

        assert_eq!((numbers.len(), error.status()), (11, Some(StatusCode::GONE)));
        numbers.extend(changes.into_iter().map(|(_, number, _)| number));
        numbers.sort_unstable();
        assert_eq!(numbers, (0..22).collect::<Vec<_>>(), "{ahead_by}");
    }
}

// The listing with the future record waits while the other listing continues. So the client notices
// too late that the records aren't sorted by time.
#[tokio::test(start_paused = true)]
async fn a_record_dated_ahead_in_one_of_several_listings_is_told() {
    let created = |after: i128| Record::at(BEGIN - DAY + after * SECOND);
    for is_killed in [false, true] {
        let ahead = Record::at(BEGIN + 1_000 * DAY);
        let ahead = Record { place: Some(created(12).created), ..ahead };
        let few = [created(5), created(10), ahead, created(20), created(30)];
        let hidden = (5..75).map(|_| Record { removed: Some(seconds(0)), ..created(0) });
        let many = (0..50).map(|n| created(15 + 10 * n));
        let endpoint = serve(few.into_iter().chain(hidden).chain(many));
        endpoint.change(|service| service.expired.push("2.3.".to_owned()));
        // The client splits the filter into two parts of 75 entries each.
        let list = asking(&endpoint).list_deposit_addresses().ids((0..150).map(id));
        let follow = || list.clone().items().follow(every());
        let mut following = follow();
        let mut listed = 0;
        while !(is_killed && listed == 40) && following.next().await.unwrap().is_ok() {
            listed += 1;
        }
        endpoint.change(|service| service.expired.clear());

        if is_killed {
            following = follow().resume(kept(&following));
        }
        let told = loop {
            let change = timeout(seconds(100), following.next()).await;
            if let Err(error) = change.expect("the round ended without an error").unwrap() {
                break error.kind();
            }
        };

        assert_eq!(told, ErrorKind::Decode, "{is_killed}");
    }
}

// The record's time passes while the program is paused. A record that becomes visible meanwhile
// must still be returned.
#[tokio::test(start_paused = true)]
async fn a_program_that_pauses_amid_a_page_misses_nothing_behind_a_record_dated_ahead() {
    for is_resumed in [false, true] {
        let ahead = Record { visible: seconds(0), ..life(200) };
        let endpoint = serve([ahead, late(100, 60), life(0)]);
        let client = asking(&endpoint);
        let mut following = follow(&client);

        for _ in ["life", "ahead"] {
            assert!(following.next().await.is_some_and(|change| change.is_ok()));
        }
        advance(seconds(250)).await;
        if is_resumed {
            following = follow(&client).resume(kept(&following));
        }
        let changes = until(&mut following, &endpoint, 400).await;

        assert_eq!(changes, [(true, 1, 0)], "{is_resumed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_lies_ahead_is_told() {
    let endpoint = serve((0..10).map(life));
    let client = asking(&endpoint);
    let mut following = follow(&client);
    until(&mut following, &endpoint, 30).await;
    let mut json = serde_json::to_value(following.checkpoint()).unwrap();
    json["from"] = "2025-02-01T00:00:00Z".into();
    let checkpoint: FollowCheckpoint = serde_json::from_value(json).unwrap();

    let mut following = follow(&client).resume(checkpoint);

    let error = following.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleCheckpoint, "{error}");
    assert!(following.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_another_service_is_refused_unless_it_has_moved() {
    let endpoint = serve((0..10).map(life));
    let mut following = follow(&asking(&endpoint));
    until(&mut following, &endpoint, 30).await;
    let elsewhere = Client::builder("https://elsewhere.invalid").bearer_token("word");
    let elsewhere = elsewhere.http_service(endpoint.clone()).build().unwrap();

    let mut refused = follow(&elsewhere).resume(kept(&following));
    assert_eq!(refused.next().await.unwrap().unwrap_err().kind(), ErrorKind::InvalidRequest);

    let mut moved = follow(&elsewhere).resume(kept(&following).for_moved_service());
    assert_eq!(until(&mut moved, &endpoint, 60).await, []);
}
