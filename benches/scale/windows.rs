//! The speed-up of windows over sequential requests.

use std::time::Instant;

use serde_json::json;

use crate::{points, server::Server};

const LATENCY_MS: u64 = 50;
/// With 1,000 records per page and 16 concurrent requests, the two cores would limit the speed, and
/// not the latency.
const PAGE: i32 = 200;
const RECORDS: u64 = 120_000;
/// The distributions of creation times, each with the numbers of concurrent requests to measure.
const SHAPES: [(&str, &[usize]); 8] = [
    ("even", &[2, 4, 8, 16, 64]),
    ("a hundredth", &[4, 8, 16, 64]),
    ("bursts", &[4, 8, 16, 64]),
    ("twenty bursts", &[4, 8, 16, 64]),
    ("heavy tails", &[4, 8, 16, 64]),
    ("batches of 300", &[4, 8, 16, 64]),
    ("batches of 110", &[4, 8, 16, 64]),
    ("one instant", &[8, 64]),
];

pub(crate) async fn speed_up() {
    println!("windows, {LATENCY_MS} ms latency, {RECORDS} records, {PAGE} per page:");
    // Sequential requests take the same time for every distribution, because the number of pages is
    // the same.
    let server = Server::start(RECORDS, LATENCY_MS, "even");
    let sequential = seconds(&server, 1, RECORDS).await;
    println!("  sequential requests {sequential:.1} s");
    let pages = RECORDS.div_ceil(u64::from(PAGE.unsigned_abs())) as f64;
    for (shape, concurrencies) in SHAPES {
        let server = Server::start(RECORDS, LATENCY_MS, shape);
        for &n in concurrencies {
            let before = server.requests().await;
            let speed_up = sequential / seconds(&server, n, RECORDS).await;
            let requests = (server.requests().await - before) as f64 / pages;
            let share = speed_up / n as f64;
            println!(
                "  {shape}, n = {n}: {speed_up:.2} times, {share:.2}·n, {requests:.2} requests per page"
            );
            points::add(&json!({
                "of": "windows", "shape": shape, "n": n, "speed_up": speed_up, "requests": requests,
            }));
        }
    }
}

pub(crate) async fn throughput() {
    const RECORDS: u64 = 30_000;
    println!("records per second at several latencies, {RECORDS} records, {PAGE} per page:");
    for latency in [5, 10, 20, 50, 100] {
        let server = Server::start(RECORDS, latency, "even");
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
