//! The records of the service, and how many of each kind there are.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use oas_client::codegen::sandbox::{self, Collection, Recent, Settings, Topic, uuid};
use uuid::Uuid;

use crate::{
    generated::EXAMPLE_IDS,
    types::{
        DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution, QuoteExecutionStatus,
    },
};

/// The engine's service in memory, with [`Records`] as its data.
pub(super) type Service = sandbox::Service<Records>;

// The topics of random numbers. A new topic needs a new number, because changing a number changes
// all records.
pub(super) const EXECUTION_KEY: Topic = Topic(1);
pub(super) const EXECUTION: Topic = Topic(2);
pub(super) const MONITORING_ADDRESS_KEY: Topic = Topic(3);
pub(super) const MONITORING_ADDRESS: Topic = Topic(4);
pub(super) const DEPOSIT_ADDRESS_KEY: Topic = Topic(5);
pub(super) const DEPOSIT_ADDRESS_ID: Topic = Topic(6);
pub(super) const DEPOSIT_ADDRESS: Topic = Topic(7);
pub(super) const PROFILE: Topic = Topic(9);
pub(super) const CUSTOMER: Topic = Topic(10);
pub(super) const IDENTITY: Topic = Topic(11);
const MEMBERSHIP: Topic = Topic(13);
pub(super) const EXECUTION_ID: Topic = Topic(16);
pub(super) const MONITORING_ADDRESS_ID: Topic = Topic(17);
const INSTITUTION: Topic = Topic(18);

/// How many profiles, customers and identities the generated records are spread over.
pub(super) const PROFILES: u64 = 40;
pub(super) const CUSTOMERS: u64 = 400;
pub(super) const IDENTITIES: u64 = 250;

/// The properties whose example in the OpenAPI description is the first identifier of a topic,
/// whatever the seed. So a request with the description's examples finds a record.
const EXAMPLES: &[(Topic, &str, &str)] = &[
    (EXECUTION_ID, "QuoteExecution", "id"),
    (MONITORING_ADDRESS_ID, "MonitoringAddress", "id"),
    (DEPOSIT_ADDRESS_ID, "DepositAddress", "id"),
    (PROFILE, "QuoteExecution", "profile_id"),
    (IDENTITY, "InstitutionMemberToAdd", "identity_id"),
    (INSTITUTION, "AddInstitutionMembersRequest", "institution_id"),
];

/// The number of records of each kind.
#[derive(Clone, Debug)]
#[allow(unnameable_types, reason = "a public trait of the engine names it")]
pub struct Counts {
    pub(super) executions: u64,
    pub(super) profiles: u64,
    pub(super) monitoring_addresses: u64,
    pub(super) deposit_addresses: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { executions: 5_000, profiles: 1, monitoring_addresses: 400, deposit_addresses: 800 }
    }
}

/// The sandbox's records, and the members that were added to institutions.
#[allow(
    missing_debug_implementations,
    unnameable_types,
    reason = "only a public trait of the engine names it"
)]
pub struct Records {
    /// The number of profiles that share the quote executions.
    pub(super) profiles: u64,
    pub(super) executions: Collection<QuoteExecution>,
    pub(super) monitoring_addresses: Collection<MonitoringAddress>,
    pub(super) deposit_addresses: Collection<DepositAddress>,
    pub(super) members: Recent<InstitutionMember>,
    pub(super) examples: BTreeMap<Topic, Uuid>,
    memberships: AtomicU64,
}

impl Records {
    pub(super) fn new(counts: &Counts, settings: &Settings) -> Self {
        Self {
            profiles: counts.profiles,
            executions: Collection::new(settings, counts.executions),
            monitoring_addresses: Collection::new(settings, counts.monitoring_addresses),
            deposit_addresses: Collection::new(settings, counts.deposit_addresses),
            members: Mutex::default(),
            examples: examples(),
            memberships: AtomicU64::new(0),
        }
    }
}

/// The identifiers in the OpenAPI description's examples, with the topic of each.
fn examples() -> BTreeMap<Topic, Uuid> {
    let found = EXAMPLES.iter().filter_map(|(topic, schema, property)| {
        let example = EXAMPLE_IDS.iter().find(|(s, p, _)| (s, p) == (schema, property));
        Some((*topic, uuid(example?.2)?))
    });
    found.collect()
}

/// The profiles that share the quote executions.
pub(super) fn profiles(service: &Service) -> Vec<Uuid> {
    (0..service.data.profiles).map(|number| service.id(PROFILE, number)).collect()
}

pub(super) fn has_profile(service: &Service, id: Uuid) -> bool {
    let made = service.number(PROFILE, id);
    made.is_some_and(|number| number < service.data.profiles.max(PROFILES))
}

/// The only institution that accepts members.
pub(super) fn institution(service: &Service) -> Uuid {
    service.id(INSTITUTION, 0)
}

pub(super) fn new_membership(service: &Service) -> Uuid {
    let index = service.data.memberships.fetch_add(1, Ordering::Relaxed);
    service.id(MEMBERSHIP, index)
}

/// Settles the execution with this identifier, and returns it. `None` if there is no such
/// execution.
pub(super) fn settle(service: &Service, id: Uuid) -> Option<QuoteExecution> {
    let mut execution: QuoteExecution = service.find(id)?;
    if execution.status != QuoteExecutionStatus::Settled {
        execution.status = QuoteExecutionStatus::Settled;
        execution.settled_at = Some(execution.created_at.max(service.settings.now));
        service.insert(execution.clone());
    }
    Some(execution)
}
