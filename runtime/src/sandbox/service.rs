//! The service in memory: its settings, its data, how its operations are served, what it remembers
//! while it runs, and which request fails.

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

/// What the service of a sandbox has of its own: its records and its routes.
pub trait Data: Send + Sync + Sized + 'static {
    /// How many records of each kind there are.
    type Counts;

    /// The operations of the description.
    const OPERATIONS: &'static [Operation];

    /// The description of the control routes, OpenAPI 3.0.3 in YAML.
    const CONTROL_YAML: &'static str;

    /// The records of a sandbox with these settings.
    fn new(counts: Self::Counts, settings: &Settings) -> Self;

    /// How each operation is served.
    fn routes() -> &'static [Route<Self>];

    /// The control routes that this service has besides those of every sandbox.
    fn control() -> Router<Arc<Service<Self>>>;

    /// What the control route for the state shows of this service.
    fn state(service: &Service<Self>) -> Map<String, Value>;

    /// The identifiers of the description's examples, each as the first of its topic.
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
    /// How many answers the chaos has seen.
    answers: AtomicU64,
    queues: Mutex<BTreeMap<Option<Operation>, Queue>>,
}

/// How an operation is served.
#[allow(missing_debug_implementations, reason = "a table of functions")]
pub struct Route<D> {
    /// The operation.
    pub operation: Operation,
    /// What the description says of its parameters.
    pub parameters: &'static [Parameter],
    /// What carries out a request whose token and parameters are good.
    pub serve: Serve<D>,
}

/// Carries out a request.
type Serve<D> = fn(&Call<'_, D>) -> Result<Response, Rejection>;

/// A request that is to be carried out: its token and its parameters are good.
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
    /// How it fails, if the fault leaves an answer to make.
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
        // After any but the first three, a caller is in doubt, and a client doesn't repeat a POST.
        let is_post = operation.method() == reqwest::Method::POST;
        Some(random.pick(if is_post { &faults[..3] } else { &faults }).clone())
    }
}
