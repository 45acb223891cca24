//! Locks that aren't poisoned by a panic in another thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex, even if a thread panicked while it held the lock.
#[cfg_attr(
    not(feature = "sandbox"),
    allow(unreachable_pub, reason = "the records of a sandbox are locked with it")
)]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
