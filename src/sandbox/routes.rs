//! The routes, and what happens on each of them for every operation.

use std::{future::pending, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    http::{Method, StatusCode},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use tokio::time::sleep;

use super::{
    control, deposit_address, execution,
    fault::Fault,
    member, monitoring_address,
    parameters::{not_found, pairs},
    problem::Refusal,
    request,
    service::Service,
    token_endpoint as token,
};
use crate::Operation;

pub(super) fn router(service: &Arc<Service>) -> Router {
    let operations: [(Operation, MethodRouter<Arc<Service>>); 4] = [
        (Operation::ListQuoteExecutions, get(execution::list)),
        (Operation::ListMonitoringAddresses, get(monitoring_address::list)),
        (Operation::ListDepositAddresses, get(deposit_address::list)),
        (Operation::AddInstitutionMembers, post(member::add)),
    ];
    let mut router = Router::new();
    for (operation, route) in operations {
        let state = (Arc::clone(service), operation);
        router = router.route(operation.path(), route.route_layer(from_fn_with_state(state, call)));
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

async fn call(
    State((service, operation)): State<(Arc<Service>, Operation)>,
    mut request: Request,
    next: Next,
) -> Response {
    service.count(operation);
    let is_first_page = request.method() == Method::GET && !has_cursor(&request);
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
    if let Err(refusal) = service.tokens.check(request.headers(), operation) {
        return refusal.into_response();
    }
    let Some(fault) = fault else { return next.run(request).await };
    request.extensions_mut().insert(fault.clone());
    fault.apply(next.run(request).await).await
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

fn has_cursor(request: &Request) -> bool {
    pairs(request.uri().query()).iter().any(|(name, _)| name == "page_cursor")
}

/// Timers have a granularity of a millisecond, so a latency of zero must not start one.
async fn sleep_for(latency: Duration) {
    if !latency.is_zero() {
        sleep(latency).await;
    }
}
