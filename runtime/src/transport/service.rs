//! Sends one attempt, with reqwest's client or with the user's tower service.

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

/// A function that sends a request through a clone of a service of any type.
type SendThrough =
    dyn Fn(Request, Option<SendGuard>) -> BoxFuture<'static, Result<Response, Error>> + Send + Sync;

impl HttpService {
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        // A `reqwest::Client` is treated as in `http_client`, so that its errors show whether
        // anything was sent.
        let any: &dyn Any = &service;
        match any.downcast_ref::<reqwest::Client>().cloned() {
            Some(client) => Self::Client(client),
            None => Self::Custom(Arc::new(move |request, guard| {
                Box::pin(send_through(service.clone(), request, guard))
            })),
        }
    }

    /// Sends a request and returns the head of its response. The caller limits the time. `guard`
    /// shows whether the body was sent.
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
            // The body isn't wrapped, because a service may sign it.
            Self::Custom(send) => send(request, guard).await?,
        };
        if is_elsewhere(response.url(), &asked) {
            let error = Error::new(ErrorKind::Transport, "the response came from another origin");
            return Err(error.with_transient(false));
        }
        Ok(response)
    }

    /// The error after the deadline has passed. If the body wasn't sent, there was no connection.
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

/// Sends a request with an HTTP client. If the request has no body, the future isn't boxed, so that
/// the usual attempt needs no additional allocation.
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

/// Whether the response comes from another origin than the requested one. A layer may change the
/// path and the query, to sign them. If a response was converted from an `http::Response`, it has
/// no address, and reqwest fills in a name that can't exist.
fn is_elsewhere(answered: &Url, asked: &Url) -> bool {
    answered.origin() != asked.origin() && answered.host_str() != Some("no.url.provided.local")
}

/// Converts an error that occurs before the head of a response arrives. Only such an error can mean
/// that the service didn't process the request, because a head shows that it did.
fn unsent_or_broken(error: reqwest::Error) -> Error {
    let is_unprocessed = refusal(&error).is_some();
    let error = broken(error);
    if is_unprocessed { error.with_unprocessed() } else { error }
}

/// Converts an error from reqwest into an `Error`. Only `is_connect` proves that nothing was sent.
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
#[cfg_attr(not(feature = "http2"), allow(dead_code, reason = "HTTP/1.1 can't say so"))]
enum Refusal {
    /// RFC 9113, section 8.7.
    Unprocessed,
    /// The service accepts the request only over HTTP/1.1 (RFC 9113, section 7).
    Http2,
}

/// The reason that the service gave before it ended the stream or the connection.
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

/// Wraps an error from the user's own service, and keeps it as the cause. If a layer passes on this
/// crate's `Error`, that error decides whether a retry may succeed.
pub(super) fn failed(error: impl Into<BoxError>) -> Error {
    let cause = error.into();
    let is_transient = cause.downcast_ref().is_none_or(Error::is_transient);
    let error = Error::new(ErrorKind::Transport, "the HTTP service failed");
    error.caused_by(cause).with_transient(is_transient)
}
