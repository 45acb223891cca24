//! Tests of followed listings, which return each record once, and then its changes.

mod ahead;
mod clocks;
mod lives;
mod once;
mod open;
mod rounds;

use digital_assets::{Change, Follow, FollowCheckpoint, Following, Timed, types::DepositAddress};
use tokio::time::timeout_at;
use virtual_service::{BEGIN, Endpoint, Record, Service, number};

use crate::prelude::*;

const OVERLAP: u64 = 60;

/// Returns a record that is created and becomes visible `created` seconds after the service starts.
fn life(created: u64) -> Record {
    late(created, 0)
}

fn late(created: u64, late: u64) -> Record {
    let visible = seconds(created + late);
    Record { visible, ..Record::at(BEGIN + seconds(created).as_nanos().cast_signed()) }
}

fn serve(records: impl IntoIterator<Item = Record>) -> Endpoint {
    Service { records: records.into_iter().collect(), page: 3, ..Service::default() }.serve()
}

fn every() -> Follow {
    Follow::every(seconds(10)).overlap(seconds(OVERLAP))
}

fn follow(client: &Client) -> Following<DepositAddress> {
    client.list_deposit_addresses().items().follow(every())
}

/// Converts the checkpoint to JSON and back, as if another process read it.
fn kept<T: Timed>(following: &Following<T>) -> FollowCheckpoint {
    let json = serde_json::to_string(&following.checkpoint()).unwrap();
    serde_json::from_str(&json).unwrap()
}

/// Whether a change is a new record, the record's number, and its content.
type Seen = (bool, usize, u64);

fn seen(change: Change<DepositAddress>) -> Seen {
    let is_new = matches!(change, Change::New(_));
    let record = change.into_inner();
    (is_new, number(record.id), record.address.parse().unwrap())
}

/// Returns the changes and the errors until `end` seconds after the service started.
pub(crate) async fn heard<T: Timed>(
    following: &mut Following<T>,
    endpoint: &Endpoint,
    end: u64,
) -> (Vec<Change<T>>, Vec<Error>) {
    let (mut changes, mut errors) = (Vec::new(), Vec::new());
    let end = Instant::now() + seconds(end).saturating_sub(endpoint.elapsed());
    while let Ok(Some(change)) = timeout_at(end, following.next()).await {
        match change {
            Ok(change) => changes.push(change),
            Err(error) => errors.push(error),
        }
    }
    (changes, errors)
}

/// Returns the changes as `heard` does, but panics on an error.
async fn until(
    following: &mut Following<DepositAddress>,
    endpoint: &Endpoint,
    end: u64,
) -> Vec<Seen> {
    let (changes, errors) = heard(following, endpoint, end).await;
    assert!(errors.is_empty(), "{errors:?}");
    changes.into_iter().map(seen).collect()
}

fn all_once(count: usize) -> Vec<Seen> {
    (0..count).map(|number| (true, number, 0)).collect()
}

/// Returns the record number of each change, in order.
fn numbers(changes: Vec<Change<DepositAddress>>) -> Vec<usize> {
    changes.into_iter().map(|change| seen(change).1).collect()
}
