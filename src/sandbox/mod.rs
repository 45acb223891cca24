//! The service of the specification, in memory, on 127.0.0.1, for tests and examples.
//!
//! A [`Sandbox`] has a token endpoint with client credentials and scopes, and the operations
//! with every filter, bound, default and order that the specification shows. Its records are made
//! from a seed, and consistent: whatever the filters, the union of the pages is exactly the
//! matching records, in order; records with equal times keep one order, reversed in `DESC`. It
//! refuses what the specification forbids, with 400 and a problem document (RFC 7807), and it fails
//! on demand: see [`Fault`].
//!
//! ```
//! use digital_assets::{Operation, sandbox::{Fault, Sandbox, Times}};
//!
//! # async fn example() -> Result<(), digital_assets::Error> {
//! let sandbox = Sandbox::builder().executions(1_000_000).times(Times::Skewed).start().await?;
//! sandbox.fault(Operation::ListQuoteExecutions, Fault::Status(503));
//! // … calls to sandbox.base_url() …
//! for request in sandbox.requests() {
//!     assert!(request.path.starts_with("/v2/"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Choices
//!
//! Where the specification says "not shown", the sandbox makes a choice. The real service may
//! choose otherwise.
//!
//! | about | the sandbox |
//! |---|---|
//! | errors | answers with a problem document; `meta.parameter` names the parameter at fault |
//! | unknown parameters, or one that is given twice | refuses them, so that typos show |
//! | an unknown side, market, status or network in a filter | finds no records: the lists grow |
//! | an unknown `order` or `order_by` | refuses it |
//! | `limit` below 1 | refuses it |
//! | `limit` of quote executions | 100 by default; above 10,000 the page has 10,000 records |
//! | a page that follows a cursor, without `limit` | has the size of the page before |
//! | a cursor | belongs to its operation, filters and order, and is refused with others |
//! | the last page | has no `next_page_cursor` |
//! | `total_count` | counts the matching records once, when a listing begins |
//! | array filters | are repeated parameters; an entry that isn't known matches nothing |
//! | `account_ids` | finds records by their `customer_id` |
//! | `networks` | finds records by their `crypto_network`, not by the compatible ones |
//! | an address filter | compares the text; it must be valid for `crypto_network` if that is given |
//! | a profile without executions | has an empty listing; an unknown profile is 404 |
//! | an unknown institution | is 404; any identity can be a member, as often as it is added |
//! | a member without roles | is added without roles |
//! | token requests | need a `scope`, and known ones only; client id and secret in body or header |
//! | a token | is opaque, expires when it says so; unknown or expired ones are 401, 403 without scope |

mod address;
mod amount;
mod builder;
mod chaos;
mod cursor;
mod data;
mod deposit_address;
mod execution;
mod fault;
mod listing;
mod member;
mod metadata;
mod monitoring_address;
mod parameters;
mod problem;
mod random;
mod request;
mod server;
mod service;
mod times;
mod token;

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
};

use tokio::task::AbortHandle;
use uuid::Uuid;

pub use self::{builder::SandboxBuilder, fault::Fault, request::Request, times::Times};
use self::{
    deposit_address::deposit_address, execution::execution, monitoring_address::monitoring_address,
    service::Service,
};
use crate::{
    Client, ClientCredentials, Error, Operation,
    types::{DepositAddress, InstitutionMember, MonitoringAddress, QuoteExecution},
};

/// The running service, of which a clone is another handle to the same one.
///
/// It stops when its last handle is dropped: the port is free again, open connections are closed.
#[derive(Clone)]
pub struct Sandbox {
    running: Arc<Running>,
}

struct Running {
    service: Arc<Service>,
    base_url: String,
    token_url: String,
    server: AbortHandle,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Sandbox {
    /// Starts a sandbox with some thousand quote executions and some hundred of all else.
    ///
    /// # Errors
    ///
    /// A configuration error when no port can be had.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// A sandbox whose size, seed and manners are still open.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    fn new(service: Arc<Service>, address: SocketAddr, server: AbortHandle) -> Self {
        let base_url = format!("http://{address}");
        let token_url = format!("{base_url}{}", token::PATH);
        Self { running: Arc::new(Running { service, base_url, token_url, server }) }
    }

    /// The URL that the paths of the specification are appended to.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.running.base_url
    }

    /// The URL of the token endpoint.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.running.token_url
    }

    /// The one client id that the token endpoint knows.
    #[must_use]
    pub fn client_id(&self) -> &str {
        token::CLIENT_ID
    }

    /// The secret of that client.
    #[must_use]
    pub fn client_secret(&self) -> &str {
        token::CLIENT_SECRET
    }

    /// The token endpoint, client id and secret in one.
    #[must_use]
    pub fn credentials(&self) -> ClientCredentials {
        ClientCredentials::new(self.token_url(), self.client_id(), self.client_secret())
    }

    /// A client of this sandbox, with its credentials.
    ///
    /// # Errors
    ///
    /// As [`ClientBuilder::build`](crate::ClientBuilder::build).
    pub fn client(&self) -> Result<Client, Error> {
        Client::builder(self.base_url()).credentials(self.credentials()).build()
    }

    /// The profile that all quote executions belong to.
    #[must_use]
    pub fn profile_id(&self) -> Uuid {
        self.service().data.profile(0)
    }

    /// The one institution that members can be added to.
    #[must_use]
    pub fn institution_id(&self) -> Uuid {
        self.service().data.institution()
    }

    /// Lets one request of this operation fail: the next one that no earlier fault is waiting for.
    pub fn fault(&self, operation: Operation, fault: Fault) {
        self.service().queue(Some(operation), fault);
    }

    /// Lets one token request fail: the next one that no earlier fault is waiting for.
    ///
    /// The faults that are about pages let nothing fail here.
    pub fn token_fault(&self, fault: Fault) {
        self.service().queue(None, fault);
    }

    /// Makes every token that was issued so far invalid.
    pub fn revoke_tokens(&self) {
        self.service().tokens.revoke_all();
    }

    /// Adds quote executions that are newer than all the others.
    pub fn add_executions(&self, count: u64) {
        self.service().data.executions.add(count);
    }

    /// The requests received so far, the oldest first, token requests aside; the last 10,000.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.service().requests()
    }

    /// The number of requests that this operation has received, failed ones included.
    #[must_use]
    pub fn request_count(&self, operation: Operation) -> u64 {
        self.service().request_count(operation)
    }

    /// The number of requests that the token endpoint has received, failed ones included.
    #[must_use]
    pub fn token_requests(&self) -> u64 {
        self.service().token_requests.load(Ordering::Relaxed)
    }

    /// The members added so far, the oldest first; the last 10,000.
    #[must_use]
    pub fn members(&self) -> Vec<InstitutionMember> {
        self.service().members()
    }

    /// All quote executions that there are now, the newest first.
    #[must_use]
    pub fn executions(&self) -> impl DoubleEndedIterator<Item = QuoteExecution> + use<> {
        let service = Arc::clone(self.service());
        service.data.executions.all().rev().map(move |index| execution(&service.data, index))
    }

    /// All monitoring addresses, the newest first.
    #[must_use]
    pub fn monitoring_addresses(
        &self,
    ) -> impl DoubleEndedIterator<Item = MonitoringAddress> + use<> {
        let service = Arc::clone(self.service());
        let indices = service.data.monitoring_addresses.all().rev();
        indices.map(move |index| monitoring_address(&service.data, index))
    }

    /// All deposit addresses, the newest first.
    #[must_use]
    pub fn deposit_addresses(&self) -> impl DoubleEndedIterator<Item = DepositAddress> + use<> {
        let service = Arc::clone(self.service());
        let indices = service.data.deposit_addresses.all().rev();
        indices.map(move |index| deposit_address(&service.data, index))
    }

    fn service(&self) -> &Arc<Service> {
        &self.running.service
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
