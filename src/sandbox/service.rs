//! What the sandbox remembers while it runs: data, tokens, faults to come, requests seen.

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
    chaos::Chaos, clients::Client, data::Data, fault::Fault, random::Topic, request::Request,
    tokens::Tokens,
};
use crate::{AuthStyle, Operation, lock::lock, types::InstitutionMember};

pub(super) struct Service {
    pub(super) base_url: String,
    pub(super) token_url: String,
    pub(super) data: Data,
    pub(super) clients: Vec<Client>,
    /// The only style in which the token endpoint accepts a secret.
    pub(super) auth_style: Option<AuthStyle>,
    pub(super) tokens: Tokens,
    pub(super) latency: Duration,
    pub(super) chaos: Chaos,
    pub(super) requests: Recent<Request>,
    pub(super) members: Recent<InstitutionMember>,
    pub(super) memberships: AtomicU64,
    pub(super) queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// The requests of an operation, or of the token endpoint.
#[derive(Debug, Default)]
pub(super) struct Queue {
    received: u64,
    faults: VecDeque<Fault>,
}

impl Service {
    pub(super) fn new_membership(&self) -> Uuid {
        let index = self.memberships.fetch_add(1, Ordering::Relaxed);
        self.data.id(Topic::Membership, index)
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

    /// Counts a request, and takes its fault: a repeated cursor waits for a later page of a listing.
    pub(super) fn next_fault(
        &self,
        operation: Option<Operation>,
        is_first_page: bool,
    ) -> Option<Fault> {
        let mut queues = lock(&self.queues);
        let queue = queues.entry(operation).or_default();
        queue.received += 1;
        if queue.faults.front() == Some(&Fault::RepeatedCursor) && is_first_page {
            return None;
        }
        queue.faults.pop_front()
    }
}

/// The last 10,000 that were added.
#[derive(Debug)]
pub(super) struct Recent<T>(Mutex<VecDeque<T>>);

impl<T: Clone> Recent<T> {
    pub(super) fn push(&self, one: T) {
        let mut kept = lock(&self.0);
        if kept.len() == 10_000 {
            kept.pop_front();
        }
        kept.push_back(one);
    }

    /// All that are kept, the oldest first.
    pub(super) fn list(&self) -> Vec<T> {
        lock(&self.0).iter().cloned().collect()
    }
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
