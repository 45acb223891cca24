//! The machine on which a benchmark runs.

use std::thread::available_parallelism;

/// Prints the machine's number of cores and its load average.
pub(crate) fn begin(name: &str) {
    let cores = available_parallelism().unwrap().get();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(3).collect();
    println!("{name}: {cores} cores, load average {}", load.join(" "));
}
