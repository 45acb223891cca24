//! Tests of the client in `examples/parcels`. In its OpenAPI description, everything about a listing
//! has a different name than in the crate's own description.

mod follow;
mod page;
mod walk;
mod wire;

use digital_assets::{Items, Record, Retry};
use second::{
    Client,
    types::{Depot, Parcel, Scan, Sort},
};
use uuid::Uuid;
use virtual_service::{Endpoint, URL};

/// The parcel whose scans are listed.
const PARCEL: Uuid = Uuid::from_u128(7);

/// Returns a client for a virtual service. The client doesn't retry.
fn asking(endpoint: &Endpoint) -> Client {
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    client.retry(Retry::none()).build().unwrap()
}

fn parcels(client: &Client, ascending: bool, page: i32) -> Items<Parcel> {
    let sort = if ascending { Sort::OldestFirst } else { Sort::NewestFirst };
    client.list_parcels().sort(sort).per_page(page).items()
}

fn scans(client: &Client, ascending: bool, page: i32) -> Items<Scan> {
    client.list_scans().id(PARCEL).oldest_first(ascending).count(page).items()
}

fn depots(client: &Client, page: i32) -> Items<Depot> {
    client.list_depots().page_size(page).items()
}

/// Returns the record's number in the virtual service.
fn number(record: &impl Record) -> usize {
    let id = record.id().unwrap().to_string();
    match id.parse() {
        Ok(id) => virtual_service::number(id),
        Err(_) => id.trim_start_matches('D').parse().unwrap(),
    }
}
