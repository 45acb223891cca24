//! The CPU time per record for filters that are split into many requests.

use std::{convert::Infallible, fmt::Write as _, future::ready};

use digital_assets::Client;
use reqwest::Body;
use tokio::runtime::Builder;
use tower::service_fn;
use uuid::Uuid;

use crate::cpu::{median, thread_nanos};

/// The numbers of entries. The last one needs 10,000 requests, which is the maximum.
const COUNTS: [u32; 4] = [1_000, 10_000, 40_000, 1_000_000];

pub(crate) fn run() {
    println!("filters with many entries, 100 per request, 8 concurrent requests, from memory:");
    for count in COUNTS {
        let per_record = median((0..3).map(|_| walk(count)).collect());
        println!("  {count} entries: {per_record:.2} µs of CPU time per record");
    }
}

fn walk(count: u32) -> f64 {
    let client = Client::builder("http://127.0.0.1:9").bearer_token("word");
    let client = client
        .http_service(service_fn(|request| ready(Ok::<_, Infallible>(answer(&request)))))
        .build()
        .unwrap();
    let ids = (0..count).map(|number| Uuid::from_fields(number, 0, 0, &[0; 8]));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let begun = thread_nanos();
    let found = runtime.block_on(async {
        let mut items = client.list_deposit_addresses().ids(ids).items().concurrency(8);
        let mut found = 0;
        while let Some(address) = items.next().await {
            address.unwrap();
            found += 1;
        }
        found
    });
    assert_eq!(found, count);
    (thread_nanos() - begun) / 1_000.0 / f64::from(count)
}

/// Returns the requested addresses. Their times are scattered, so the records of all requests have
/// to be interleaved.
fn answer(request: &reqwest::Request) -> reqwest::Response {
    let ids = request.url().query_pairs().filter(|(name, _)| name == "ids");
    let mut addresses: Vec<(u32, String)> = ids
        .map(|(_, id)| (id.parse::<Uuid>().unwrap().as_fields().0, id.into_owned()))
        .map(|(number, id)| (number.wrapping_mul(2_654_435_761), id))
        .collect();
    addresses.sort_unstable_by(|a, b| b.cmp(a));
    let mut body = String::from(r#"{"items":["#);
    for (place, (second, id)) in addresses.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let time = chrono::DateTime::from_timestamp(i64::from(*second), 0).unwrap();
        let time = time.format("%Y-%m-%dT%H:%M:%SZ");
        write!(
            body,
            r#"{comma}{{"id":"{id}","created_at":"{time}","crypto_network":"SOLANA","address":"a"}}"#
        )
        .unwrap();
    }
    body.push_str("]}");
    http::Response::new(Body::from(body)).into()
}
