//! The sandbox's records.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use oas_client::sandbox::{Collection, Data, Recent, Settings, Topic, uuid};
use uuid::Uuid;

use super::options::Options;
use crate::{
    generated::EXAMPLE_IDS,
    types::{
        DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution, QuoteExecutionStatus,
    },
};

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

/// The records of a [`Sandbox`](super::Sandbox), whose methods can be called on the sandbox.
#[allow(missing_debug_implementations, reason = "`Debug` would print every record")]
pub struct Records {
    pub(super) settings: Settings,
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
    pub(super) fn new(options: &Options) -> Self {
        let settings = &options.settings;
        Self {
            profiles: options.profiles,
            executions: Collection::new(settings, options.executions),
            monitoring_addresses: Collection::new(settings, options.monitoring_addresses),
            deposit_addresses: Collection::new(settings, options.deposit_addresses),
            members: Recent::default(),
            examples: examples(),
            memberships: AtomicU64::new(0),
            settings: settings.clone(),
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
pub(super) fn profiles(records: &Records) -> Vec<Uuid> {
    (0..records.profiles).map(|number| records.id(PROFILE, number)).collect()
}

pub(super) fn has_profile(records: &Records, id: Uuid) -> bool {
    let made = records.number(PROFILE, id);
    made.is_some_and(|number| number < records.profiles.max(PROFILES))
}

/// Returns the id of the only institution that members can be added to.
pub(super) fn institution(records: &Records) -> Uuid {
    records.id(INSTITUTION, 0)
}

pub(super) fn new_membership(records: &Records) -> Uuid {
    let index = records.memberships.fetch_add(1, Ordering::Relaxed);
    records.id(MEMBERSHIP, index)
}

/// Settles the execution with this identifier and returns the settled execution, or `None` if there
/// is no execution with this identifier.
pub(super) fn settle(records: &Records, id: Uuid) -> Option<QuoteExecution> {
    let mut execution: QuoteExecution = records.find(id)?;
    if execution.status != QuoteExecutionStatus::Settled {
        execution.status = QuoteExecutionStatus::Settled;
        execution.settled_at = Some(execution.created_at.max(records.settings().now()));
        records.insert(execution.clone());
    }
    Some(execution)
}
