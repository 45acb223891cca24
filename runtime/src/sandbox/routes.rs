//! The sandbox's routes, and the steps that are the same for every operation.

use std::sync::Arc;

use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{RawPathParams, Request, State},
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{MethodFilter, on, post},
};
use serde_json::json;
use tokio::time::sleep;

use super::{
    control,
    data::{Call, Data, Route},
    fault::Fault,
    parameters::{Parameters, not_found, pairs},
    problem::{Rejection, answer},
    request::{self, has_content_type},
    service::Service,
    tokens,
};

/// The maximum size of a request body, in bytes.
const MAX_BODY_BYTES: usize = 2 << 20;

pub(super) fn router<D: Data>(service: &Arc<Service<D>>) -> Router {
    let mut router = Router::new();
    for route in D::ROUTES {
        let method = MethodFilter::try_from(route.operation.method()).unwrap_or(MethodFilter::GET);
        let carry_out = move |State(service): State<Arc<Service<D>>>, path, parts, body| async move {
            call(&service, route, path, parts, body).await
        };
        router = router.route(route.operation.path(), on(method, carry_out));
    }
    let issue = post(issue::<D>).layer(from_fn_with_state(Arc::clone(service), token_call::<D>));
    router
        .fallback(|| async { not_found("path") })
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(Arc::clone(service), record::<D>))
        .route(tokens::PATH, issue)
        .merge(control::routes(&service.data))
        .method_not_allowed_fallback(no_such_method)
        .with_state(Arc::clone(service))
}

async fn no_such_method() -> Rejection {
    Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "this path doesn't support the method")
}

/// Middleware that reads the whole body, adds the request to the service's `requests`, and forwards
/// the request to its handler.
async fn record<D: Data>(
    State(service): State<Arc<Service<D>>>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MAX_BODY_BYTES).await;
    let kept = body.as_ref().cloned().unwrap_or_default();
    service.requests.add(request::Request::new(&parts, kept));
    if let Ok(body) = body {
        return next.run(Request::from_parts(parts, body.into())).await;
    }
    let detail = format!("the body is incomplete, or has more than {MAX_BODY_BYTES} bytes");
    Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, detail).into_response()
}

async fn call<D: Data>(
    service: &Service<D>,
    route: &Route<D>,
    path: RawPathParams,
    parts: Parts,
    body: Bytes,
) -> Response {
    let operation = route.operation;
    let mut query = pairs(parts.uri.query()).into_iter();
    let cursor = operation.listing().map(|listing| listing.cursor);
    let is_first_page =
        parts.method == Method::GET && query.all(|(name, _)| Some(&*name) != cursor);
    let fault = service.next_fault(Some(operation), is_first_page);
    // The shortest timer takes a millisecond, so a latency of zero must not start a timer.
    if !service.settings.latency.is_zero() {
        sleep(service.settings.latency).await;
    }
    let carried_out = async {
        let headers = &parts.headers;
        service.grants.check(headers, operation)?;
        let path: Vec<_> = path.iter().collect();
        let query = parts.uri.query().unwrap_or_default();
        let parameters = Parameters::read(operation, route.parameters, &path, query, headers)?;
        let (data, body, fault) = (&*service.data, &body, fault.as_ref());
        (route.serve)(&Call { data, operation, parameters, headers, body, fault })
    };
    Fault::answer(fault.as_ref(), async { carried_out.await.into_response() }).await
}

/// Handles token requests (RFC 6749, client credentials grant).
async fn issue<D: Data>(
    State(service): State<Arc<Service<D>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let granted = if has_content_type(&headers, "application/x-www-form-urlencoded") {
        let form = pairs(std::str::from_utf8(&body).ok());
        service.settings.clients.granted(&service.token_url, &headers, &form)
    } else {
        Err("invalid_request")
    };
    let lifetime = service.settings.token_lifetime;
    let (status, body) = match granted {
        Ok(scopes) => (
            StatusCode::OK,
            json!({
                "scope": scopes.join(" "),
                "access_token": service.grants.issue(scopes, lifetime),
                "token_type": "bearer",
                "expires_in": lifetime.as_secs(),
            }),
        ),
        Err(error @ "invalid_client") => (StatusCode::UNAUTHORIZED, json!({ "error": error })),
        Err(error) => (StatusCode::BAD_REQUEST, json!({ "error": error })),
    };
    let is_basic =
        status == StatusCode::UNAUTHORIZED && headers.contains_key(header::AUTHORIZATION);
    let challenge = is_basic.then_some([(header::WWW_AUTHENTICATE, "Basic")]);
    let response = answer(status, "application/json", body.to_string().into());
    ([(header::CACHE_CONTROL, "no-store")], challenge, response).into_response()
}

async fn token_call<D: Data>(
    State(service): State<Arc<Service<D>>>,
    request: Request,
    next: Next,
) -> Response {
    let fault = service.next_fault(None, false);
    Fault::answer(fault.as_ref(), next.run(request)).await
}
