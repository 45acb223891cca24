//! The limits of a call, and the additional headers of its requests.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{Error, Retry};

/// Options of single calls, which override their client's settings.
///
/// Options change only the settings that they name. Apply them to a client with
/// [`Client::with_options`](crate::Client::with_options), or to one call or listing with its
/// builder's `options`. Options that are applied one after the other are combined.
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::{CallOptions, Error};
/// # use second::Client;
/// # async fn list(client: Client, id: String) -> Result<(), Error> {
/// let options = CallOptions::new().call_timeout(Duration::from_secs(2)).header("x-request-id", id);
/// client.list_parcels().options(options).send().await?;
/// # Ok(())
/// # }
/// ```
///
/// If a setting is given in several places, this is the one that applies:
///
/// | | [`ClientBuilder`](crate::ClientBuilder) | `Client::with_options` | a builder's `options` |
/// |---|---|---|---|
/// | `call_timeout` | 60 s unless set | overrides the client's | overrides both |
/// | `attempt_timeout` | 15 s unless set | overrides the client's | overrides both |
/// | `retry` | [`Retry::default`] unless set | overrides the client's | overrides both |
/// | `max_response_bytes` | 64 MiB unless set | overrides the client's | overrides both |
/// | `idempotent` | as the operation's `x-idempotent` says | overrides the description | overrides both |
/// | `header` | – | sent | sent too; overrides one of the same name |
/// | `user_agent` | the crate's unless set | overridden by `header("user-agent", …)` | the same |
/// | credentials, scopes, `rate_limit`, `connect_timeout`, the HTTP client | applies | – | – |
///
/// Everything else is shared: connections, tokens, rate limits, and the retry budget. In a listing,
/// each page is a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "options do nothing until they are passed to a client or a builder"]
pub struct CallOptions {
    pub(super) call_timeout: Option<Duration>,
    attempt_timeout: Option<Duration>,
    pub(super) retry: Option<Retry>,
    pub(super) max_response_bytes: Option<usize>,
    pub(super) idempotent: Option<bool>,
    /// The headers of every attempt. They are marked as sensitive, so that `Debug` prints only
    /// their names.
    pub(super) headers: HeaderMap,
    /// The reason why a header can't be sent. The call returns this as an error, because setting an
    /// option can't fail.
    refused: Option<String>,
}

// The defaults.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(60);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
pub(super) const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The headers that the client sets itself.
const RESERVED: [&str; 8] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

impl CallOptions {
    /// Options that change nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time limit of a call, with all its attempts and waits.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// The time limit of one attempt, up to the last byte of its response.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Some(timeout);
        self
    }

    /// The number of retries, and the waits between attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// The largest response body that the client reads, in bytes after decompression.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = Some(bytes);
        self
    }

    /// Whether a repeated request has no further effect. If so, the client retries it like a GET.
    ///
    /// By default, the operation's `x-idempotent` in the OpenAPI description decides. A GET is
    /// always retried. Set the option to true only if the service promises to apply a repeated
    /// request once, for example because of a key in a header. If the call fails nevertheless,
    /// [`Error::may_have_been_applied`] still returns true if one of the requests may have had an
    /// effect.
    ///
    /// ```
    /// # use oas_client::CallOptions;
    /// let options = CallOptions::new().idempotent(true).header("idempotency-key", "7f9c24e8");
    /// ```
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = Some(idempotent);
        self
    }

    /// Sends a header with each attempt, such as `x-request-id` or `traceparent`. If a header is
    /// set twice, the last value is sent.
    ///
    /// If the name or the value is invalid, every call with these options fails with
    /// `InvalidRequest` before anything is sent. So does a header that the client sets itself:
    /// `accept`, `accept-encoding`, `authorization`, `connection`, `content-length`,
    /// `content-type`, `host` and `transfer-encoding`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match header(name.into(), value.into()) {
            Ok((name, value)) => _ = self.headers.insert(name, value),
            Err(why) => self.refused = Some(why),
        }
        self
    }

    pub(crate) fn time_per_attempt(&self) -> Duration {
        self.attempt_timeout.unwrap_or(ATTEMPT_TIMEOUT)
    }

    /// These options, overridden by `others`.
    pub(super) fn with(&self, others: Self) -> Self {
        let mut headers = self.headers.clone();
        headers.extend(others.headers);
        Self {
            call_timeout: others.call_timeout.or(self.call_timeout),
            attempt_timeout: others.attempt_timeout.or(self.attempt_timeout),
            retry: others.retry.or(self.retry),
            max_response_bytes: others.max_response_bytes.or(self.max_response_bytes),
            idempotent: others.idempotent.or(self.idempotent),
            headers,
            refused: others.refused.or_else(|| self.refused.clone()),
        }
    }

    /// # Errors
    ///
    /// `InvalidRequest` if a header can't be sent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.refused.as_ref().map_or(Ok(()), |why| Err(Error::invalid(why)))
    }
}

/// Checks a header. The errors don't contain the value, because it may be a key.
fn header(name: String, value: String) -> Result<(HeaderName, HeaderValue), String> {
    let name = HeaderName::try_from(name).map_err(|_| "the name of a header is invalid")?;
    if RESERVED.contains(&name.as_str()) {
        return Err(format!("the header `{name}` is set by the client itself"));
    }
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| format!("the value of the header `{name}` is invalid"))?;
    value.set_sensitive(true);
    Ok((name, value))
}
