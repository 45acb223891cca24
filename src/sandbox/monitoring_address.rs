//! Monitoring addresses: section 4.2 of the specification.

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{
    address,
    collection::Collection,
    data::Listed,
    listing::{Compared, Field},
    parameters::Parameters,
    problem::Rejection,
    random::Topic,
    service::Service,
};
use crate::types::{CryptoNetwork, MonitoringAddress, MonitoringAddressPage};

/// Section 2.6 of the specification: the networks of this listing.
const NETWORKS: [CryptoNetwork; 4] =
    [CryptoNetwork::Ethereum, CryptoNetwork::Solana, CryptoNetwork::Ink, CryptoNetwork::Xlayer];

impl Listed for MonitoringAddress {
    const ID: Topic = Topic::MonitoringAddressId;
    const FILTERS: &'static [Compared<Self>] = &[
        ("address", |it| Field::Text(Some(&it.address))),
        ("crypto_network", |it| Field::Text(Some(it.crypto_network.as_str()))),
    ];

    fn collection(service: &Service) -> &Collection<Self> {
        &service.monitoring_addresses
    }

    fn outline(service: &Service, number: u64) -> Self {
        let mut key = service.random(Topic::MonitoringAddressKey, number);
        let crypto_network = key.pick(&NETWORKS).clone();
        let mut random = service.random(Topic::MonitoringAddress, number);
        Self {
            address: address::random(&crypto_network, &mut random),
            crypto_network,
            id: Uuid::nil(),
            name: (!key.one_in(3)).then(|| format!("Treasury {number}")),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn finish(self, service: &Service, number: u64, created_at: DateTime<Utc>) -> Self {
        Self { id: service.id(Self::ID, number), created_at, ..self }
    }

    fn key(&self) -> (Uuid, DateTime<Utc>) {
        (self.id, self.created_at)
    }

    fn with_unknown_value(self) -> Self {
        Self { crypto_network: CryptoNetwork::from("NEWNET"), ..self }
    }

    fn page(addresses: Vec<Self>, next: Option<String>, _: u32) -> impl Serialize {
        MonitoringAddressPage { addresses, next_page_cursor: next }
    }

    fn check(_: &Service, parameters: &Parameters) -> Result<(), Rejection> {
        let network = parameters.get("crypto_network").map(CryptoNetwork::from);
        match (network, parameters.get("address")) {
            (Some(network), Some(address)) if !address::is_valid(&network, address) => {
                let detail = "address is not valid for the given crypto_network";
                Err(Rejection::parameter("address", detail))
            }
            _ => Ok(()),
        }
    }
}
