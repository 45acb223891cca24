//! The service in memory: its settings, data, routes, tokens, requests and faults.

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

/// The parts of a sandbox that a service defines: its records and its routes.
pub trait Data: Send + Sync + Sized + 'static {
    /// The number of records of each kind.
    type Counts;

    /// The operations of the description.
    const OPERATIONS: &'static [Operation];

    /// The description of the control routes, OpenAPI 3.0.3 in YAML.
    const CONTROL_YAML: &'static str;

    /// Creates the records of a sandbox with these settings.
    fn new(counts: Self::Counts, settings: &Settings) -> Self;

    /// The routes, one per operation.
    fn routes() -> &'static [Route<Self>];

    /// The service's own control routes.
    fn control() -> Router<Arc<Service<Self>>>;

    /// The service's own part of the state that a control route returns.
    fn state(service: &Service<Self>) -> Map<String, Value>;

    /// The identifiers of the description's examples. Each is the first identifier of its topic.
    fn examples(&self) -> &BTreeMap<Topic, Uuid>;
}

/// A service in memory.
#[allow(missing_debug_implementations, reason = "it holds every record and token")]
pub struct Service<D> {
    /// Its settings.
    pub settings: Settings,
    /// Its records.
    pub data: D,
    pub(super) base_url: String,
    pub(super) token_url: String,
    /// The tokens that were issued.
    pub(super) grants: Grants,
    pub(super) requests: Recent<Request>,
    /// The number of responses for which `chaos` has been applied.
    answers: AtomicU64,
    queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// The route of an operation.
#[allow(missing_debug_implementations, reason = "a table of functions")]
pub struct Route<D> {
    /// The operation.
    pub operation: Operation,
    /// The description of its parameters.
    pub parameters: &'static [Parameter],
    /// The function that carries out a request with a valid token and valid parameters.
    pub serve: Serve<D>,
}

/// Carries out a request.
type Serve<D> = fn(&Call<'_, D>) -> Result<Response, Rejection>;

/// A request with a valid token and valid parameters, which is to be carried out.
#[allow(missing_debug_implementations, reason = "it holds the whole service")]
pub struct Call<'a, D> {
    /// The service that receives it.
    pub service: &'a Service<D>,
    /// The operation that it calls.
    pub operation: Operation,
    /// Its parameters in the path and the query.
    pub parameters: Parameters,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Its body.
    pub body: &'a Bytes,
    /// The fault of this request, if the fault changes the response.
    pub fault: Option<&'a Fault>,
}

/// The requests of an operation, or of the token endpoint.
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

    /// The number of requests that an operation, or the token endpoint, has received.
    pub(super) fn received(&self, operation: Option<Operation>) -> u64 {
        lock(&self.queues).get(&operation).map_or(0, |queue| queue.received)
    }

    pub(super) fn forget_faults(&self) {
        lock(&self.queues).values_mut().for_each(|queue| queue.faults.clear());
    }

    pub(super) fn queue(&self, operation: Option<Operation>, fault: Fault) {
        lock(&self.queues).entry(operation).or_default().faults.push_back(fault);
    }

    /// Counts a request and takes its fault: a queued fault, or for an operation a random one. A
    /// repeated cursor isn't taken for the first page of a listing.
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

    /// A random fault for a share of the responses. A careful client recovers from it.
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
        // Only the first three show that a POST wasn't applied. A client doesn't repeat it after
        // any other.
        let is_post = operation.method() == reqwest::Method::POST;
        Some(random.pick(if is_post { &faults[..3] } else { &faults }).clone())
    }
}
