//! Tests of large listings: time windows, split filters, checkpoints. The result must be the same
//! as with one request after another.

mod batches;
mod checkpoints;
mod filters;
mod laws;
mod services;
mod stops;
pub(crate) mod walk;
mod windows;

use virtual_service::{BEGIN, Service};

/// Returns a service with `records` records, whose creation times have the distribution `shape`.
pub(crate) fn shaped(shape: &str, records: usize) -> Service {
    Service::of(virtual_service::times(shape, records, 1).into_iter().map(|time| BEGIN + time))
}
