//! Between the client and the sandbox: counts, writes down, and makes things worse.

use std::{
    borrow::Cow,
    io,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use chrono::{DateTime, DurationRound, SecondsFormat, TimeDelta, Utc};
use digital_assets::{
    BoxFuture, Operation,
    sandbox::{Fault, Sandbox, SandboxService},
};
use fastrand::Rng;
use reqwest::{Request, Response, StatusCode, Url, header::AUTHORIZATION};
use tower_service::Service;

use super::{arrivals::Arrivals, faults, log::Log, told::Told};

/// A layer before the sandbox.
#[derive(Clone)]
pub(super) struct Wire {
    pub(super) log: Log,
    pub(super) told: Told,
    service: SandboxService,
    sandbox: Sandbox,
    /// In what unit the service compares times; 0 is exactly.
    grain: TimeDelta,
    fails: bool,
    random: Arc<Mutex<Rng>>,
    arrivals: Arc<Mutex<Option<Arrivals>>>,
}

impl Wire {
    pub(super) fn new(sandbox: &Sandbox, log: Log, fails: bool, mut random: Rng) -> Self {
        let (grain, digits) = ([0, 0, 1, 60][random.usize(..4)], [9, 9, 3, 0][random.usize(..4)]);
        Self {
            log,
            told: Told(digits),
            service: sandbox.http_service(),
            sandbox: sandbox.clone(),
            grain: TimeDelta::seconds(grain),
            fails,
            random: Arc::new(Mutex::new(random)),
            arrivals: Arc::default(),
        }
    }

    /// Lets records arrive from now on.
    pub(super) fn arrive(&self, arrivals: Arrivals) {
        *self.arrivals.lock().unwrap_or_else(PoisonError::into_inner) = Some(arrivals);
    }

    /// How many have arrived so far.
    pub(super) fn arrivals(&self) -> usize {
        let arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.as_ref().map_or(0, |arrivals| arrivals.so_far)
    }

    fn arrives(&self) -> bool {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.as_mut().is_some_and(Arrivals::arrive)
    }

    /// Whether bounds mean what they say.
    pub(super) fn is_exact(&self) -> bool {
        self.grain.is_zero()
    }

    /// Queues what this request meets: the sandbox takes it when the request comes.
    fn spoil(&self, operation: Option<Operation>, has_cursor: bool) -> Vec<Fault> {
        if !self.fails {
            return Vec::new();
        }
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let faults = match operation {
            Some(operation) => Vec::from_iter(faults::of_call(operation, has_cursor, &mut random)),
            None => faults::of_token(&mut random),
        };
        for fault in faults.iter().cloned() {
            match operation {
                Some(operation) => {
                    self.log.entries().sent.sent(&fault);
                    self.sandbox.fault(operation, fault);
                }
                None => self.sandbox.token_fault(fault),
            }
        }
        faults
    }

    /// Whether a request goes where the program sent it.
    fn is_expected(&self, url: &Url, operation: Option<Operation>) -> bool {
        match operation {
            Some(_) => url.as_str().starts_with(self.sandbox.base_url()),
            None => url.as_str() == self.sandbox.token_url(),
        }
    }

    /// The bounds of time as the service understands them.
    fn coarsen(&self, request: &mut Request) {
        if self.is_exact() || !request.url().query_pairs().any(|(name, _)| bound(&name).is_some()) {
            return;
        }
        let coarse = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            let time = bound(&name).and_then(|later| Some((later, value.parse().ok()?)));
            let value = match time {
                Some((later, time)) => self.coarse(time, later),
                None => value.into_owned(),
            };
            (name.into_owned(), value)
        };
        let pairs: Vec<_> = request.url().query_pairs().map(coarse).collect();
        request.url_mut().query_pairs_mut().clear().extend_pairs(pairs);
    }

    /// The beginning of the unit that a time is in, or its last nanosecond.
    fn coarse(&self, time: DateTime<Utc>, later: bool) -> String {
        let start = time.duration_trunc(self.grain).unwrap_or(time);
        let end = start + self.grain - TimeDelta::nanoseconds(1);
        (if later { end } else { start }).to_rfc3339_opts(SecondsFormat::Nanos, true)
    }
}

/// Whether a bound includes or excludes all of its unit behind it.
fn bound(name: &str) -> Option<bool> {
    match name.strip_prefix("created_at.")? {
        "begin" | "gte" | "lt" => Some(false),
        "end" | "lte" | "gt" => Some(true),
        _ => None,
    }
}

impl Service<Request> for Wire {
    type Response = Response;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Response>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let path = request.url().path().to_owned();
        let operation = Operation::ALL.iter().copied().find(|operation| {
            let end = operation.path().rsplit('/').next().unwrap_or_default();
            path.ends_with(end)
        });
        let mut wire = self.clone();
        Box::pin(async move {
            let is_expected = wire.is_expected(request.url(), operation);
            wire.log.entries().strays += u64::from(!is_expected);
            let has_cursor = request.url().query_pairs().any(|(name, _)| name == "page_cursor");
            wire.coarsen(&mut request);
            if operation.is_some() && wire.arrives() {
                wire.log.note("a record arrives");
            }
            let faults = wire.spoil(operation, has_cursor);
            let secret = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let secret =
                secret.and_then(|secret| Some(secret.split_once(' ')?.1.trim_end_matches('=')));
            wire.log.entries().secrets.extend(secret.map(str::to_owned));
            let target = format!("{path}?{}", request.url().query().unwrap_or_default());
            let line = format!("{} {target}", request.method());
            let under_way = wire.log.sent(operation, &line);
            let answer = match wire.service.call(request).await {
                Ok(answer) => answer,
                Err(error) => {
                    wire.log.note(&format!("{error} {target}"));
                    return Err(error);
                }
            };
            let (log, status) = (wire.log.clone(), answer.status());
            log.note(&format!("{status} {target}"));
            let is_slow = matches!(faults.as_slice(), [Fault::Drip(_)]);
            let arrived = move || {
                drop(under_way);
                log.answered(operation, status);
            };
            if status == StatusCode::OK && (is_slow || wire.told != Told::EXACTLY) {
                return Ok(wire.told.answer(answer, arrived));
            }
            arrived();
            Ok(answer)
        })
    }
}
