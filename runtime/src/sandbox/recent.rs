//! What a sandbox remembers: the last of what was added.

use std::{collections::VecDeque, sync::Mutex};

use crate::lock::lock;

/// The last 10,000 of what was added, the oldest first.
pub type Recent<T> = Mutex<VecDeque<T>>;

/// Adds one.
pub fn keep<T>(recent: &Recent<T>, one: T) {
    let mut kept = lock(recent);
    if kept.len() == 10_000 {
        kept.pop_front();
    }
    kept.push_back(one);
}
