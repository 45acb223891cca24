//! What a call pays for its token when that is cached: time, allocations, and contention.

#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use digital_assets::{Client, Operation, sandbox::Sandbox};
use divan::{AllocProfiler, black_box};
use futures_util::FutureExt;
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const OPERATION: Operation = Operation::ListQuoteExecutions;

/// A client that has fetched its token, by the client credentials grant.
static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let sandbox = Sandbox::start().await.unwrap();
        let client = sandbox.client().unwrap();
        client.cached_token(OPERATION).await.unwrap();
        client
    })
});

fn main() {
    LazyLock::force(&CLIENT);
    divan::main();
}

#[divan::bench(threads = [1, 2, 64])]
fn cached() {
    let header = CLIENT.cached_token(black_box(OPERATION)).now_or_never();
    black_box(header.unwrap().unwrap());
}
