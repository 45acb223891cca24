//! Long listings of a failing service: every record comes once and in order, whatever the seed.

use std::{env, time::Duration};

use digital_assets::{
    Client, Error, ErrorKind, Items, Operation, Record, Retry,
    sandbox::{Sandbox, SandboxBuilder, Times},
    types::QuoteExecution,
};
use uuid::Uuid;

use crate::recording::Recorded;

/// The number of seeds. `CHAOS_SEEDS` sets another.
fn seeds() -> std::ops::Range<u64> {
    let count = env::var("CHAOS_SEEDS").ok().map(|count| count.parse().expect("a number"));
    0..count.unwrap_or(2)
}

/// A fifth of its answers fail in every way it knows, and its tokens live for two seconds.
fn failing(sandbox: SandboxBuilder, seed: u64) -> (Recorded, Client) {
    let sandbox = sandbox.chaos(0.2, seed).token_lifetime(Duration::from_secs(2));
    let sandbox = Recorded::of(sandbox);
    let retry = Retry::default().max_attempts(5).max_delay(Duration::from_millis(4));
    let client = sandbox.client_builder().retry(retry).build().expect("a client");
    (sandbox, client)
}

/// Every record; a failure that outlasts the retries is polled again.
async fn walked<T: Record>(mut items: Items<T>) -> (Vec<T>, u64) {
    let (mut records, mut failures) = (Vec::new(), 0);
    while let Some(item) = items.next().await {
        match item {
            Ok(record) => records.push(record),
            Err(error) => {
                assert!(may_pass(&error), "{error:?}");
                failures += 1;
            }
        }
    }
    (records, failures)
}

/// A token that is refused twice in one call is the service's last word, but not a listing's end.
fn may_pass(error: &Error) -> bool {
    error.is_retryable()
        || (error.kind(), error.status().map(|s| s.as_u16())) == (ErrorKind::Status, Some(401))
}

#[track_caller]
fn assert_same<T: PartialEq>(found: &[T], expected: impl Iterator<Item = T>, case: &str) {
    let mut count = 0;
    for (at, record) in expected.enumerate() {
        assert!(found.get(at) == Some(&record), "{case}: record {at} of {}", found.len());
        count += 1;
    }
    assert_eq!(found.len(), count, "{case}");
}

#[tokio::test(start_paused = true)]
async fn one_walk_of_100_000_records_is_exact() {
    for seed in seeds() {
        let (sandbox, client) = failing(Sandbox::builder().executions(100_000), seed);
        let list = client.list_quote_executions().profile_id(sandbox.profile_id()).limit(1_000);

        let (found, failures) = walked(list.items()).await;

        assert_same(&found, sandbox.executions(), &format!("seed {seed}, {failures} failures"));
        let requests = sandbox.request_count(Operation::ListQuoteExecutions);
        assert!(requests > 110, "seed {seed}: {requests} requests");
    }
}

#[tokio::test(start_paused = true)]
async fn many_requests_at_once_are_exact() {
    for (seed, times) in seeds().zip([Times::Skewed, Times::TwoClusters].into_iter().cycle()) {
        let builder = Sandbox::builder().executions(100_000).times(times);
        let (sandbox, client) = failing(builder, seed);
        let list = client.list_quote_executions().profile_id(sandbox.profile_id()).limit(1_000);

        let (found, failures) = walked(list.items().concurrency(8)).await;

        assert_same(&found, sandbox.executions(), &format!("seed {seed}, {failures} failures"));
    }
}

#[tokio::test(start_paused = true)]
async fn split_filters_and_other_listings_are_exact() {
    for seed in seeds() {
        let builder = Sandbox::builder().deposit_addresses(3_000).monitoring_addresses(3_000);
        let (sandbox, client) = failing(builder, seed);
        let ids: Vec<Uuid> = sandbox.deposit_addresses().map(|address| address.id).collect();

        let deposits = client.list_deposit_addresses().ids(ids).limit(50).items();
        let (deposits, _) = walked(deposits.concurrency(8)).await;
        let monitored = client.list_monitoring_addresses().limit(100).items();
        let (monitored, _) = walked(monitored).await;

        assert_same(&deposits, sandbox.deposit_addresses(), &format!("deposits, seed {seed}"));
        assert_same(&monitored, sandbox.monitoring_addresses(), &format!("monitored, seed {seed}"));
    }
}

// Left off and resumed every few thousand records, as by processes that are killed.
#[tokio::test(start_paused = true)]
async fn a_walk_in_pieces_is_exact() {
    for seed in seeds() {
        let (sandbox, client) = failing(Sandbox::builder().executions(20_000), seed);
        let profile = sandbox.profile_id();
        let list = || client.list_quote_executions().profile_id(profile).limit(500).items();
        let (mut found, mut kept) = (Vec::<QuoteExecution>::new(), None::<String>);
        loop {
            let mut items = match kept {
                Some(json) => {
                    let checkpoint = serde_json::from_str(&json).expect("a checkpoint");
                    list().concurrency(3).resume(checkpoint)
                }
                None => list(),
            };
            let end = found.len() + 3_300;
            let mut over = false;
            while found.len() < end {
                match items.next().await {
                    Some(Ok(record)) => found.push(record),
                    Some(Err(error)) => assert!(may_pass(&error), "{error:?}"),
                    None => {
                        over = true;
                        break;
                    }
                }
            }
            if over {
                break;
            }
            kept = Some(serde_json::to_string(&items.checkpoint()).expect("JSON"));
        }

        assert_same(&found, sandbox.executions(), &format!("seed {seed}"));
    }
}
