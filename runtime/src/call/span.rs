//! The fields that the spans of a call and its attempts record, named as in OpenTelemetry.

use reqwest::{StatusCode, Url};
use tracing::Span;

use crate::{Error, ErrorKind};

/// The host without the brackets that a URL puts around an IPv6 address.
pub(super) fn host(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.trim_matches(['[', ']']))
}

/// Records the result of a call or an attempt in its span. The `error.type` of a failure is its
/// status. If the failure has no status, it is the name of the error's kind.
pub(super) fn record(span: &Span, outcome: Result<StatusCode, &Error>) {
    // The status of a token error comes from another server. A call that was held back got no
    // response of its own.
    let own = |error: &Error| error.kind() != ErrorKind::Token && error.headers().is_some();
    let status = outcome.map_or_else(|error| error.status().filter(|_| own(error)), Some);
    if let Some(status) = status {
        // The number is signed, because `tracing-opentelemetry` shows unsigned numbers as text.
        span.record("http.response.status_code", i64::from(status.as_u16()));
    }
    let Err(error) = outcome else { return };
    span.record("otel.status_code", "ERROR");
    let status = error.status().filter(|_| error.kind() == ErrorKind::Status);
    let kind = error.kind().name();
    span.record("error.type", status.as_ref().map_or(kind, StatusCode::as_str));
}
