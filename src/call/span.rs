//! What the spans of a call and its attempts record, by the names of OpenTelemetry.

use reqwest::{StatusCode, Url};
use tracing::Span;

use crate::{Error, ErrorKind};

/// The host without the brackets that a URL puts around an IPv6 address.
pub(super) fn host(url: &Url) -> Option<&str> {
    url.host_str().map(|host| host.trim_matches(['[', ']']))
}

pub(super) fn record_status(span: &Span, status: StatusCode) {
    // Signed: `tracing-opentelemetry` shows unsigned numbers as text.
    span.record("http.response.status_code", i64::from(status.as_u16()));
}

/// A failure's type is its status, or else the name of its kind.
pub(super) fn record(span: &Span, error: &Error) {
    span.record("otel.status_code", "ERROR");
    // The status of a token error comes from another server.
    let status = error.status().filter(|_| error.kind() != ErrorKind::Token);
    // A call that was held back had no answer of its own.
    if let (Some(status), Some(_)) = (status, error.headers()) {
        record_status(span, status);
    }
    match status.filter(|_| error.kind() == ErrorKind::Status) {
        Some(status) => span.record("error.type", status.as_str()),
        None => span.record("error.type", error.kind().name()),
    };
}
