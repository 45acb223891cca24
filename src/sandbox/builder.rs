//! Builds a sandbox.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    clients::Client, handle::Sandbox, routes::router, server, service::Service, times::Times,
};
use crate::{AuthStyle, Error};

impl Sandbox {
    /// Starts a sandbox with several thousand quote executions and several hundred other records.
    ///
    /// # Errors
    ///
    /// `Configuration` if no port is free.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// Starts to build a sandbox.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }
}

/// The address of a sandbox without a port: a name that nobody can register (RFC 2606, section 2).
const NOWHERE: &str = "https://sandbox.invalid";

/// 2026-01-01T00:00:00Z.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// A sandbox that isn't running yet.
#[derive(Clone, Debug)]
#[must_use]
pub struct SandboxBuilder {
    pub(super) executions: u64,
    pub(super) profiles: u64,
    pub(super) monitoring_addresses: u64,
    pub(super) deposit_addresses: u64,
    pub(super) seed: u64,
    pub(super) now: DateTime<Utc>,
    pub(super) latency: Duration,
    pub(super) token_lifetime: Duration,
    pub(super) times: Times,
    pub(super) chaos: (f64, u64),
    pub(super) clients: Vec<Client>,
    /// The only style in which a secret is accepted.
    pub(super) auth_style: Option<AuthStyle>,
    pub(super) port: u16,
}

impl Default for SandboxBuilder {
    fn default() -> Self {
        Self {
            executions: 5_000,
            profiles: 1,
            monitoring_addresses: 400,
            deposit_addresses: 800,
            seed: 1,
            now: NOW,
            latency: Duration::ZERO,
            token_lifetime: Duration::from_secs(3_600),
            times: Times::Uniform,
            chaos: (0.0, 0),
            clients: vec![Client::default()],
            auth_style: None,
            port: 0,
        }
    }
}

impl SandboxBuilder {
    /// The number of quote executions, 5,000 by default.
    ///
    /// Records are generated on request, so a million take no more memory than ten. The first page of
    /// a listing takes longer the more there are, because it counts those that match. More than 2^40
    /// are as many as 2^40, here and of the other records.
    pub fn executions(self, count: u64) -> Self {
        Self { executions: count, ..self }
    }

    /// The number of profiles that share the quote executions. The default and the minimum is 1.
    pub fn profiles(self, count: u64) -> Self {
        Self { profiles: count.max(1), ..self }
    }

    /// The number of monitoring addresses, 400 by default.
    pub fn monitoring_addresses(self, count: u64) -> Self {
        Self { monitoring_addresses: count, ..self }
    }

    /// The number of deposit addresses, 800 by default.
    pub fn deposit_addresses(self, count: u64) -> Self {
        Self { deposit_addresses: count, ..self }
    }

    /// The seed that all records are generated from, 1 by default.
    ///
    /// The same seed makes the same records. The newest records are the same however many there are.
    /// With [`Times::Uniform`], the newest hundred also have the same times.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The time before which all records were created, 2026-01-01T00:00:00Z by default.
    ///
    /// Records that are added later are newer, whatever the clock says. Inserted records can have any
    /// time.
    pub fn now(self, now: DateTime<Utc>) -> Self {
        Self { now, ..self }
    }

    /// The minimum time that each answer of an operation takes. Zero by default.
    pub fn latency(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// How long a token is valid, an hour by default.
    ///
    /// `expires_in` is in whole seconds, rounded down.
    pub fn token_lifetime(self, lifetime: Duration) -> Self {
        Self { token_lifetime: lifetime, ..self }
    }

    /// How the records' creation times are distributed. Over about a year by default.
    pub fn times(self, times: Times) -> Self {
        Self { times, ..self }
    }

    /// Makes a share of the answers fail, from 0.0 (none, the default) to 1.0 (all).
    ///
    /// A careful client recovers from every one of these failures, and none of them changes a record.
    /// Listings fail in every way: 500, 502 with an HTML page, 503, 408, 429 with
    /// `Retry-After: 0` and without, 401, a closed connection, a truncated body, an empty page with
    /// a cursor. A POST fails only with 429 and 401, because anything else would leave the caller in
    /// doubt. The token endpoint doesn't fail. Answers fail independently, so several failures can
    /// follow each other.
    pub fn chaos(self, share: f64, seed: u64) -> Self {
        Self { chaos: (share, seed), ..self }
    }

    /// The port on 127.0.0.1. By default 0, which means any free port.
    pub fn port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Builds a sandbox without a port. Its [`client`](Sandbox::client) calls it directly.
    ///
    /// It needs no runtime. All times, including the lifetime of tokens, follow Tokio's clock: while
    /// that is paused, a month of faults, waits and expiring tokens takes a moment. Faults that break
    /// a connection break a call in the same way.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use digital_assets::{Operation, sandbox::{Fault, Sandbox}};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), digital_assets::Error> {
    /// let sandbox = Sandbox::builder().build();
    /// let wait = Some(Duration::from_secs(20));
    /// sandbox.fault(Operation::ListDepositAddresses, Fault::TooManyRequests { retry_after: wait });
    ///
    /// let page = sandbox.client()?.list_deposit_addresses().limit(5).send().await?;
    ///
    /// assert_eq!(page.items.len(), 5);
    /// assert_eq!(sandbox.request_count(Operation::ListDepositAddresses), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn build(self) -> Sandbox {
        self.sandbox(NOWHERE.to_owned())
    }

    /// Starts the sandbox on the current Tokio runtime, whose timers and I/O must be enabled.
    ///
    /// # Errors
    ///
    /// `Configuration` if the port isn't free.
    pub async fn start(self) -> Result<Sandbox, Error> {
        let rejection = |error| {
            let message = format!("the sandbox can't listen on port {}", self.port);
            Error::configuration(message).caused_by(error)
        };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await.map_err(rejection)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(rejection)?);
        let sandbox = self.sandbox(base_url);
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, sandbox.router.clone()));
        Ok(Sandbox { server: Some(Arc::new(server)), ..sandbox })
    }

    fn sandbox(self, base_url: String) -> Sandbox {
        let service = Arc::new(Service::new(self, base_url));
        Sandbox { router: router(&service), service, server: None }
    }
}
