//! `concurrency`: many requests at once, with the same result.

use std::time::Duration;

use digital_assets::{
    Operation, Record, Retry,
    sandbox::{Sandbox, Times},
    types::{CryptoNetwork, Market, Order, QuoteExecutionStatus, Side},
};
use tokio::time::Instant;
use virtual_service::{BEGIN, Endpoint};

use super::{
    ALL_TIMES, Recorded, eager, id, ids, ids_despite_errors, reversed, sandbox, take, truth,
    walk::asking,
};

const BOTH: [Order; 2] = [Order::Desc, Order::Asc];

#[tokio::test(start_paused = true)]
async fn a_listing_of_few_records_is_whole_and_costs_two_requests_at_most() {
    for records in [0, 1, 2] {
        let (sandbox, client) = sandbox(records, Times::Uniform);
        for order in BOTH {
            let list = client.list_quote_executions().profile_id(sandbox.profile_id());

            let walked = ids(list.order(order.clone()).items().concurrency(8)).await;

            let expected = in_order(&order, &truth(sandbox.executions()));
            assert_eq!(walked, expected, "{records} records, {order}");
        }
        let requests = sandbox.request_count(Operation::ListQuoteExecutions);
        assert!(requests <= 4, "{records} records: {requests} requests");
    }
}

#[tokio::test(start_paused = true)]
async fn windows_keep_to_the_other_filters() {
    let (sandbox, client) = sandbox(4_000, Times::Skewed);
    let all: Vec<_> = sandbox.executions().collect();
    // Inclusive at both ends, and both are times of records.
    let (begin, end) = (all[3_700].created_at, all[150].created_at);
    let expected = truth(all.into_iter().filter(|execution| {
        (begin..=end).contains(&execution.created_at)
            && execution.market == Market::BtcUsd
            && execution.side == Side::Buy
            && execution.status == QuoteExecutionStatus::Settled
    }));
    assert!(expected.len() > 30, "{} records", expected.len());

    for order in BOTH {
        let list = client.list_quote_executions().profile_id(sandbox.profile_id());
        let list = list.market(Market::BtcUsd).side(Side::Buy).order(order.clone()).limit(5);
        let list = list.status(QuoteExecutionStatus::Settled);
        let list = list.created_at_begin(begin).created_at_end(end);

        assert_eq!(ids(list.items().concurrency(4)).await, in_order(&order, &expected), "{order}");
    }
}

#[tokio::test(start_paused = true)]
async fn deposit_addresses_are_cut_by_bounds_of_another_style() {
    for times in ALL_TIMES {
        let (sandbox, client) = sandbox(1_500, times);
        let all: Vec<_> = sandbox.deposit_addresses().collect();
        let (after, before) = (all[1_490].created_at, all[3].created_at);
        let within = all.iter().filter(|address| {
            after < address.created_at
                && address.created_at < before
                && address.crypto_network == CryptoNetwork::Base
        });
        let within: Vec<String> = within.map(id).collect();
        for order in BOTH {
            let all = in_order(&order, &truth(sandbox.deposit_addresses()));
            let list = || client.list_deposit_addresses().order(order.clone());

            let walked = ids(list().limit(50).items().concurrency(6)).await;
            assert!(walked == all, "{times:?} {order}: {}", walked.len());

            let list = list().created_at_gt(after).created_at_lt(before).limit(7);
            let list = list.networks(vec![CryptoNetwork::Base]);
            let walked = ids(list.items().concurrency(6)).await;
            assert_eq!(walked, in_order(&order, &within), "{times:?} {order}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_are_added_meanwhile_come_next_time() {
    for times in [Times::Uniform, Times::Equal, Times::Skewed] {
        for order in BOTH {
            let (sandbox, client) = sandbox(800, times);
            let before = in_order(&order, &truth(sandbox.executions()));
            let list = client.list_quote_executions().profile_id(sandbox.profile_id());
            let mut items = list.order(order.clone()).limit(20).items().concurrency(5);

            let mut walked = Vec::new();
            while let Some(item) = items.next().await {
                walked.push(id(&item.unwrap()));
                sandbox.add_executions(3);
            }

            assert!(walked == before, "{times:?} {order}: {} records", walked.len());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn faults_lose_and_double_nothing() {
    for seed in 0..4 {
        for order in BOTH {
            let times = if seed % 2 == 0 { Times::Uniform } else { Times::Skewed };
            let builder = Sandbox::builder().executions(1_000).times(times).chaos(0.2, seed);
            let sandbox = Recorded::of(builder);
            let expected = in_order(&order, &truth(sandbox.executions()));
            let impatient = sandbox.client_builder().retry(Retry::none()).build().unwrap();

            for (client, spared) in [(eager(&sandbox), false), (impatient, true)] {
                let list = client.list_quote_executions().profile_id(sandbox.profile_id());
                let items = list.order(order.clone()).limit(25).items().concurrency(6);

                let (walked, errors) = ids_despite_errors(items).await;

                assert!(walked == expected, "{seed} {order}: {}, {errors:?}", walked.len());
                assert!(!spared || !errors.is_empty(), "{seed} {order}: no fault was seen");
            }
        }
    }
}

/// Deposit addresses of a shape, each page after 15 ms.
fn slowly(shape: &str, records: usize) -> Endpoint {
    let (times, takes) = (virtual_service::times(shape, records, 1), Duration::from_millis(15));
    let times = times.into_iter().map(|time| BEGIN + time);
    virtual_service::Service { takes: takes..=takes, ..virtual_service::Service::of(times) }.serve()
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_under_way_than_asked_for() {
    for shape in ["even", "a hundredth"] {
        for concurrency in [2, 5, 8] {
            for splits in [false, true] {
                let endpoint = slowly(shape, 1_500);
                let mut list = asking(&endpoint).list_deposit_addresses().limit(25);
                if splits {
                    list = list.ids((0..350).map(virtual_service::id)).limit(10);
                }

                let walked = ids(list.items().concurrency(concurrency)).await;

                assert_eq!(walked.len(), if splits { 350 } else { 1_500 });
                let most = endpoint.most_under_way();
                assert!(most <= concurrency, "{shape}: {most} of {concurrency}, {splits}");
                assert!(splits || most == concurrency, "{shape}: {most} of {concurrency}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_begins_at_a_cursor_is_read_one_page_after_the_other() {
    let endpoint = slowly("even", 300);
    let list = asking(&endpoint).list_deposit_addresses().limit(50);
    let first = list.clone().send().await.unwrap().into_inner();

    let list = list.page_cursor(first.next_page_cursor.unwrap());
    let walked = ids(list.items().concurrency(8)).await;

    assert_eq!(walked.len(), 250);
    assert_eq!(endpoint.most_under_way(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_rate_limit_holds_for_all_windows_together() {
    let (sandbox, _) = sandbox(1_500, Times::Uniform);
    let client = sandbox.client_builder().rate_limit(Operation::ListQuoteExecutions, 100.0);
    let client = client.build().unwrap();
    let list = client.list_quote_executions().profile_id(sandbox.profile_id());
    let begun = Instant::now();

    let walked = ids(list.limit(50).items().concurrency(8)).await;

    assert_eq!(walked.len(), 1_500);
    let requests = sandbox.request_count(Operation::ListQuoteExecutions);
    let least = Duration::from_millis(10) * u32::try_from(requests - 1).unwrap();
    assert!(begun.elapsed() >= least, "{requests} requests in {:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_stops_leaves_nothing_behind() {
    let (sandbox, client) = sandbox(2_000, Times::Uniform);
    let list = client.list_quote_executions().profile_id(sandbox.profile_id());
    let mut items = list.limit(20).items().concurrency(4);
    assert_eq!(take(&mut items, 30).await.unwrap().len(), 30);
    drop(items);

    // Requests sent before may still arrive.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = sandbox.request_count(Operation::ListQuoteExecutions);
    tokio::time::sleep(Duration::from_millis(50)).await;

    assert!(asked < 30, "{asked} requests for 30 records");
    assert_eq!(sandbox.request_count(Operation::ListQuoteExecutions), asked);
}

fn in_order(order: &Order, newest_first: &[String]) -> Vec<String> {
    if *order == Order::Asc { reversed(newest_first) } else { newest_first.to_vec() }
}

#[tokio::test(start_paused = true)]
async fn records_say_when_they_were_created_where_a_listing_can_be_cut() {
    let (sandbox, _) = sandbox(1, Times::Uniform);
    let execution = sandbox.executions().next().unwrap();

    assert_eq!(Record::created_at(&execution), Some(execution.created_at));
}
