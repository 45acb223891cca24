//! Following listings through the whole client, against the sandbox without a port and on tokio's
//! paused clock.

mod ahead;
mod lives;
mod open;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono::TimeDelta;
use digital_assets::{
    CallOptions, Change, Client, Error, ErrorKind, Follow, FollowCheckpoint, Following, Operation,
    sandbox::{Fault, Sandbox},
    types::{DepositAddress, QuoteExecution},
};
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

const EVERY: Duration = Duration::from_secs(10);
const OVERLAP: Duration = Duration::from_secs(3_600);

fn follow() -> Follow {
    Follow::every(EVERY).overlap(OVERLAP)
}

/// All changes until three rounds bring none.
async fn settled<T>(following: &mut Following<T>) -> Vec<Result<Change<T>, Error>>
where
    T: digital_assets::Timed,
{
    let mut changes = Vec::new();
    while let Ok(Some(change)) = timeout(3 * EVERY, following.next()).await {
        changes.push(change);
    }
    changes
}

fn new_ids(changes: Vec<Result<Change<DepositAddress>, Error>>) -> Vec<Uuid> {
    let ids = changes.into_iter().map(|change| match change.unwrap() {
        Change::New(address) => address.id,
        Change::Changed(address) => panic!("{} has not changed", address.id),
    });
    ids.collect()
}

fn newest(sandbox: &Sandbox) -> DepositAddress {
    sandbox.deposit_addresses().max_by_key(|address| address.created_at).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_filter_longer_than_one_request_is_followed_by_many_requests_at_once() {
    let sandbox = Sandbox::builder().deposit_addresses(400).build();
    let client = sandbox.client().unwrap();
    let times: BTreeMap<Uuid, _> =
        sandbox.deposit_addresses().take(250).map(|a| (a.id, a.created_at)).collect();
    let mut late = newest(&sandbox);
    late.id = Uuid::from_u128(7);
    let ids: Vec<Uuid> = times.keys().copied().chain([late.id]).collect();
    let list = || client.list_deposit_addresses().ids(ids.clone()).limit(20);

    for concurrency in [1, 8] {
        let mut following = list().items().concurrency(concurrency).follow(follow());
        let first = new_ids(settled(&mut following).await);

        let (before, known) = (&first[..250], |id: &Uuid| times.get(id).copied());
        assert!(
            before.iter().map(known).is_sorted() && before.iter().all(|id| known(id).is_some())
        );
        assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 250, "{concurrency}");
        // Inserted while the first follow ran.
        assert!(first[250..].iter().all(|id| *id == late.id));
        assert!(settled(&mut following).await.is_empty());

        if concurrency == 1 {
            sandbox.insert_deposit_address(late.clone());
            assert_eq!(new_ids(settled(&mut following).await), [late.id]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_settled_execution_is_a_change_in_this_process_and_the_next() {
    let sandbox = Sandbox::builder().executions(50).build();
    let client = sandbox.client().unwrap();
    let profile = sandbox.profile_id();
    let list = || client.list_quote_executions().profile_id(profile).items().follow(follow());
    let mut execution: QuoteExecution =
        sandbox.executions().max_by_key(|execution| execution.created_at).unwrap();
    execution.id = Uuid::from_u128(9);
    let mut following = list();
    settled(&mut following).await;

    sandbox.insert_execution(execution.clone());
    let mut changes = settled(&mut following).await;
    assert!(matches!(changes.pop(), Some(Ok(Change::New(new))) if new == execution));
    execution.status = "PARTIALLY_SETTLED".into();
    sandbox.insert_execution(execution.clone());
    let mut changes = settled(&mut following).await;
    assert!(matches!(changes.pop(), Some(Ok(Change::Changed(now))) if now == execution));
    let kept = serde_json::to_string(&following.checkpoint()).unwrap();
    drop(following);
    execution.status = "SETTLED".into();
    sandbox.insert_execution(execution.clone());

    let checkpoint: FollowCheckpoint = serde_json::from_str(&kept).unwrap();
    let mut changes = settled(&mut list().resume(checkpoint)).await;

    assert!(matches!(changes.pop(), Some(Ok(Change::Changed(now))) if now == execution));
    assert!(changes.is_empty(), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn rounds_keep_the_rate_limit() {
    let sandbox = Sandbox::builder().deposit_addresses(200).build();
    let client = sandbox.client_builder().rate_limit(Operation::ListDepositAddresses, 0.05);
    let client: Client = client.build().unwrap();
    let mut following = client.list_deposit_addresses().items().follow(follow());

    let end = Instant::now() + Duration::from_secs(600);
    while timeout_at(end, following.next()).await.is_ok() {}

    // One request in twenty seconds, although a round is due every ten.
    let requests = sandbox.request_count(Operation::ListDepositAddresses);
    assert!((25..=31).contains(&requests), "{requests}");
}

#[tokio::test(start_paused = true)]
async fn the_first_round_is_asked_for_at_once_and_one_that_was_missed_never() {
    let sandbox = Sandbox::builder().deposit_addresses(3).build();
    let client = sandbox.client().unwrap();
    let list = || client.list_deposit_addresses().items().follow(follow());
    let asked = async |following: &mut Following<DepositAddress>| {
        let before = sandbox.request_count(Operation::ListDepositAddresses);
        while timeout(EVERY / 2, following.next()).await.is_ok() {}
        sandbox.request_count(Operation::ListDepositAddresses) - before
    };

    let mut following = list();
    assert_eq!(asked(&mut following).await, 1);
    tokio::time::advance(360 * EVERY).await;
    assert_eq!(asked(&mut following).await, 1);
    let mut resumed = list().resume(following.checkpoint());
    assert_eq!(asked(&mut resumed).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_asks_for_patience_makes_one_error_an_interval() {
    let sandbox = Sandbox::builder().deposit_addresses(3).build();
    let client = sandbox.client().unwrap();
    let retry_after = Some(Duration::from_secs(120));
    sandbox.fault(Operation::ListDepositAddresses, Fault::TooManyRequests { retry_after });
    let mut following = client.list_deposit_addresses().items().follow(follow());

    let (began, mut errors) = (Instant::now(), 0);
    while let Err(error) = following.next().await.unwrap() {
        assert!(error.is_retryable(), "{error}");
        errors += 1;
        assert!(errors < 20, "{:?} after {:?}", error, began.elapsed());
    }

    // Until a call has the time to wait for the rest.
    assert!((6..=8).contains(&errors), "{errors}");
    assert!(began.elapsed() < Duration::from_secs(130));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cant_be_sent_ends_it() {
    let sandbox = Sandbox::builder().deposit_addresses(3).build();
    let client = sandbox.client().unwrap();
    let options = CallOptions::new().header("host", "another");
    let mut following = client.list_deposit_addresses().options(options).items().follow(follow());

    let error = following.next().await.unwrap().unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(following.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_round_that_a_repeated_cursor_ends_has_taken_its_time() {
    let sandbox = Sandbox::builder().deposit_addresses(1).build();
    let client = sandbox.client().unwrap();
    let mut oldest = newest(&sandbox);
    let first = oldest.clone();
    let insert = |number: u32, seconds| {
        let mut address = first.clone();
        address.id = Uuid::from_u128(number.into());
        address.created_at += TimeDelta::seconds(seconds);
        sandbox.insert_deposit_address(address);
    };
    (1..=24).for_each(|number| insert(number, 9));
    let faults = [Fault::Latency(Duration::ZERO), Fault::Latency(Duration::ZERO)];
    for fault in faults.into_iter().chain([Fault::RepeatedCursor]) {
        sandbox.fault(Operation::ListDepositAddresses, fault);
    }
    let overlap = Duration::from_secs(60);
    let list = client.list_deposit_addresses().limit(10).items();
    let mut following = list.follow(Follow::every(EVERY).overlap(overlap));

    // Ten seconds after the oldest, the first page of three comes. What is in it changes, and a new
    // record arrives behind it, each within the overlap.
    assert!(matches!(following.next().await, Some(Ok(Change::New(it))) if it == first));
    tokio::time::advance(Duration::from_secs(40)).await;
    insert(25, 100);
    oldest.address = "changed".to_owned();
    sandbox.insert_deposit_address(oldest.clone());
    tokio::time::advance(Duration::from_secs(50)).await;
    let mut changes = settled(&mut following).await;

    assert!(matches!(changes.pop(), Some(Ok(Change::Changed(now))) if now == oldest));
    let errors = changes.into_iter().filter_map(Result::err);
    assert_eq!(errors.map(|error| error.kind()).collect::<Vec<_>>(), [ErrorKind::RepeatedCursor]);
}
