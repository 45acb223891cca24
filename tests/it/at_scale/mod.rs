//! Listing at scale: windows of time, split filters, checkpoints. The result must be exactly that
//! of one request after the other.

mod batches;
mod checkpoints;
mod filters;
mod laws;
mod services;
mod stops;
pub(crate) mod walk;
mod windows;

use virtual_service::{BEGIN, Service};

/// This many records whose times have this shape.
pub(crate) fn shaped(shape: &str, records: usize) -> Service {
    Service::of(virtual_service::times(shape, records, 1).into_iter().map(|time| BEGIN + time))
}
