//! The options of a call, such as its timeouts and additional headers.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{Error, Retry};

/// Options for individual calls, which override the client's settings.
///
/// Settings that you don't set here keep the client's values. Apply the options to a client with
/// [`Client::with_options`](crate::Client::with_options), or to one call or listing with the
/// `options` method of its builder. If options are applied several times, they are combined.
///
/// The service in this example delivers parcels:
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
/// If a setting is specified in several places, the following table shows which value applies:
///
/// | setting | [`ClientBuilder`](crate::ClientBuilder) | `Client::with_options` | `options` of one call or listing |
/// |---|---|---|---|
/// | `call_timeout` | 60 s unless set | overrides the client's | overrides both |
/// | `attempt_timeout` | 15 s unless set | overrides the client's | overrides both |
/// | `retry` | [`Retry::default`] unless set | overrides the client's | overrides both |
/// | `max_response_bytes` | 64 MiB unless set | overrides the client's | overrides both |
/// | `idempotent` | no setting; the operation's `x-idempotent` applies | overrides `x-idempotent` | overrides both |
/// | `header` | no setting | added to each request | added to each request; replaces a header of the same name |
/// | `user_agent` | the package's name and version unless set | overridden by `header("user-agent", …)` | overridden by `header("user-agent", …)` |
/// | credentials, scopes, `rate_limit`, `connect_timeout`, the HTTP client | applies | no setting | no setting |
///
/// Clients that differ only in their options share their connections, tokens, rate limits and retry
/// budget. In a listing, each page is a separate call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "options do nothing until they are passed to a client or a builder"]
pub struct CallOptions {
    pub(super) call_timeout: Option<Duration>,
    attempt_timeout: Option<Duration>,
    pub(super) retry: Option<Retry>,
    pub(super) max_response_bytes: Option<usize>,
    pub(super) idempotent: Option<bool>,
    /// The additional headers of every attempt. Their values are marked as sensitive, so that
    /// `Debug` prints only the headers' names.
    pub(super) headers: HeaderMap,
    /// The reason why a header can't be sent. `check` returns this reason as an error, because the
    /// method `header` can't return an error.
    refused: Option<String>,
}

// The default values of the options.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(60);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
pub(super) const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The headers that only the client itself may set.
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
    /// Creates options that don't override any setting.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time limit of a call, including all its attempts and waits.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// Sets the time limit of one attempt, including the whole response.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Some(timeout);
        self
    }

    /// Sets the number of retries, and the waits between attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Sets the maximum size of a decompressed response body, in bytes.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = Some(bytes);
        self
    }

    /// Specifies whether a request can be repeated without a further effect on the service. If
    /// true, the client retries the request as it would retry a GET.
    ///
    /// The default is the value of the operation's `x-idempotent` in the OpenAPI description. A GET
    /// is retried regardless of this setting.
    ///
    /// Pass `true` only if the service guarantees that a repeated request is applied only once, for
    /// example because of an idempotency key in a header. Even then,
    /// [`Error::may_have_been_applied`] returns true for a failed call if one of its attempts may
    /// have had an effect.
    ///
    /// ```
    /// # use oas_client::CallOptions;
    /// let options = CallOptions::new().idempotent(true).header("idempotency-key", "7f9c24e8");
    /// ```
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = Some(idempotent);
        self
    }

    /// Adds a header to each attempt, such as `x-request-id` or `traceparent`. If a header is set
    /// twice, the last value is sent.
    ///
    /// If the name or the value is invalid, every call with these options fails with
    /// `InvalidRequest` before anything is sent. The same happens for headers that the client sets
    /// itself: `accept`, `accept-encoding`, `authorization`, `connection`, `content-length`,
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

    /// Combines two sets of options. A setting in `others` overrides the same setting in `self`.
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

    /// Checks that the client can send all headers.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if a header can't be sent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.refused.as_ref().map_or(Ok(()), |why| Err(Error::invalid(why)))
    }
}

/// Parses a header's name and value. The error messages don't contain the value, because the value
/// may be a secret.
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
