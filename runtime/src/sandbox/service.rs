//! The in-memory service: its settings, data, routes, tokens, requests and faults.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Bytes, http::HeaderMap, response::Response};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    fault::Fault,
    parameters::Parameters,
    problem::Rejection,
    random::{Random, Topic},
    recent::Recent,
    request::Request,
    settings::Settings,
    tokens::{self, Grants},
};
use crate::{Operation, call::Parameter, lock::lock};

/// The parts of a sandbox that each service defines itself: its records and its routes.
pub trait Data: Send + Sync + Sized + 'static {
    /// The number of records of each kind when the sandbox starts.
    type Counts;

    /// The operations in the OpenAPI description.
    const OPERATIONS: &'static [Operation];

    /// The OpenAPI 3.0.3 description of the control routes, in YAML.
    const CONTROL_YAML: &'static str;

    /// Creates the initial records, with these counts and settings.
    fn new(counts: Self::Counts, settings: &Settings) -> Self;

    /// Returns the routes of the service, one per operation.
    fn routes() -> &'static [Route<Self>];

    /// Returns the control routes that are specific to this service.
    fn control() -> Router<Arc<Service<Self>>>;

    /// Returns the values that this service adds to the response of the control route `/sandbox`.
    fn state(service: &Service<Self>) -> Map<String, Value>;

    /// Returns the identifiers from the examples in the OpenAPI description, at most one per topic.
    /// The sandbox uses each of these identifiers as the first identifier of its topic.
    fn examples(&self) -> &BTreeMap<Topic, Uuid>;
}

/// An in-memory service.
#[allow(missing_debug_implementations, reason = "`Debug` would print every record and token")]
pub struct Service<D> {
    /// The sandbox's settings.
    pub settings: Settings,
    /// The service's records.
    pub data: D,
    pub(super) base_url: String,
    pub(super) token_url: String,
    /// The most recently issued tokens.
    pub(super) grants: Grants,
    pub(super) requests: Recent<Request>,
    /// The number of requests for which `random_fault` has been called so far.
    answers: AtomicU64,
    queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// An operation, with its parameters and the function that carries out its requests.
#[allow(missing_debug_implementations, reason = "functions have no useful `Debug` output")]
pub struct Route<D> {
    /// The operation that this route serves.
    pub operation: Operation,
    /// The operation's parameters, as the OpenAPI description defines them.
    pub parameters: &'static [Parameter],
    /// The function that carries out a request. It is called only if the token and the parameters
    /// are valid.
    pub serve: Serve<D>,
}

/// A function that carries out a request.
type Serve<D> = fn(&Call<'_, D>) -> Result<Response, Rejection>;

/// A request that is ready to be carried out: its token and its parameters are valid.
#[allow(missing_debug_implementations, reason = "`Debug` would print the whole service")]
pub struct Call<'a, D> {
    /// The service that receives the request.
    pub service: &'a Service<D>,
    /// The operation that the request calls.
    pub operation: Operation,
    /// The request's path and query parameters.
    pub parameters: Parameters,
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The request's body.
    pub body: &'a Bytes,
    /// The fault that applies to the request, if there is one.
    pub fault: Option<&'a Fault>,
}

/// For an operation or the token endpoint: the number of requests so far, and the faults that are
/// queued for the next requests.
#[derive(Default)]
struct Queue {
    received: u64,
    faults: VecDeque<Fault>,
}

impl<D: Data> Service<D> {
    pub(super) fn new(settings: Settings, counts: D::Counts, base_url: String) -> Self {
        Self {
            token_url: format!("{base_url}{}", tokens::PATH),
            base_url,
            data: D::new(counts, &settings),
            settings,
            grants: Grants::default(),
            requests: Mutex::default(),
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
