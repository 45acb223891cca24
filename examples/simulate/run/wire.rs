//! Between the client and the sandbox: counts, writes down, and makes things worse.

use std::{
    borrow::Cow,
    io,
    sync::{Arc, Mutex, PoisonError},
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
use tower_service::Service;

use super::{log::Log, promises::FAILURES, told::Told};

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
        }
    }

    /// Whether bounds mean what they say.
    pub(super) fn is_exact(&self) -> bool {
        self.grain.is_zero()
    }

    /// What the sandbox's own chance doesn't do: waits of minutes, silence, answers too late, and
    /// a token endpoint that fails, now and then for a while.
    fn spoil(&self, operation: Option<Operation>) {
        if !self.fails {
            return;
        }
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = Duration::from_secs(random.u64(1..300));
        let fault = match (operation, random.u8(..)) {
            (Some(_), 0..2) => Fault::TooManyRequests { retry_after: Some(wait) },
            (Some(Operation::AddInstitutionMembers), _) => return,
            (_, 2..4) => Fault::Silence,
            (Some(_), 4..6) => Fault::Latency(Duration::from_secs(20)),
            (Some(_), 6..8) => Fault::NotJson,
            (None, 4..20) => Fault::Status(503),
            (None, 20..30) => Fault::Reset,
            (None, 33..36) => {
                (1..FAILURES + 4).for_each(|_| self.sandbox.token_fault(Fault::Status(503)));
                Fault::Status(500)
            }
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
            wire.coarsen(&mut request);
            wire.spoil(operation);
            let secret = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let secret =
                secret.and_then(|secret| Some(secret.split_once(' ')?.1.trim_end_matches('=')));
            wire.log.entries().secrets.extend(secret.map(str::to_owned));
            let target = format!("{path}?{}", request.url().query().unwrap_or_default());
            let line = format!("{} {target}", request.method());
            let under_way = wire.log.sent(operation, &line);
            let answer = wire.service.call(request).await;
            drop(under_way);
            let status = answer.as_ref().ok().map(Response::status);
            wire.log.answered(operation, status);
            match &answer {
                Ok(answer) => wire.log.note(&format!("{} {target}", answer.status())),
                Err(error) => wire.log.note(&format!("{error} {target}")),
            }
            answer.map(|answer| wire.told.answer(answer))
        })
    }
}
