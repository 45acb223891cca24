//! The kinds of errors, with advice on how to react to each kind.

use std::fmt;

/// The kind of an [`Error`](crate::Error), for use in a `match`.
///
/// `Display` prints a name such as `invalid_request`, for logs and metric labels. Tracing spans
/// contain the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The call is invalid: a parameter or a header is wrong, or a stream was used incorrectly. The
    /// request wasn't sent.
    ///
    /// # Troubleshooting
    ///
    /// Correct the call, because the same call would fail again. The message names the cause:
    ///
    /// - a parameter that is missing or violates the OpenAPI description (if a number, a length or
    ///   a count is out of range, the message contains its value and the limit)
    /// - an option or a layer that prevents the request from being sent
    /// - `resume`, `concurrency` or `follow`, if the stream doesn't support the method or has
    ///   already started
    /// - a checkpoint that was made by another listing, or with other filters or another base URL
    InvalidRequest,
    /// The client could not get an access token.
    ///
    /// # Troubleshooting
    ///
    /// [`oauth_error`](crate::Error::oauth_error) returns the error code from the token endpoint:
    ///
    /// - `invalid_client`: check the identifier, the secret, and the
    ///   [`AuthStyle`](crate::AuthStyle).
    /// - `invalid_scope`: the client isn't allowed to request the scope of this operation.
    /// - no code: the token endpoint could not be reached or failed, or your own token source
    ///   failed.
    ///
    /// Retry the call if [`is_retryable`](crate::Error::is_retryable) returns true.
    Token,
    /// The client could not connect to the service.
    ///
    /// # Troubleshooting
    ///
    /// Check the base URL, DNS, the firewall, and the certificate. `source()` returns the cause. The
    /// last attempt sent nothing. If an earlier attempt of the same call sent the request,
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied) takes that attempt into
    /// account.
    Connect,
    /// The deadline of an attempt or of the whole call passed, or `rate_limit` would have delayed
    /// the call past the deadline.
    ///
    /// # Troubleshooting
    ///
    /// It is safe to retry a listing. Raise `attempt_timeout` if pages are large, and
    /// `call_timeout` if attempts fail often. Before you send a POST again, call
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied). If it returns true, find out
    /// whether the service applied the first POST.
    Timeout,
    /// The connection broke, the response was truncated, or the HTTP service that you passed to the
    /// builder failed.
    ///
    /// # Troubleshooting
    ///
    /// The cause is usually a proxy, a deployment of the service, or the network. `source()`
    /// returns the original error.
    ///
    /// - If [`is_retryable`](crate::Error::is_retryable) returns true, a later retry can help. The
    ///   client has already retried such a call as often as [`Retry`](crate::Retry) allows.
    /// - Before you send a POST again, find out whether the service applied the first POST.
    /// - If the call was a large POST, the service may have rejected it and closed the connection
    ///   before the whole body was sent. In this case, the status is lost. Send a smaller body.
    /// - If you passed your own HTTP client or service to the builder, that client or service may
    ///   have failed, or may have followed a redirect.
    Transport,
    /// The service returned an unexpected status.
    ///
    /// # Troubleshooting
    ///
    /// See [`status`](crate::Error::status) and [`problem`](crate::Error::problem).
    ///
    /// | status | meaning and advice |
    /// |---|---|
    /// | 401 | The service rejected the token. If the client replaced the token, the service rejected the new token as well. Check that the token endpoint belongs to this service. |
    /// | 403 | The client isn't allowed to make this call, or a business rule forbids it. Unlike after a 401, the client doesn't replace the token. |
    /// | 404 | Check the identifiers in the call. If every call fails, check the base URL. |
    /// | 429 | Wait for [`retry_after`](crate::Error::retry_after), or set `rate_limit`. If this call was held back because of another call's 429, the error has no headers, and [`attempts`](crate::Error::attempts) may be 0. |
    /// | 3xx | The service redirects the request, so the base URL is probably wrong. The client doesn't follow redirects. |
    /// | 5xx | The service failed. A listing can be retried later. Before you send a POST again, find out whether the service applied the first POST. |
    Status,
    /// A successful response doesn't match the OpenAPI description, or the records of a listing
    /// aren't sorted by `created_at`.
    ///
    /// # Troubleshooting
    ///
    /// The message names the field that could not be read. Either the service has changed, or a
    /// proxy responded instead of the service. Compare [`body`](crate::Error::body) with
    /// `openapi.yaml`. Retrying doesn't help. A POST was most likely applied.
    ///
    /// If the message mentions the order, the service doesn't sort by `created_at`, so records may
    /// be missing or repeated, and the stream has ended. List again without
    /// [`concurrency`](crate::Items::concurrency), and with few enough filter entries for one request.
    Decode,
    /// The response is larger than `max_response_bytes`.
    ///
    /// # Troubleshooting
    ///
    /// Request fewer records per page, or raise `max_response_bytes`. Retrying doesn't help.
    ResponseTooLarge,
    /// A listing returned a cursor that it had returned before, or 100 pages in a row that only
    /// repeat the records of the page before them.
    ///
    /// # Troubleshooting
    ///
    /// The service's pages form a loop, and the stream has ended. If the loop leads back to an
    /// earlier page, the records on that page may have been returned twice. Start the listing
    /// again. If the listing has a time range, shorten the range. If the error persists, contact
    /// the service.
    RepeatedCursor,
    /// A listing can't continue from a checkpoint without losing records.
    ///
    /// # Troubleshooting
    ///
    /// Usually, the last record before the checkpoint was removed or no longer matches the filters,
    /// and other records have the same `created_at`. Start a new listing from
    /// [`Checkpoint::created_at`](crate::Checkpoint::created_at), which returns the records from
    /// that time again. If the listing can't be filtered by time, start from the beginning.
    /// Retrying doesn't help.
    ///
    /// There are two other causes, which the message names:
    ///
    /// - If records have appeared before the last record of a finished listing, start at an earlier
    ///   time, or follow the listing.
    /// - If the checkpoint of a followed listing is later than the service's clock, start following
    ///   again without the checkpoint.
    StaleCheckpoint,
    /// The client's settings are invalid.
    ///
    /// # Troubleshooting
    ///
    /// The message names the problem: for example, a missing environment variable, missing
    /// credentials, or an address that is neither https nor loopback.
    Configuration,
}

impl ErrorKind {
    /// Returns the kind's name, which `Display` and the tracing spans use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::Token => "token",
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::Transport => "transport",
            Self::Status => "status",
            Self::Decode => "decode",
            Self::ResponseTooLarge => "response_too_large",
            Self::RepeatedCursor => "repeated_cursor",
            Self::StaleCheckpoint => "stale_checkpoint",
            Self::Configuration => "configuration",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
