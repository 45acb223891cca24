//! Forwards the client's requests to the services. Counts and logs the requests, and adds faults.
//!
//! The sandbox grants tokens, adds members and simulates faults, but it has no records. If it would
//! return a page, the virtual service returns the page instead.

use std::{
    io,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};
use digital_assets::{
    BoxFuture, Operation, operation,
    sandbox::{Fault, Sandbox, SandboxService},
};
use fastrand::Rng;
use reqwest::{Method, Request, Response, StatusCode, Url, header::AUTHORIZATION};
use serde_json::Value;
use tower_service::Service;
use virtual_service::{self as listings, Endpoint};

use super::{faults, log::Log, service::Arrivals};

/// The header with the number of a call.
pub(super) const NUMBER: &str = "x-call";

/// An HTTP service that forwards requests to the sandbox and to the virtual service.
#[derive(Clone)]
pub(super) struct Wire {
    pub(super) log: Log,
    pub(super) endpoint: Endpoint,
    service: SandboxService,
    sandbox: Sandbox,
    fails: Arc<AtomicBool>,
    random: Arc<Mutex<Rng>>,
    arrivals: Arc<Mutex<Option<Arrivals>>>,
    /// If a listing's lower time bound is in this range, each of its cursors leads to the same page
    /// again.
    circles: Arc<Mutex<Range<i128>>>,
}

impl Wire {
    pub(super) fn new(
        sandbox: &Sandbox,
        endpoint: Endpoint,
        log: Log,
        fails: bool,
        random: Rng,
    ) -> Self {
        Self {
            log,
            endpoint,
            service: sandbox.http_service(),
            sandbox: sandbox.clone(),
            fails: Arc::new(AtomicBool::new(fails)),
            random: Arc::new(Mutex::new(random)),
            arrivals: Arc::default(),
            circles: Arc::default(),
        }
    }

    /// Makes records arrive before requests from now on.
    pub(super) fn arrive(&self, arrivals: Arrivals) {
        *self.arrivals.lock().unwrap_or_else(PoisonError::into_inner) = Some(arrivals);
    }

    /// From now on, if a listing's lower time bound is in this range, its cursors lead to the same
    /// page again.
    pub(super) fn circle(&self, begin: Range<i128>) {
        *self.circles.lock().unwrap_or_else(PoisonError::into_inner) = begin;
    }

    fn circles(&self, url: &Url) -> bool {
        let begin = url.query_pairs().find(|(name, _)| name == "created_at.begin");
        let begin = begin.and_then(|(_, time)| time.parse::<DateTime<Utc>>().ok());
        let begin = begin.and_then(|begin| begin.timestamp_nanos_opt()).map(i128::from);
        let circles = self.circles.lock().unwrap_or_else(PoisonError::into_inner);
        begin.is_some_and(|begin| circles.contains(&begin))
    }

    /// Returns how many records have arrived so far.
    pub(super) fn arrivals(&self) -> usize {
        let arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.as_ref().map_or(0, |arrivals| arrivals.so_far)
    }

    fn arrives(&self) -> bool {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.as_mut().is_some_and(|arrivals| arrivals.arrive(&self.endpoint))
    }

    /// Chooses a random fault for a request. Returns the fault if it applies to a listing, and
    /// otherwise adds it to the sandbox's queue.
    fn spoil(&self, operation: Option<Operation>, url: &Url) -> Option<listings::Fault> {
        let has_cursor = url.query_pairs().any(|(name, _)| name == "page_cursor");
        if has_cursor && self.circles(url) {
            self.log.entries().sent.sent(&Fault::RepeatedCursor);
            return Some(listings::Fault::RepeatedCursor);
        }
        if !self.fails.load(Ordering::Relaxed) {
            return None;
        }
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(operation) = operation else {
            for fault in faults::of_token(&mut random) {
                self.sandbox.token_fault(fault);
            }
            return None;
        };
        let fault = faults::of_call(operation, has_cursor, &mut random)?;
        self.log.entries().sent.sent(&fault);
        match fault {
            Fault::RepeatedCursor => Some(listings::Fault::RepeatedCursor),
            Fault::UnknownEnumValue => Some(listings::Fault::UnknownValue),
            fault => {
                self.sandbox.fault(operation, fault);
                None
            }
        }
    }

    /// Stops all faults.
    pub(super) async fn calm(&mut self) {
        self.fails.store(false, Ordering::Relaxed);
        let url = format!("{}/sandbox/faults", self.sandbox.base_url());
        let forget = Request::new(Method::DELETE, url.parse().expect("a URL"));
        let answer = self.service.call(forget).await.expect("an answer");
        assert!(answer.status().is_success(), "{}", answer.status());
    }

    /// Returns the number of the call that sent the request, if it has one.
    fn number(request: &Request) -> Option<u32> {
        request.headers().get(NUMBER)?.to_str().ok()?.parse().ok()
    }

    /// Returns whether the request's URL is one that the program configured.
    fn is_expected(&self, url: &Url, operation: Option<Operation>) -> bool {
        match operation {
            Some(_) => url.as_str().starts_with(self.sandbox.base_url()),
            None => url.as_str() == self.sandbox.token_url(),
        }
    }

    /// Returns the sandbox's response or, if that is a page, a page from the virtual service.
    async fn list(
        &mut self,
        mut request: Request,
        fault: Option<listings::Fault>,
    ) -> io::Result<Response> {
        let (listing, url) = (request.try_clone(), request.url_mut());
        url.set_query(None);
        let answer = self.service.call(request).await?;
        let status = answer.status();
        if status != StatusCode::OK {
            return Ok(answer);
        }
        let body = answer.bytes().await.map_err(io::Error::other)?;
        let page: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_page = ["items", "addresses"].iter().any(|name| page[name].is_array());
        let Some(listing) = listing.filter(|_| is_page) else {
            let answer = http::Response::new(body);
            return Ok(answer.into());
        };
        let is_empty = page["next_page_cursor"].as_str().is_some_and(|cursor| !cursor.is_empty());
        let fault = fault.or_else(|| is_empty.then_some(listings::Fault::EmptyPage));
        if let Some(fault) = fault {
            self.endpoint.fault(fault);
        }
        self.endpoint.call(listing).await
    }
}

impl Service<Request> for Wire {
    type Response = Response;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Response>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let path = request.url().path().to_owned();
        let operation = operation::ALL.iter().copied().find(|operation| {
            let end = operation.path().rsplit('/').next().unwrap_or_default();
            path.ends_with(end)
        });
        let mut wire = self.clone();
        Box::pin(async move {
            let is_expected = wire.is_expected(request.url(), operation);
            wire.log.entries().strays += u64::from(!is_expected);
            if let Some(number) = Self::number(&request) {
                let mut log = wire.log.entries();
                log.late += u64::from(log.dropped.contains(&number));
            }
            if operation.is_some() && wire.arrives() {
                wire.log.note("a record arrives");
            }
            let fault = wire.spoil(operation, request.url());
            let secret = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let secret =
                secret.and_then(|secret| Some(secret.split_once(' ')?.1.trim_end_matches('=')));
            wire.log.entries().secrets.extend(secret.map(str::to_owned));
            let target = format!("{path}?{}", request.url().query().unwrap_or_default());
            let line = format!("{} {target}", request.method());
            let _under_way = wire.log.sent(operation, &line);
            let lists = operation.is_some() && request.method() == Method::GET;
            let answer = if lists {
                wire.list(request, fault).await
            } else {
                wire.service.call(request).await
            };
            match &answer {
                Ok(answer) => {
                    wire.log.note(&format!("{} {target}", answer.status()));
                    wire.log.answered(operation, answer.status());
                }
                Err(error) => wire.log.note(&format!("{error} {target}")),
            }
            answer
        })
    }
}
