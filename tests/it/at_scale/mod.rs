//! Listing at scale: windows of time, split filters, checkpoints. The result must be exactly that of
//! one request after the other.

mod batches;
mod checkpoints;
mod filters;
mod laws;
mod services;
mod stops;
pub(crate) mod walk;
mod windows;

use digital_assets::{
    Client, Items, Record,
    sandbox::{Sandbox, Times},
};
use virtual_service::{BEGIN, Service};

use crate::recording::Recorded;

/// This many records whose times have this shape.
fn shaped(shape: &str, records: usize) -> Service {
    Service::of(virtual_service::times(shape, records, 1).into_iter().map(|time| BEGIN + time))
}

fn sandbox(records: u64, times: Times) -> (Recorded, Client) {
    let sandbox = Sandbox::builder().executions(records).deposit_addresses(records).times(times);
    let sandbox = Recorded::of(sandbox);
    let client = sandbox.client().unwrap();
    (sandbox, client)
}

fn id(record: &impl Record) -> String {
    record.id().unwrap().to_string()
}

async fn ids<T: Record>(mut items: Items<T>) -> Vec<String> {
    let mut ids = Vec::new();
    while let Some(item) = items.next().await {
        ids.push(id(&item.unwrap()));
    }
    ids
}

fn truth<T: Record>(records: impl Iterator<Item = T>) -> Vec<String> {
    records.map(|record| id(&record)).collect()
}
