//! One error for everything that can go wrong, with predicates.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use reqwest::{Method, StatusCode, header::HeaderMap};

use crate::{Operation, Problem};

type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
///
/// It prints as one line: the operation, what happened, the status, and the title of the
/// service's own problem. Bodies, headers, identifiers, addresses and secrets are never printed,
/// neither by Display nor by Debug; [`body`](Self::body) and [`problem`](Self::problem) have what
/// the service said.
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    operation: Option<Operation>,
    attempts: u32,
    answer: Option<Answer>,
    problem: Option<Problem>,
    retry_after: Option<Duration>,
    oauth_error: Option<String>,
    /// Whether another try may succeed, where the kind doesn't tell.
    passing: Option<bool>,
    /// The request certainly had no effect.
    unapplied: bool,
    source: Option<Cause>,
}

/// What is kept of an answer.
#[derive(Clone)]
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

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
    /// [`oauth_error`](Error::oauth_error) has the token endpoint's own code. `invalid_client`:
    /// check the identifier, the secret, and the [`AuthStyle`](crate::AuthStyle).
    /// `invalid_scope`: the client isn't granted the scope of this operation. Without a code the
    /// endpoint couldn't be reached or failed; try again if
    /// [`is_retryable`](Error::is_retryable) says so.
    Token,
    /// No connection to the service could be made.
    ///
    /// # Troubleshooting
    ///
    /// Check the base URL, the name resolution, the network's way out, and the certificate; the
    /// cause is in `source()`. Nothing was sent, so any call can be tried again.
    Connect,
    /// A deadline passed: that of an attempt, or that of the whole call.
    ///
    /// # Troubleshooting
    ///
    /// Listings can be tried again; raise `attempt_timeout` where pages are large, `call_timeout`
    /// where attempts fail often. Before a POST is sent again, find out whether the first one was
    /// applied ([`may_have_been_applied`](Error::may_have_been_applied)).
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
    /// [`status`](Error::status) and [`problem`](Error::problem) tell. 401: the token isn't
    /// accepted, though a fresh one was tried; check that token and service belong together. 403:
    /// the client may not do this, or a business rule refuses it. 404: check the base URL. 429:
    /// wait for [`retry_after`](Error::retry_after), or set `rate_limit`. 3xx: the base URL isn't
    /// the service's own; redirects aren't followed. 5xx: try a listing again later.
    Status,
    /// A success could not be read as the description says.
    ///
    /// # Troubleshooting
    ///
    /// The message names the field. The service has changed, or something between answers in its
    /// place; compare [`body`](Error::body) with `openapi.yaml`. Trying again doesn't help. A
    /// POST was most likely applied.
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
            Self::Configuration => "configuration",
        }
    }
}

impl Error {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operation that was called.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// The status of the answer, also where a success couldn't be read; of a token error, the
    /// token endpoint's.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.answer.as_ref().map(|answer| answer.status)
    }

    /// The headers of the answer.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.answer.as_ref().map(|answer| &answer.headers)
    }

    /// The body of the answer: of a failure its first 64 KiB, of a success that couldn't be read
    /// the whole. None of a token endpoint's.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        let answer = self.0.answer.as_ref().filter(|_| self.0.kind != ErrorKind::Token);
        answer.map(|answer| answer.body.as_slice())
    }

    /// The RFC 7807 object in the body, if there is one, whatever the content type.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// How long the service wants to be left alone (RFC 9110, section 10.2.3).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// How often the request was sent; 0 when it wasn't.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The `error` code of the token endpoint (RFC 6749, section 5.2).
    #[must_use]
    pub fn oauth_error(&self) -> Option<&str> {
        self.0.oauth_error.as_deref()
    }

    /// Whether the same call may succeed later, and can be repeated without harm.
    ///
    /// True of connect errors, timeouts, broken connections, 408, 429 and 5xx, but of a POST only
    /// where it certainly had no effect.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.is_transient() && !self.may_have_been_applied()
    }

    /// Whether a POST may have had an effect; of a GET never.
    ///
    /// | what happened to the POST | |
    /// |---|---|
    /// | refused before sending, no token, no connection | false |
    /// | 401, 403, 429 and other 4xx | false |
    /// | 408, 5xx, 3xx, a success of another status | true |
    /// | reset or timeout after sending, a truncated answer | true |
    /// | a success that can't be read, is too large, or doesn't repeat the request | true |
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let read_only = |operation: Operation| operation.method() == Method::GET;
        if self.0.attempts == 0 || self.0.unapplied || self.0.operation.is_none_or(read_only) {
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

    /// An error of a [`TokenSource`](crate::TokenSource). The message is printed: it must not
    /// hold a secret.
    #[must_use]
    pub fn token(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Token, message.into())
    }

    /// An error of a [`TokenSource`](crate::TokenSource) that keeps its cause.
    #[must_use]
    pub fn token_from(
        source: impl Into<Box<dyn std::error::Error + Send + Sync + 'static>>,
    ) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = source.into();
        let mut error = Self::new(ErrorKind::Token, "no access token could be had");
        error.0.source = Some(Arc::from(source));
        error
    }
}

/// How the crate's own rooms make errors.
impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            operation: None,
            attempts: 0,
            answer: None,
            problem: None,
            retry_after: None,
            oauth_error: None,
            passing: None,
            unapplied: false,
            source: None,
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message.into())
    }

    pub(crate) fn configuration(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Configuration, message)
    }

    /// A request that reqwest couldn't build.
    pub(crate) fn unbuilt(error: reqwest::Error) -> Self {
        Self::new(ErrorKind::InvalidRequest, "the request can't be built")
            .caused_by(without_url(error))
    }

    /// An answer whose status is not that of a success.
    pub(crate) fn refused(answer: Answer) -> Self {
        let mut error = Self::new(ErrorKind::Status, "the service answered");
        error.0.problem = Problem::read(&answer.body);
        error.0.answer = Some(answer);
        error
    }

    pub(crate) fn of(mut self, operation: Operation) -> Self {
        self.0.operation = Some(operation);
        self
    }

    pub(crate) fn after(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn answered(mut self, answer: Answer) -> Self {
        self.0.answer = Some(answer);
        self
    }

    pub(crate) fn caused_by(
        mut self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn retry_in(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    pub(crate) fn oauth(mut self, code: Option<String>) -> Self {
        self.0.oauth_error = code;
        self
    }

    /// Another try may succeed, or won't, whatever the kind says.
    pub(crate) fn passing(mut self, passing: bool) -> Self {
        self.0.passing = Some(passing);
        self
    }

    /// The token endpoint has answered, and would answer the same again.
    pub(crate) fn is_refused_token(&self) -> bool {
        self.0.kind == ErrorKind::Token && self.0.answer.is_some() && !self.is_transient()
    }

    /// The request can't have had an effect, whatever the kind of failure.
    pub(crate) fn without_effect(mut self) -> Self {
        self.0.unapplied = true;
        self
    }

    /// A failure shared by all who waited for it.
    pub(crate) fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether the failure may pass, whatever was sent.
    pub(crate) fn is_transient(&self) -> bool {
        self.0.passing.unwrap_or_else(|| match self.0.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Transport => true,
            ErrorKind::Status => self.status().is_some_and(is_transient),
            _ => false,
        })
    }
}

/// Statuses that may be others a moment later.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::REQUEST_TIMEOUT
        || status == StatusCode::TOO_MANY_REQUESTS
}

/// A URL holds filters and addresses, which have no place in what is printed.
pub(crate) fn without_url(error: reqwest::Error) -> reqwest::Error {
    error.without_url()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(status) = self.status() {
            write!(f, " {status}")?;
        }
        if let Some(code) = &self.0.oauth_error {
            write!(f, " ({code})")?;
        }
        if let Some(title) = self.0.problem.as_ref().and_then(|p| p.title.as_deref()) {
            f.write_str(": ")?;
            write_title(f, title)?;
        }
        if self.0.attempts > 1 {
            write!(f, " (after {} attempts)", self.0.attempts)?;
        }
        Ok(())
    }
}

/// On one line, and without the words that may be data: identifiers, addresses, amounts and tokens
/// have digits in them, or are longer than any word.
fn write_title(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    let line: String = title.chars().take(200).collect();
    let is_data =
        |word: &str| word.len() > 24 || (word.len() > 5 && word.contains(|c: char| c.is_numeric()));
    for (at, word) in line.split(|c: char| c.is_whitespace() || c.is_control()).enumerate() {
        let space = if at == 0 { "" } else { " " };
        write!(f, "{space}{}", if is_data(word) { "…" } else { word })?;
    }
    Ok(())
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("operation", &self.0.operation)
            .field("message", &self.0.message)
            .field("status", &self.status())
            .field("attempts", &self.0.attempts)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
