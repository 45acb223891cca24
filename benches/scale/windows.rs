//! Windows of time against the walk of one request after the other.

use std::time::Instant;

use serde_json::json;

use crate::{points, server::Server};

const LATENCY_MS: u64 = 50;
/// With pages of 1,000 two cores are the limit at 16 requests at once, not the latency.
const PAGE: i32 = 200;
const RECORDS: u64 = 120_000;

pub(crate) async fn speed_up() {
    println!("windows, {LATENCY_MS} ms latency, {RECORDS} records, {PAGE} a page:");
    for (times, concurrencies) in [("uniform", &[2, 4, 8, 16][..]), ("skewed", &[4, 8, 16])] {
        let server = Server::start(RECORDS, LATENCY_MS, times);
        let sequential = seconds(&server, 1, RECORDS).await;
        println!("  {times}: one after the other {sequential:.1} s");
        for &n in concurrencies {
            let speed_up = sequential / seconds(&server, n, RECORDS).await;
            println!("  {times}, n = {n}: {speed_up:.2} times, {:.2}·n", speed_up / n as f64);
            points::add(&json!({ "of": "windows", "times": times, "n": n, "speed_up": speed_up }));
        }
    }
}

pub(crate) async fn throughput() {
    const RECORDS: u64 = 30_000;
    println!("records a second over latency, {RECORDS} records, {PAGE} a page:");
    for latency in [5, 10, 20, 50, 100] {
        let server = Server::start(RECORDS, latency, "uniform");
        for n in [1, 4, 16] {
            let rate = RECORDS as f64 / seconds(&server, n, RECORDS).await;
            println!("  {latency} ms, n = {n}: {rate:.0}");
            points::add(&json!({ "of": "latency", "ms": latency, "n": n, "rate": rate }));
        }
    }
}

async fn seconds(server: &Server, concurrency: usize, records: u64) -> f64 {
    let begun = Instant::now();
    let mut items = server.list().limit(PAGE).items().concurrency(concurrency);
    let mut count = 0;
    while let Some(execution) = items.next().await {
        execution.unwrap();
        count += 1;
    }
    assert_eq!(count, records);
    begun.elapsed().as_secs_f64()
}
