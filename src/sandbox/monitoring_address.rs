//! Generates and filters monitoring addresses (section 4.2 of the service's specification).

use chrono::{DateTime, Utc};
use oas_client::sandbox::{
    Collection, Compared, Data, Field, Listed, Parameters, Rejection, Topic,
};
use serde::Serialize;
use uuid::Uuid;

use super::{
    address,
    records::{MONITORING_ADDRESS, MONITORING_ADDRESS_ID, MONITORING_ADDRESS_KEY, Records},
};
use crate::types::{CryptoNetwork, MonitoringAddress, MonitoringAddressPage};

/// The networks that monitoring addresses can belong to (section 2.6 of the service's
/// specification).
const NETWORKS: [CryptoNetwork; 4] =
    [CryptoNetwork::Ethereum, CryptoNetwork::Solana, CryptoNetwork::Ink, CryptoNetwork::Xlayer];

impl Listed for MonitoringAddress {
    type Data = Records;

    const ID: Topic = MONITORING_ADDRESS_ID;
    const FILTERS: &'static [Compared<Self>] = &[
        ("address", |it| Field::Text(Some(&it.address))),
        ("crypto_network", |it| Field::Text(Some(it.crypto_network.as_str()))),
    ];

    fn collection(records: &Records) -> &Collection<Self> {
        &records.monitoring_addresses
    }

    fn outline(records: &Records, number: u64) -> Self {
        let mut key = records.random(MONITORING_ADDRESS_KEY, number);
        let crypto_network = key.pick(&NETWORKS).clone();
        let mut random = records.random(MONITORING_ADDRESS, number);
        Self {
            address: address::random(&crypto_network, &mut random),
            crypto_network,
            id: Uuid::nil(),
            name: (!key.one_in(3)).then(|| format!("Treasury {number}")),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn finish(self, records: &Records, number: u64, created_at: DateTime<Utc>) -> Self {
        Self { id: records.id(Self::ID, number), created_at, ..self }
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

    fn check(_: &Records, parameters: &Parameters) -> Result<(), Rejection> {
        address::check_networks(parameters, "crypto_network")?;
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
