//! A sandbox.

use std::{fmt, net::Ipv4Addr, ops::Deref, sync::Arc};

use axum::Router;
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    clients::{CLIENT_ID, CLIENT_SECRET},
    data::{Data, Listed},
    fault::Fault,
    request::Request,
    routes::router,
    server::{self, SandboxService},
    service::Service,
};
use crate::{ClientBuilder, ClientCredentials, Error, GeneratedClient, Operation};

/// The base URL of a sandbox without a port. RFC 2606 reserves the domain `.invalid`, so no real
/// host has this name.
const NOWHERE: &str = "https://sandbox.invalid";

/// An in-memory version of a service, for tests. A clone is another handle to the same sandbox.
///
/// When the last handle to a listening sandbox is dropped, the sandbox stops: it closes its port
/// and all connections.
///
/// A sandbox dereferences to its records, so the methods of their type can be called on it.
pub struct Sandbox<D> {
    service: Arc<Service<D>>,
    router: Router,
    /// The server, which stops when the last handle is dropped. `None` if the sandbox has no port.
    server: Option<Arc<JoinSet<()>>>,
}

impl<D: Data> Sandbox<D> {
    pub(super) fn build(options: D::Options) -> Self {
        Self::new(options, NOWHERE.to_owned())
    }

    /// Starts a sandbox that listens on this port. The server runs on the current Tokio runtime.
    pub(super) async fn start_on(port: u16, options: D::Options) -> Result<Self, Error> {
        let rejection = |error| {
            let message = format!("the sandbox can't listen on port {port}");
            Error::configuration(message).caused_by(error)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(rejection)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(rejection)?);
        let handle = Self::new(options, base_url);
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, handle.router.clone()));
        Ok(Self { server: Some(Arc::new(server)), ..handle })
    }

    fn new(options: D::Options, base_url: String) -> Self {
        let service = Arc::new(Service::new(options, base_url));
        Self { router: router(&service), service, server: None }
    }

    /// The base URL of the service.
    ///
    /// If the sandbox has no port, only requests through [`http_service`](Self::http_service) reach
    /// this URL.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The URL of the token endpoint.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.service.token_url
    }

    /// The id of the default OAuth client, which has all scopes.
    #[must_use]
    pub fn client_id(&self) -> &str {
        CLIENT_ID
    }

    /// The secret of the default OAuth client.
    #[must_use]
    pub fn client_secret(&self) -> &str {
        CLIENT_SECRET
    }

    /// The credentials of the default OAuth client: the token URL, the client id and the secret.
    #[must_use]
    pub fn credentials(&self) -> ClientCredentials {
        let style = self.service.settings.clients.auth_style.unwrap_or_default();
        let credentials =
            ClientCredentials::new(self.token_url(), self.client_id(), self.client_secret())
                .auth_style(style);
        match self.server {
            Some(_) => credentials,
            None => credentials.http_service(self.http_service()),
        }
    }

    /// The sandbox as a [`tower_service::Service`], which can be called without a network
    /// connection.
    #[must_use]
    pub fn http_service(&self) -> SandboxService {
        SandboxService(self.router.clone())
    }

    /// A client for this sandbox, with the default [`credentials`](Self::credentials).
    ///
    /// # Errors
    ///
    /// `Configuration` if the client can't be built.
    pub fn client(&self) -> Result<D::Client, Error> {
        self.client_builder().build()
    }

    /// A builder for a client of this sandbox, with the default [`credentials`](Self::credentials).
    pub fn client_builder(&self) -> ClientBuilder<D::Client> {
        let client = ClientBuilder::new(D::Client::SERVICE, self.base_url().to_owned());
        let client = client.credentials(self.credentials());
        match self.server {
            Some(_) => client,
            None => client.http_service(self.http_service()),
        }
    }

    /// Inserts a record, or replaces the record with the same identifier.
    ///
    /// The record's creation time can be any time, and determines its place in listings. Existing
    /// cursors stay valid: the next page still begins after the last record of the previous page.
    pub fn insert<R: Listed<Data = D>>(&self, record: R) {
        self.service.data.insert(record);
    }

    /// Returns all current records of a kind, newest first.
    #[must_use]
    pub fn all<R: Listed<Data = D>>(&self) -> impl DoubleEndedIterator<Item = R> {
        self.service.data.all()
    }

    /// Queues a fault for this operation. Each queued fault applies to one request, in the order in
    /// which the faults were queued.
    pub fn fault(&self, operation: Operation, fault: Fault) {
        self.service.queue(Some(operation), fault);
    }

    /// Queues a fault for token requests. Each queued fault applies to one request, in the order in
    /// which the faults were queued.
    ///
    /// Faults that change pages have no effect on token requests.
    pub fn token_fault(&self, fault: Fault) {
        self.service.queue(None, fault);
    }

    /// Invalidates all tokens issued so far.
    pub fn revoke_tokens(&self) {
        self.service.grants.revoke();
    }

    /// The last 10,000 requests that the sandbox received, oldest first. Token requests and
    /// requests to the control routes aren't included.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.service.requests.to_vec()
    }

    /// The number of requests to this operation so far, including failed requests.
    #[must_use]
    pub fn request_count(&self, operation: Operation) -> u64 {
        self.service.received(Some(operation))
    }

    /// The number of token requests so far, including failed requests.
    #[must_use]
    pub fn token_requests(&self) -> u64 {
        self.service.received(None)
    }
}

impl<D> Deref for Sandbox<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.service.data
    }
}

impl<D> Clone for Sandbox<D> {
    fn clone(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            router: self.router.clone(),
            server: self.server.clone(),
        }
    }
}

impl<D: Data> fmt::Debug for Sandbox<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("base_url", &self.base_url())
            .field("token_url", &self.token_url())
            .field("client_id", &self.client_id())
            .field("client_secret", &"REDACTED")
            .finish_non_exhaustive()
    }
}
