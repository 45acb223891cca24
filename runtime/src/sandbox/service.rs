//! The in-memory service: its data, tokens, requests and faults.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{
    data::Data,
    fault::Fault,
    random::{Random, Topic},
    recent::Recent,
    request::Request,
    settings::Settings,
    tokens::{self, Grants},
};
use crate::{Operation, lock::lock};

/// An in-memory service.
pub(super) struct Service<D> {
    pub(super) settings: Settings,
    /// The service's records.
    pub(super) data: Arc<D>,
    pub(super) base_url: String,
    pub(super) token_url: String,
    /// The most recently issued tokens.
    pub(super) grants: Grants,
    pub(super) requests: Recent<Request>,
    /// The number of requests for which `random_fault` has been called so far.
    answers: AtomicU64,
    queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// For an operation or the token endpoint: the number of requests so far, and the faults that are
/// queued for the next requests.
#[derive(Default)]
struct Queue {
    received: u64,
    faults: VecDeque<Fault>,
}

impl<D: Data> Service<D> {
    pub(super) fn new(mut options: D::Options, base_url: String) -> Self {
        Self {
            token_url: format!("{base_url}{}", tokens::PATH),
            base_url,
            data: Arc::new(D::new(&options)),
            settings: options.as_mut().clone(),
            grants: Grants::default(),
            requests: Recent::default(),
            answers: AtomicU64::new(0),
            queues: Mutex::default(),
        }
    }

    /// Returns the number of requests to an operation so far. `None` means the token endpoint.
    pub(super) fn received(&self, operation: Option<Operation>) -> u64 {
        lock(&self.queues).get(&operation).map_or(0, |queue| queue.received)
    }

    pub(super) fn forget_faults(&self) {
        lock(&self.queues).values_mut().for_each(|queue| queue.faults.clear());
    }

    pub(super) fn queue(&self, operation: Option<Operation>, fault: Fault) {
        lock(&self.queues).entry(operation).or_default().faults.push_back(fault);
    }

    /// Counts a request and returns the fault that applies to the request, if there is one.
    ///
    /// Removes the first fault from the queue. However, `RepeatedCursor` stays in the queue until a
    /// request has a cursor. If no queued fault applies, a request to an operation may get a random
    /// fault.
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

    /// Returns a random fault with the probability set by `chaos`, and `None` otherwise. A client
    /// that retries correctly recovers from any of the faults.
    fn random_fault(&self, operation: Operation) -> Option<Fault> {
        let (share, seed) = self.settings.chaos;
        let answer = self.answers.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::new(seed, Topic::CHAOS, answer);
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
        // Only the first three faults guarantee that a POST wasn't applied. After any other fault,
        // a client doesn't retry the POST.
        let is_post = operation.method() == reqwest::Method::POST;
        Some(random.pick(if is_post { &faults[..3] } else { &faults }).clone())
    }
}
