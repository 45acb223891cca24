//! The most recent values of one kind, such as requests.

use std::{collections::VecDeque, sync::Mutex};

use crate::lock::lock;

/// The 10,000 most recently added values, oldest first.
pub type Recent<T> = Mutex<VecDeque<T>>;

/// Adds a value. If there are already 10,000 values, removes the oldest one.
pub fn keep<T>(recent: &Recent<T>, one: T) {
    let mut kept = lock(recent);
    if kept.len() == 10_000 {
        kept.pop_front();
    }
    kept.push_back(one);
}
