//! Between the client and the sandbox: counts, writes down, and makes things worse.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hasher},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use chrono::{DateTime, DurationRound, SecondsFormat, TimeDelta, Utc};
use digital_assets::{
    BoxFuture, Operation,
    sandbox::{Fault, Sandbox, SandboxService},
};
use fastrand::Rng;
use reqwest::{Request, Response, header::AUTHORIZATION};
use tokio::time::Instant;
use tower_service::Service;

/// A layer before the sandbox.
#[derive(Clone)]
pub(super) struct Wire {
    service: SandboxService,
    sandbox: Sandbox,
    /// In what unit the service compares times; 0 is exactly.
    grain: TimeDelta,
    fails: bool,
    log: Arc<Mutex<Log>>,
}

struct Log {
    random: Rng,
    begun: Option<Instant>,
    hasher: DefaultHasher,
    lines: Option<Vec<String>>,
    secrets: BTreeSet<String>,
    requests: u64,
    under_way: usize,
    most_under_way: usize,
    refused_tokens: u64,
}

impl Wire {
    pub(super) fn new(
        sandbox: &Sandbox,
        grain: i64,
        fails: bool,
        random: Rng,
        traced: bool,
    ) -> Self {
        let log = Log {
            random,
            begun: None,
            hasher: DefaultHasher::new(),
            lines: traced.then(Vec::new),
            secrets: [sandbox.client_secret().to_owned()].into(),
            requests: 0,
            under_way: 0,
            most_under_way: 0,
            refused_tokens: 0,
        };
        Self {
            service: sandbox.http_service(),
            sandbox: sandbox.clone(),
            grain: TimeDelta::seconds(grain),
            fails,
            log: Arc::new(Mutex::new(log)),
        }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.grain.is_zero()
    }

    pub(super) fn trace(&self) -> (u64, Vec<String>, u64) {
        let mut log = self.log();
        (log.hasher.finish(), log.lines.take().unwrap_or_default(), log.requests)
    }

    pub(super) fn most_under_way(&self) -> usize {
        self.log().most_under_way
    }

    pub(super) fn refused_tokens(&self) -> u64 {
        self.log().refused_tokens
    }

    pub(super) fn token_requests(&self) -> u64 {
        self.sandbox.token_requests()
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.log().secrets.iter().cloned().collect()
    }

    /// Writes down what the program sees.
    pub(super) fn note(&self, line: &str) {
        self.log().write(line);
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the sandbox's own chance doesn't do: waits of minutes, silence, answers too late, and
    /// a token endpoint that fails.
    fn spoil(&self, operation: Option<Operation>) {
        let mut log = self.log();
        if !self.fails {
            return;
        }
        let wait = Duration::from_secs(log.random.u64(1..300));
        let fault = match (operation, log.random.u8(..)) {
            (Some(_), 0..2) => Fault::TooManyRequests { retry_after: Some(wait) },
            (Some(Operation::AddInstitutionMembers), _) => return,
            (_, 2..4) => Fault::Silence,
            (Some(_), 4..6) => Fault::Latency(Duration::from_secs(20)),
            (Some(_), 6..8) => Fault::NotJson,
            (None, 4..20) => Fault::Status(503),
            (None, 20..30) => Fault::Reset,
            (None, 30..33) => Fault::TooManyRequests { retry_after: Some(wait / 10) },
            _ => return,
        };
        match operation {
            Some(operation) => self.sandbox.fault(operation, fault),
            None => self.sandbox.token_fault(fault),
        }
    }

    /// The bounds of time as the service understands them.
    fn coarsen(&self, request: &mut Request) {
        if self.is_exact() || !request.url().query_pairs().any(|(name, _)| bound(&name).is_some()) {
            return;
        }
        let coarse = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
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
            wire.coarsen(&mut request);
            wire.spoil(operation);
            let token = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let token = token.and_then(|token| token.strip_prefix("Bearer ").map(str::to_owned));
            let target = format!("{path}?{}", request.url().query().unwrap_or_default());
            let under_way = operation.map(|_| UnderWay::begin(&wire.log));
            {
                let mut log = wire.log();
                log.requests += 1;
                log.secrets.extend(token);
                let line = format!("{} {target}", request.method());
                log.write(&line);
            }
            let answer = wire.service.call(request).await;
            drop(under_way);
            let mut log = wire.log();
            match &answer {
                Ok(answer) => {
                    let is_refused = operation.is_some() && answer.status() == 401;
                    log.refused_tokens += u64::from(is_refused);
                    log.write(&format!("{} {target}", answer.status()));
                }
                Err(error) => log.write(&format!("{error} {target}")),
            }
            drop(log);
            answer
        })
    }
}

impl Log {
    fn write(&mut self, line: &str) {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let line = format!("{:12.3} {line}", begun.elapsed().as_secs_f64());
        self.hasher.write(line.as_bytes());
        if let Some(lines) = &mut self.lines {
            lines.push(line);
        }
    }
}

/// A request under way, until it is dropped.
struct UnderWay(Arc<Mutex<Log>>);

impl UnderWay {
    fn begin(log: &Arc<Mutex<Log>>) -> Self {
        let mut counts = log.lock().unwrap_or_else(PoisonError::into_inner);
        counts.under_way += 1;
        counts.most_under_way = counts.most_under_way.max(counts.under_way);
        Self(Arc::clone(log))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).under_way -= 1;
    }
}
