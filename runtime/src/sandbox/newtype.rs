//! The sandbox types in a service's package, which wrap the engine's types.

/// Defines a service's `Sandbox` and `SandboxBuilder`, with the methods that every sandbox has. The
/// service's package adds methods for its own records.
#[doc(hidden)]
#[macro_export]
macro_rules! __sandbox {
    ($data:ty, $counts:ty, $client:ident) => {
        /// The service in memory. A clone is another handle to the same sandbox.
        ///
        /// When the last handle to a listening sandbox is dropped, the sandbox stops: it closes its
        /// port and all connections.
        #[derive(Clone)]
        pub struct Sandbox(pub(super) $crate::codegen::sandbox::Handle<$data>);

        /// A sandbox that isn't running yet.
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
            /// The seed that all records are generated from, 1 by default.
            ///
            /// The same seed generates the same records. The newest records are the same, however
            /// many records there are. With [`Times::Uniform`], the newest hundred also have the
            /// same times.
            pub fn seed(mut self, seed: u64) -> Self {
                self.settings.seed = seed;
                self
            }

            /// The time before which all records were created, 2026-01-01T00:00:00Z by default.
            ///
            /// Records that are added later are newer, whatever the clock says. Inserted records
            /// can have any creation time.
            pub fn now(mut self, now: chrono::DateTime<chrono::Utc>) -> Self {
                self.settings.now = now;
                self
            }

            /// The minimum response time of every operation. Zero by default.
            pub fn latency(mut self, latency: std::time::Duration) -> Self {
                self.settings.latency = latency;
                self
            }

            /// The lifetime of tokens, an hour by default.
            ///
            /// `expires_in` is in whole seconds, rounded down.
            pub fn token_lifetime(mut self, lifetime: std::time::Duration) -> Self {
                self.settings.token_lifetime = lifetime;
                self
            }

            /// The distribution of the records' creation times, by default over about a year.
            pub fn times(mut self, times: Times) -> Self {
                self.settings.times = times;
                self
            }

            /// Makes a share of the responses fail, from 0.0 (none, the default) to 1.0 (all).
            ///
            /// A careful client recovers from each of these failures, and none of them changes a
            /// record. Responses fail independently, so several failures can follow each other.
            ///
            /// - A listing fails with 500, 502 and an HTML page, 503, 408, 429 with `Retry-After:
            ///   0` and without, 401, a closed connection, a truncated body, or an empty page with
            ///   a cursor.
            /// - A POST fails only with 429 and 401, because after any other failure the caller
            ///   can't know whether it was applied.
            /// - The token endpoint doesn't fail.
            pub fn chaos(mut self, share: f64, seed: u64) -> Self {
                self.settings.chaos = (share, seed);
                self
            }

            /// The port on 127.0.0.1. The default is 0, which means any free port.
            pub fn port(mut self, port: u16) -> Self {
                self.settings.port = port;
                self
            }

            /// Adds a client with a secret. The client can get tokens for these scopes. If a token
            /// request names any other scope, the request fails.
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

            /// Like [`client`](Self::client), but adds a client with a certificate (RFC 8705)
            /// instead of a secret.
            ///
            /// The sandbox has no TLS and receives no certificate. It accepts a token request with
            /// this id and without a secret, like an endpoint that has checked the certificate.
            pub fn client_with_certificate(
                mut self,
                id: impl Into<String>,
                scopes: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                let scopes = scopes.into_iter().map(Into::into).collect();
                self.settings.clients.add_with_certificate(id.into(), scopes);
                self
            }

            /// Like [`client`](Self::client), but adds a client with a public key (RFC 7523)
            /// instead of a secret.
            ///
            /// The key is in PEM (`PUBLIC KEY`), for RS256, PS256, ES256 or `EdDSA`. The token
            /// endpoint accepts an assertion if its audience is [`token_url`](Sandbox::token_url),
            /// but only once. Whether the assertion has expired depends on the system's clock, not
            /// on Tokio's.
            ///
            /// # Errors
            ///
            /// `Configuration` if `public_key` isn't a public key in PEM.
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

            /// The only style in which the token endpoint accepts a secret. By default, the
            /// endpoint accepts both styles.
            ///
            /// [`credentials`](Sandbox::credentials) uses this style as well.
            pub fn auth_style(mut self, style: $crate::codegen::AuthStyle) -> Self {
                self.settings.clients.auth_style = Some(style);
                self
            }

            /// Builds a sandbox without a port. Its [`client`](Sandbox::client) calls the sandbox
            /// directly.
            ///
            /// `build` needs no runtime. All times, including the lifetime of tokens, follow
            /// Tokio's clock: while this clock is paused, a month of faults, waits and expiring
            /// tokens takes a moment. If a fault closes the connection, the call fails as it would
            /// with a connection.
            #[must_use]
            pub fn build(self) -> Sandbox {
                Sandbox($crate::codegen::sandbox::Handle::build(self.settings, self.counts))
            }

            /// Starts the sandbox on the current Tokio runtime, whose timers and I/O must be
            /// enabled.
            ///
            /// # Errors
            ///
            /// `Configuration` if the port isn't free.
            pub async fn start(self) -> Result<Sandbox, $crate::codegen::Error> {
                $crate::codegen::sandbox::Handle::start(self.settings, self.counts)
                    .await
                    .map(Sandbox)
            }
        }

        impl Sandbox {
            /// Starts a sandbox with the default number of records.
            ///
            /// # Errors
            ///
            /// `Configuration` if no port is free.
            pub async fn start() -> Result<Self, $crate::codegen::Error> {
                Self::builder().start().await
            }

            /// A builder of a sandbox, with the default settings.
            pub fn builder() -> SandboxBuilder {
                SandboxBuilder::default()
            }

            /// The base URL of the service.
            ///
            /// If the sandbox has no port, the URL works only through
            /// [`http_service`](Self::http_service).
            #[must_use]
            pub fn base_url(&self) -> &str {
                self.0.base_url()
            }

            /// The URL of the token endpoint.
            #[must_use]
            pub fn token_url(&self) -> &str {
                self.0.token_url()
            }

            /// The id of the default client, which has all scopes.
            #[must_use]
            pub fn client_id(&self) -> &str {
                self.0.client_id()
            }

            /// The secret of the default client.
            #[must_use]
            pub fn client_secret(&self) -> &str {
                self.0.client_secret()
            }

            /// The credentials of the default client: the token URL, the client id and the secret.
            #[must_use]
            pub fn credentials(&self) -> $crate::codegen::ClientCredentials {
                self.0.credentials()
            }

            /// The sandbox as a [`tower_service::Service`](oas_client::tower_service::Service),
            /// which can be called without a connection.
            #[must_use]
            pub fn http_service(&self) -> SandboxService {
                self.0.http_service()
            }

            /// A client for this sandbox, with the default client's credentials.
            ///
            /// # Errors
            ///
            /// `Configuration` if the client can't be built.
            pub fn client(&self) -> Result<$client, $crate::codegen::Error> {
                self.client_builder().build()
            }

            /// A builder of a client for this sandbox, with the default client's credentials.
            pub fn client_builder(&self) -> $crate::codegen::ClientBuilder<$client> {
                self.0.client_builder($client::SERVICE)
            }

            /// Makes one request of this operation fail. Faults apply to requests in the order in
            /// which they were added.
            pub fn fault(&self, operation: $crate::codegen::Operation, fault: Fault) {
                self.0.fault(operation, fault);
            }

            /// Makes one token request fail. Faults apply to requests in the order in which they
            /// were added.
            ///
            /// Faults that change pages have no effect here.
            pub fn token_fault(&self, fault: Fault) {
                self.0.token_fault(fault);
            }

            /// Invalidates all tokens issued so far.
            pub fn revoke_tokens(&self) {
                self.0.revoke_tokens();
            }

            /// The last 10,000 requests received, the oldest first, without token requests.
            #[must_use]
            pub fn requests(&self) -> Vec<Request> {
                self.0.requests()
            }

            /// The number of requests that this operation has received, including failed requests.
            #[must_use]
            pub fn request_count(&self, operation: $crate::codegen::Operation) -> u64 {
                self.0.request_count(operation)
            }

            /// The number of requests that the token endpoint has received, including failed
            /// requests.
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
