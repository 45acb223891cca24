//! Listing at scale: windows of time, split filters, checkpoints. The result must be exactly that of
//! one request after the other.

mod batches;
mod checkpoints;
mod filters;
mod laws;
mod services;
pub(crate) mod walk;
mod windows;

use std::time::Duration;

use digital_assets::{
    Client, Error, ErrorKind, Items, Record, Retry,
    sandbox::{Sandbox, Times},
};

use crate::recording::Recorded;

const ALL_TIMES: [Times; 5] =
    [Times::Uniform, Times::OneSecond, Times::Equal, Times::TwoClusters, Times::Skewed];

fn sandbox(records: u64, times: Times) -> (Recorded, Client) {
    let sandbox = Sandbox::builder().executions(records).deposit_addresses(records).times(times);
    let sandbox = Recorded::of(sandbox);
    let client = sandbox.client().unwrap();
    (sandbox, client)
}

/// A client with short waits between attempts.
fn eager(sandbox: &Sandbox) -> Client {
    let retry = Retry::default().base_delay(Duration::from_millis(1));
    sandbox.client_builder().retry(retry).build().unwrap()
}

fn id(record: &impl Record) -> String {
    record.id().unwrap().to_string()
}

async fn ids<T: Record>(items: Items<T>) -> Vec<String> {
    let (ids, errors) = ids_despite_errors(items).await;
    assert!(errors.is_empty(), "{errors:?}");
    ids
}

/// Continues after errors.
async fn ids_despite_errors<T: Record>(mut items: Items<T>) -> (Vec<String>, Vec<ErrorKind>) {
    let (mut ids, mut errors) = (Vec::new(), Vec::new());
    while let Some(item) = items.next().await {
        match item {
            Ok(record) => ids.push(id(&record)),
            Err(error) => errors.push(error.kind()),
        }
        assert!(errors.len() < 1_000, "no end of errors: {:?}", errors.last());
    }
    (ids, errors)
}

async fn take<T: Record>(items: &mut Items<T>, count: usize) -> Result<Vec<String>, Error> {
    let mut ids = Vec::new();
    while ids.len() < count
        && let Some(item) = items.next().await
    {
        ids.push(id(&item?));
    }
    Ok(ids)
}

fn truth<T: Record>(records: impl Iterator<Item = T>) -> Vec<String> {
    records.map(|record| id(&record)).collect()
}

fn reversed(ids: &[String]) -> Vec<String> {
    ids.iter().rev().cloned().collect()
}
