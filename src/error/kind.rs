//! What can go wrong, each kind with what to do about it.

/// What went wrong, for a `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter is missing or outside the bounds of the description; nothing was sent.
    ///
    /// # Troubleshooting
    ///
    /// The message names the parameter, the bound, and the number or count given. Correct the
    /// call; the same one fails again. A checkpoint of other filters is refused in this way too.
    InvalidRequest,
    /// No access token could be had.
    ///
    /// # Troubleshooting
    ///
    /// [`oauth_error`](crate::Error::oauth_error) has the token endpoint's own code.
    /// `invalid_client`: check the identifier, the secret, and the [`AuthStyle`](crate::AuthStyle).
    /// `invalid_scope`: the client isn't granted the scope of this operation. Without a code the
    /// endpoint couldn't be reached or failed; try again if
    /// [`is_retryable`](crate::Error::is_retryable) says so.
    Token,
    /// No connection to the service could be made.
    ///
    /// # Troubleshooting
    ///
    /// Check the base URL, the name resolution, the network's way out, and the certificate; the
    /// cause is in `source()`. Nothing was sent, so any call can be tried again.
    Connect,
    /// A deadline passed, that of an attempt or that of the whole call; or `rate_limit` leaves no
    /// time before it.
    ///
    /// # Troubleshooting
    ///
    /// Listings can be tried again; raise `attempt_timeout` where pages are large, `call_timeout`
    /// where attempts fail often. Before a POST is sent again, find out whether the first one was
    /// applied ([`may_have_been_applied`](crate::Error::may_have_been_applied)).
    Timeout,
    /// The connection broke, or the answer was cut off.
    ///
    /// # Troubleshooting
    ///
    /// Usually a proxy, a deployment or the network between; listings were tried again already
    /// and can be once more. Before a POST is sent again, find out whether it was applied.
    Transport,
    /// The service answered with a status other than that of a success.
    ///
    /// # Troubleshooting
    ///
    /// [`status`](crate::Error::status) and [`problem`](crate::Error::problem) tell. 401: the token
    /// isn't accepted, though a fresh one was tried; check that token and service belong together.
    /// 403: the client may not do this, or a business rule refuses it. 404: check the base URL.
    /// 429: wait for [`retry_after`](crate::Error::retry_after), or set `rate_limit`. 3xx: the base
    /// URL isn't the service's own; redirects aren't followed. 5xx: try a listing again later.
    Status,
    /// A success could not be read as the description says.
    ///
    /// # Troubleshooting
    ///
    /// The message names the field. The service has changed, or something between answers in its
    /// place; compare [`body`](crate::Error::body) with `openapi.yaml`. Trying again doesn't help.
    /// A POST was most likely applied.
    Decode,
    /// An answer is larger than `max_response_bytes`.
    ///
    /// # Troubleshooting
    ///
    /// Ask for fewer records a page (`limit`), or raise the bound. Trying again doesn't help.
    ResponseTooLarge,
    /// A listing came back to a cursor that it had been at before.
    ///
    /// # Troubleshooting
    ///
    /// The service's pages go in a circle, and the walk was ended before a record came twice.
    /// Begin the listing again, narrowed by time where it can be; if it stays, ask the service.
    RepeatedCursor,
    /// A listing can't continue from a checkpoint: its record isn't listed any more.
    ///
    /// # Troubleshooting
    ///
    /// The record was removed, or no longer matches the filters, and others have the same
    /// `created_at`, so that what was handed out can't be told from what wasn't. Begin anew from
    /// [`Checkpoint::created_at`](crate::Checkpoint::created_at), and expect records of that time
    /// again. Trying again doesn't help.
    StaleCheckpoint,
    /// The client can't be built as asked.
    ///
    /// # Troubleshooting
    ///
    /// The message names the setting: a missing environment variable, an address that is neither
    /// https nor loopback, no credentials.
    Configuration,
}

impl ErrorKind {
    /// As spans have it.
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
