//! The HTTP routes that let tests in any language control a sandbox.

use std::{collections::BTreeMap, fmt::Display, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::{delete, get, post},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    data::{Data, Listed},
    fault::Fault,
    parameters::not_found,
    problem::{Rejection, answer, ok},
    request::json_body,
    service::Service,
};
use crate::{GeneratedClient, Operation};

pub(super) fn routes<D: Data>(data: &Arc<D>) -> Router<Arc<Service<D>>> {
    Router::new()
        .route("/sandbox", get(state::<D>))
        .route("/sandbox/openapi.yaml", get(description::<D>))
        .route("/sandbox/faults", post(queue_faults::<D>).delete(forget_faults::<D>))
        .route("/sandbox/tokens", delete(revoke_tokens::<D>))
        .route("/sandbox/requests", get(requests::<D>))
        .merge(D::control().with_state(Arc::clone(data)))
}

async fn state<D: Data>(State(service): State<Arc<Service<D>>>) -> Result<Response, Rejection> {
    let count = |operation: &Operation| (operation.id(), service.received(Some(*operation)));
    let counts: BTreeMap<_, _> = operations::<D>().iter().map(count).collect();
    let mut state = service.data.state();
    state.insert("request_counts".to_owned(), json!(counts));
    state.insert("token_requests".to_owned(), json!(service.received(None)));
    ok(&state)
}

async fn description<D: Data>() -> Result<Response, Rejection> {
    let yaml = D::CONTROL_YAML.ok_or_else(|| not_found("path"))?;
    Ok(answer(StatusCode::OK, "application/yaml", yaml.into()))
}

/// The operations in the OpenAPI description of the service.
fn operations<D: Data>() -> &'static [Operation] {
    D::Client::SERVICE.operations
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Faults {
    operation: String,
    fault: FaultBody,
    #[serde(default = "once")]
    times: i64,
}

fn once() -> i64 {
    1
}

/// The maximum number of faults that one request can queue. A larger number is probably a mistake,
/// and would use a lot of memory.
const MAX_TIMES: i64 = 10_000;

async fn queue_faults<D: Data>(
    State(service): State<Arc<Service<D>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Rejection> {
    let faults: Faults = json_body(&headers, &body)?;
    let operation = operations::<D>().iter().find(|operation| operation.id() == faults.operation);
    if operation.is_none() && faults.operation != "token" {
        let known: Vec<_> = operations::<D>().iter().map(|operation| operation.id()).collect();
        let detail = format!("operation must be token or one of {}", known.join(", "));
        return Err(Rejection::parameter("operation", detail));
    }
    if !(0..=MAX_TIMES).contains(&faults.times) {
        return Err(outside("times", faults.times, &format!("from 0 to {MAX_TIMES}")));
    }
    let fault = faults.fault.fault()?;
    for _ in 0..faults.times {
        service.queue(operation.copied(), fault.clone());
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn forget_faults<D: Data>(State(service): State<Arc<Service<D>>>) -> StatusCode {
    service.forget_faults();
    StatusCode::NO_CONTENT
}

/// Inserts the record from a request's body.
///
/// # Errors
///
/// 415 if the body's content type isn't JSON; 400 if the body isn't a record of this kind.
pub async fn insert<R: Listed + DeserializeOwned>(
    State(data): State<Arc<R::Data>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Rejection> {
    data.insert::<R>(json_body(&headers, &body)?);
    Ok(StatusCode::NO_CONTENT)
}

async fn revoke_tokens<D: Data>(State(service): State<Arc<Service<D>>>) -> StatusCode {
    service.grants.revoke();
    StatusCode::NO_CONTENT
}

async fn requests<D: Data>(State(service): State<Arc<Service<D>>>) -> Result<Response, Rejection> {
    let requests = service.requests.to_vec();
    let requests = requests.iter().map(|request| {
        let pair = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        json!({
            "method": request.method.as_str(),
            "path": request.path,
            "query": request.query.iter().map(pair).collect::<Vec<_>>(),
            "headers": request.headers().map(|it| pair(&it)).collect::<Vec<_>>(),
            "body": String::from_utf8_lossy(request.body()),
        })
    });
    ok(&json!({ "requests": requests.collect::<Vec<_>>() }))
}

/// Defines the JSON form of each fault that tests can queue over HTTP, and its conversion into a
/// [`Fault`].
macro_rules! faults {
    ($($kind:ident { $($field:ident: $type:ty),* } => $fault:expr,)*) => {
        #[derive(Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
        enum FaultBody {
            $($kind { $($field: $type),* }),*
        }

        impl FaultBody {
            fn fault(self) -> Result<Fault, Rejection> {
                Ok(match self {
                    $(Self::$kind { $($field),* } => $fault),*
                })
            }
        }
    };
}

// All durations in these faults are in seconds.
faults! {
    Status { status: i64 } => Fault::Status(code(status)?),
    Html { status: i64 } => Fault::Html(code(status)?),
    TooManyRequests { retry_after: Option<f64> } => Fault::TooManyRequests {
        retry_after: retry_after.map(|wait| seconds("retry_after", wait)).transpose()?,
    },
    Unauthorized {} => Fault::Unauthorized,
    Latency { seconds: f64 } => Fault::Latency(self::seconds("seconds", seconds)?),
    Reset {} => Fault::Reset,
    Silence {} => Fault::Silence,
    ResetAfterApplying {} => Fault::ResetAfterApplying,
    Truncated {} => Fault::Truncated,
    Drip { seconds: f64 } => Fault::Drip(self::seconds("seconds", seconds)?),
    UnknownEnumValue {} => Fault::UnknownEnumValue,
    EmptyPage {} => Fault::EmptyPage,
    RepeatedCursor {} => Fault::RepeatedCursor,
    WithoutOptionalFields {} => Fault::WithoutOptionalFields,
    NotJson {} => Fault::NotJson,
    Body { status: i64, body: String } => Fault::Body(code(status)?, body),
    Redirect { status: i64, location: String } => Fault::Redirect(code(status)?, location),
}

fn code(status: i64) -> Result<u16, Rejection> {
    let code = u16::try_from(status).ok().filter(|code| (200..=599).contains(code));
    code.ok_or_else(|| outside("status", status, "from 200 to 599"))
}

fn seconds(name: &str, time: f64) -> Result<Duration, Rejection> {
    Duration::try_from_secs_f64(time).map_err(|_| outside(name, time, "from 0 to 2^64 seconds"))
}

fn outside(name: &str, value: impl Display, accepted: &str) -> Rejection {
    Rejection::parameter(name, format!("{name} is {value}; it must be {accepted}"))
}
