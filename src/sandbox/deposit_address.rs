//! Deposit addresses: section 4.3 of the specification.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use axum::{
    Extension,
    extract::{RawQuery, State},
    response::Response,
};
use serde_json::Map;
use uuid::Uuid;

use super::{
    address,
    data::{CUSTOMERS, Data, IDENTITIES, PROFILES, Span},
    fault::Fault,
    listing::{Filter, Listing, Most, ok},
    metadata::metadata,
    parameters::{Parameters, uuid},
    problem::Refusal,
    random::Topic,
    service::Service,
};
use crate::{
    Operation,
    types::{CryptoNetwork, DepositAddress, DepositAddressPage},
};

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
    fault: Option<Extension<Fault>>,
) -> Result<Response, Refusal> {
    let listing = DepositFilter::read(Parameters::parse(query.as_deref()))?;

    let fault = fault.as_deref();
    let mut page = listing.page(&service.data, fault);
    if fault == Some(&Fault::UnknownEnumValue) {
        for address in &mut page.records {
            address.crypto_network = CryptoNetwork::from("NEWNET");
            address.compatible_crypto_networks.push(CryptoNetwork::from("NEWNET"));
        }
    }
    ok(&DepositAddressPage { items: page.records, next_page_cursor: page.next })
}

#[derive(Debug, Hash)]
struct DepositFilter {
    profiles: Option<BTreeSet<Uuid>>,
    identities: Option<BTreeSet<Uuid>>,
    accounts: Option<BTreeSet<Uuid>>,
    ids: Option<BTreeSet<Uuid>>,
    refs: Option<BTreeSet<String>>,
    networks: Option<BTreeSet<CryptoNetwork>>,
    created_at: Span,
}

/// What the filters look at, without the cost of a whole record.
struct Key {
    network: &'static CryptoNetwork,
    profile: Option<u64>,
    identity: Option<u64>,
    customer: Option<u64>,
    has_ref: bool,
}

impl DepositFilter {
    fn read(mut parameters: Parameters) -> Result<Listing<Self>, Refusal> {
        parameters.order_by()?;
        let mut created_at = Span::ALL;
        created_at.before(parameters.time("created_at.lt")?);
        created_at.to(parameters.time("created_at.lte")?);
        created_at.from(parameters.time("created_at.gte")?);
        created_at.after(parameters.time("created_at.gt")?);
        let exactly = parameters.time("created_at.eq")?;
        created_at.from(exactly);
        created_at.to(exactly);
        let networks = parameters.array("networks")?;
        let filter = Self {
            profiles: known(parameters.array("profile_ids")?),
            identities: known(parameters.array("identity_ids")?),
            accounts: known(parameters.array("account_ids")?),
            ids: parameters.uuids("ids")?,
            refs: parameters.array("ref_ids")?,
            networks: networks
                .map(|texts| texts.iter().map(|text| CryptoNetwork::from(text.as_str())).collect()),
            created_at,
        };
        Listing::read(filter, parameters)
    }
}

/// The entries that can match at all: these filters are plain strings, all ids here are UUIDs.
fn known(texts: Option<BTreeSet<String>>) -> Option<BTreeSet<Uuid>> {
    texts.map(|texts| texts.iter().filter_map(|text| uuid(text)).collect())
}

impl Filter for DepositFilter {
    type Record = DepositAddress;

    const OPERATION: Operation = Operation::ListDepositAddresses;
    const MOST: Most = Most::Shown(1000);

    fn indices(&self, data: &Data) -> Range<u64> {
        data.deposit_addresses.within(self.created_at)
    }

    fn matches(&self, data: &Data, index: u64) -> bool {
        let key = Key::new(data, index);
        let bound = |wanted: &BTreeSet<Uuid>, topic, to: Option<u64>| {
            to.is_some_and(|to| wanted.contains(&data.id(topic, to)))
        };
        self.networks.as_ref().is_none_or(|wanted| wanted.contains(key.network))
            && self.profiles.as_ref().is_none_or(|w| bound(w, Topic::Profile, key.profile))
            && self.identities.as_ref().is_none_or(|w| bound(w, Topic::Identity, key.identity))
            && self.accounts.as_ref().is_none_or(|w| bound(w, Topic::Customer, key.customer))
            && self.ids.as_ref().is_none_or(|w| bound(w, Topic::DepositAddressId, Some(index)))
            && self.refs.as_ref().is_none_or(|w| key.has_ref && w.contains(&ref_id(index)))
    }

    fn record(data: &Data, index: u64) -> DepositAddress {
        deposit_address(data, index)
    }
}

impl Key {
    fn new(data: &Data, index: u64) -> Self {
        let mut random = data.random(Topic::DepositAddressKey, index);
        let network = random.pick(CryptoNetwork::KNOWN);
        let of_profile = random.below(5) < 3;
        Self {
            network,
            profile: of_profile.then(|| random.below(PROFILES)),
            identity: (!of_profile).then(|| random.below(IDENTITIES)),
            customer: (!random.one_in(5)).then(|| random.below(CUSTOMERS)),
            has_ref: !random.one_in(4),
        }
    }
}

fn ref_id(index: u64) -> String {
    format!("customer-{index}")
}

pub(super) fn deposit_address(data: &Data, index: u64) -> DepositAddress {
    let key = Key::new(data, index);
    let mut random = data.random(Topic::DepositAddress, index);
    let compatible: Vec<_> = if address::is_evm(key.network) {
        CryptoNetwork::KNOWN.iter().filter(|network| address::is_evm(network)).cloned().collect()
    } else {
        vec![key.network.clone()]
    };
    DepositAddress {
        id: data.id(Topic::DepositAddressId, index),
        profile_id: key.profile.map(|profile| data.profile(profile)),
        customer_id: key.customer.map(|customer| data.id(Topic::Customer, customer)),
        identity_id: key.identity.map(|identity| data.id(Topic::Identity, identity)),
        ref_id: key.has_ref.then(|| ref_id(index)),
        crypto_network: key.network.clone(),
        address: address::random(key.network, &mut random),
        conversion_target_asset: (!random.one_in(3))
            .then(|| (*random.pick(&["USD", "EUR", "SGD"])).to_owned()),
        compatible_crypto_networks: if random.one_in(4) { Vec::new() } else { compatible },
        metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
        created_at: data.deposit_addresses.created_at(index),
    }
}
