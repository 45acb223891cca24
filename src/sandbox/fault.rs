//! What can go wrong on demand.

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use tokio::{task::yield_now, time::sleep};

use super::problem::{Refusal, answer};

/// Something that goes wrong with one request.
///
/// Unless a variant says otherwise, the request isn't carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// This status, with a problem document (RFC 7807) as its body.
    ///
    /// A number that is no final status is answered as 500, here and in every other variant.
    Status(u16),
    /// This status, with an HTML page as gateways send it.
    Html(u16),
    /// 429, with a `Retry-After` header in whole seconds (rounded up) if there is a duration.
    TooManyRequests {
        /// How long the header asks to wait.
        retry_after: Option<Duration>,
    },
    /// 401, although the token is a good one, and stays one.
    Unauthorized,
    /// The answer comes this much later. The request is carried out.
    Latency(Duration),
    /// The connection is closed before any answer.
    Reset,
    /// No answer comes, and the connection stays open.
    Silence,
    /// The request is carried out, then the connection is closed before any answer.
    ResetAfterApplying,
    /// The request is carried out, and half of its answer arrives before the connection is closed.
    Truncated,
    /// The request is carried out, and its answer's body arrives byte by byte, one an interval.
    Drip(Duration),
    /// The records of this page carry an enum value that nobody knows.
    ///
    /// It is the market of quote executions, the network of addresses. Only listings have such
    /// pages; elsewhere nothing goes wrong.
    UnknownEnumValue,
    /// A page without records whose cursor leads to the page that was asked for.
    ///
    /// Only listings have such pages; elsewhere nothing goes wrong.
    EmptyPage,
    /// A page whose next cursor is the cursor that was asked for, even if it is the last page.
    ///
    /// The fault waits for a request that carries a cursor. Only listings have such pages; elsewhere
    /// nothing goes wrong.
    RepeatedCursor,
    /// 200, with a body that isn't JSON.
    NotJson,
    /// This status and this body, as `application/json`.
    Body(u16, String),
    /// This status, with a `Location` header.
    Redirect(u16, String),
}

/// Marks an answer that isn't to be sent: the connection is closed instead.
#[derive(Clone, Copy, Debug)]
struct Close;

/// The answer, or the end of its connection.
pub(super) fn unless_closed(answer: Response) -> io::Result<Response> {
    match answer.extensions().get::<Close>() {
        Some(Close) => Err(io::ErrorKind::ConnectionReset.into()),
        None => Ok(answer),
    }
}

impl Fault {
    /// The answer in place of the request's own, where there is one.
    pub(super) fn answer(&self) -> Option<Response> {
        Some(match self {
            Self::Status(code) => Refusal::new(status(*code), "on demand").into_response(),
            Self::Html(code) => {
                let page = "<html><body><h1>Gateway</h1></body></html>";
                answer(status(*code), "text/html", page.into())
            }
            Self::TooManyRequests { retry_after } => too_many_requests(*retry_after),
            Self::Unauthorized => Refusal::unauthorized("on demand").into_response(),
            Self::Reset => close(),
            Self::NotJson => answer(StatusCode::OK, "application/json", "{\"items\": [".into()),
            Self::Body(code, body) => {
                answer(status(*code), "application/json", body.clone().into())
            }
            Self::Redirect(code, location) => {
                let mut response = answer(status(*code), "text/plain", Body::empty());
                if let Ok(location) = HeaderValue::from_str(location) {
                    response.headers_mut().insert(header::LOCATION, location);
                }
                response
            }
            Self::Latency(_)
            | Self::Silence
            | Self::ResetAfterApplying
            | Self::Truncated
            | Self::Drip(_)
            | Self::UnknownEnumValue
            | Self::EmptyPage
            | Self::RepeatedCursor => return None,
        })
    }

    /// What becomes of the request's own answer.
    pub(super) async fn apply(&self, response: Response) -> Response {
        match self {
            Self::Latency(time) => {
                sleep(*time).await;
                response
            }
            Self::ResetAfterApplying => close(),
            Self::Truncated => {
                with_body(response, |body| cut_off(body.slice(..body.len() / 2))).await
            }
            Self::Drip(interval) => with_body(response, |body| drip(body, *interval)).await,
            _ => response,
        }
    }
}

fn status(code: u16) -> StatusCode {
    let status = StatusCode::from_u16(code).ok().filter(|status| !status.is_informational());
    status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn too_many_requests(retry_after: Option<Duration>) -> Response {
    let mut response = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "on demand").into_response();
    if let Some(wait) = retry_after {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn close() -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Close);
    response
}

/// Announces the whole length, whatever then arrives.
async fn with_body(response: Response, change: impl FnOnce(Bytes) -> Body) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else { return close() };
    parts.headers.insert(header::CONTENT_LENGTH, body.len().into());
    Response::from_parts(parts, change(body))
}

fn cut_off(start: Bytes) -> Body {
    Body::from_stream(stream::unfold(Some(start), |start| async move {
        if let Some(start) = start {
            return Some((Ok(start), None));
        }
        // Lets the server send what it has before it hears of the error.
        yield_now().await;
        Some((Err(io::Error::from(io::ErrorKind::ConnectionReset)), None))
    }))
}

fn drip(body: Bytes, interval: Duration) -> Body {
    Body::from_stream(stream::unfold(body, move |mut rest| async move {
        if rest.is_empty() {
            return None;
        }
        sleep(interval).await;
        let byte = rest.split_to(1);
        Some((Ok::<_, io::Error>(byte), rest))
    }))
}
