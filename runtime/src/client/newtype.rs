//! Defines a service's client type, which wraps the runtime's client.

/// Defines the client type of a generated package, with its docs, its name, and the prefix of its
/// environment variables (see [`Environment`](crate::Environment)).
///
/// The generated code adds a method for each operation. It must be included in the same package, in
/// a module that imports the type:
///
/// ```ignore
/// mod generated {
///     use crate::Client;
///
///     include!(concat!(env!("OUT_DIR"), "/client.rs"));
/// }
///
/// oas_client::client! {
///     /// A client of the parcel service.
///     pub struct Client;
///     const ENV_PREFIX = "PARCELS";
/// }
/// ```
#[macro_export]
macro_rules! client {
    ($(#[$meta:meta])* pub struct $name:ident; const ENV_PREFIX = $prefix:literal;) => {
        $(#[$meta])*
        ///
        /// # Tracing
        ///
        /// The client records spans and events with the crate `tracing`. Their targets begin with
        /// `oas_client`. The names of the fields are those of OpenTelemetry. No field contains a
        /// secret, a query or a body.
        ///
        /// All spans have the level `INFO`:
        ///
        /// | span | time | fields |
        /// |---|---|---|
        /// | `call` | one call, with all its attempts and waits | `operation`, `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`, `error.type`, `otel.name`, `otel.kind`, `otel.status_code` |
        /// | `attempt` | one request of a call | those of `call`, and `http.request.resend_count` (from the second attempt on) and `http.response.header.x-request-id` |
        /// | `token` | the request of an access token | `scopes`, `http.response.status_code`, `error.type`, `otel.kind`, `otel.status_code` |
        ///
        /// If a call fails, `error.type` is the status, or the name of the
        #[doc = concat!("[`ErrorKind`](", env!("CARGO_CRATE_NAME"), "::ErrorKind).")]
        ///
        /// | level | event | fields |
        /// |---|---|---|
        /// | `WARN` | no token | `scopes`, `error` |
        /// | `WARN` | could not create a new HTTP client; keeping the old one | |
        /// | `WARN` | failed to list the last record; reading sequentially | `operation`, `error` |
        /// | `WARN` | the record that was last when the listing began wasn't listed | `operation` |
        /// | `WARN` | open records are no longer listed | `operation`, `records` |
        /// | `INFO` | empty pages in a row | `operation`, `pages` |
        /// | `INFO` | the service rejected a cursor; reading the listing again, from just before the last record that was read | `operation` |
        /// | `INFO` | the service sends no `Date` header; using the newest record's time as the current time | `operation` |
        /// | `DEBUG` | token fetched | `scopes` |
        /// | `DEBUG` | retrying | `operation`, `error`, `pause` |
        /// | `DEBUG` | the service rejected the token; requesting a new token | `operation` |
        /// | `DEBUG` | the service didn't process the request | `operation` |
        /// | `DEBUG` | waiting for a turn | `operation`, `wait` |
        /// | `DEBUG` | holding back calls after a 429 | `operation`, `hold` |
        #[derive(Clone)]
        pub struct $name(pub(crate) $crate::codegen::Client);

        /// Builds a client from its settings. All settings except the credentials have a default.
        pub type ClientBuilder = $crate::codegen::ClientBuilder<$name>;

        impl $name {
            /// Creates a builder for a client.
            ///
            /// Each operation's path is appended to `base_url`. If the server URL in the OpenAPI
            /// description has a path, as in `https://api.example.com/v2`, include this path in
            /// `base_url`.
            pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
                $crate::codegen::builder(Self::SERVICE, base_url.into())
            }

            /// Builds a client from environment variables:
            #[doc = concat!("`", $prefix, "_BASE_URL`, `_AUTH_URL` (the token endpoint), ")]
            /// `_CLIENT_ID` and `_CLIENT_SECRET`, or instead of the last three `_TOKEN`.
            ///
            /// [`Environment`](oas_client::Environment) lists all variables. It also builds clients
            /// from settings that come from elsewhere.
            ///
            /// # Errors
            ///
            /// `Configuration` if a variable is missing or invalid (the message names the
            /// variable, or all variables that are missing), or if
            /// [`build`](ClientBuilder::build) fails.
            pub fn from_env() -> Result<Self, $crate::codegen::Error> {
                $crate::codegen::Environment::of_process($prefix).builder()?.build()
            }

            /// Returns a client with these options, which override the current client's options.
            /// The new client shares everything else with the current one.
            ///
            /// Compared to cloning the client, this method makes one more allocation and copies the
            /// headers.
            ///
            /// ```
            /// use std::time::Duration;
            ///
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::{CallOptions, Client, Retry};")]
            ///
            /// # fn quick(client: &Client) {
            /// let options = CallOptions::new().call_timeout(Duration::from_secs(2));
            /// let quick = client.with_options(options.retry(Retry::none()));
            /// # }
            /// ```
            #[must_use]
            pub fn with_options(&self, options: $crate::codegen::CallOptions) -> Self {
                Self(self.0.with_options(options))
            }

            /// Returns a client for the same service with other credentials, for programs that
            /// serve several tenants.
            ///
            /// The new client shares connections and settings with the current one, but has its own
            /// tokens, rate limits, holds after a 429 and retry budget.
            ///
            /// This method makes only a few allocations and reads no certificates. It doesn't check
            /// the credentials. If they are misconfigured, every call that needs a token fails.
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::{Client, ClientCredentials};")]
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
            pub fn with_credentials(
                &self,
                source: impl $crate::codegen::TokenSource + 'static,
            ) -> Self {
                Self(self.0.with_credentials(source))
            }

            /// Ends all holds that were caused by a 429, for this client and all its clones. The
            /// calls that were held back continue immediately.
            ///
            /// After a 429, all calls of the same operation are held back for as long as
            /// `Retry-After` says, up to 5 minutes. Without `Retry-After`, the length of the hold
            /// roughly doubles with each consecutive hold. After the hold, one call is sent first.
            /// The other calls follow unless the first call also gets a 429. This method doesn't
            /// end the pause after a failed token request.
            pub fn release_holds(&self) {
                self.0.release_holds();
            }
        }

        impl $crate::codegen::GeneratedClient for $name {
            const SERVICE: &'static $crate::codegen::Service = Self::SERVICE;
        }

        impl From<$crate::codegen::Client> for $name {
            fn from(client: $crate::codegen::Client) -> Self {
                Self(client)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
