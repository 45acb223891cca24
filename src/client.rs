//! The client for the service.

oas_client::client! {
    /// A client of the service, with one method per operation.
    ///
    /// ```no_run
    /// use digital_assets::{Client, Error};
    ///
    /// # async fn example() -> Result<(), Error> {
    /// let client = Client::from_env()?;
    /// let page = client.list_monitoring_addresses().limit(10).send().await?;
    /// println!("{} addresses, status {}", page.addresses.len(), page.status());
    ///
    /// // A request builder owns its client, so it can be moved to another task.
    /// let call = client.list_deposit_addresses();
    /// let response = tokio::spawn(async move { call.send().await });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Cloning a client is cheap. All clones share connections, tokens, rate limits and the retry
    /// budget. By default, the client takes care of:
    ///
    /// - *Tokens*: it fetches a token for the scope that an operation needs, keeps the token until
    ///   shortly before it expires, and fetches a new one when the service returns 401.
    /// - *Checks*: it rejects requests that violate the OpenAPI description before it sends them.
    /// - *Retries*: it retries temporary failures if a retry is safe; see [`Retry`](crate::Retry).
    /// - *Secrets*: it sends the token only to the base URL's origin, and never prints secrets.
    pub struct Client;
    const ENV_PREFIX = "DIGITAL_ASSETS";
}
