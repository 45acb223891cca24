//! The routes, and what happens on each of them for every operation.

use std::{future::pending, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{RawPathParams, Request, State},
    http::{HeaderMap, Method, StatusCode},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{MethodFilter, on, post},
};
use tokio::time::sleep;

use super::{
    control,
    fault::Fault,
    listing::list,
    member,
    parameters::{Parameters, not_found, pairs},
    problem::Refusal,
    request,
    service::Service,
    token_endpoint as token,
};
use crate::{
    Operation, builder,
    call::Parameter,
    operation::CURSOR,
    types::{DepositAddress, MonitoringAddress, QuoteExecution},
};

/// How an operation is served.
struct Route {
    operation: Operation,
    parameters: &'static [Parameter],
    serve: fn(&Call<'_>) -> Result<Response, Refusal>,
}

/// A request that is to be carried out: its token and its parameters are good.
pub(super) struct Call<'a> {
    pub(super) service: &'a Service,
    pub(super) operation: Operation,
    pub(super) parameters: Parameters,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a Bytes,
    pub(super) fault: Option<&'a Fault>,
}

macro_rules! routes {
    ($($operation:ident => $serve:expr,)*) => {
        &[$(Route {
            operation: Operation::$operation,
            parameters: builder::$operation::PARAMETERS,
            serve: $serve,
        }),*]
    };
}

static ROUTES: &[Route] = routes! {
    ListQuoteExecutions => list::<QuoteExecution>,
    ListMonitoringAddresses => list::<MonitoringAddress>,
    ListDepositAddresses => list::<DepositAddress>,
    AddInstitutionMembers => member::add,
};

// Not in a release, so that the tool has the command of a new operation before the sandbox has its
// route.
#[cfg(test)]
const _: () = assert!(
    ROUTES.len() == Operation::ALL.len(),
    "an operation of openapi.yaml has no route in src/sandbox/routes.rs"
);

/// The longest body that is read.
const MOST_BYTES: usize = 2 << 20;

pub(super) fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let method = MethodFilter::try_from(route.operation.method()).unwrap_or(MethodFilter::GET);
        let answer = move |State(service): State<Arc<Service>>, path, request| async move {
            call(&service, route, path, request).await
        };
        router = router.route(route.operation.path(), on(method, answer));
    }
    let issue = post(token::issue).layer(from_fn_with_state(Arc::clone(service), token_call));
    router
        .fallback(|| async { not_found("path") })
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(Arc::clone(service), record))
        .route(token::PATH, issue)
        .merge(control::routes())
        .method_not_allowed_fallback(no_such_method)
        .with_state(Arc::clone(service))
}

async fn no_such_method() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "the path has no such method")
}

async fn record(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    service.record(request::Request::new(&request));
    next.run(request).await
}

async fn call(service: &Service, route: &Route, path: RawPathParams, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = pairs(parts.uri.query());
    let operation = route.operation;
    service.count(operation);
    let is_first_page = parts.method == Method::GET && query.iter().all(|(name, _)| name != CURSOR);
    let fault = service
        .next_fault(Some(operation), is_first_page)
        .or_else(|| service.chaos.fault(operation));
    sleep_for(service.latency).await;
    if fault == Some(Fault::Silence) {
        return pending().await;
    }
    if let Some(answer) = fault.as_ref().and_then(Fault::answer) {
        return answer;
    }
    if let Err(refusal) = service.tokens.check(&parts.headers, operation) {
        return refusal.into_response();
    }
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long").into_response();
    };
    let path = path.iter().map(|(name, text)| (name.to_owned(), text.to_owned()));
    let answer = Parameters::read(operation, route.parameters, path.chain(query));
    let answer = answer.and_then(|parameters| {
        let (headers, fault) = (&parts.headers, fault.as_ref());
        (route.serve)(&Call { service, operation, parameters, headers, body: &body, fault })
    });
    let answer = answer.into_response();
    match fault {
        Some(fault) => fault.apply(answer).await,
        None => answer,
    }
}

async fn token_call(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    service.count_token_request();
    let Some(fault) = service.next_fault(None, false) else { return next.run(request).await };
    if fault == Fault::Silence {
        return pending().await;
    }
    match fault.answer() {
        Some(answer) => answer,
        None => fault.apply(next.run(request).await).await,
    }
}

/// Timers have a granularity of a millisecond, so a latency of zero must not start one.
async fn sleep_for(latency: Duration) {
    if !latency.is_zero() {
        sleep(latency).await;
    }
}
