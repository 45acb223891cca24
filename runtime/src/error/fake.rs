//! Creates errors for tests of a program's error handling.

use reqwest::{StatusCode, header::HeaderMap};

use super::{Error, ErrorKind, is_transient};

impl Error {
    /// Creates an error as if a call had failed, for tests of your error handling. Requires the
    /// `sandbox` feature.
    ///
    /// The error has no operation, so [`may_have_been_applied`](Self::may_have_been_applied)
    /// returns false. If you pass a status, the error's response has this status, no headers and no
    /// body. [`attempts`](Self::attempts) returns 0 for `InvalidRequest`, `Configuration` and
    /// `Token`, and 1 for every other kind.
    ///
    /// ```
    /// # use oas_client::{Error, ErrorKind};
    /// use reqwest::StatusCode;
    ///
    /// fn status_to_show(error: &Error) -> u16 {
    ///     match (error.kind(), error.status()) {
    ///         (ErrorKind::InvalidRequest, _) => 400,
    ///         (ErrorKind::Status, Some(StatusCode::NOT_FOUND)) => 404,
    ///         _ if error.is_retryable() => 503,
    ///         _ => 502,
    ///     }
    /// }
    ///
    /// assert_eq!(status_to_show(&Error::fake(ErrorKind::Status, StatusCode::NOT_FOUND)), 404);
    /// assert_eq!(status_to_show(&Error::fake(ErrorKind::Timeout, None)), 503);
    /// assert_eq!(status_to_show(&Error::fake(ErrorKind::Decode, StatusCode::OK)), 502);
    /// ```
    #[must_use]
    pub fn fake(kind: ErrorKind, status: impl Into<Option<StatusCode>>) -> Self {
        let status = status.into();
        let mut error = Self::new(kind, "an error for a test");
        error.0.attempts = match kind {
            ErrorKind::InvalidRequest | ErrorKind::Configuration | ErrorKind::Token => 0,
            _ => 1,
        };
        error.0.status = status;
        error.0.headers = status.map(|_| HeaderMap::new());
        if kind == ErrorKind::Token {
            if let Some(status) = status {
                error = error.with_transient(is_transient(status));
            }
        } else {
            error.0.body = status.map(|_| Vec::new());
        }
        error
    }
}
