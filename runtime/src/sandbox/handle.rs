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

/// The base URL of a sandbox without a port. Nobody can register this name (RFC 2606, section 2).
const NOWHERE: &str = "https://sandbox.invalid";

/// A handle to a sandbox. A clone is another handle to the same sandbox.
///
/// When the last handle to a listening sandbox is dropped, the sandbox stops: it closes its port
/// and all connections.
pub struct Handle<D> {
    /// The service in memory.
    pub service: Arc<Service<D>>,
    pub(super) router: Router,
    /// The server, which stops when it is dropped. `None` if the sandbox has no port.
    pub(super) server: Option<Arc<JoinSet<()>>>,
}

impl<D: Data> Handle<D> {
    /// A handle to a new sandbox without a port.
    #[must_use]
    pub fn build(settings: Settings, counts: D::Counts) -> Self {
        Self::new(settings, counts, NOWHERE.to_owned())
    }

    /// A handle to a new sandbox that listens on its port, on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// `Configuration` if the port isn't free.
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
    /// If the sandbox has no port, the URL works only through [`http_service`](Self::http_service).
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The URL of the token endpoint.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.service.token_url
    }

    /// The id of the default client, which has all scopes.
    #[must_use]
    pub fn client_id(&self) -> &str {
        CLIENT_ID
    }

    /// The secret of the default client.
    #[must_use]
    pub fn client_secret(&self) -> &str {
        CLIENT_SECRET
    }

    /// The credentials of the default client: the token URL, the client id and the secret.
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

    /// The sandbox as a [`tower_service::Service`], which can be called without a connection.
    #[must_use]
    pub fn http_service(&self) -> SandboxService {
        SandboxService(self.router.clone())
    }

    /// A builder of a client for this sandbox, with the default client's credentials.
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

    /// Makes one request of this operation fail. Faults apply to requests in the order in which
    /// they were added.
    pub fn fault(&self, operation: Operation, fault: Fault) {
        self.service.queue(Some(operation), fault);
    }

    /// Makes one token request fail. Faults apply to requests in the order in which they were
    /// added.
    ///
    /// Faults that change pages have no effect here.
    pub fn token_fault(&self, fault: Fault) {
        self.service.queue(None, fault);
    }

    /// Invalidates all tokens issued so far.
    pub fn revoke_tokens(&self) {
        self.service.grants.revoke();
    }

    /// The last 10,000 requests received, the oldest first, without token requests.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.service.requests).clone().into()
    }

    /// The number of requests that this operation has received, including failed requests.
    #[must_use]
    pub fn request_count(&self, operation: Operation) -> u64 {
        self.service.received(Some(operation))
    }

    /// The number of requests that the token endpoint has received, including failed requests.
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
