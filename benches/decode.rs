//! Measures the time and the allocations for decoding a page of records.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "only the benchmark `scale` uses `walk`")]
#[path = "scale/by_hand.rs"]
mod by_hand;

use std::sync::LazyLock;

use digital_assets::{sandbox::Sandbox, types::QuoteExecutionPage};
use divan::{AllocProfiler, Bencher, black_box, counter::ItemsCount};
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const RECORDS: usize = 1_000;

/// A page of executions from the sandbox.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let page = async {
        let sandbox = Sandbox::builder().executions(RECORDS as u64).build();
        let list = sandbox.client().unwrap().list_quote_executions();
        let list = list.profile_id(sandbox.profile_id().to_string());
        let page = list.limit(i32::try_from(RECORDS).unwrap()).send().await.unwrap();
        assert_eq!(page.items.len(), RECORDS);
        serde_json::to_string(&*page).unwrap()
    };
    Runtime::new().unwrap().block_on(page)
});

fn main() {
    LazyLock::force(&PAGE);
    divan::main();
}

#[divan::bench]
fn by_hand(bencher: Bencher<'_, '_>) {
    let decode = || serde_json::from_slice::<by_hand::Page>(black_box(PAGE.as_bytes())).unwrap();
    bencher.counter(ItemsCount::new(RECORDS)).bench(decode);
}

#[divan::bench]
fn types(bencher: Bencher<'_, '_>) {
    let decode = || serde_json::from_str::<QuoteExecutionPage>(black_box(&PAGE)).unwrap();
    bencher.counter(ItemsCount::new(RECORDS)).bench(decode);
}
