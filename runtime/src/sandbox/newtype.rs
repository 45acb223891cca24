//! The macro that defines a service's sandbox types, which wrap the types of the engine.

/// Defines a service's `Sandbox` and `SandboxBuilder`, with the methods that every sandbox has. The
/// service's package adds methods for its own records.
#[doc(hidden)]
#[macro_export]
macro_rules! __sandbox {
    ($data:ty, $counts:ty, $client:ident) => {
        /// An in-memory version of the service, for tests. A clone is another handle to the same
        /// sandbox.
        ///
        /// When the last handle to a listening sandbox is dropped, the sandbox stops: it closes its
        /// port and all connections.
        #[derive(Clone)]
        pub struct Sandbox(pub(super) $crate::codegen::sandbox::Handle<$data>);

        /// A builder for a [`Sandbox`].
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct SandboxBuilder {
            settings: $crate::codegen::sandbox::Settings,
            counts: $counts,
        }

        impl Default for SandboxBuilder {
            fn default() -> Self {
                let settings = $crate::codegen::sandbox::Settings::new($client::SERVICE.operations);
                Self { settings, counts: Default::default() }
            }
        }

        impl SandboxBuilder {
            /// Sets the seed from which all records are generated. The default is 1.
            ///
            /// The same seed always generates the same records. If only the total number of records
            /// changes, the newest records stay the same, but their creation times can change. With
            /// [`Times::Uniform`], the creation times of the newest 100 records stay the same too.
            pub fn seed(mut self, seed: u64) -> Self {
                self.settings.seed = seed;
                self
            }

            /// Sets the sandbox's "now", before which all initial records were created. The default
            /// is 2026-01-01T00:00:00Z.
            ///
            /// Records that are added later have later creation times, which don't depend on the
            /// system clock. Inserted records can have any creation time.
            pub fn now(mut self, now: chrono::DateTime<chrono::Utc>) -> Self {
                self.settings.now = now;
                self
            }

            /// Sets the delay before the sandbox handles a request to an operation. The default is
            /// zero.
            pub fn latency(mut self, latency: std::time::Duration) -> Self {
                self.settings.latency = latency;
                self
            }

            /// Sets the lifetime of tokens. The default is one hour.
            ///
            /// A token response contains the lifetime as `expires_in`, rounded down to whole
            /// seconds.
            pub fn token_lifetime(mut self, lifetime: std::time::Duration) -> Self {
                self.settings.token_lifetime = lifetime;
                self
            }

            /// Sets how the records' creation times are distributed. The default is
            /// [`Times::Uniform`].
            pub fn times(mut self, times: Times) -> Self {
                self.settings.times = times;
                self
            }

            /// Makes a share of the responses fail at random. A share of 0.0 (the default) means
            /// none, and 1.0 means all. The seed determines which responses fail.
            ///
            /// Each response fails independently of the others, so several requests in a row can
            /// fail. A client that retries correctly recovers from all of these failures, and no
            /// failed request changes a record.
            ///
            /// - A listing fails with one of these: 500; 502 with an HTML page; 503; 408; 429 with
            ///   or without `Retry-After: 0`; 401; a closed connection; a truncated body; an empty
            ///   page with a cursor.
            /// - A POST fails only with 429 or 401, because after any other failure the caller
            ///   can't know whether the request was applied.
            /// - Token requests don't fail.
            pub fn chaos(mut self, share: f64, seed: u64) -> Self {
                self.settings.chaos = (share, seed);
                self
            }

            /// Sets the port on 127.0.0.1. The default is 0, which means any free port.
            pub fn port(mut self, port: u16) -> Self {
                self.settings.port = port;
                self
            }

            /// Adds an OAuth client that authenticates with a secret. The client can get tokens for
            /// these scopes. A token request that names any other scope fails.
            ///
            /// The new client replaces any client with the same id, even the default client, whose
            /// id is [`client_id`](Sandbox::client_id).
            pub fn client(
                mut self,
                id: impl Into<String>,
                secret: impl Into<String>,
                scopes: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                let scopes = scopes.into_iter().map(Into::into).collect();
                self.settings.clients.add_with_secret(id.into(), secret.into(), scopes);
                self
            }

            /// Like [`client`](Self::client), but the OAuth client authenticates with a certificate
            /// (RFC 8705) instead of a secret.
            ///
            /// The sandbox has no TLS, so it can't check the certificate. It accepts every token
            /// request that has this id and no secret.
            pub fn client_with_certificate(
                mut self,
                id: impl Into<String>,
                scopes: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                let scopes = scopes.into_iter().map(Into::into).collect();
                self.settings.clients.add_with_certificate(id.into(), scopes);
                self
            }

            /// Like [`client`](Self::client), but the OAuth client authenticates with a signed
            /// assertion (RFC 7523) instead of a secret.
            ///
            /// `public_key` is the PEM-encoded key (`PUBLIC KEY`) for RS256, PS256, ES256 or
            /// `EdDSA`. The token endpoint accepts each assertion only once, and only if its
            /// audience is [`token_url`](Sandbox::token_url). Whether an assertion has expired
            /// depends on the system clock, not on Tokio's clock.
            ///
            /// # Errors
            ///
            /// `Configuration` if `public_key` isn't a PEM-encoded public key.
            #[cfg(feature = "private-key-jwt")]
            pub fn client_with_key(
                mut self,
                id: impl Into<String>,
                public_key: impl AsRef<[u8]>,
                scopes: impl IntoIterator<Item = impl Into<String>>,
            ) -> Result<Self, $crate::codegen::Error> {
                let scopes = scopes.into_iter().map(Into::into).collect();
                self.settings.clients.add_with_key(id.into(), public_key.as_ref(), scopes)?;
                Ok(self)
            }

            /// Requires OAuth clients to send their secret in this style. By default, the token
            /// endpoint accepts both styles.
            ///
            /// [`credentials`](Sandbox::credentials) also uses this style.
            pub fn auth_style(mut self, style: $crate::codegen::AuthStyle) -> Self {
                self.settings.clients.auth_style = Some(style);
                self
            }

            /// Builds a sandbox without a port. The sandbox's [`client`](Sandbox::client) calls the
            /// sandbox directly, without a network connection.
            ///
            /// `build` doesn't need a Tokio runtime. All delays and token lifetimes follow Tokio's
            /// clock, so tests that pause this clock don't have to wait. If a fault closes the
            /// connection, the call fails as it would over a network.
            #[must_use]
            pub fn build(self) -> Sandbox {
                Sandbox($crate::codegen::sandbox::Handle::build(self.settings, self.counts))
            }

            /// Starts the sandbox on the current Tokio runtime. The runtime's I/O and timers must
            /// be enabled.
            ///
            /// # Errors
            ///
            /// `Configuration` if the sandbox can't listen on the port.
            pub async fn start(self) -> Result<Sandbox, $crate::codegen::Error> {
                $crate::codegen::sandbox::Handle::start(self.settings, self.counts)
                    .await
                    .map(Sandbox)
            }
        }

        impl Sandbox {
            /// Starts a sandbox with the default settings, on any free port.
            ///
            /// # Errors
            ///
            /// `Configuration` if the sandbox can't listen on a port.
            pub async fn start() -> Result<Self, $crate::codegen::Error> {
                Self::builder().start().await
            }

            /// A builder for a sandbox, with the default settings.
            pub fn builder() -> SandboxBuilder {
                SandboxBuilder::default()
            }

            /// The base URL of the service.
            ///
            /// If the sandbox has no port, only requests through
            /// [`http_service`](Self::http_service) reach this URL.
            #[must_use]
            pub fn base_url(&self) -> &str {
                self.0.base_url()
            }

            /// The URL of the token endpoint.
            #[must_use]
            pub fn token_url(&self) -> &str {
                self.0.token_url()
            }

            /// The id of the default OAuth client, which has all scopes.
            #[must_use]
            pub fn client_id(&self) -> &str {
                self.0.client_id()
            }

            /// The secret of the default OAuth client.
            #[must_use]
            pub fn client_secret(&self) -> &str {
                self.0.client_secret()
            }

            /// The credentials of the default OAuth client: the token URL, the client id and the
            /// secret.
            #[must_use]
            pub fn credentials(&self) -> $crate::codegen::ClientCredentials {
                self.0.credentials()
            }

            /// The sandbox as a [`tower_service::Service`](oas_client::tower_service::Service),
            /// which can be called without a network connection.
            #[must_use]
            pub fn http_service(&self) -> SandboxService {
                self.0.http_service()
            }

            /// A client for this sandbox, with the default [`credentials`](Self::credentials).
            ///
            /// # Errors
            ///
            /// `Configuration` if the client can't be built.
            pub fn client(&self) -> Result<$client, $crate::codegen::Error> {
                self.client_builder().build()
            }

            /// A builder for a client of this sandbox, with the default
            /// [`credentials`](Self::credentials).
            pub fn client_builder(&self) -> $crate::codegen::ClientBuilder<$client> {
                self.0.client_builder($client::SERVICE)
            }

            /// Queues a fault for this operation. Each queued fault applies to one request, in the
            /// order in which the faults were queued.
            pub fn fault(&self, operation: $crate::codegen::Operation, fault: Fault) {
                self.0.fault(operation, fault);
            }

            /// Queues a fault for token requests. Each queued fault applies to one request, in the
            /// order in which the faults were queued.
            ///
            /// Faults that change pages have no effect on token requests.
            pub fn token_fault(&self, fault: Fault) {
                self.0.token_fault(fault);
            }

            /// Invalidates all tokens issued so far.
            pub fn revoke_tokens(&self) {
                self.0.revoke_tokens();
            }

            /// The last 10,000 requests that the sandbox received, oldest first. Token requests and
            /// requests to the control routes aren't included.
            #[must_use]
            pub fn requests(&self) -> Vec<Request> {
                self.0.requests()
            }

            /// The number of requests to this operation so far, including failed requests.
            #[must_use]
            pub fn request_count(&self, operation: $crate::codegen::Operation) -> u64 {
                self.0.request_count(operation)
            }

            /// The number of token requests so far, including failed requests.
            #[must_use]
            pub fn token_requests(&self) -> u64 {
                self.0.token_requests()
            }
        }

        impl std::fmt::Debug for Sandbox {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
