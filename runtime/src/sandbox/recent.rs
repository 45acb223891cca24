//! The most recent values of one kind, such as requests.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard},
};

use crate::lock::lock;

/// The 10,000 most recently added values.
#[allow(missing_debug_implementations, reason = "`Debug` would print every value")]
pub struct Recent<T>(Mutex<VecDeque<T>>);

impl<T> Recent<T> {
    /// Adds a value. If there are already 10,000 values, removes the oldest one.
    pub fn add(&self, one: T) {
        let mut kept = lock(&self.0);
        if kept.len() == 10_000 {
            kept.pop_front();
        }
        kept.push_back(one);
    }

    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        lock(&self.0)
    }

    /// Returns the values, oldest first.
    pub fn to_vec(&self) -> Vec<T>
    where
        T: Clone,
    {
        lock(&self.0).iter().cloned().collect()
    }
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
