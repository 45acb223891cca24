//! Measures large listings, and prints ratios of values from the same run. See `benches/README.md`.
//!
//! ```text
//! cargo bench --bench scale [-- decode http2 merge prefetch windows latency]
//! ```

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)]

mod by_hand;
mod cpu;
mod decode;
mod http2;
mod merge;
mod points;
mod prefetch;
mod report;
mod server;
mod shapes;
mod windows;

use std::env;

use tokio::runtime::Builder;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let runtime = || Builder::new_multi_thread().enable_all().build().unwrap();
    if let Some(("serve", settings)) = arguments.split_first().map(|(word, rest)| (&**word, rest)) {
        return runtime().block_on(server::serve(settings));
    }
    let is_wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|word| word == name);
    report::begin("scale");
    if is_wanted("decode") {
        decode::run();
    }
    if is_wanted("http2") {
        http2::run();
    }
    if is_wanted("merge") {
        merge::run();
    }
    if is_wanted("prefetch") {
        runtime().block_on(prefetch::run());
    }
    if is_wanted("windows") {
        runtime().block_on(windows::speed_up());
    }
    if is_wanted("latency") {
        runtime().block_on(windows::throughput());
    }
}
