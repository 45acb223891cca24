//! A handle to a sandbox.

use std::{fmt, net::Ipv4Addr, sync::Arc};

use axum::Router;
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    clients::{CLIENT_ID, CLIENT_SECRET},
    fault::Fault,
    request::Request,
    routes::router,
    server::{self, SandboxService},
    service::{Data, Service},
    settings::Settings,
};
use crate::{
    Client, ClientBuilder, ClientCredentials, Error, Operation, lock::lock,
    operation::Service as Described,
};

/// The base URL of a sandbox without a port. RFC 2606 reserves the domain `.invalid`, so no real
/// host has this name.
const NOWHERE: &str = "https://sandbox.invalid";

/// A handle to a sandbox. A clone is another handle to the same sandbox.
///
/// When the last handle to a listening sandbox is dropped, the sandbox stops: it closes its port
/// and all connections.
pub struct Handle<D> {
    /// The in-memory service.
    pub service: Arc<Service<D>>,
    pub(super) router: Router,
    /// The server, which stops when the last handle is dropped. `None` if the sandbox has no port.
    pub(super) server: Option<Arc<JoinSet<()>>>,
}

impl<D: Data> Handle<D> {
    /// Creates a sandbox without a port.
    #[must_use]
    pub fn build(settings: Settings, counts: D::Counts) -> Self {
        Self::new(settings, counts, NOWHERE.to_owned())
    }

    /// Starts a sandbox that listens on the port from `settings`. The server runs on the current
    /// Tokio runtime.
    ///
    /// # Errors
    ///
    /// `Configuration` if the sandbox can't listen on the port.
    pub async fn start(settings: Settings, counts: D::Counts) -> Result<Self, Error> {
        let port = settings.port;
        let rejection = |error| {
            let message = format!("the sandbox can't listen on port {port}");
            Error::configuration(message).caused_by(error)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(rejection)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(rejection)?);
        let handle = Self::new(settings, counts, base_url);
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, handle.router.clone()));
        Ok(Self { server: Some(Arc::new(server)), ..handle })
    }

    fn new(settings: Settings, counts: D::Counts, base_url: String) -> Self {
        let service = Arc::new(Service::new(settings, counts, base_url));
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

    /// A builder for a client of this sandbox, with the default [`credentials`](Self::credentials).
    pub fn client_builder<C: From<Client>>(
        &self,
        described: &'static Described,
    ) -> ClientBuilder<C> {
        let client = ClientBuilder::new(described, self.base_url().to_owned());
        let client = client.credentials(self.credentials());
        match self.server {
            Some(_) => client,
            None => client.http_service(self.http_service()),
        }
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
        lock(&self.service.requests).clone().into()
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

impl<D> Clone for Handle<D> {
    fn clone(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            router: self.router.clone(),
            server: self.server.clone(),
        }
    }
}

impl<D: Data> fmt::Debug for Handle<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("base_url", &self.base_url())
            .field("token_url", &self.token_url())
            .field("client_id", &self.client_id())
            .field("client_secret", &"REDACTED")
            .finish_non_exhaustive()
    }
}
