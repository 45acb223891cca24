//! The CPU time of a thread, and the median of several measurements.

use std::{fs, thread};

/// Returns the CPU time of this thread, which also runs the runtime and the connections.
pub(crate) fn thread_nanos() -> f64 {
    // The kernel updates the CPU time when the thread yields.
    thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
