//! What users of the service hold: a client, and how it is built.

mod builder;
pub use builder::ClientBuilder;

use std::{env, fmt, sync::Arc};

use crate::{CallOptions, ClientCredentials, Error, TokenSource, call::Sender};

/// A client of the service, with one method per operation.
///
/// ```no_run
/// use digital_assets::{Client, Error};
///
/// # async fn example() -> Result<(), Error> {
/// let client = Client::from_env()?;
/// let page = client.list_monitoring_addresses().crypto_network("SOLANA").limit(10).send().await?;
/// println!("{} addresses, status {}", page.addresses.len(), page.status());
///
/// // A builder owns its client, so a call can go to another task.
/// let call = client.list_deposit_addresses();
/// let answer = tokio::spawn(async move { call.send().await });
/// # Ok(())
/// # }
/// ```
///
/// A clone is cheap and shares connections, tokens, rate limits and the retry budget. By default,
/// the client takes care of:
///
/// - *Tokens*: it fetches one for the scope that an operation needs, keeps it until shortly before
///   it expires, and fetches another when the service answers 401.
/// - *Checks*: it rejects what the description forbids before it sends anything.
/// - *Retries*: it retries temporary failures where that is safe; see [`Retry`](crate::Retry).
/// - *Secrets*: it sends the token only to the base URL's origin, and prints no secret.
#[derive(Clone)]
pub struct Client {
    pub(crate) sender: Sender,
}

impl Client {
    /// Starts to build a client. The paths (`/v2/…`) are appended to the base URL.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    /// Builds a client from the environment: `DIGITAL_ASSETS_BASE_URL`, `DIGITAL_ASSETS_AUTH_URL` (the
    /// token endpoint), `DIGITAL_ASSETS_CLIENT_ID` and `DIGITAL_ASSETS_CLIENT_SECRET`.
    ///
    /// # Errors
    ///
    /// `Configuration` if a variable is missing or empty (the message names all of them), or if
    /// [`build`](ClientBuilder::build) refuses an address.
    pub fn from_env() -> Result<Self, Error> {
        let names = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"]
            .map(|name| format!("DIGITAL_ASSETS_{name}"));
        let values = names.each_ref().map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
        let [Some(base_url), Some(auth_url), Some(id), Some(secret)] = values else {
            let missing: Vec<&str> = std::iter::zip(&names, &values)
                .filter_map(|(name, value)| value.is_none().then_some(name.as_str()))
                .collect();
            return Err(Error::configuration(format!(
                "missing environment variables: {}",
                missing.join(", ")
            )));
        };
        Self::builder(base_url).credentials(ClientCredentials::new(auth_url, id, secret)).build()
    }

    /// Returns a client whose calls have these options. It shares everything else with this one, and
    /// costs one allocation more than a clone, and a copy of the headers.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use digital_assets::{CallOptions, Client, Retry};
    ///
    /// # fn quick(client: &Client) {
    /// let options = CallOptions::new().call_timeout(Duration::from_secs(2)).retry(Retry::none());
    /// let quick = client.with_options(options);
    /// # }
    /// ```
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self { sender: self.sender.with_options(options) }
    }

    /// Returns a client of the same service with other credentials, for programs that serve several
    /// tenants. It shares connections and settings with this one, and has tokens, rate limits, waits
    /// after a 429 and a retry budget of its own.
    ///
    /// It costs a few allocations and reads no certificates. The source isn't checked here: if it is
    /// misconfigured, every call fails.
    ///
    /// ```
    /// use digital_assets::{Client, ClientCredentials};
    ///
    /// # fn of_tenant(client: &Client, id: &str, secret: &str) -> Client {
    /// client.with_credentials(ClientCredentials::new(
    ///     "https://auth.example.com/oauth2/token",
    ///     id,
    ///     secret,
    /// ))
    /// # }
    /// ```
    #[must_use]
    pub fn with_credentials(&self, source: impl TokenSource + 'static) -> Self {
        Self { sender: self.sender.with_source(Arc::new(source)) }
    }

    /// Releases the operations that a 429 holds back, for this client and all its clones. Waiting
    /// calls are sent at once.
    ///
    /// A 429 holds its operation back for as long as its `Retry-After` asks, at most 5 minutes;
    /// without one, for a time that doubles with each hold in a row ([`Retry`](crate::Retry)). Then
    /// one call goes first. The others follow unless it gets a 429 as well. A pause after a failed
    /// request for a token goes on.
    pub fn release_holds(&self) {
        self.sender.shared.limits.release();
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.sender.shared.base.as_str())
            .finish_non_exhaustive()
    }
}
