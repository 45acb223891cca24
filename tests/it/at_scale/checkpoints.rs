//! A listing that stops anywhere and resumes in another process: nothing lost, nothing twice.

use std::{
    collections::BTreeSet,
    task::{Context, Poll},
};

use digital_assets::{
    BoxFuture, Checkpoint, Client, ErrorKind, Items, Operation, Record,
    sandbox::{Sandbox, SandboxService, Times},
    types::{CryptoNetwork, DepositAddress, Market, Order, OrderBy},
};
use uuid::Uuid;

use super::{
    ALL_TIMES, Recorded, eager, id, ids, ids_despite_errors, reversed, sandbox, take, truth,
};

const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

/// The checkpoint as another process would read it.
pub(super) fn kept(checkpoint: &Checkpoint) -> Checkpoint {
    let text = serde_json::to_string(checkpoint).unwrap();
    let read: Checkpoint = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *checkpoint, "{text}");
    read
}

/// Reads a listing that stops at random places. `list` begins it, given the number of the stop.
async fn walk_with_stops<T: Record>(
    seed: u64,
    most: usize,
    mut list: impl FnMut(usize) -> Items<T>,
    mut at_stop: impl FnMut(),
) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut walked, mut stop, mut items) = (Vec::new(), 0, list(0));
    loop {
        let wanted = random.usize(0..most);
        let records = take(&mut items, wanted).await.unwrap();
        let over = records.len() < wanted;
        walked.extend(records);
        if over {
            return walked;
        }
        at_stop();
        stop += 1;
        items = list(stop).resume(kept(&items.checkpoint()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_walk_with_stops_is_a_walk_in_every_mode_and_from_one_to_the_other() {
    for times in ALL_TIMES {
        let (sandbox, client) = sandbox(600, times);
        let newest_first = truth(sandbox.executions());
        for order in BOTH {
            let expected =
                if order == Order::Asc { reversed(&newest_first) } else { newest_first.clone() };
            for (seed, modes) in [(1, [1, 1]), (2, [5, 5]), (3, [1, 5])] {
                let list = |stop: usize| {
                    let list = client.list_quote_executions().profile_id(sandbox.profile_id());
                    let list = list.order(order.clone()).limit(30);
                    list.items().concurrency(modes[stop % 2])
                };

                let walked = walk_with_stops(seed, 150, list, || {}).await;

                assert!(walked == expected, "{times:?} {order} {modes:?}: {}", walked.len());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_merged_walk_with_stops_is_a_walk_in_every_mode() {
    for times in ALL_TIMES {
        let (sandbox, client) = sandbox(600, times);
        let entries: Vec<Uuid> =
            sandbox.deposit_addresses().step_by(2).map(|address| address.id).collect();
        let expected: BTreeSet<String> = entries.iter().map(Uuid::to_string).collect();
        for order in BOTH {
            for (seed, modes) in [(1, [1, 1]), (2, [6, 6]), (3, [1, 6]), (4, [3, 7])] {
                let list = |stop: usize| {
                    let list = client.list_deposit_addresses().ids(entries.clone()).limit(20);
                    list.order(order.clone()).items().concurrency(modes[stop % 2])
                };

                let walked = walk_with_stops(seed, 100, list, || {}).await;

                let found: BTreeSet<String> = walked.iter().cloned().collect();
                assert_eq!(walked.len(), 300, "{times:?} {order} {modes:?}");
                assert!(found == expected, "{times:?} {order} {modes:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn new_records_between_the_stops_change_nothing_for_the_newest_first() {
    for times in [Times::Uniform, Times::Equal] {
        for modes in [[1, 1], [4, 4], [1, 4]] {
            // Stops on the first page, and before the first record.
            for most in [2, 40, 200] {
                let (sandbox, client) = sandbox(400, times);
                let expected = truth(sandbox.executions());
                let walked = stop_early_then_walk(&sandbox, &client, most, modes).await;

                assert!(walked == expected, "{times:?} {modes:?} {most}: {}", walked.len());
            }
        }
    }
}

/// Stops once after this many records, and adds many new ones before it resumes.
async fn stop_early_then_walk(
    sandbox: &Sandbox,
    client: &Client,
    records: usize,
    modes: [usize; 2],
) -> Vec<String> {
    let list = |concurrency| {
        let list = client.list_quote_executions().profile_id(sandbox.profile_id());
        list.limit(50).items().concurrency(concurrency)
    };
    let mut items = list(modes[0]);
    let mut walked = take(&mut items, records).await.unwrap();
    sandbox.add_executions(120);
    let rest = list(modes[1]).resume(kept(&items.checkpoint()));
    walked.extend(ids(rest).await);
    walked
}

#[tokio::test(start_paused = true)]
async fn new_records_between_the_stops_follow_for_the_oldest_first() {
    for modes in [[1, 1], [4, 4], [1, 4]] {
        let (sandbox, client) = sandbox(300, Times::Uniform);
        let list = |stop: usize| {
            let list = client.list_quote_executions().profile_id(sandbox.profile_id());
            let list = list.order(Order::Asc).limit(50);
            list.items().concurrency(modes[stop % 2])
        };

        let walked = walk_with_stops(5, 60, list, || sandbox.add_executions(10)).await;

        let expected = reversed(&truth(sandbox.executions()));
        assert!(walked.len() > 300, "{modes:?}: {}", walked.len());
        assert!(walked == expected[..walked.len()], "{modes:?}: {}", walked.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_cant_be_cut_goes_on_too() {
    let (sandbox, client) = sandbox(1, Times::Uniform);
    let expected = truth(sandbox.monitoring_addresses());

    let list = |_| client.list_monitoring_addresses().limit(30).items();
    let walked = walk_with_stops(8, 70, list, || {}).await;

    assert_eq!(walked, expected);
}

#[tokio::test(start_paused = true)]
async fn faults_lose_and_double_nothing_between_stops() {
    for seed in 0..3 {
        let builder = Sandbox::builder().executions(500).chaos(0.2, seed);
        let sandbox = Recorded::of(builder);
        let client = eager(&sandbox);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut walked = Vec::new();
        let mut items = client.list_quote_executions().profile_id(sandbox.profile_id()).items();
        for polls in 0.. {
            assert!(polls < 10_000, "no end");
            match items.next().await {
                Some(Ok(record)) => walked.push(id(&record)),
                Some(Err(_)) => {}
                None => break,
            }
            if random.u8(..) < 8 {
                let list = client.list_quote_executions().profile_id(sandbox.profile_id());
                let list = list.limit(40).items().concurrency(random.usize(1..6));
                items = list.resume(kept(&items.checkpoint()));
            }
        }
        assert!(walked == truth(sandbox.executions()), "{seed}: {} records", walked.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_finished_listing_resumes_with_what_is_new_or_says_where_that_is() {
    let (sandbox, client) = sandbox(120, Times::Uniform);
    for (order, concurrency) in
        [(Order::Asc, 1), (Order::Asc, 4), (Order::Desc, 1), (Order::Desc, 4)]
    {
        let list = || {
            let list = client.list_quote_executions().profile_id(sandbox.profile_id());
            list.order(order.clone()).items().concurrency(concurrency)
        };
        let mut items = list();
        assert_eq!(take(&mut items, usize::MAX).await.unwrap().len(), 120);
        let checkpoint = kept(&items.checkpoint());

        let mut rest = list().resume(checkpoint.clone());
        let next = rest.next().await;

        if order == Order::Asc {
            assert!(next.is_none(), "{concurrency}");
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
    let (sandbox, client) = sandbox(120, Times::Uniform);
    let list = || client.list_quote_executions().profile_id(sandbox.profile_id()).items();
    let (mut one, mut other) = (list(), list());
    take(&mut one, 30).await.unwrap();
    take(&mut other, 70).await.unwrap();
    let own = one.checkpoint();
    let mut times: Vec<_> = sandbox.executions().map(|execution| execution.created_at).collect();
    times.sort_unstable();
    assert_eq!(own.created_at(), Some(times[90]));

    for mut refused in [one.resume(other.checkpoint()), other.concurrency(4)] {
        let before = refused.checkpoint();
        let error = refused.next().await.unwrap().unwrap_err();

        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert_eq!(refused.checkpoint(), before);
        assert!(refused.next().await.is_none());
    }
    let mut rest = list().resume(own);
    assert_eq!(take(&mut rest, usize::MAX).await.unwrap().len(), 90);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_what_was_resumed_and_not_polled_is_the_same() {
    let (sandbox, client) = sandbox(120, Times::Uniform);
    let list = || client.list_quote_executions().profile_id(sandbox.profile_id()).items();
    let mut items = list();
    take(&mut items, 20).await.unwrap();
    let checkpoint = items.checkpoint();

    let resumed = list().resume(checkpoint.clone());

    assert_eq!(resumed.checkpoint(), checkpoint);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_another_base_url_is_refused_unless_the_service_has_moved() {
    let (sandbox, client) = sandbox(120, Times::Uniform);
    let mut begun = client.list_deposit_addresses().items();
    take(&mut begun, 50).await.unwrap();
    let checkpoint = kept(&begun.checkpoint());
    let moved = Client::builder("http://127.0.0.1:9/moved").credentials(sandbox.credentials());
    let moved = moved.http_service(Moved(sandbox.http_service())).build().unwrap();
    let list = || moved.list_deposit_addresses().items();
    let asked = sandbox.requests().len();

    let mut refused = list().resume(checkpoint.clone());
    let error = refused.next().await.unwrap().unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::InvalidRequest, 0));
    assert!(error.to_string().contains("for_moved_service()"), "{error}");
    assert!(refused.next().await.is_none() && sandbox.requests().len() == asked);
    let rest = ids(list().resume(kept(&checkpoint.for_moved_service()))).await;
    assert!(rest == truth(sandbox.deposit_addresses())[50..], "{}", rest.len());
}

/// A service at another address.
#[derive(Clone)]
struct Moved(SandboxService);

impl tower_service::Service<reqwest::Request> for Moved {
    type Response = reqwest::Response;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, std::io::Result<reqwest::Response>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: reqwest::Request) -> Self::Future {
        let path = request.url().path().trim_start_matches("/moved").to_owned();
        request.url_mut().set_path(&path);
        self.0.call(request)
    }
}

// Whoever keeps a checkpoint may change it.
#[tokio::test(start_paused = true)]
async fn a_checkpoint_with_any_numbers_resumes_or_says_that_it_can_not() {
    let (sandbox, client) = sandbox(60, Times::Equal);
    let lists: [&dyn Fn() -> Items<DepositAddress>; 2] =
        [&|| client.list_deposit_addresses().limit(10).items(), &|| {
            let known = sandbox.deposit_addresses().map(|address| address.id);
            let unknown = (0..90).map(Uuid::from_u128);
            client.list_deposit_addresses().ids(known.chain(unknown)).limit(10).items()
        }];
    for list in lists {
        let mut begun = list();
        take(&mut begun, 25).await.unwrap();
        let whole = serde_json::to_value(begun.checkpoint()).unwrap();
        for name in ["ties", "offset", "parts"] {
            for number in [0, 1, 24, 26, 59, 61, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
                let mut tampered = whole.clone();
                assert!(tampered["position"][name].is_u64(), "{name}: {whole}");
                tampered["position"][name] = number.into();
                let checkpoint: Checkpoint = serde_json::from_value(tampered).unwrap();

                let (rest, errors) = ids_despite_errors(list().resume(checkpoint)).await;

                // No record twice, and none missing without a word.
                let distinct: BTreeSet<_> = rest.iter().collect();
                assert_eq!(distinct.len(), rest.len(), "{name} {number}");
                assert!(rest.len() == 35 || !errors.is_empty(), "{name} {number}: {}", rest.len());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_of_other_filters_is_refused_before_any_request() {
    let (sandbox, client) = sandbox(120, Times::Uniform);
    let executions = || client.list_quote_executions().profile_id(sandbox.profile_id());
    let addresses = || client.list_deposit_addresses();
    let mut begun = executions().market(Market::BtcUsd).items();
    take(&mut begun, 2).await.unwrap();
    let of_executions = begun.checkpoint();
    let mut begun = addresses().networks(vec![CryptoNetwork::Base]).items();
    take(&mut begun, 2).await.unwrap();
    let of_addresses = begun.checkpoint();
    let asked = sandbox.requests().len();

    let others = [
        executions().items().resume(of_executions.clone()),
        executions().market(Market::EthUsd).items().resume(of_executions.clone()),
        executions().market(Market::BtcUsd).order(Order::Asc).items().resume(of_executions.clone()),
        executions().market(Market::BtcUsd).items().resume(of_addresses.clone()),
    ];
    for (case, mut items) in others.into_iter().enumerate() {
        let error = items.next().await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{case}: {error}");
        assert_eq!(error.attempts(), 0, "{case}: {error}");
        assert!(items.next().await.is_none(), "{case}");
        let given = if case == 3 { &of_addresses } else { &of_executions };
        assert_eq!(items.checkpoint(), *given, "{case}: it is lost");
    }
    let mut items = addresses().networks(vec![CryptoNetwork::Solana]).items().resume(of_addresses);
    assert_eq!(items.next().await.unwrap().unwrap_err().kind(), ErrorKind::InvalidRequest);
    assert_eq!(sandbox.requests().len(), asked);

    // It began with other filters.
    let mut items = executions().market(Market::BtcUsd).items();
    take(&mut items, 1).await.unwrap();
    let mut items = items.resume(of_executions.clone());
    assert_eq!(items.next().await.unwrap().unwrap_err().kind(), ErrorKind::InvalidRequest);
    assert_eq!(sandbox.requests().len(), asked + 1);

    // Stating a default doesn't make another listing.
    let said = executions().market(Market::BtcUsd).order(Order::Desc).order_by(OrderBy::CreatedAt);
    let mut items = said.items().resume(of_executions.clone());
    assert!(items.next().await.is_none_or(|item| item.is_ok()));

    // The page size isn't a filter.
    let mut items = executions().market(Market::BtcUsd).limit(2).items().resume(of_executions);
    assert!(items.next().await.is_none_or(|item| item.is_ok()));
    // It shows the record before the checkpoint's again, so two of them take another page.
    assert_eq!(sandbox.request_count(Operation::ListQuoteExecutions), 5);
}
