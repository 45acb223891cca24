//! What the sandbox remembers while it runs: data, tokens, faults to come, requests seen.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use uuid::Uuid;

use super::{
    chaos::Chaos, data::Data, fault::Fault, random::Topic, request::Request, tokens::Tokens,
};
use crate::{Operation, types::InstitutionMember};

/// Requests and members that are kept; the oldest go first.
const MOST_KEPT: usize = 10_000;

#[derive(Debug)]
pub(super) struct Service {
    pub(super) data: Data,
    pub(super) tokens: Tokens,
    pub(super) latency: Duration,
    pub(super) chaos: Chaos,
    token_requests: AtomicU64,
    memberships: AtomicU64,
    members: Mutex<VecDeque<InstitutionMember>>,
    requests: Mutex<VecDeque<Request>>,
    counts: Mutex<BTreeMap<&'static str, u64>>,
    faults: Mutex<BTreeMap<&'static str, VecDeque<Fault>>>,
}

/// Where the faults of the token endpoint queue, beside those of the operations.
const TOKEN: &str = "token";

impl Service {
    pub(super) fn new(data: Data, tokens: Tokens, latency: Duration, chaos: Chaos) -> Self {
        Self {
            data,
            tokens,
            latency,
            chaos,
            token_requests: AtomicU64::new(0),
            memberships: AtomicU64::new(0),
            members: Mutex::default(),
            requests: Mutex::default(),
            counts: Mutex::default(),
            faults: Mutex::default(),
        }
    }

    pub(super) fn new_membership(&self) -> Uuid {
        let index = self.memberships.fetch_add(1, Ordering::Relaxed);
        self.data.id(Topic::Membership, index)
    }

    pub(super) fn remember(&self, members: &[InstitutionMember]) {
        let mut kept = lock(&self.members);
        kept.extend(members.iter().cloned());
        let excess = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..excess);
    }

    pub(super) fn members(&self) -> Vec<InstitutionMember> {
        lock(&self.members).iter().cloned().collect()
    }

    pub(super) fn record(&self, request: Request) {
        let mut kept = lock(&self.requests);
        if kept.len() == MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back(request);
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        lock(&self.requests).iter().cloned().collect()
    }

    pub(super) fn count(&self, operation: Operation) {
        *lock(&self.counts).entry(operation.id()).or_default() += 1;
    }

    pub(super) fn request_count(&self, operation: Operation) -> u64 {
        lock(&self.counts).get(operation.id()).copied().unwrap_or_default()
    }

    pub(super) fn count_token_request(&self) {
        self.token_requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn token_requests(&self) -> u64 {
        self.token_requests.load(Ordering::Relaxed)
    }

    pub(super) fn forget_faults(&self) {
        lock(&self.faults).clear();
    }

    pub(super) fn queue(&self, operation: Option<Operation>, fault: Fault) {
        let queue = operation.map_or(TOKEN, Operation::id);
        lock(&self.faults).entry(queue).or_default().push_back(fault);
    }

    /// The fault for this request: a repeated cursor passes over the first page of a listing.
    pub(super) fn next_fault(
        &self,
        operation: Option<Operation>,
        is_first_page: bool,
    ) -> Option<Fault> {
        let queue = operation.map_or(TOKEN, Operation::id);
        let mut faults = lock(&self.faults);
        let queue = faults.get_mut(queue)?;
        if queue.front() == Some(&Fault::RepeatedCursor) && is_first_page {
            return None;
        }
        queue.pop_front()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
