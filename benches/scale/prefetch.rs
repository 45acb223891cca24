//! The speed-up for a consumer that needs as long for a page as the network.

use std::time::{Duration, Instant};

use crate::server::Server;

const LATENCY_MS: u64 = 40;
const PAGE: i32 = 20;
const PAGES: u64 = 60;

pub(crate) async fn run() {
    let server = Server::start(PAGES * u64::from(PAGE.unsigned_abs()), LATENCY_MS, "even");
    // Measures the network's time per page. The consumer will need the same time for a page's
    // records.
    let begun = Instant::now();
    let mut pages = server.list().limit(PAGE).pages();
    while let Some(page) = pages.next().await {
        page.unwrap();
    }
    let network = begun.elapsed();
    let a_record = network / u32::try_from(PAGES).unwrap() / PAGE.unsigned_abs();

    let begun = Instant::now();
    let (mut pages, mut consumer) = (server.list().limit(PAGE).pages(), Consumer::new(a_record));
    while let Some(page) = pages.next().await {
        for execution in &page.unwrap().items {
            consumer.take(execution).await;
        }
    }
    let without = begun.elapsed();

    let begun = Instant::now();
    let (mut items, mut consumer) = (server.list().limit(PAGE).items(), Consumer::new(a_record));
    while let Some(execution) = items.next().await {
        consumer.take(&execution.unwrap()).await;
    }
    let with = begun.elapsed();

    let ratio = without.as_secs_f64() / with.as_secs_f64();
    println!(
        "prefetch, {PAGES} pages of {LATENCY_MS} ms, the consumer needs as long as the network:"
    );
    println!("  page by page {without:.1?}, items() {with:.1?}: {ratio:.2} times");
}

/// A consumer that needs `a_record` per record on average, even if timers aren't as accurate.
struct Consumer {
    a_record: Duration,
    owed: Duration,
}

impl Consumer {
    fn new(a_record: Duration) -> Self {
        Self { a_record, owed: Duration::ZERO }
    }

    async fn take<T>(&mut self, _: &T) {
        self.owed += self.a_record;
        let begun = Instant::now();
        if self.owed >= Duration::from_millis(1) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.owed = self.owed.saturating_sub(begun.elapsed());
        }
    }
}
