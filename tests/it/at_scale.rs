//! Listing at scale: windows of time, split filters, checkpoints. Design: exactly what the walk of
//! one request after the other hands out.

use digital_assets::{
    Client, Record,
    sandbox::{Sandbox, Times},
    types::{Order, QuoteExecution},
};

async fn sandbox(executions: u64, times: Times) -> (Sandbox, Client) {
    let sandbox = Sandbox::builder().executions(executions).times(times).start().await.unwrap();
    let client = sandbox.client().unwrap();
    (sandbox, client)
}

async fn ids<T: Record>(mut items: digital_assets::Items<T>) -> Vec<String> {
    let mut ids = Vec::new();
    while let Some(item) = items.next().await {
        ids.push(item.unwrap().id().unwrap().to_string());
    }
    ids
}

fn truth(records: impl Iterator<Item = QuoteExecution>) -> Vec<String> {
    records.map(|record| record.id.to_string()).collect()
}

#[tokio::test]
async fn windows_hand_out_what_the_sequential_walk_does() {
    for times in [Times::Uniform, Times::OneSecond, Times::Equal, Times::TwoClusters, Times::Skewed]
    {
        let (sandbox, client) = sandbox(3_000, times).await;
        let newest_first = truth(sandbox.executions());
        let oldest_first: Vec<_> = newest_first.iter().rev().cloned().collect();
        for concurrency in [2, 7] {
            for (order, expected) in [(Order::Desc, &newest_first), (Order::Asc, &oldest_first)] {
                let list = client.list_quote_executions().profile_id(sandbox.profile_id());
                let items = list.order(order.clone()).limit(50).items().concurrency(concurrency);

                let walked = ids(items).await;

                assert!(walked == *expected, "{times:?} {order} {concurrency}: {}", walked.len());
            }
        }
    }
}
