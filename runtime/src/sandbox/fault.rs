//! Faults that a test can inject.

use std::{future::pending, io, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes, to_bytes},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use tokio::{task::yield_now, time::sleep};

use super::problem::{Rejection, answer};

/// A fault that a test injects into one request.
///
/// Unless a variant says otherwise, the sandbox doesn't carry out the request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A response with this status and a problem document (RFC 7807).
    ///
    /// In this and all other variants, an invalid or 1xx status is replaced by 500.
    Status(u16),
    /// A response with this status and an HTML page, like the error page of a gateway.
    Html(u16),
    /// A 429 response. If `retry_after` is set, the response has a `Retry-After` header.
    TooManyRequests {
        /// The value of the `Retry-After` header, rounded up to whole seconds.
        retry_after: Option<Duration>,
    },
    /// A 401 response, even if the token is valid. The token isn't revoked.
    Unauthorized,
    /// The sandbox carries out the request and delays the response by this duration.
    Latency(Duration),
    /// The sandbox closes the connection without a response.
    Reset,
    /// The sandbox doesn't respond and keeps the connection open.
    Silence,
    /// The sandbox carries out the request and closes the connection without a response.
    ResetAfterApplying,
    /// The sandbox carries out the request, sends half of the response body, and closes the
    /// connection.
    Truncated,
    /// The sandbox carries out the request and sends the response body one byte at a time, with a
    /// pause of this duration before each byte.
    Drip(Duration),
    /// A page in which each record has an enum value that the OpenAPI description doesn't list.
    ///
    /// Has no effect on operations that aren't listings.
    UnknownEnumValue,
    /// An empty page whose cursor leads to the page that was requested.
    ///
    /// Has no effect on operations that aren't listings.
    EmptyPage,
    /// A page whose cursor for the next page is the cursor from the request, even if the page is
    /// the last one.
    ///
    /// Applies to the next request that has a cursor. Has no effect on operations that aren't
    /// listings.
    RepeatedCursor,
    /// The sandbox carries out the request, but the response leaves out the optional fields that
    /// repeat a field of the request.
    ///
    /// Has no effect on operations whose responses have no such fields.
    WithoutOptionalFields,
    /// A response with status 200 and a body that isn't valid JSON.
    NotJson,
    /// A response with this status, this body and the content type `application/json`.
    Body(u16, String),
    /// A response with this status and this `Location` header.
    Redirect(u16, String),
}

impl Fault {
    /// Returns the response to a request, changed by the fault if there is one. `own` carries out
    /// the request and returns the normal response.
    pub(super) async fn answer(
        fault: Option<&Self>,
        own: impl Future<Output = Response>,
    ) -> Response {
        let Some(fault) = fault else { return own.await };
        match fault {
            Self::Status(code) => Rejection::new(status(*code), "on demand").into_response(),
            Self::Html(code) => {
                let page = "<html><body><h1>Gateway</h1></body></html>";
                answer(status(*code), "text/html", page.into())
            }
            Self::TooManyRequests { retry_after } => {
                let seconds = |wait: &Duration| wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                let seconds = retry_after.as_ref().map(seconds);
                let wait = seconds.map(|it| [(header::RETRY_AFTER, HeaderValue::from(it))]);
                (wait, Rejection::new(StatusCode::TOO_MANY_REQUESTS, "on demand")).into_response()
            }
            Self::Unauthorized => Rejection::unauthorized("on demand").into_response(),
            Self::Latency(time) => {
                let response = own.await;
                sleep(*time).await;
                response
            }
            Self::Reset => close(),
            Self::Silence => pending().await,
            Self::ResetAfterApplying => {
                own.await;
                close()
            }
            Self::Truncated => {
                with_body(own.await, |body| cut_off(body.slice(..body.len() / 2))).await
            }
            Self::Drip(interval) => with_body(own.await, |body| drip(body, *interval)).await,
            Self::UnknownEnumValue
            | Self::EmptyPage
            | Self::RepeatedCursor
            | Self::WithoutOptionalFields => own.await,
            Self::NotJson => answer(StatusCode::OK, "application/json", "{\"items\": [".into()),
            Self::Body(code, body) => {
                answer(status(*code), "application/json", body.clone().into())
            }
            Self::Redirect(code, location) => {
                let location = HeaderValue::from_str(location).ok();
                let location = location.map(|it| [(header::LOCATION, it)]);
                (location, answer(status(*code), "text/plain", Body::empty())).into_response()
            }
        }
    }
}

fn status(code: u16) -> StatusCode {
    let status = StatusCode::from_u16(code).ok().filter(|status| !status.is_informational());
    status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns a response that is never sent. It contains an error that makes the server close the
/// connection instead.
fn close() -> Response {
    Extension(io::ErrorKind::ConnectionReset).into_response()
}

/// Replaces the body with the result of `change`, but keeps the original `Content-Length` even if
/// the new body is shorter.
async fn with_body(response: Response, change: impl FnOnce(Bytes) -> Body) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else { return close() };
    parts.headers.insert(header::CONTENT_LENGTH, body.len().into());
    Response::from_parts(parts, change(body))
}

fn cut_off(start: Bytes) -> Body {
    let end = stream::once(async {
        // Gives the server a chance to send the first half before the body returns the error.
        yield_now().await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    });
    Body::from_stream(stream::iter([Ok(start)]).chain(end))
}

fn drip(body: Bytes, interval: Duration) -> Body {
    Body::from_stream(stream::iter(body).then(move |byte| async move {
        sleep(interval).await;
        Ok::<_, io::Error>(Bytes::from(vec![byte]))
    }))
}
