//! The settings of a sandbox that are the same for every service.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    clients::Client,
    handle::Handle,
    routes::router,
    server,
    service::{Data, Service},
    times::Times,
};
use crate::{AuthStyle, Error, Operation};

/// The address of a sandbox without a port: a name that nobody can register (RFC 2606, section 2).
const NOWHERE: &str = "https://sandbox.invalid";

/// 2026-01-01T00:00:00Z.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// What is set of a sandbox that isn't running yet.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What all records are generated from.
    pub seed: u64,
    /// The time before which all records were created.
    pub now: DateTime<Utc>,
    /// The minimum time of each answer.
    pub latency: Duration,
    /// How long a token is valid.
    pub token_lifetime: Duration,
    /// How the records' creation times are distributed.
    pub times: Times,
    /// The share of the answers that fail, and the seed of which do.
    pub chaos: (f64, u64),
    /// The clients that the token endpoint knows.
    pub(super) clients: Vec<Client>,
    /// The only style in which a secret is accepted.
    pub auth_style: Option<AuthStyle>,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Settings {
    /// The default settings of the sandbox of a service with these operations.
    #[must_use]
    pub fn new(operations: &[Operation]) -> Self {
        Self {
            seed: 1,
            now: NOW,
            latency: Duration::ZERO,
            token_lifetime: Duration::from_secs(3_600),
            times: Times::Uniform,
            chaos: (0.0, 0),
            clients: vec![Client::of_all_scopes(operations)],
            auth_style: None,
            port: 0,
        }
    }

    /// A sandbox without a port.
    #[must_use]
    pub fn build<D: Data>(self, counts: D::Counts) -> Handle<D> {
        self.handle(counts, NOWHERE.to_owned())
    }

    /// A sandbox that listens, on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// `Configuration` if the port isn't free.
    pub async fn start<D: Data>(self, counts: D::Counts) -> Result<Handle<D>, Error> {
        let rejection = |error| {
            let message = format!("the sandbox can't listen on port {}", self.port);
            Error::configuration(message).caused_by(error)
        };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await.map_err(rejection)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(rejection)?);
        let handle = self.handle(counts, base_url);
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, handle.router.clone()));
        Ok(Handle { server: Some(Arc::new(server)), ..handle })
    }

    fn handle<D: Data>(self, counts: D::Counts, base_url: String) -> Handle<D> {
        let service = Arc::new(Service::new(self, counts, base_url));
        Handle { router: router(&service), service, server: None }
    }
}
