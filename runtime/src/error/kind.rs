//! What can go wrong, and what to do about each kind.

use std::fmt;

/// What went wrong, for a `match`.
///
/// It prints its name as spans have it, for a log or the label of a metric: `invalid_request`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter is missing or violates the description. Nothing was sent.
    ///
    /// # Troubleshooting
    ///
    /// The message names the parameter, the bound, and the number or count given. Correct the
    /// call: the same call would fail again. A checkpoint taken with other filters also fails this
    /// way.
    InvalidRequest,
    /// The client could not get an access token.
    ///
    /// # Troubleshooting
    ///
    /// [`oauth_error`](crate::Error::oauth_error) has the token endpoint's own code.
    /// `invalid_client`: check the identifier, the secret, and the [`AuthStyle`](crate::AuthStyle).
    /// `invalid_scope`: the client isn't granted the scope of this operation. No code: the endpoint
    /// could not be reached, or it failed. Try again if
    /// [`is_retryable`](crate::Error::is_retryable) returns true.
    Token,
    /// The client could not connect to the service.
    ///
    /// # Troubleshooting
    ///
    /// Check the base URL, DNS, the firewall, and the certificate. `source()` has the cause. Nothing
    /// was sent, so any call can be retried.
    Connect,
    /// The deadline of an attempt or of the whole call passed, or `rate_limit` would have delayed
    /// the call past it.
    ///
    /// # Troubleshooting
    ///
    /// A listing can be retried. Raise `attempt_timeout` if pages are large, and `call_timeout` if
    /// attempts fail often. Before you send a POST again, find out whether the first one was
    /// applied ([`may_have_been_applied`](crate::Error::may_have_been_applied)).
    Timeout,
    /// The connection broke, or the answer was cut short.
    ///
    /// # Troubleshooting
    ///
    /// The cause is usually a proxy, a deployment or the network, or an HTTP client of yours that
    /// followed a redirect. Where a retry can help,
    /// [`is_retryable`](crate::Error::is_retryable) is true; the client has then retried as often as
    /// [`Retry`](crate::Retry) allows. Before you send a POST again, find out whether the first
    /// one was applied. If a service refuses a large POST and closes the connection while the body
    /// is being sent, its status may be lost: send a smaller body.
    Transport,
    /// The service answered with an unexpected status.
    ///
    /// # Troubleshooting
    ///
    /// See [`status`](crate::Error::status) and [`problem`](crate::Error::problem). 401: the
    /// service rejects the token, and its replacement if there was one; check that the token endpoint
    /// belongs to this service. 403: the client isn't allowed to do this, or a business rule forbids it. 404: check the base
    /// URL. 429: wait for [`retry_after`](crate::Error::retry_after), or set `rate_limit`. A call that is
    /// held back behind another one's 429 has it too, without headers, and was sent
    /// [`attempts`](crate::Error::attempts) times, perhaps never. 3xx: the
    /// base URL isn't the service's own; the client doesn't follow redirects. 5xx: retry a listing
    /// later.
    Status,
    /// A successful answer doesn't match the description, or a listing doesn't come in the order of its
    /// records' times.
    ///
    /// # Troubleshooting
    ///
    /// The message names the field. Either the service has changed, or a proxy answered in its
    /// place; compare [`body`](crate::Error::body) with `openapi.yaml`. Retrying doesn't help. A
    /// POST was most likely applied. If the message names the order, no record can be promised to come
    /// once, and the stream has ended: list anew without [`concurrency`](crate::Items::concurrency) and
    /// without a filter that has to be split.
    Decode,
    /// The answer is larger than `max_response_bytes`.
    ///
    /// # Troubleshooting
    ///
    /// Ask for smaller pages, or raise the bound. Retrying doesn't help.
    ResponseTooLarge,
    /// A listing returned a cursor that it had returned before.
    ///
    /// # Troubleshooting
    ///
    /// The service's pages form a loop, and the stream has ended. A cursor that leads to itself has
    /// returned no record twice; one that leads back to an earlier page may have returned those of that
    /// page again. Start the listing again, with a shorter time range if it has one. If the error
    /// persists, contact the service.
    RepeatedCursor,
    /// A listing can't go on from a checkpoint without losing records.
    ///
    /// # Troubleshooting
    ///
    /// Mostly, its record was removed or no longer matches the filters. Other records have the same
    /// time, so the client can't tell which of them it has already returned. Start a new
    /// listing from [`Checkpoint::created_at`](crate::Checkpoint::created_at), and expect records
    /// of that time again; or from the beginning, if the listing can't be filtered by time. The message
    /// says so if records have arrived before the last one of a listing that was finished (start at an
    /// earlier time, or follow it), or if the checkpoint of a followed listing lies ahead of now (follow it
    /// anew). Retrying doesn't help.
    StaleCheckpoint,
    /// The client's settings are invalid.
    ///
    /// # Troubleshooting
    ///
    /// The message names the setting, such as a missing environment variable, an address that is
    /// neither https nor loopback, or missing credentials.
    Configuration,
}

impl ErrorKind {
    /// The name of the kind in spans.
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
