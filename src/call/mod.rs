//! A call's way out and back: limit, token, send, read, and once more where that is safe.

pub(crate) mod rate_limit;
pub(crate) mod retry;
pub use retry::Retry;

use std::{mem, time::Duration};

use progenitor_client::ResponseValue;
use reqwest::{
    Request, Response, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_LENGTH, HeaderMap, HeaderValue},
};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span, field::Empty};

use crate::{
    Client, Error, ErrorKind, Operation, decode,
    error::{Answer, without_url},
};

/// As much of a failed answer's body as an error keeps.
const LARGEST_ERROR_BODY: usize = 64 << 10;
/// What is set aside for a body at once, whatever length it claims to have.
const FIRST_CAPACITY: usize = 1 << 20;
/// How long a 429 holds an operation back that says nothing of it, and that no retry follows.
const HOLD_WITHOUT_RETRY: Duration = Duration::from_millis(100);

impl Client {
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        operation: Operation,
        mut request: Request,
    ) -> Result<ResponseValue<T>, Error> {
        if let Some(listing) = operation.listing() {
            listing.leave_out_excluded(request.url_mut());
        }
        let span = tracing::info_span!(
            "call",
            otel.name = operation.id(),
            otel.kind = "internal",
            otel.status_code = Empty,
            operation = operation.id(),
            http.request.method = operation.method().as_str(),
            url.template = operation.path(),
            server.address = host(request.url()),
            server.port = request.url().port_or_known_default(),
            http.response.status_code = Empty,
            error.type = Empty,
        );
        let call = async {
            let (answer, attempts) = self.exchange(operation, &request).await?;
            decode::read::<T>(operation, &request, answer).map_err(|error| error.after(attempts))
        };
        let result = call.instrument(span.clone()).await.map_err(|error| error.of(operation));
        match &result {
            Ok(value) => record_status(&span, value.status()),
            Err(error) => record(&span, error),
        }
        result
    }

    /// Sends the request until it has succeeded or may not be sent again.
    async fn exchange(
        &self,
        operation: Operation,
        request: &Request,
    ) -> Result<(Answer, u32), Error> {
        let shared = &*self.shared;
        let deadline = after(shared.call_timeout);
        let mut waits = shared.retry.schedule();
        let (mut attempts, mut spent, mut renewed) = (0, 0, false);
        loop {
            let token = self.turn(operation, deadline).await;
            let token = token.map_err(|error| error.after(attempts).without_effect())?;

            let result = self.attempt(operation, request, &token, attempts, deadline).await;
            attempts += 1;
            let error = match result {
                Ok(answer) => {
                    shared.budget.refund(spent);
                    return Ok((answer, attempts));
                }
                Err(error) => error.after(attempts).of(operation),
            };

            if error.status() == Some(StatusCode::UNAUTHORIZED) && !renewed {
                renewed = true;
                if shared.tokens.forget(operation, &token) && Instant::now() < deadline {
                    tracing::debug!(operation = operation.id(), "token refused, fetching another");
                    continue;
                }
            }
            let throttled = error.status() == Some(StatusCode::TOO_MANY_REQUESTS);
            let may_follow = retry::may_follow(&error, request.method());
            let wait = waits.next().filter(|_| may_follow);
            let pause = error.retry_after().or(wait);
            if throttled {
                let hold = pause.unwrap_or(HOLD_WITHOUT_RETRY);
                shared.limits.hold(operation, hold, &error);
            }
            let (Some(_), Some(pause)) = (wait, pause) else { return Err(error) };
            if Instant::now().checked_add(pause).is_none_or(|end| end >= deadline) {
                return Err(error);
            }
            let Some(cost) = shared.budget.spend(&error) else { return Err(error) };
            spent += cost;
            tracing::debug!(operation = operation.id(), %error, ?pause, "trying again");
            tokio::time::sleep(pause).await;
        }
    }

    /// Waits until the request may be sent, and for what it is sent with.
    async fn turn(&self, operation: Operation, deadline: Instant) -> Result<HeaderValue, Error> {
        let limits = &self.shared.limits;
        loop {
            limits.ready(operation, deadline).await?;
            let token = self.authorization(operation, deadline).await?;
            if Instant::now() >= deadline {
                return Err(Error::new(
                    ErrorKind::Timeout,
                    "the call's deadline passed before the request could be sent",
                ));
            }
            // Another call may have got a 429 while this one waited for its token.
            if !limits.is_held(operation) {
                return Ok(token);
            }
        }
    }

    async fn authorization(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<HeaderValue, Error> {
        match timeout_at(deadline, self.shared.tokens.token(operation)).await {
            Ok(token) => token,
            Err(_) => Err(Error::new(
                ErrorKind::Timeout,
                "the call's deadline passed while it waited for an access token",
            )),
        }
    }

    async fn attempt(
        &self,
        operation: Operation,
        request: &Request,
        token: &HeaderValue,
        resend: u32,
        deadline: Instant,
    ) -> Result<Answer, Error> {
        let Some(mut request) = request.try_clone() else {
            return Err(Error::invalid("the request's body can't be sent twice"));
        };
        request.headers_mut().insert(AUTHORIZATION, token.clone());
        // No `url.full`: it holds filters and identifiers.
        let span = tracing::info_span!(
            "attempt",
            otel.name = %format_args!("{} {}", operation.method(), operation.path()),
            otel.kind = "client",
            otel.status_code = Empty,
            operation = operation.id(),
            http.request.method = operation.method().as_str(),
            url.template = operation.path(),
            server.address = host(request.url()),
            server.port = request.url().port_or_known_default(),
            http.request.resend_count = (resend > 0).then_some(resend),
            http.response.status_code = Empty,
            error.type = Empty,
        );
        let left = deadline.saturating_duration_since(Instant::now());
        let bound = left.min(self.shared.attempt_timeout);
        let result = self.send(operation, request, bound).instrument(span.clone()).await;
        match &result {
            Ok(answer) => record_status(&span, answer.status),
            Err(error) => record(&span, error),
        }
        result
    }

    async fn send(
        &self,
        operation: Operation,
        request: Request,
        bound: Duration,
    ) -> Result<Answer, Error> {
        let (url, end) = (request.url().clone(), Instant::now() + bound);
        let late = |_| Error::new(ErrorKind::Timeout, "the deadline passed");
        let response = timeout_at(end, self.client.execute(request)).await.map_err(late)?;
        let mut response = response.map_err(broken)?;
        let (status, headers) = (response.status(), own(mem::take(response.headers_mut())));
        let success = status.as_u16() == operation.success();

        // Only a client of the user's own follows redirects; where it has led is not the service.
        if *response.url() != url {
            let error = Error::new(ErrorKind::Transport, "the HTTP client followed a redirect");
            return Err(error.passing(false));
        }
        if !success {
            let mut body = Vec::new();
            // However the body ends, or doesn't: the status isn't lost for it.
            let _ = timeout_at(end, read_start(&mut response, &mut body)).await;
            let wait = retry::retry_after(&headers);
            return Err(Error::refused(Answer { status, headers, body }).retry_in(wait));
        }
        let most = self.shared.max_response_bytes;
        let body = timeout_at(end, read_whole(&mut response, &headers, most)).await;
        let Some(body) = body.map_err(late)?? else {
            let message = format!("the answer is larger than {most} bytes:");
            let answer = Answer { status, headers, body: Vec::new() };
            return Err(Error::new(ErrorKind::ResponseTooLarge, message).answered(answer));
        };
        Ok(Answer { status, headers, body })
    }
}

/// So much later than now; in a year, if no clock can hold it.
pub(crate) fn after(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60))
}

/// Headers with memory of their own: as they arrive they are slices of the connection's read buffer,
/// and as long as they are kept so is all of it.
fn own(mut headers: HeaderMap) -> HeaderMap {
    for value in headers.values_mut() {
        if let Ok(copy) = HeaderValue::from_bytes(value.as_bytes()) {
            *value = copy;
        }
    }
    headers
}

/// The beginning of a body, as far as it comes.
async fn read_start(response: &mut Response, body: &mut Vec<u8>) {
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = LARGEST_ERROR_BODY - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == LARGEST_ERROR_BODY {
            break;
        }
    }
}

/// The body, or none where it is larger than the bound.
async fn read_whole(
    response: &mut Response,
    headers: &HeaderMap,
    most: usize,
) -> Result<Option<Vec<u8>>, Error> {
    let claimed = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    let mut body = match claimed {
        Some(length) if length > most => return Ok(None),
        Some(length) => Vec::with_capacity(length.min(FIRST_CAPACITY)),
        None => Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if chunk.len() > most - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// Reqwest's failure in our terms: only `is_connect` says that nothing was sent.
fn broken(error: reqwest::Error) -> Error {
    let (kind, message) = if error.is_connect() {
        (ErrorKind::Connect, "no connection")
    } else if error.is_timeout() {
        (ErrorKind::Timeout, "the HTTP client's deadline passed")
    } else if error.is_builder() {
        (ErrorKind::InvalidRequest, "the request can't be sent")
    } else {
        (ErrorKind::Transport, "the connection broke or the answer was cut off")
    };
    Error::new(kind, message).caused_by(without_url(error))
}

/// An IPv6 address stands in brackets only in a URL.
fn host(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.trim_matches(['[', ']']))
}

fn record_status(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
}

/// A failure, in the way of OpenTelemetry: its type is the status, or else a name.
fn record(span: &Span, error: &Error) {
    span.record("otel.status_code", "ERROR");
    // Of a token error it is another server's.
    let status = error.status().filter(|_| error.kind() != ErrorKind::Token);
    if let Some(status) = status {
        record_status(span, status);
    }
    match status.filter(|_| error.kind() == ErrorKind::Status) {
        Some(status) => span.record("error.type", status.as_str()),
        None => span.record("error.type", error.kind().name()),
    };
}
