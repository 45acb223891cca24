//! Sends one attempt of a request, through a reqwest client or the user's tower service.

use std::{any::Any, future::poll_fn, sync::Arc};

use reqwest::{Request, Response, Url};
use tower_service::Service;

use super::renewing::RenewingClient;
use crate::{BoxFuture, Error, ErrorKind, error::BoxError, transport::SendGuard};

/// A sender of requests. Cheap to clone.
#[derive(Clone)]
pub(crate) enum HttpService {
    Client(reqwest::Client),
    Renewing(Arc<RenewingClient>),
    Custom(Arc<SendThrough>),
}

/// A function that sends a request through a clone of the user's service, and hides the service's
/// type.
type SendThrough =
    dyn Fn(Request, Option<SendGuard>) -> BoxFuture<'static, Result<Response, Error>> + Send + Sync;

impl HttpService {
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        // A `reqwest::Client` that is passed as a service is treated like a client from
        // `http_client`, so that its errors show whether anything was sent.
        let any: &dyn Any = &service;
        match any.downcast_ref::<reqwest::Client>().cloned() {
            Some(client) => Self::Client(client),
            None => Self::Custom(Arc::new(move |request, guard| {
                Box::pin(send_through(service.clone(), request, guard))
            })),
        }
    }

    /// Sends a request, and returns the response before its body is read. `guard` records whether
    /// the request's body was sent. The caller must set a time limit.
    ///
    /// # Errors
    ///
    /// `Connect` only if it is certain that nothing was sent. The user's own service always fails
    /// with `Transport`, because the service may have sent the request before the failure.
    pub(crate) async fn send(
        &self,
        request: Request,
        guard: Option<SendGuard>,
    ) -> Result<Response, Error> {
        let asked = request.url().clone();
        let response = match self {
            Self::Client(client) => {
                execute(client, request, guard).await.map_err(unsent_or_broken)?
            }
            Self::Renewing(clients) => {
                let sent = execute(&clients.client(), request, guard).await;
                sent.map_err(|error| {
                    if let Some(Refusal::Http2) = refusal(&error) {
                        clients.require_http1();
                    }
                    unsent_or_broken(error)
                })?
            }
            // The body isn't wrapped, because the service may have to read it, for example to sign
            // it.
            Self::Custom(send) => send(request, guard).await?,
        };
        if is_elsewhere(response.url(), &asked) {
            let error = Error::new(ErrorKind::Transport, "the response came from another origin");
            return Err(error.with_transient(false));
        }
        Ok(response)
    }

    /// The error for an attempt whose deadline has passed. `has_left` says whether the request was
    /// sent. If an HTTP client hasn't sent the request, the error is `Connect`, because the client
    /// can't have connected yet.
    pub(crate) fn late(&self, has_left: bool) -> Error {
        let late = Error::new(ErrorKind::Timeout, "the deadline passed");
        match self {
            _ if has_left => late,
            Self::Client(_) | Self::Renewing(_) => {
                Error::new(ErrorKind::Connect, "could not connect before the deadline")
            }
            Self::Custom(_) => late.without_effect(),
        }
    }
}

/// Sends a request with an HTTP client. A request without a body counts as sent from the start.
/// If there is no guard, the future isn't boxed, so that most requests need no additional
/// allocation.
async fn execute(
    client: &reqwest::Client,
    mut request: Request,
    guard: Option<SendGuard>,
) -> reqwest::Result<Response> {
    let Some(guard) = guard else { return client.execute(request).await };
    let body = request.body().and_then(|body| body.as_bytes()).filter(|bytes| !bytes.is_empty());
    let Some(bytes) = body else {
        guard.leave();
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

/// Whether the response comes from a different origin than the requested one.
///
/// A layer may change the path and the query, for example to sign the request. A response that was
/// converted from an `http::Response` has no address, so reqwest fills in a host name that can't
/// exist.
fn is_elsewhere(answered: &Url, asked: &Url) -> bool {
    answered.origin() != asked.origin() && answered.host_str() != Some("no.url.provided.local")
}

/// Converts an error that occurred before the head of the response arrived. Only such an error can
/// mean that the service didn't process the request, because a response means that the request was
/// processed.
fn unsent_or_broken(error: reqwest::Error) -> Error {
    let is_unprocessed = refusal(&error).is_some();
    let error = broken(error);
    if is_unprocessed { error.with_unprocessed() } else { error }
}

/// Converts an error from reqwest to an `Error`. Only an error with `is_connect` proves that
/// nothing was sent.
pub(crate) fn broken(error: reqwest::Error) -> Error {
    let (kind, message) = if error.is_connect() {
        (ErrorKind::Connect, "could not connect")
    } else if error.is_timeout() {
        (ErrorKind::Timeout, "the HTTP client's deadline passed")
    } else if error.is_builder() {
        (ErrorKind::InvalidRequest, "the request can't be sent")
    } else {
        (ErrorKind::Transport, "the connection broke or the response was truncated")
    };
    Error::new(kind, message).caused_by(error)
}

/// The reason why an HTTP/2 service didn't process a request.
#[cfg_attr(not(feature = "http2"), allow(dead_code, reason = "HTTP/1.1 has no such reasons"))]
enum Refusal {
    /// The service says that it didn't process the request (RFC 9113, section 8.7).
    Unprocessed,
    /// The service accepts the request only over HTTP/1.1 (RFC 9113, section 7).
    Http2,
}

/// The service's reason for not processing the request, if the service sent such a reason before it
/// closed the stream or the connection.
#[cfg(feature = "http2")]
fn refusal(error: &reqwest::Error) -> Option<Refusal> {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |it| it.source());
    let mut causes = causes.filter_map(|error| error.downcast_ref::<h2::Error>());
    let said = causes.find(|error| error.is_remote())?;
    match said.reason()? {
        h2::Reason::HTTP_1_1_REQUIRED => Some(Refusal::Http2),
        h2::Reason::NO_ERROR if said.is_go_away() => Some(Refusal::Unprocessed),
        h2::Reason::REFUSED_STREAM if said.is_reset() => Some(Refusal::Unprocessed),
        _ => None,
    }
}

#[cfg(not(feature = "http2"))]
fn refusal(_: &reqwest::Error) -> Option<Refusal> {
    None
}

/// Wraps an error from the user's own service or layer, and keeps the error as the cause. If the
/// cause is this crate's `Error`, the cause decides whether a retry may succeed.
pub(super) fn failed(error: impl Into<BoxError>) -> Error {
    let cause = error.into();
    let is_transient = cause.downcast_ref().is_none_or(Error::is_transient);
    let error = Error::new(ErrorKind::Transport, "the HTTP service failed");
    error.caused_by(cause).with_transient(is_transient)
}
