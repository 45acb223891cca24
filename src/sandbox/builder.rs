//! How a sandbox is made.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use tokio::net::TcpListener;

use super::{
    Sandbox,
    chaos::Chaos,
    data::{Data, Shelf},
    server,
    service::Service,
    times::Times,
    token::Tokens,
};
use crate::Error;

/// A sandbox that isn't running yet.
#[derive(Clone, Debug)]
#[must_use]
pub struct SandboxBuilder {
    executions: u64,
    monitoring_addresses: u64,
    deposit_addresses: u64,
    seed: u64,
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
            monitoring_addresses: 400,
            deposit_addresses: 800,
            seed: 1,
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

    /// The number of monitoring addresses, 400 by default.
    pub fn monitoring_addresses(self, count: u64) -> Self {
        Self { monitoring_addresses: count, ..self }
    }

    /// The number of deposit addresses, 800 by default.
    pub fn deposit_addresses(self, count: u64) -> Self {
        Self { deposit_addresses: count, ..self }
    }

    /// What all records are made from: the same seed, the same records. 1 by default.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
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
        let address = listener.local_addr().map_err(refusal)?;
        let data = Data {
            seed: self.seed,
            executions: self.shelf(self.executions),
            monitoring_addresses: self.shelf(self.monitoring_addresses),
            deposit_addresses: self.shelf(self.deposit_addresses),
        };
        let (share, seed) = self.chaos;
        let tokens = Tokens::new(self.token_lifetime);
        let service = Arc::new(Service::new(data, tokens, self.latency, Chaos::new(share, seed)));
        let server = tokio::spawn(server::serve(listener, Arc::clone(&service)));
        Ok(Sandbox::new(service, address, server.abort_handle()))
    }

    fn shelf(&self, count: u64) -> Shelf {
        Shelf::new(self.seed, self.times, count)
    }
}
