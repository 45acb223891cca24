//! Monitoring addresses: section 4.2 of the specification.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    response::Response,
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    address,
    data::{Data, Kind},
    fault::Fault,
    listing::{Filter, Listing, Most, ok},
    parameters::Parameters,
    problem::Refusal,
    random::Topic,
    service::Service,
    shelf::Shelf,
};
use crate::{
    Operation,
    types::{CryptoNetwork, MonitoringAddress, MonitoringAddressPage},
};

/// Section 2.6 of the specification: the networks of this listing.
const NETWORKS: [CryptoNetwork; 4] =
    [CryptoNetwork::Ethereum, CryptoNetwork::Solana, CryptoNetwork::Ink, CryptoNetwork::Xlayer];

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
    fault: Option<Extension<Fault>>,
) -> Result<Response, Refusal> {
    let listing = MonitoringFilter::read(Parameters::parse(query.as_deref()))?;

    let fault = fault.as_deref();
    let mut page = listing.page(&service.data, fault);
    if fault == Some(&Fault::UnknownEnumValue) {
        for address in &mut page.records {
            address.crypto_network = CryptoNetwork::from("NEWNET");
        }
    }
    ok(&MonitoringAddressPage { addresses: page.records, next_page_cursor: page.next })
}

#[derive(Debug, Hash)]
struct MonitoringFilter {
    address: Option<String>,
    network: Option<CryptoNetwork>,
}

impl MonitoringFilter {
    fn read(mut parameters: Parameters) -> Result<Listing<Self>, Refusal> {
        let network = parameters.one("crypto_network")?.map(|text| CryptoNetwork::from(&*text));
        let filter = Self { address: parameters.one("address")?, network };
        let fits = match (&filter.address, &filter.network) {
            (Some(address), Some(network)) => address::is_valid(network, address),
            _ => true,
        };
        if !fits {
            let detail = "address is not valid for the given crypto_network";
            return Err(Refusal::parameter("address", detail));
        }
        Listing::read(filter, parameters)
    }
}

impl Filter for MonitoringFilter {
    type Record = MonitoringAddress;

    const OPERATION: Operation = Operation::ListMonitoringAddresses;
    const MOST: Most = Most::Shown(1000);

    fn matches_made(&self, data: &Data, number: u64) -> bool {
        self.network.as_ref().is_none_or(|wanted| wanted == network(data, number))
            && self.address.as_ref().is_none_or(|wanted| *wanted == on_chain(data, number))
    }

    fn matches(&self, record: &MonitoringAddress) -> bool {
        self.network.as_ref().is_none_or(|wanted| *wanted == record.crypto_network)
            && self.address.as_ref().is_none_or(|wanted| *wanted == record.address)
    }
}

fn network(data: &Data, number: u64) -> &'static CryptoNetwork {
    data.random(Topic::MonitoringAddressKey, number).pick(&NETWORKS)
}

fn on_chain(data: &Data, number: u64) -> String {
    let mut random = data.random(Topic::MonitoringAddress, number);
    address::random(network(data, number), &mut random)
}

impl Kind for MonitoringAddress {
    const ID: Topic = Topic::MonitoringAddressId;

    fn shelf(data: &Data) -> &Shelf<Self> {
        &data.monitoring_addresses
    }

    fn made(data: &Data, number: u64, created_at: DateTime<Utc>) -> Self {
        let mut random = data.random(Topic::MonitoringAddressKey, number);
        Self {
            crypto_network: random.pick(&NETWORKS).clone(),
            address: on_chain(data, number),
            id: data.id(Self::ID, number),
            name: (!random.one_in(3)).then(|| format!("Treasury {number}")),
            created_at,
        }
    }

    fn id(&self) -> Uuid {
        self.id
    }

    fn created_at(&self) -> DateTime<Utc> {
        self.created_at
    }
}
