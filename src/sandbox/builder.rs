//! How a sandbox is made.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use tokio::net::TcpListener;

use super::{
    chaos::Chaos,
    data::{Data, shelf},
    handle::Sandbox,
    routes::router,
    server,
    service::Service,
    times::Times,
    tokens::Tokens,
};
use crate::Error;

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
}

/// Where a sandbox without a port seems to be: a name that nobody can have (RFC 2606, section 2).
const NOWHERE: &str = "https://sandbox.invalid";

/// 2026-01-01T00:00:00Z.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// A sandbox that isn't running yet.
#[derive(Clone, Debug)]
#[must_use]
pub struct SandboxBuilder {
    executions: u64,
    profiles: u64,
    monitoring_addresses: u64,
    deposit_addresses: u64,
    seed: u64,
    now: DateTime<Utc>,
    latency: Duration,
    token_lifetime: Duration,
    times: Times,
    chaos: (f64, u64),
    port: u16,
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
            port: 0,
        }
    }
}

impl SandboxBuilder {
    /// The number of quote executions, 5,000 by default.
    ///
    /// Records are made when they are asked for, so a million cost no more than ten.
    pub fn executions(self, count: u64) -> Self {
        Self { executions: count, ..self }
    }

    /// The number of profiles that the quote executions are spread over, one by default and at
    /// least.
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

    /// What all records are made from, 1 by default.
    ///
    /// The same seed makes the same records, and the same newest ones however many there are. Their
    /// times are the same, too, if they are spread evenly ([`Times::Uniform`]): those of the newest
    /// hundred.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The time before which all records were created, 2026-01-01T00:00:00Z by default.
    ///
    /// Records that are added later are newer, whatever the clock says; records that are inserted
    /// may have any time.
    pub fn now(self, now: DateTime<Utc>) -> Self {
        Self { now, ..self }
    }

    /// How long each answer of an operation takes at least, none by default.
    pub fn latency(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// How long a token is valid, an hour by default.
    ///
    /// `expires_in` says so in whole seconds, rounded down.
    pub fn token_lifetime(self, lifetime: Duration) -> Self {
        Self { token_lifetime: lifetime, ..self }
    }

    /// How the records' creation times are spread, over about a year by default.
    pub fn times(self, times: Times) -> Self {
        Self { times, ..self }
    }

    /// Lets a share of the answers fail, from 0.0 (none, the default) to 1.0 (all).
    ///
    /// Every failure is one that a careful client recovers from, and the records stay what they
    /// are. Listings fail in every way: 500, 502 with an HTML page, 503, 408, 429 with
    /// `Retry-After: 0` and without, 401, a closed connection, a truncated body, an empty page with
    /// a cursor. A POST fails with 429 and 401 only, since all else would leave the caller in doubt.
    /// The token endpoint doesn't fail. Each answer fails or not on its own, so two failures can
    /// follow each other.
    pub fn chaos(self, share: f64, seed: u64) -> Self {
        Self { chaos: (share, seed), ..self }
    }

    /// The port on 127.0.0.1, by default 0: any that is free.
    pub fn port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Makes a sandbox without a port: its [`client`](Sandbox::client) goes straight to it.
    ///
    /// No runtime is needed. All that takes time, the lifetime of tokens included, goes by Tokio's
    /// clock: while that is paused, a month of faults, waits and expiring tokens takes a moment.
    /// Faults that break a connection break a call in the same way.
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
        let service = Arc::new(self.service());
        let router = router(&service);
        Sandbox::new(service, router, NOWHERE.to_owned(), None)
    }

    /// Starts the sandbox on the current Tokio runtime, whose timers and I/O must be enabled.
    ///
    /// # Errors
    ///
    /// A configuration error when the port can't be had.
    pub async fn start(self) -> Result<Sandbox, Error> {
        let refusal = |error| {
            let message = format!("the sandbox can't listen on port {}", self.port);
            Error::configuration(message).caused_by(error)
        };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await.map_err(refusal)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(refusal)?);
        let service = Arc::new(self.service());
        let router = router(&service);
        let server = tokio::spawn(server::serve(listener, router.clone())).abort_handle();
        Ok(Sandbox::new(service, router, base_url, Some(server)))
    }

    fn service(&self) -> Service {
        let data = Data {
            seed: self.seed,
            now: self.now,
            profiles: self.profiles,
            executions: shelf(self.seed, self.times, self.executions, self.now),
            monitoring_addresses: shelf(self.seed, self.times, self.monitoring_addresses, self.now),
            deposit_addresses: shelf(self.seed, self.times, self.deposit_addresses, self.now),
        };
        let (share, seed) = self.chaos;
        let tokens = Tokens::new(self.token_lifetime);
        Service::new(data, tokens, self.latency, Chaos::new(share, seed))
    }
}
