//! The client for one service: a separate type around the runtime's client.

/// Defines the client of the generated operations, with its docs and its name. The generator adds a
/// method for each operation, and `SERVICE`, which lists the operations.
#[doc(hidden)]
#[macro_export]
macro_rules! __client {
    ($(#[$meta:meta])* pub struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name(pub(crate) $crate::codegen::Client);

        /// The settings of a client. All except the credentials have a default.
        pub type ClientBuilder = $crate::codegen::ClientBuilder<$name>;

        impl $name {
            /// Creates a builder for a client. The operations' paths are appended to the base URL,
            /// so the base URL contains everything before these paths. If `servers` in the OpenAPI
            /// description has a path, as in `https://api.example.com/v2`, the base URL needs this
            /// path too.
            pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
                $crate::codegen::builder(Self::SERVICE, base_url.into())
            }

            /// Returns a client whose calls have these options. The new client shares everything
            /// else with the current one. It costs one allocation more than a clone, and a copy of
            /// the headers.
            ///
            /// ```
            /// use std::time::Duration;
            ///
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::{CallOptions, Client, Retry};")]
            ///
            /// # fn quick(client: &Client) {
            /// let options =
            /// CallOptions::new().call_timeout(Duration::from_secs(2)).retry(Retry::none()); let
            /// quick = client.with_options(options);
            /// # }
            /// ```
            #[must_use]
            pub fn with_options(&self, options: $crate::codegen::CallOptions) -> Self {
                Self(self.0.with_options(options))
            }

            /// Returns a client for the same service with other credentials, for programs that
            /// serve several tenants. The new client shares connections and settings with the
            /// current one, but has its own tokens, rate limits, waits after a 429 and retry
            /// budget.
            ///
            /// This costs a few allocations and reads no certificates. The source isn't checked
            /// here: if the source is misconfigured, every call fails.
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

            /// Releases the operations that a 429 holds back, for this client and all its clones.
            /// Waiting calls are sent at once.
            ///
            /// A 429 holds its operation back for as long as `Retry-After` says, at most 5 minutes.
            /// Without `Retry-After`, the hold doubles with each hold in a row. After the hold, one
            /// call is sent first. The other calls follow unless the first call gets a 429 as well.
            /// This method doesn't end the pause after a failed token request.
            pub fn release_holds(&self) {
                self.0.release_holds();
            }
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
