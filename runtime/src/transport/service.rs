//! Sends one attempt, with reqwest's client or with the user's tower service.

use std::{any::Any, future::poll_fn, sync::Arc};

use reqwest::{Request, Response, Url};
use tower_service::Service;

use crate::{BoxFuture, Error, ErrorKind, error::BoxError, transport::SendGuard};

/// Sends requests. Cheap to clone.
#[derive(Clone)]
pub(crate) enum HttpService {
    /// Hands out the HTTP client for a request.
    Client(Arc<dyn Fn() -> reqwest::Client + Send + Sync>),
    Custom(Arc<SendThrough>),
}

/// Sends a request through a clone of a service, of whatever type.
type SendThrough =
    dyn Fn(Request, Option<SendGuard>) -> BoxFuture<'static, Result<Response, Error>> + Send + Sync;

impl HttpService {
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        // Treated like `http_client`, so that its errors tell whether anything was sent.
        let any: &dyn Any = &service;
        match any.downcast_ref::<reqwest::Client>().cloned() {
            Some(client) => Self::Client(Arc::new(move || client.clone())),
            None => Self::Custom(Arc::new(move |request, guard| {
                Box::pin(send_through(service.clone(), request, guard))
            })),
        }
    }

    /// Sends a request and returns the head of its answer. The caller limits the time. `guard`
    /// tells it whether the body has left.
    ///
    /// # Errors
    ///
    /// `Connect` only if certainly nothing was sent. The user's own service always fails with
    /// `Transport`, because it may have sent the request before it failed.
    pub(crate) async fn send(
        &self,
        request: Request,
        guard: Option<SendGuard>,
    ) -> Result<Response, Error> {
        let asked = request.url().clone();
        let response = match self {
            Self::Client(client) => {
                execute(&client(), request, guard).await.map_err(unsent_or_broken)?
            }
            // With the plain body, because a service may sign it.
            Self::Custom(send) => send(request, guard).await?,
        };
        if is_elsewhere(response.url(), &asked) {
            let error = Error::new(ErrorKind::Transport, "the answer came from another origin");
            return Err(error.with_transient(false));
        }
        Ok(response)
    }

    /// The deadline passed. If the body hasn't left by then, there was no connection.
    pub(crate) fn late(&self, has_left: bool) -> Error {
        let late = Error::new(ErrorKind::Timeout, "the deadline passed");
        match self {
            _ if has_left => late,
            Self::Client(_) => {
                Error::new(ErrorKind::Connect, "could not connect before the deadline")
            }
            Self::Custom(_) => late.without_effect(),
        }
    }
}

/// Sends a request with an HTTP client. Without a body, its future isn't boxed, so that the usual attempt
/// allocates nothing more.
async fn execute(
    client: &reqwest::Client,
    mut request: Request,
    guard: Option<SendGuard>,
) -> reqwest::Result<Response> {
    let body = request.body().and_then(|body| body.as_bytes()).filter(|bytes| !bytes.is_empty());
    let (Some(guard), Some(bytes)) = (guard, body) else {
        return client.execute(request).await;
    };
    *request.body_mut() = Some(guard.body(bytes));
    guard.sending(client.execute(request)).await
}

/// Waits until a service is ready, and sends a request through it.
pub(super) async fn send_through<R, S>(
    mut service: S,
    request: R,
    guard: Option<SendGuard>,
) -> Result<S::Response, Error>
where
    S: Service<R, Error: Into<BoxError>>,
{
    poll_fn(|context| service.poll_ready(context)).await.map_err(failed)?;
    guard.as_ref().map(SendGuard::leave);
    service.call(request).await.map_err(failed)
}

/// Whether the answer comes from another origin than the requested one. A layer may change the path and
/// the query, to sign them. An answer made from an `http::Response` has no address, and reqwest fills in
/// a name that can't exist.
fn is_elsewhere(answered: &Url, asked: &Url) -> bool {
    answered.origin() != asked.origin() && answered.host_str() != Some("no.url.provided.local")
}

/// An error before the head of a response. Only here can the service say that it did nothing: once there
/// is a head, it has processed the request.
fn unsent_or_broken(error: reqwest::Error) -> Error {
    let is_unprocessed = is_unprocessed(&error);
    let error = broken(error);
    if is_unprocessed { error.with_unprocessed() } else { error }
}

/// Turns an error of reqwest into one of the crate. Only `is_connect` proves that nothing was sent.
pub(crate) fn broken(error: reqwest::Error) -> Error {
    let (kind, message) = if error.is_connect() {
        (ErrorKind::Connect, "could not connect")
    } else if error.is_timeout() {
        (ErrorKind::Timeout, "the HTTP client's deadline passed")
    } else if error.is_builder() {
        (ErrorKind::InvalidRequest, "the request can't be sent")
    } else {
        (ErrorKind::Transport, "the connection broke or the answer was cut short")
    };
    Error::new(kind, message).caused_by(error)
}

/// Whether the service said that it didn't process the request (RFC 9113, section 8.7).
#[cfg(feature = "http2")]
fn is_unprocessed(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.filter_map(|error| error.downcast_ref::<h2::Error>()).any(|error| {
        let is_graceful = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (is_graceful || is_refused)
    })
}

#[cfg(not(feature = "http2"))]
fn is_unprocessed(_: &(dyn std::error::Error + 'static)) -> bool {
    false
}

/// An error of the user's own service, kept as the cause. It may be one of the crate's, passed on by a
/// layer.
pub(super) fn failed(error: impl Into<BoxError>) -> Error {
    let cause = error.into();
    let is_transient = cause.downcast_ref().is_none_or(Error::is_transient);
    let error = Error::new(ErrorKind::Transport, "the HTTP service failed");
    error.caused_by(cause).with_transient(is_transient)
}
