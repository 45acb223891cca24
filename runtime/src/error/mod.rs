//! One error type for everything that can go wrong, with predicates.

mod display;
#[cfg(feature = "sandbox")]
mod fake;
mod kind;
mod make;
mod problem;

use std::{borrow::Cow, fmt::Display, sync::Arc, time::Duration};

use reqwest::{Method, StatusCode, header::HeaderMap};

pub use self::{kind::ErrorKind, problem::Problem};
use crate::Operation;

/// An error of any type, as in tower.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
///
/// An error prints as one line: the operation, what happened, and the status. `{:#}` adds the
/// causes, on the same line and with unprintable characters escaped. Neither `Display` nor `Debug`
/// prints the service's own words, because they may contain an account number, a secret, or
/// characters that reorder the text around them. [`body`](Self::body) and
/// [`problem`](Self::problem) return them, and [`with_problem`](Self::with_problem) prints them.
///
/// A gateway can map an error to a status, depending on who is at fault:
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
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// Whether a retry may succeed, if the kind doesn't decide it.
    transient: Option<bool>,
    /// Whether the client retries the token request that failed with this error.
    retries_token: bool,
    /// The request certainly had no effect.
    not_sent: bool,
    /// The service said that it didn't process the request.
    unprocessed: bool,
    /// An earlier attempt of the call may have had an effect.
    earlier_effect: bool,
    /// A repeated request has no further effect.
    idempotent: bool,
    source: Option<Cause>,
}

impl Error {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operation that was called.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// The status of the response, even if a successful response could not be read. For a token
    /// error, the token endpoint's status.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// The headers of the response.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.headers.as_ref()
    }

    /// The body of the response. For an error status, the first 64 KiB that arrive within 2 s of
    /// the headers. For a successful response that can't be decoded, the whole body. `None` for a
    /// token endpoint's response.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        self.0.body.as_deref()
    }

    /// The RFC 7807 object in the body, whatever the content type. `None` if the body contains no
    /// such object.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// Prints the error with the title and the detail of its [`problem`](Self::problem). Use this
    /// only if you may log the title and the detail: both are the service's words and may repeat
    /// the request's data.
    ///
    /// The output is still one line. Unprintable characters, such as control characters and those
    /// that change the direction of text, are escaped as in Rust literals. Title and detail are
    /// each cut after 1,000 characters. A title that repeats the status (`Conflict` after `409
    /// Conflict`) is left out.
    ///
    /// ```
    /// # fn log(error: &oas_client::Error) {
    /// eprintln!("{}", error.with_problem());
    /// // addParcels: the service answered 409 Conflict: Exists: A parcel has this number
    /// # }
    /// ```
    #[must_use]
    pub fn with_problem(&self) -> impl Display {
        display::WithProblem(self)
    }

    /// The time to wait before the next call: the `Retry-After` of the service (RFC 9110, section
    /// 10.2.3).
    ///
    /// - If the client held the call back, this is the remaining time of the hold after a 429, of
    ///   the wait for `rate_limit`, or of the pause after a failed token request.
    /// - If the status is 401, this is the time until the client can replace the token.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The number of attempts to send the request, including failed connections. 0 if the request
    /// was never sent.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The `error` code of the token endpoint (RFC 6749, section 5.2).
    #[must_use]
    pub fn oauth_error(&self) -> Option<&str> {
        self.0.oauth_error.as_deref()
    }

    /// Whether the same call may succeed later and can safely be repeated.
    ///
    /// True for connect errors, timeouts, broken connections, 408, 429 and 5xx, including those of
    /// the token endpoint. For a request that isn't a GET, true only if it certainly had no effect,
    /// or if it may be repeated ([`CallOptions::idempotent`](crate::CallOptions::idempotent)).
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.is_transient() && (self.0.idempotent || !self.may_have_been_applied())
    }

    /// Whether a POST may have had an effect. Always false for a GET.
    ///
    /// If the POST was sent several times, true if one of its attempts may have had an effect.
    ///
    /// | what happened to the POST | |
    /// |---|---|
    /// | rejected before sending, no token, no connection | false |
    /// | not processed, as the service says (RFC 9113, sections 7 and 8.7) | false |
    /// | 401, 403, 429 and other 4xx | false |
    /// | 408, 5xx, 3xx, another success status | true |
    /// | connection reset or timeout after sending, truncated response | true |
    /// | successful response that can't be read, or is too large | true |
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let read_only = |operation: Operation| operation.method() == Method::GET;
        if self.0.attempts == 0 || self.0.operation.is_none_or(read_only) {
            return false;
        }
        if self.0.earlier_effect {
            return true;
        }
        if self.0.not_sent {
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

    /// Creates an error for a [`TokenSource`](crate::TokenSource) to return. `Display` prints the
    /// message, so the message must not contain a secret. [`is_retryable`](Self::is_retryable)
    /// returns false for this error, unless [`retryable`](Self::retryable) is added.
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
    /// another process hasn't written the token's file yet. The calls that wait for the token
    /// repeat the request after the pause, as long as their deadline allows.
    /// [`is_retryable`](Self::is_retryable) then returns true.
    ///
    /// ```
    /// # use oas_client::Error;
    /// let error = Error::token("the token file isn't there yet").retryable();
    ///
    /// assert!(error.is_retryable());
    /// ```
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retries_token = true;
        self.with_transient(true)
    }
}

/// Whether a failure with this status may be temporary.
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
