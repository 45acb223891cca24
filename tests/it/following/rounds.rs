//! Tests of when rounds start, what they request, and how they end.

use virtual_service::{BEGIN, Fault, Record, SECOND, URL, id};

use super::{all_once, every, follow, heard, kept, late, life, seen, serve, until};
use crate::{
    at_scale::walk::asking,
    prelude::*,
    specification::{DEPOSIT_ADDRESS, items, time, with},
};
use tokio::time::timeout_at;

#[tokio::test(start_paused = true)]
async fn a_filter_longer_than_one_request_is_followed_by_many_requests_at_once() {
    for concurrency in [1, 8] {
        let before = (0..250).map(|n| Record::at(BEGIN - (300 - n) * SECOND));
        let late = Record { visible: seconds(35), ..Record::at(BEGIN - SECOND) };
        let endpoint = serve(before.chain([late]));
        let list = asking(&endpoint).list_deposit_addresses().ids((0..251).map(id)).limit(20);
        let mut following = list.items().concurrency(concurrency).follow(every());

        let changes = until(&mut following, &endpoint, 100).await;

        assert_eq!(changes, all_once(251), "{concurrency}");
    }
}

#[tokio::test(start_paused = true)]
async fn rounds_keep_the_rate_limit() {
    let endpoint = serve([life(0)]);
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    let client = client.rate_limit(operation::LIST_DEPOSIT_ADDRESSES, 0.05).build().unwrap();

    until(&mut follow(&client), &endpoint, 600).await;

    // The rate limit allows one request in twenty seconds, although a round is due every ten.
    assert!((25..=31).contains(&endpoint.count()), "{}", endpoint.count());
}

#[tokio::test(start_paused = true)]
async fn the_first_round_is_asked_for_at_once_and_one_that_was_missed_never() {
    let endpoint = serve([life(0)]);
    let client = asking(&endpoint);
    let mut following = follow(&client);

    until(&mut following, &endpoint, 5).await;
    assert_eq!(endpoint.count(), 1);
    advance(seconds(3_600)).await;
    until(&mut following, &endpoint, 3_610).await;
    assert_eq!(endpoint.count(), 2);
    let mut resumed = follow(&client).resume(kept(&following));
    until(&mut resumed, &endpoint, 3_615).await;
    assert_eq!(endpoint.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_asks_for_patience_makes_one_error_an_interval() {
    let endpoint = serve([life(0)]);
    endpoint.fault(Fault::Status(429, Some(120)));
    let mut following = follow(&asking(&endpoint));

    let (began, mut errors) = (Instant::now(), 0);
    while let Err(error) = following.next().await.unwrap() {
        assert!(error.is_retryable(), "{error}");
        errors += 1;
    }

    // There is an error per interval until a call has enough time for the rest of the wait.
    assert!((6..=8).contains(&errors), "{errors}");
    assert!(began.elapsed() < seconds(130));
}

#[tokio::test(start_paused = true)]
async fn a_round_that_a_repeated_cursor_ends_has_taken_its_time() {
    // Ten seconds after the oldest record was created, the first of three pages arrives. Then a
    // record on that page changes, and a new record appears on a later page. Both happen within the
    // overlap.
    let oldest = Record { changes: vec![(seconds(40), 1)], ..Record::at(BEGIN - 10 * SECOND) };
    let others = (0..24).map(|_| Record::at(BEGIN - SECOND));
    let new = Record { visible: seconds(40), ..Record::at(BEGIN + 90 * SECOND) };
    let endpoint = serve([oldest].into_iter().chain(others).chain([new]));
    for fault in [Fault::Late(seconds(0)), Fault::Late(seconds(0)), Fault::RepeatedCursor] {
        endpoint.fault(fault);
    }
    let list = asking(&endpoint).list_deposit_addresses().limit(10).items();
    let mut following = list.follow(every());
    assert_eq!(following.next().await.unwrap().map(seen).unwrap(), (true, 0, 0));

    advance(seconds(90)).await;
    let (mut changes, errors) = heard(&mut following, &endpoint, 150).await;

    assert_eq!(changes.pop().map(seen), Some((false, 0, 1)));
    assert_eq!(errors.iter().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::RepeatedCursor]);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_starts_earlier_finds_a_record_that_is_later_than_its_overlap() {
    let endpoint = serve([life(10), late(11, 500), life(300), life(400)]);
    let client = asking(&endpoint);
    let mut following = follow(&client);
    assert_eq!(until(&mut following, &endpoint, 450).await.len(), 3);
    let kept = kept(&following);

    let mut same = follow(&client).resume(kept.clone());
    assert_eq!(until(&mut same, &endpoint, 600).await, []);
    let mut earlier = follow(&client).resume(kept.clone().starting_earlier(seconds(400)));
    assert_eq!(until(&mut earlier, &endpoint, 650).await, [(true, 0, 0), (true, 1, 0)]);
    let mut whole = follow(&client).resume(kept.starting_earlier(Duration::MAX));
    assert_eq!(until(&mut whole, &endpoint, 700).await, [(true, 0, 0), (true, 1, 0)]);
}

// RFC 3339, section 5.6: a leap second has the number 60. The service reports it, but doesn't accept
// it as a bound.
#[tokio::test(start_paused = true)]
async fn a_record_from_a_leap_second_is_followed() {
    let leap = with(DEPOSIT_ADDRESS, "created_at", r#""2016-12-31T23:59:60Z""#);
    let other = with(DEPOSIT_ADDRESS, "created_at", r#""2017-01-01T00:02:00Z""#);
    let other = with(&other, "id", r#""00000000-0000-0000-0000-000000000002""#);
    let service = InMemory::scripted(move |_, request| {
        let has_leap_second = request.url().query().unwrap_or_default().contains("60");
        if has_leap_second { status(400) } else { json(200, items(&[&leap, &other], "")) }
    });
    let mut following = follow(&service.client());

    let end = Instant::now() + seconds(35);
    let (mut changes, mut errors) = (0, Vec::new());
    while let Ok(Some(change)) = timeout_at(end, following.next()).await {
        match change {
            Ok(_) => changes += 1,
            Err(error) => errors.push(error),
        }
    }

    assert_eq!((changes, errors.len()), (2, 0), "{errors:?}");
    let requests = service.requests();
    assert_eq!(requests.len(), 4);
    let bound = |request: &reqwest::Request| {
        let mut pairs = request.url().query_pairs();
        pairs.find(|(name, _)| name == "created_at.gte").map(|(_, bound)| bound.into_owned())
    };
    assert_eq!(bound(&requests[1]).as_deref(), Some("2016-12-31T23:59:59Z"));
}

// A program may pass on a time from a response.
#[tokio::test]
async fn a_leap_second_as_a_parameter_is_sent_as_the_second_before_it() {
    let service = InMemory::always(json(200, items(&[], "")));
    let list = service.client().list_deposit_addresses();

    list.created_at_gte(time("2016-12-31T23:59:60.5Z")).send().await.unwrap();

    let query = service.requests()[0].url().query().unwrap().to_owned();
    assert_eq!(query, "created_at.gte=2016-12-31T23%3A59%3A59.500Z");
}
