//! Deposit addresses: section 4.3 of the specification.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use axum::{
    Extension,
    extract::{RawQuery, State},
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::Map;
use uuid::Uuid;

use super::{
    address,
    data::{CUSTOMERS, Data, IDENTITIES, Kind, PROFILES},
    fault::Fault,
    listing::{Filter, Listing, Most, ok},
    metadata::metadata,
    parameters::{Parameters, uuid},
    problem::Refusal,
    random::Topic,
    service::Service,
    shelf::Shelf,
    span::Span,
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
struct Key<'a> {
    id: Uuid,
    network: &'a CryptoNetwork,
    profile_id: Option<Uuid>,
    identity_id: Option<Uuid>,
    customer_id: Option<Uuid>,
    ref_id: Option<Cow<'a, str>>,
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

    fn has(&self, key: &Key<'_>) -> bool {
        let is_one = |wanted: &Option<BTreeSet<Uuid>>, id: Option<Uuid>| {
            wanted.as_ref().is_none_or(|wanted| id.is_some_and(|id| wanted.contains(&id)))
        };
        let wants_ref = |refs: &BTreeSet<String>| {
            key.ref_id.as_deref().is_some_and(|ref_id| refs.contains(ref_id))
        };
        self.networks.as_ref().is_none_or(|wanted| wanted.contains(key.network))
            && is_one(&self.profiles, key.profile_id)
            && is_one(&self.identities, key.identity_id)
            && is_one(&self.accounts, key.customer_id)
            && is_one(&self.ids, Some(key.id))
            && self.refs.as_ref().is_none_or(wants_ref)
    }
}

/// The entries that can match: these filters are plain strings, and all ids here are UUIDs.
fn known(texts: Option<BTreeSet<String>>) -> Option<BTreeSet<Uuid>> {
    texts.map(|texts| texts.iter().filter_map(|text| uuid(text)).collect())
}

impl Filter for DepositFilter {
    type Record = DepositAddress;

    const OPERATION: Operation = Operation::ListDepositAddresses;
    const MOST: Most = Most::Shown(1000);

    fn span(&self) -> Span {
        self.created_at
    }

    fn matches_made(&self, data: &Data, number: u64) -> bool {
        self.has(&Key::made(data, number))
    }

    fn matches(&self, record: &DepositAddress) -> bool {
        self.has(&Key::from(record))
    }
}

impl Key<'_> {
    fn made(data: &Data, number: u64) -> Self {
        let mut random = data.random(Topic::DepositAddressKey, number);
        let network = random.pick(CryptoNetwork::KNOWN);
        let of_profile = random.below(5) < 3;
        let profile_id = of_profile.then(|| data.profile(random.below(PROFILES)));
        let identity_id = (!of_profile).then(|| data.id(Topic::Identity, random.below(IDENTITIES)));
        let customer_id =
            (!random.one_in(5)).then(|| data.id(Topic::Customer, random.below(CUSTOMERS)));
        let ref_id = (!random.one_in(4)).then(|| format!("customer-{number}").into());
        let id = data.id(DepositAddress::ID, number);
        Self { id, network, profile_id, identity_id, customer_id, ref_id }
    }
}

impl<'a> From<&'a DepositAddress> for Key<'a> {
    fn from(record: &'a DepositAddress) -> Self {
        Self {
            id: record.id,
            network: &record.crypto_network,
            profile_id: record.profile_id,
            identity_id: record.identity_id,
            customer_id: record.customer_id,
            ref_id: record.ref_id.as_deref().map(Cow::Borrowed),
        }
    }
}

impl Kind for DepositAddress {
    const ID: Topic = Topic::DepositAddressId;

    fn shelf(data: &Data) -> &Shelf<Self> {
        &data.deposit_addresses
    }

    fn made(data: &Data, number: u64, created_at: DateTime<Utc>) -> Self {
        let key = Key::made(data, number);
        let mut random = data.random(Topic::DepositAddress, number);
        let compatible: Vec<_> = if address::is_evm(key.network) {
            let known = CryptoNetwork::KNOWN.iter();
            known.filter(|network| address::is_evm(network)).cloned().collect()
        } else {
            vec![key.network.clone()]
        };
        Self {
            id: key.id,
            profile_id: key.profile_id,
            customer_id: key.customer_id,
            identity_id: key.identity_id,
            ref_id: key.ref_id.map(Cow::into_owned),
            crypto_network: key.network.clone(),
            address: address::random(key.network, &mut random),
            conversion_target_asset: (!random.one_in(3))
                .then(|| (*random.pick(&["USD", "EUR", "SGD"])).to_owned()),
            compatible_crypto_networks: if random.one_in(4) { Vec::new() } else { compatible },
            metadata: if random.one_in(4) { metadata(&mut random) } else { Map::new() },
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
