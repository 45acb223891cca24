//! The CPU time of a thread, and the middle of several measurements.

use std::{fs, thread};

/// CPU time of this thread, which the runtime and the connections share.
pub(crate) fn thread_nanos() -> f64 {
    // The kernel brings it up to date when the thread leaves the core.
    thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
