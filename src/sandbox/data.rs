//! The records. Only inserted ones are stored: every other one is a pure function of the seed and its
//! number.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{
    collection::{Collection, Slot},
    listing::Compared,
    parameters::{Parameters, uuid},
    problem::Rejection,
    random::{self, Random, Topic},
    service::Service,
    times::{nanoseconds, time},
};
use crate::{
    generated::EXAMPLE_IDS,
    types::{QuoteExecution, QuoteExecutionStatus},
};

/// How many profiles, customers and identities the records are spread over.
pub(super) const PROFILES: u64 = 40;
pub(super) const CUSTOMERS: u64 = 400;
pub(super) const IDENTITIES: u64 = 250;

/// The properties whose example in the description names the first of a kind, whatever the seed: a
/// request that is an example has to find what it names.
const EXAMPLES: &[(Topic, &str, &str)] = &[
    (Topic::Profile, "QuoteExecution", "profile_id"),
    (Topic::Identity, "InstitutionMemberToAdd", "identity_id"),
    (Topic::Institution, "AddInstitutionMembersRequest", "institution_id"),
];

/// The identifiers of the description's examples.
pub(super) fn examples() -> BTreeMap<Topic, Uuid> {
    let found = EXAMPLES.iter().filter_map(|(topic, schema, property)| {
        let example = EXAMPLE_IDS.iter().find(|(s, p, _)| (s, p) == (schema, property));
        Some((*topic, uuid(example?.2)?))
    });
    found.collect()
}

/// A kind of record: how one is made from its number, and how its listing filters and answers.
pub(super) trait Listed: Clone + 'static {
    /// The topic that their identifiers are drawn from.
    const ID: Topic;

    /// What each parameter compares that isn't a time.
    const FILTERS: &'static [Compared<Self>];

    /// Whether the first page counts all records that match.
    const COUNTED: bool = false;

    fn collection(service: &Service) -> &Collection<Self>;

    /// What the filters compare, and no more: a listing looks at every record.
    fn outline(service: &Service, number: u64) -> Self;

    /// The record of which this is the outline.
    fn finish(self, service: &Service, number: u64, created_at: DateTime<Utc>) -> Self;

    /// Its identifier, and when it was created.
    fn key(&self) -> (Uuid, DateTime<Utc>);

    fn with_unknown_value(self) -> Self;

    /// A page, the cursor of the next one, and the number of all records that match if they are
    /// counted.
    fn page(records: Vec<Self>, next: Option<String>, total: u32) -> impl Serialize;

    /// What else has to hold of a request.
    fn check(_: &Service, _: &Parameters) -> Result<(), Rejection> {
        Ok(())
    }
}

impl Service {
    pub(super) fn profiles(&self) -> Vec<Uuid> {
        (0..self.settings.profiles).map(|number| self.id(Topic::Profile, number)).collect()
    }

    pub(super) fn has_profile(&self, id: Uuid) -> bool {
        let made = self.number(Topic::Profile, id);
        made.is_some_and(|number| number < self.settings.profiles.max(PROFILES))
    }

    pub(super) fn institution(&self) -> Uuid {
        self.id(Topic::Institution, 0)
    }

    /// The identifier with this number.
    pub(super) fn id(&self, topic: Topic, number: u64) -> Uuid {
        let example = self.examples.get(&topic).filter(|_| number == 0);
        example.copied().unwrap_or_else(|| random::id(self.settings.seed, topic, number))
    }

    /// The number of an identifier, if it is one of the sandbox's own.
    fn number(&self, topic: Topic, id: Uuid) -> Option<u64> {
        let number = random::index_of(self.settings.seed, topic, id);
        if self.examples.get(&topic) == Some(&id) { Some(0) } else { number }
    }

    pub(super) fn random(&self, topic: Topic, index: u64) -> Random {
        Random::new(self.settings.seed, topic, index)
    }

    pub(super) fn record<R: Listed>(&self, slot: &Slot<R>) -> R {
        match slot {
            Slot::Made(index) => {
                let timeline = &R::collection(self).timeline;
                let number = timeline.number(*index);
                R::outline(self, number).finish(self, number, time(timeline.at(*index)))
            }
            Slot::Inserted(_, record) => R::clone(record),
        }
    }

    /// Settles the execution with this identifier, if there is one.
    pub(super) fn settle(&self, id: Uuid) -> Option<QuoteExecution> {
        let mut execution: QuoteExecution = self.find(id)?;
        if execution.status != QuoteExecutionStatus::Settled {
            execution.status = QuoteExecutionStatus::Settled;
            execution.settled_at = Some(execution.created_at.max(self.settings.now));
            self.insert(execution.clone());
        }
        Some(execution)
    }

    pub(super) fn find<R: Listed>(&self, id: Uuid) -> Option<R> {
        let slot = R::collection(self).find(id, self.index_of::<R>(id))?;
        Some(self.record(&slot))
    }

    pub(super) fn insert<R: Listed>(&self, record: R) {
        let (id, created_at) = record.key();
        R::collection(self).insert(id, nanoseconds(created_at), self.index_of::<R>(id), record);
    }

    /// The index whose record has this identifier, now or once it is added.
    fn index_of<R: Listed>(&self, id: Uuid) -> Option<u64> {
        R::collection(self).timeline.index(self.number(R::ID, id)?)
    }
}
