//! Records fields in the tracing spans of calls and attempts. The fields are named as in
//! OpenTelemetry.

use reqwest::{StatusCode, Url};
use tracing::Span;

use crate::{Error, ErrorKind};

/// Returns the URL's host, without the brackets around an IPv6 address.
pub(super) fn host(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.trim_matches(['[', ']']))
}

/// Records the result of a call or an attempt in its span. For an unexpected status, `error.type`
/// is the status. For any other error, `error.type` is the name of the error's kind.
pub(super) fn record(span: &Span, outcome: Result<StatusCode, &Error>) {
    // Only a status from the call's own response is recorded. A token error has the status of the
    // token endpoint, and a call that was held back has the status of another call.
    let own = |error: &Error| error.kind() != ErrorKind::Token && error.headers().is_some();
    let status = outcome.map_or_else(|error| error.status().filter(|_| own(error)), Some);
    if let Some(status) = status {
        // The number is signed, because `tracing-opentelemetry` exports unsigned numbers as
        // strings.
        span.record("http.response.status_code", i64::from(status.as_u16()));
    }
    let Err(error) = outcome else { return };
    span.record("otel.status_code", "ERROR");
    let status = error.status().filter(|_| error.kind() == ErrorKind::Status);
    let kind = error.kind().name();
    span.record("error.type", status.as_ref().map_or(kind, StatusCode::as_str));
}
