//! Generates and filters deposit addresses (section 4.3 of the service's specification).

use chrono::{DateTime, Utc};
use oas_client::sandbox::{
    Collection, Compared, Data, Field, Listed, Parameters, Rejection, Topic,
};
use serde::Serialize;
use serde_json::Map;
use uuid::Uuid;

use super::{
    address,
    metadata::metadata,
    records::{
        CUSTOMER, CUSTOMERS, DEPOSIT_ADDRESS, DEPOSIT_ADDRESS_ID, DEPOSIT_ADDRESS_KEY, IDENTITIES,
        IDENTITY, PROFILE, PROFILES, Records,
    },
};
use crate::types::{CryptoNetwork, DepositAddress, DepositAddressPage};

impl Listed for DepositAddress {
    type Data = Records;

    const ID: Topic = DEPOSIT_ADDRESS_ID;
    const FILTERS: &'static [Compared<Self>] = &[
        ("profile_ids", |it| Field::Id(it.profile_id)),
        ("identity_ids", |it| Field::Id(it.identity_id)),
        ("account_ids", |it| Field::Id(it.customer_id)),
        ("ids", |it| Field::Id(Some(it.id))),
        ("ref_ids", |it| Field::Text(it.ref_id.as_deref())),
        ("networks", |it| Field::Text(Some(it.crypto_network.as_str()))),
    ];

    fn collection(records: &Records) -> &Collection<Self> {
        &records.deposit_addresses
    }

    fn outline(records: &Records, number: u64) -> Self {
        let mut random = records.random(DEPOSIT_ADDRESS_KEY, number);
        let crypto_network = random.pick(CryptoNetwork::KNOWN).clone();
        let of_profile = random.below(5) < 3;
        Self {
            id: records.id(Self::ID, number),
            profile_id: of_profile.then(|| records.id(PROFILE, random.below(PROFILES))),
            identity_id: (!of_profile).then(|| records.id(IDENTITY, random.below(IDENTITIES))),
            customer_id: (!random.one_in(5)).then(|| records.id(CUSTOMER, random.below(CUSTOMERS))),
            ref_id: (!random.one_in(4)).then(|| format!("customer-{number}")),
            crypto_network,
            address: String::new(),
            conversion_target_asset: None,
            compatible_crypto_networks: Vec::new(),
            metadata: Map::new(),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn finish(self, records: &Records, number: u64, created_at: DateTime<Utc>) -> Self {
        let mut random = records.random(DEPOSIT_ADDRESS, number);
        let network = &self.crypto_network;
        let known = CryptoNetwork::KNOWN.iter();
        let compatible =
            known.filter(|other| address::is_shared(network, other)).cloned().collect();
        Self {
            address: address::random(network, &mut random),
            conversion_target_asset: (!random.one_in(3))
                .then(|| (*random.pick(&["USD", "EUR", "SGD"])).to_owned()),
            compatible_crypto_networks: if random.one_in(4) { Vec::new() } else { compatible },
            metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
            created_at,
            ..self
        }
    }

    fn key(&self) -> (Uuid, DateTime<Utc>) {
        (self.id, self.created_at)
    }

    fn with_unknown_value(mut self) -> Self {
        self.crypto_network = CryptoNetwork::from("NEWNET");
        self.compatible_crypto_networks.push(CryptoNetwork::from("NEWNET"));
        self
    }

    fn page(items: Vec<Self>, next: Option<String>, _: u32) -> impl Serialize {
        DepositAddressPage { items, next_page_cursor: next }
    }

    fn check(_: &Records, parameters: &Parameters) -> Result<(), Rejection> {
        address::check_networks(parameters, "networks")
    }
}
