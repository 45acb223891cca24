//! A handle to a sandbox.

use std::{fmt, sync::Arc};

use axum::Router;
use tokio::task::JoinSet;

use super::{
    clients::{CLIENT_ID, CLIENT_SECRET},
    fault::Fault,
    request::Request,
    server::SandboxService,
    service::{Data, Service},
};
use crate::{
    Client, ClientBuilder, ClientCredentials, Operation, lock::lock,
    operation::Service as Described,
};

/// A sandbox. A clone is another handle to the same one.
///
/// When the last handle of a listening sandbox is dropped, it stops: it closes its port and all
/// connections.
pub struct Handle<D> {
    /// The service that is in memory.
    pub service: Arc<Service<D>>,
    pub(super) router: Router,
    /// The server, which stops when it is dropped. `None` if the sandbox has no port.
    pub(super) server: Option<Arc<JoinSet<()>>>,
}

impl<D: Data> Handle<D> {
    /// The URL that the paths of the operations are appended to.
    ///
    /// Without a port, it works only through [`http_service`](Self::http_service).
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The URL of the token endpoint.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.service.token_url
    }

    /// The id of the client that every sandbox knows, with all scopes.
    #[must_use]
    pub fn client_id(&self) -> &str {
        CLIENT_ID
    }

    /// The secret of that client.
    #[must_use]
    pub fn client_secret(&self) -> &str {
        CLIENT_SECRET
    }

    /// The credentials for the token endpoint: its URL, the client id and the secret.
    #[must_use]
    pub fn credentials(&self) -> ClientCredentials {
        let style = self.service.settings.auth_style.unwrap_or_default();
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

    /// A builder for a client of this sandbox, with its credentials.
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

    /// Makes one request of this operation fail. Faults apply to requests in the order in which they
    /// were added.
    pub fn fault(&self, operation: Operation, fault: Fault) {
        self.service.queue(Some(operation), fault);
    }

    /// Makes one token request fail. Faults apply to requests in the order in which they were added.
    ///
    /// Faults of pages have no effect here.
    pub fn token_fault(&self, fault: Fault) {
        self.service.queue(None, fault);
    }

    /// Invalidates all tokens issued so far.
    pub fn revoke_tokens(&self) {
        self.service.revoke_tokens();
    }

    /// The last 10,000 requests received, the oldest first, without token requests.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.service.requests).clone().into()
    }

    /// The number of requests that this operation has received, failed ones included.
    #[must_use]
    pub fn request_count(&self, operation: Operation) -> u64 {
        self.service.received(Some(operation))
    }

    /// The number of requests that the token endpoint has received, failed ones included.
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
