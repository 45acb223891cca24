//! The service: its settings, its records, what it remembers while it runs, and which request fails.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use uuid::Uuid;

use super::{
    builder::SandboxBuilder,
    collection::Collection,
    data::examples,
    fault::Fault,
    random::{Random, Topic},
    request::Request,
    tokens::{self, Grant},
};
use crate::{
    Operation,
    lock::lock,
    types::{DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution},
};

pub(super) struct Service {
    pub(super) settings: SandboxBuilder,
    pub(super) base_url: String,
    pub(super) token_url: String,
    pub(super) examples: BTreeMap<Topic, Uuid>,
    pub(super) executions: Collection<QuoteExecution>,
    pub(super) monitoring_addresses: Collection<MonitoringAddress>,
    pub(super) deposit_addresses: Collection<DepositAddress>,
    /// The tokens that were issued.
    pub(super) grants: Recent<Grant>,
    pub(super) requests: Recent<Request>,
    pub(super) members: Recent<InstitutionMember>,
    memberships: AtomicU64,
    /// How many answers the chaos has seen.
    answers: AtomicU64,
    queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// The requests of an operation, or of the token endpoint.
#[derive(Default)]
struct Queue {
    received: u64,
    faults: VecDeque<Fault>,
}

impl Service {
    pub(super) fn new(settings: SandboxBuilder, base_url: String) -> Self {
        Self {
            token_url: format!("{base_url}{}", tokens::PATH),
            base_url,
            examples: examples(),
            executions: Collection::new(&settings, settings.executions),
            monitoring_addresses: Collection::new(&settings, settings.monitoring_addresses),
            deposit_addresses: Collection::new(&settings, settings.deposit_addresses),
            settings,
            grants: Mutex::default(),
            requests: Mutex::default(),
            members: Mutex::default(),
            memberships: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            queues: Mutex::default(),
        }
    }

    pub(super) fn new_membership(&self) -> Uuid {
        let index = self.memberships.fetch_add(1, Ordering::Relaxed);
        self.id(Topic::Membership, index)
    }

    /// How many requests an operation, or the token endpoint, has received.
    pub(super) fn received(&self, operation: Option<Operation>) -> u64 {
        lock(&self.queues).get(&operation).map_or(0, |queue| queue.received)
    }

    pub(super) fn forget_faults(&self) {
        lock(&self.queues).values_mut().for_each(|queue| queue.faults.clear());
    }

    pub(super) fn queue(&self, operation: Option<Operation>, fault: Fault) {
        lock(&self.queues).entry(operation).or_default().faults.push_back(fault);
    }

    /// Counts a request, and takes the fault that it meets: one that was queued for it, or a random
    /// one of an operation. A repeated cursor waits for a later page of a listing.
    pub(super) fn next_fault(
        &self,
        operation: Option<Operation>,
        is_first_page: bool,
    ) -> Option<Fault> {
        let mut queues = lock(&self.queues);
        let queue = queues.entry(operation).or_default();
        queue.received += 1;
        let waits = is_first_page && queue.faults.front() == Some(&Fault::RepeatedCursor);
        let fault = if waits { None } else { queue.faults.pop_front() };
        fault.or_else(|| self.random_fault(operation?))
    }

    /// The fault of a share of the answers, from which a careful client recovers.
    fn random_fault(&self, operation: Operation) -> Option<Fault> {
        let (share, seed) = self.settings.chaos;
        let answer = self.answers.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::new(seed, Topic::Chaos, answer);
        let dice = f64::from(u32::try_from(random.below(1 << 32)).unwrap_or(u32::MAX));
        if dice >= share * f64::from(u32::MAX) {
            return None;
        }
        let faults = [
            Fault::TooManyRequests { retry_after: Some(Duration::ZERO) },
            Fault::TooManyRequests { retry_after: None },
            Fault::Unauthorized,
            Fault::Status(500),
            Fault::Html(502),
            Fault::Status(503),
            Fault::Status(408),
            Fault::Reset,
            Fault::Truncated,
            Fault::EmptyPage,
        ];
        // After any but the first three, a caller is in doubt, and a client doesn't repeat a POST.
        let is_post = operation.method() == reqwest::Method::POST;
        Some(random.pick(if is_post { &faults[..3] } else { &faults }).clone())
    }
}

/// The last 10,000 of what was added, the oldest first.
pub(super) type Recent<T> = Mutex<VecDeque<T>>;

pub(super) fn keep<T>(recent: &Recent<T>, one: T) {
    let mut kept = lock(recent);
    if kept.len() == 10_000 {
        kept.pop_front();
    }
    kept.push_back(one);
}
