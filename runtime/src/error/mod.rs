//! The error type of all calls, with methods that describe the failure.

mod display;
#[cfg(feature = "sandbox")]
mod fake;
mod kind;
mod make;
pub(crate) use make::token;
mod problem;
mod rejected_value;

use std::{borrow::Cow, fmt::Display, sync::Arc, time::Duration};

use reqwest::{Method, StatusCode, header::HeaderMap};
use serde::de::DeserializeOwned;

pub use self::{kind::ErrorKind, problem::Problem, rejected_value::RejectedValue};
use crate::Operation;

/// A boxed error of any type, like `tower::BoxError`.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// The error of a failed call, or of a client that could not be built.
///
/// `Display` prints one line: the operation, the message and the status. `{:#}` adds the causes on
/// the same line, with unprintable characters escaped.
///
/// Neither `Display` nor `Debug` prints text from the response, because this text may contain an
/// account number, a secret, or characters that reorder the text around them. [`body`](Self::body)
/// and [`problem`](Self::problem) return this text, and [`with_problem`](Self::with_problem) prints
/// a part of it.
///
/// For example, a gateway can map an error to an HTTP status, depending on who is at fault:
///
/// ```
/// # use oas_client::{Error, ErrorKind};
/// fn status_for_our_caller(error: &Error) -> u16 {
///     match (error.kind(), error.status().map(|status| status.as_u16())) {
///         // Our caller: a bad value, cursor or identifier that the client or service rejects.
///         (ErrorKind::InvalidRequest, _) => 400,
///         (ErrorKind::Status, Some(status @ (400 | 404 | 409 | 422))) => status,
///         // Ourselves: our settings, our checkpoint, our client's rights.
///         (ErrorKind::Configuration | ErrorKind::StaleCheckpoint, _) => 500,
///         (ErrorKind::Status, Some(401 | 403)) => 500,
///         // Too many requests at once. Pass `retry_after()` on.
///         (ErrorKind::Status, Some(429 | 503)) => 503,
///         (ErrorKind::Timeout, _) => 504,
///         // The service, its token endpoint, or the network.
///         _ => 502,
///     }
/// }
/// # #[cfg(feature = "sandbox")]
/// # for (kind, status, expected) in [
/// #     (ErrorKind::Status, Some(400), 400),
/// #     (ErrorKind::Status, Some(403), 500),
/// #     (ErrorKind::Status, Some(418), 502),
/// #     (ErrorKind::Connect, None, 502),
/// # ] {
/// #     let status = status.map(|code| oas_client::reqwest::StatusCode::from_u16(code).unwrap());
/// #     assert_eq!(status_for_our_caller(&Error::fake(kind, status)), expected);
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    operation: Option<Operation>,
    attempts: u32,
    status: Option<StatusCode>,
    headers: Option<HeaderMap>,
    body: Option<Vec<u8>>,
    problem: Option<Problem>,
    retry_after: Option<Duration>,
    oauth_error: Option<String>,
    rejected_value: Option<RejectedValue>,
    retry: RetryHint,
    effect: Effect,
    /// Whether an earlier attempt of the same call may have had an effect.
    earlier_effect: bool,
    /// Whether repeating the request has no further effect.
    idempotent: bool,
    source: Option<Cause>,
}

/// Whether a retry may succeed, if this is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RetryHint {
    /// This depends on the error's kind and status.
    Unknown,
    Fails,
    MaySucceed,
    /// The client itself retries the token request that failed with this error.
    OfToken,
}

/// The effect of a call's last attempt on the service, if the effect is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// This depends on the error's kind and status.
    Unknown,
    None,
    /// There was no effect, because the service said that it didn't process the request.
    Unprocessed,
}

impl Error {
    /// Returns the error's kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the operation that was called. `None` if the error didn't occur in a call, for
    /// example while the client was built.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// Returns the HTTP status of the response, even if the response was successful but could not
    /// be read. For a token error, this is the status from the token endpoint.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// Returns the headers of the response. For a token error, these are the headers from the token
    /// endpoint.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.headers.as_ref()
    }

    /// Returns the body of the response. `None` for a token endpoint's response.
    ///
    /// - If the response has an error status, this is the part of the body that arrived within 2 s
    ///   after the headers, up to 64 KiB.
    /// - If a successful response can't be decoded, this is the whole body.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        self.0.body.as_deref()
    }

    /// Decodes the [`body`](Self::body) as JSON, for services whose errors aren't RFC 7807 objects.
    /// `None` if there is no body, or if it isn't such a value.
    ///
    /// ```
    /// # use oas_client::Error;
    /// #[derive(serde::Deserialize)]
    /// struct Refusal {
    ///     code: String,
    /// }
    ///
    /// fn is_full(error: &Error) -> bool {
    ///     error.body_as::<Refusal>().is_some_and(|refusal| refusal.code == "depot_full")
    /// }
    /// ```
    #[must_use]
    pub fn body_as<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(self.body()?).ok()
    }

    /// Returns the RFC 7807 object from the body, regardless of the content type. `None` if the
    /// body contains no such object.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// Returns a value that displays the error with the title and detail of its
    /// [`problem`](Self::problem).
    ///
    /// Use this method only if you may log the title and the detail. Both come from the service and
    /// may repeat data from the request.
    ///
    /// If the service echoes the access token of the request, the token is replaced by `[token]`.
    ///
    /// The output is a single line. Unprintable characters, such as control characters and
    /// characters that change the direction of text, are escaped as in Rust literals. The title and
    /// the detail are each cut off after 1,000 characters. If the title only repeats the status
    /// (`Conflict` after `409 Conflict`), it is left out.
    ///
    /// ```
    /// # fn log(error: &oas_client::Error) {
    /// eprintln!("{}", error.with_problem());
    /// // addParcels: the service responded with 409 Conflict: Exists: A parcel has this number
    /// # }
    /// ```
    #[must_use]
    pub fn with_problem(&self) -> impl Display {
        display::WithProblem(self)
    }

    /// Returns the parameter or the part of the body that the client rejected before it sent
    /// anything. `None` for every other error.
    #[must_use]
    pub fn rejected_value(&self) -> Option<&RejectedValue> {
        self.0.rejected_value.as_ref()
    }

    /// Returns the time to wait before the next call. This is usually the time from the service's
    /// `Retry-After` header (RFC 9110, section 10.2.3).
    ///
    /// - If the client didn't send the request because of an earlier 429, `rate_limit`, or a failed
    ///   token request, this is the remaining waiting time.
    /// - After a 401, this is the time until the client can replace the token.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns the number of attempts, including attempts that could not connect. Returns 0 if
    /// the call failed before its first attempt.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns the `error` code from the token endpoint's response (RFC 6749, section 5.2).
    #[must_use]
    pub fn oauth_error(&self) -> Option<&str> {
        self.0.oauth_error.as_deref()
    }

    /// Returns whether the same call may succeed later and can safely be repeated.
    ///
    /// For a GET, this is true for connect errors, timeouts, broken connections, 408, 429 and 5xx,
    /// including such failures of the token endpoint. Any other request must also be idempotent
    /// ([`CallOptions::idempotent`](crate::CallOptions::idempotent)), or it must be certain that
    /// the request had no effect.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.is_transient() && (self.0.idempotent || !self.may_have_been_applied())
    }

    /// Returns whether a POST, or another request that isn't a GET, may have had an effect. Always
    /// false for a GET.
    ///
    /// If the call made several attempts, this is true if one of the attempts may have had an
    /// effect. The result of each attempt counts as follows:
    ///
    /// | result of an attempt | may have had an effect |
    /// |---|---|
    /// | the client rejected the request, got no token, or could not connect | false |
    /// | the service said that it didn't process the request (RFC 9113, sections 7 and 8.7) | false |
    /// | 4xx other than 408 | false |
    /// | 408, 5xx, 3xx, or an unexpected success status | true |
    /// | connection reset or timeout after sending, or truncated response | true |
    /// | successful response that can't be decoded or is too large | true |
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let read_only = |operation: Operation| operation.method() == Method::GET;
        if self.0.attempts == 0 || self.0.operation.is_none_or(read_only) {
            return false;
        }
        if self.0.earlier_effect {
            return true;
        }
        if self.0.effect != Effect::Unknown {
            return false;
        }
        match self.0.kind {
            ErrorKind::Timeout
            | ErrorKind::Transport
            | ErrorKind::Decode
            | ErrorKind::ResponseTooLarge => true,
            ErrorKind::Status => self.status().is_none_or(|status| {
                !status.is_client_error() || status == StatusCode::REQUEST_TIMEOUT
            }),
            _ => false,
        }
    }

    /// Creates an error for a [`TokenSource`](crate::TokenSource) to return.
    ///
    /// `Display` prints the message, so the message must not contain a secret.
    /// [`is_retryable`](Self::is_retryable) returns false for this error, unless you call
    /// [`retryable`](Self::retryable) on it.
    #[must_use]
    pub fn token(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Token, message.into())
    }

    /// Like [`token`](Self::token), but creates the error from its cause, with a fixed message.
    #[must_use]
    pub fn token_from(source: impl Into<BoxError>) -> Self {
        Self::new(ErrorKind::Token, "the token source failed").caused_by(source)
    }

    /// Marks an error from a [`TokenSource`](crate::TokenSource) as temporary, for example because
    /// another process hasn't written the token file yet.
    ///
    /// After a pause, the client requests a token again for all waiting calls whose deadline is
    /// after the end of the pause. [`is_retryable`](Self::is_retryable) returns true for the marked
    /// error.
    ///
    /// ```
    /// # use oas_client::Error;
    /// let error = Error::token("the token file isn't there yet").retryable();
    ///
    /// assert!(error.is_retryable());
    /// ```
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retry = RetryHint::OfToken;
        self
    }
}

/// Returns whether a failure with this status may be temporary.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::REQUEST_TIMEOUT
        || status == StatusCode::TOO_MANY_REQUESTS
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
