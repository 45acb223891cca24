//! The public handle of a sandbox.

use std::{fmt, sync::Arc};

use axum::Router;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{
    clients::{CLIENT_ID, CLIENT_SECRET},
    data::Listed,
    fault::Fault,
    random::Topic,
    request::Request,
    server::SandboxService,
    service::Service,
    times::Nanoseconds,
};
use crate::{
    Client, ClientBuilder, ClientCredentials, Error, Operation,
    lock::lock,
    types::{DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution},
};

/// The service in memory. A clone is another handle to the same service.
///
/// When the last handle of a listening sandbox is dropped, it stops: it closes its port and all
/// connections.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) service: Arc<Service>,
    pub(super) router: Router,
    /// The server, which stops when it is dropped. `None` if the sandbox has no port.
    pub(super) server: Option<Arc<JoinSet<()>>>,
}

impl Sandbox {
    /// The URL that the paths of the specification are appended to.
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

    /// A client of this sandbox, with its credentials.
    ///
    /// # Errors
    ///
    /// The errors of [`ClientBuilder::build`](crate::ClientBuilder::build).
    pub fn client(&self) -> Result<Client, Error> {
        self.client_builder().build()
    }

    /// A builder for a client of this sandbox, with its credentials.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use digital_assets::{Retry, sandbox::Sandbox};
    ///
    /// # fn main() -> Result<(), digital_assets::Error> {
    /// let sandbox = Sandbox::builder().build();
    ///
    /// let client = sandbox
    ///     .client_builder()
    ///     .call_timeout(Duration::from_secs(2))
    ///     .retry(Retry::none())
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_builder(&self) -> ClientBuilder {
        let client = Client::builder(self.base_url()).credentials(self.credentials());
        match self.server {
            Some(_) => client,
            None => client.http_service(self.http_service()),
        }
    }

    /// The profile that owns all quote executions, or the first of
    /// [`profile_ids`](Self::profile_ids).
    #[must_use]
    pub fn profile_id(&self) -> Uuid {
        self.service.id(Topic::Profile, 0)
    }

    /// The profiles that share the quote executions.
    #[must_use]
    pub fn profile_ids(&self) -> Vec<Uuid> {
        self.service.profiles()
    }

    /// The only institution that accepts members.
    #[must_use]
    pub fn institution_id(&self) -> Uuid {
        self.service.institution()
    }

    /// An identity that deposit addresses are bound to. Any identity can become a member.
    #[must_use]
    pub fn identity_id(&self) -> Uuid {
        self.service.id(Topic::Identity, 0)
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

    /// Adds quote executions that are newer than all the others.
    pub fn add_executions(&self, count: u64) {
        self.service.executions.add(count);
    }

    /// Inserts a quote execution, or changes the one with the same `id`.
    ///
    /// It can have any `created_at`, which decides its place in listings. A cursor continues after the
    /// record that it was issued with. The sandbox adds a `profile_id` that it doesn't know.
    pub fn insert_execution(&self, execution: QuoteExecution) {
        self.service.insert(execution);
    }

    /// Inserts a monitoring address, or changes the one with the same `id`, like
    /// [`insert_execution`](Self::insert_execution).
    pub fn insert_monitoring_address(&self, address: MonitoringAddress) {
        self.service.insert(address);
    }

    /// Inserts a deposit address, or changes the one with the same `id`, like
    /// [`insert_execution`](Self::insert_execution).
    pub fn insert_deposit_address(&self, address: DepositAddress) {
        self.service.insert(address);
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

    /// The last 10,000 members added, the oldest first.
    #[must_use]
    pub fn members(&self) -> Vec<InstitutionMember> {
        lock(&self.service.members).clone().into()
    }

    /// All current quote executions, the newest first.
    #[must_use]
    pub fn executions(&self) -> impl DoubleEndedIterator<Item = QuoteExecution> + use<> {
        self.all()
    }

    /// All current monitoring addresses, the newest first.
    #[must_use]
    pub fn monitoring_addresses(
        &self,
    ) -> impl DoubleEndedIterator<Item = MonitoringAddress> + use<> {
        self.all()
    }

    /// All current deposit addresses, the newest first.
    #[must_use]
    pub fn deposit_addresses(&self) -> impl DoubleEndedIterator<Item = DepositAddress> + use<> {
        self.all()
    }

    fn all<R: Listed>(&self) -> impl DoubleEndedIterator<Item = R> + use<R> {
        let service = Arc::clone(&self.service);
        let slots =
            R::collection(&service).slice(&(Nanoseconds::MIN..=Nanoseconds::MAX), None, false);
        slots.rev().map(move |slot| service.record(&slot))
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("base_url", &self.base_url())
            .field("token_url", &self.token_url())
            .field("client_id", &self.client_id())
            .field("client_secret", &"REDACTED")
            .finish_non_exhaustive()
    }
}
