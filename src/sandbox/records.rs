//! The sandbox's records, and the number of records of each kind.

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

/// The generic in-memory service from `oas_client`, with [`Records`] as its data.
pub(super) type Service = sandbox::Service<Records>;

// The topics of random numbers. A new topic must have an unused number. Existing numbers must not
// change, because the generated records depend on them.
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

// The numbers of different profiles, customers and identities that the generated records refer to.
pub(super) const PROFILES: u64 = 40;
pub(super) const CUSTOMERS: u64 = 400;
pub(super) const IDENTITIES: u64 = 250;

/// The topics whose first identifier is an example from the OpenAPI description, whatever the seed.
/// Each topic is followed by the schema and the property that have the example. As a result,
/// requests with these examples find records.
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
#[allow(unnameable_types, reason = "it is an associated type of a public trait")]
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
    reason = "it is public only because it implements a public trait"
)]
pub struct Records {
    /// The number of profiles that own the quote executions.
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

/// Returns the identifiers from the examples in the OpenAPI description, by topic.
fn examples() -> BTreeMap<Topic, Uuid> {
    let found = EXAMPLES.iter().filter_map(|(topic, schema, property)| {
        let example = EXAMPLE_IDS.iter().find(|(s, p, _)| (s, p) == (schema, property));
        Some((*topic, uuid(example?.2)?))
    });
    found.collect()
}

/// Returns the ids of the profiles that own the quote executions.
pub(super) fn profiles(service: &Service) -> Vec<Uuid> {
    (0..service.data.profiles).map(|number| service.id(PROFILE, number)).collect()
}

pub(super) fn has_profile(service: &Service, id: Uuid) -> bool {
    let made = service.number(PROFILE, id);
    made.is_some_and(|number| number < service.data.profiles.max(PROFILES))
}

/// Returns the id of the only institution that members can be added to.
pub(super) fn institution(service: &Service) -> Uuid {
    service.id(INSTITUTION, 0)
}

pub(super) fn new_membership(service: &Service) -> Uuid {
    let index = service.data.memberships.fetch_add(1, Ordering::Relaxed);
    service.id(MEMBERSHIP, index)
}

/// Settles the execution with this identifier and returns the settled execution, or `None` if there
/// is no execution with this identifier.
pub(super) fn settle(service: &Service, id: Uuid) -> Option<QuoteExecution> {
    let mut execution: QuoteExecution = service.find(id)?;
    if execution.status != QuoteExecutionStatus::Settled {
        execution.status = QuoteExecutionStatus::Settled;
        execution.settled_at = Some(execution.created_at.max(service.settings.now));
        service.insert(execution.clone());
    }
    Some(execution)
}
