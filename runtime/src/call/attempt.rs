//! Makes one attempt at a call: sends the HTTP request, and reads its response up to a maximum
//! size.

use form_urlencoded::byte_serialize;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Request,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, field::Empty};

use super::{
    Call, Sender, deadline_in,
    options::MAX_RESPONSE_BYTES,
    span::{host, record},
};
use crate::{
    Error, ErrorKind, Operation, decode, error,
    raw_response::RawResponse,
    retry,
    transport::{
        Connections, ERROR_BODY_TIMEOUT, GZIP, HttpService, SendGuard, has_no_length, read_start,
        read_whole,
    },
};

/// The maximum number of bytes that are kept from the body of an error response.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;

/// The header in which many services return a request id.
const REQUEST_ID: &str = "x-request-id";

/// The characters that are percent-encoded if they separate the entries of an array in the query. A
/// comma isn't encoded (RFC 6570, section 3.2.8).
const SEPARATOR: &AsciiSet = &NON_ALPHANUMERIC.remove(b',');

/// Makes one attempt at a call. `resend` is the number of earlier attempts.
pub(super) async fn attempt(
    sender: &Sender,
    call: &Call,
    token: Option<&HeaderValue>,
    resend: u32,
    connections: Connections,
    deadline: Instant,
) -> Result<RawResponse, Error> {
    let (operation, base) = (call.operation, &sender.shared.base);
    // The span has no `url.full` field, because a full URL would reveal filters and
    // identifiers.
    let span = tracing::info_span!(
        "attempt",
        otel.name = %format_args!("{} {}", operation.method(), operation.path()),
        otel.kind = "client",
        otel.status_code = Empty,
        operation = operation.id(),
        http.request.method = operation.method().as_str(),
        url.template = operation.path(),
        server.address = host(base),
        server.port = base.port_or_known_default().map(i64::from),
        http.request.resend_count = (resend > 0).then_some(i64::from(resend)),
        http.response.status_code = Empty,
        "http.response.header.x-request-id" = Empty,
        error.type = Empty,
    );
    let end = deadline.min(deadline_in(sender.options.time_per_attempt()));
    let request = request(sender, call, token);
    let http = sender.shared.http.for_request(&operation.method(), connections);
    let secrets = secrets(operation, request.headers());
    let result = send(sender, http, operation, request, &secrets, end);
    let result = result.instrument(span.clone()).await;
    record(&span, result.as_ref().map(|response| response.status));
    result.map_err(|error| error.without_secrets(&secrets))
}

/// Returns the access token and the API keys in a request's headers, each with the text that
/// replaces it where the service echoes it.
fn secrets(operation: Operation, headers: &HeaderMap) -> Vec<(String, &'static str)> {
    let token = headers.get(AUTHORIZATION).and_then(error::token).map(|it| (it, "[token]"));
    let keys = operation.details.api_keys.iter().filter_map(|(name, _)| headers.get(*name));
    let keys = keys.filter_map(|key| Some((key.to_str().ok()?, "[key]")));
    let secrets = token.into_iter().chain(keys).filter(|(secret, _)| !secret.is_empty());
    secrets.map(|(secret, label)| (secret.to_owned(), label)).collect()
}

fn request(sender: &Sender, call: &Call, token: Option<&HeaderValue>) -> Request {
    let mut url = sender.shared.base.clone();
    url.set_path(&format!("{}{}", url.path().trim_end_matches('/'), call.path));
    let query = query(call);
    url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
    let details = call.operation.details;
    let mut request = Request::new(details.method.clone(), url);
    let headers = request.headers_mut();
    for (header, _) in details.api_keys {
        if let Some(key) = sender.shared.api_keys.get(*header) {
            headers.insert(*header, key.clone());
        }
    }
    headers.extend(sender.options.headers.clone());
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static(details.accept));
    request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(GZIP));
    for (name, value) in &call.headers {
        request.headers_mut().insert(*name, value.clone());
    }
    if let Some(body) = &call.body {
        let kind = HeaderValue::from_static(details.content_type);
        request.headers_mut().insert(CONTENT_TYPE, kind);
        *request.body_mut() = Some(body.clone().into());
    }
    if let Some(token) = token {
        request.headers_mut().insert(AUTHORIZATION, token.clone());
    }
    request
}

async fn send(
    sender: &Sender,
    http: &HttpService,
    operation: Operation,
    request: Request,
    secrets: &[(String, &'static str)],
    end: Instant,
) -> Result<RawResponse, Error> {
    let may_have_effect = !request.method().is_safe() || request.body().is_some();
    let guard = may_have_effect.then(SendGuard::default);
    let sent = timeout_at(end, http.send(request, guard.clone())).await;
    let has_left = || guard.as_ref().is_none_or(|guard| !guard.cancel());
    let mut response = match sent {
        Ok(Ok(response)) => response,
        Ok(Err(error)) if has_left() => return Err(error),
        Ok(Err(error)) => return Err(error.without_effect()),
        Err(_) => return Err(http.late(has_left())),
    };
    let has_no_length = has_no_length(&response);
    let (status, headers) = (response.status(), own(response.headers()));
    let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_secret = |id: &&str| secrets.iter().any(|(secret, _)| id.contains(secret));
    if let Some(id) = id.filter(|id| !is_secret(id)) {
        tracing::Span::current().record("http.response.header.x-request-id", id);
    }
    let success = operation.is_success(status.as_u16());

    if !success {
        // If the body is incomplete or late, the error still has the status and the bytes
        // received.
        let end = end.min(Instant::now() + ERROR_BODY_TIMEOUT);
        let body = read_start(&mut response, MAX_ERROR_BODY_BYTES, end).await;
        // If the service rejected the request before it had read the whole body, the rest of
        // the body isn't sent.
        guard.as_ref().map(SendGuard::stop);
        let wait = retry::retry_after(&headers);
        return Err(Error::from_response(RawResponse { status, headers, body }).retry_in(wait));
    }
    let most = sender.options.max_response_bytes.unwrap_or(MAX_RESPONSE_BYTES);
    let body = timeout_at(end, read_whole(&mut response, most)).await;
    let error = match body.unwrap_or_else(|_| Err(http.late(true))) {
        Ok(Some(body)) => {
            let response = RawResponse { status, headers, body };
            if has_no_length && decode::is_cut_off(operation, &response.body) {
                let message = "the connection closed before the response was complete";
                return Err(Error::new(ErrorKind::Transport, message).with_response(response));
            }
            return Ok(response);
        }
        Ok(None) => {
            let message = format!("the response is larger than {most} bytes:");
            Error::new(ErrorKind::ResponseTooLarge, message)
        }
        Err(error) => error,
    };
    Err(error.with_head(status, headers))
}

/// Returns the form-encoded query. If the query contains a cursor, the parameters that the service
/// forbids together with a cursor are left out.
fn query(call: &Call) -> String {
    let listing = call.operation.listing().filter(|_| call.cursor().is_some());
    let forbidden = listing.map_or(&[] as &[_], |listing| listing.not_with_cursor);
    let (mut query, mut last) = (String::new(), None);
    for (name, value) in call.query.iter().filter(|(name, _)| !forbidden.contains(name)) {
        if let Some(by) = call.query.separator(name).filter(|_| last == Some(name)) {
            query.extend(utf8_percent_encode(&by.to_string(), SEPARATOR));
        } else {
            query.push_str(if query.is_empty() { "" } else { "&" });
            query.extend(byte_serialize(name.as_bytes()).chain(["="]));
        }
        query.extend(byte_serialize(value.as_bytes()));
        last = Some(name);
    }
    query
}

/// Copies the headers, including the bytes of their values. The received values are only slices of
/// the connection's read buffer, and would keep the whole buffer in memory.
fn own(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for value in headers.values_mut() {
        if let Ok(copy) = HeaderValue::from_bytes(value.as_bytes()) {
            *value = copy;
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{call::Query, fixture::BY_PAGE};

    #[test]
    fn the_entries_of_an_array_are_one_pair_if_something_separates_them() {
        for (separator, expected) in [
            (None, "a=b&a=c%2Cd&e=f"),
            (Some(','), "a=b,c%2Cd&e=f"),
            (Some('|'), "a=b%7Cc%2Cd&e=f"),
            (Some(' '), "a=b%20c%2Cd&e=f"),
        ] {
            let mut query = Query::default();
            query.add("a", ["b", "c,d"]);
            query.add("e", ["f"]);
            query.separate("a", separator);
            let (operation, path) = (BY_PAGE, String::new());

            let call = Call { operation, path, query, headers: Vec::new(), body: None };

            assert_eq!(super::query(&call), expected);
        }
    }
}
