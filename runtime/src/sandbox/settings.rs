//! The sandbox settings that don't depend on the service.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::{clients::Clients, times::Times};
use crate::Operation;

/// The default for `now`: 2026-01-01T00:00:00Z.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// The settings that every sandbox has. [`SandboxBuilder`](super::SandboxBuilder) sets them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed from which all records are generated.
    pub(super) seed: u64,
    /// The sandbox's "now". All initial records were created before it.
    pub(super) now: DateTime<Utc>,
    /// The delay before the sandbox handles a request to an operation.
    pub(super) latency: Duration,
    /// The lifetime of tokens.
    pub(super) token_lifetime: Duration,
    /// The distribution of the records' creation times.
    pub(super) times: Times,
    /// The share of the responses that fail at random, from 0.0 to 1.0, and the seed that
    /// determines which responses fail.
    pub(super) chaos: (f64, u64),
    /// The OAuth clients that are registered with the token endpoint.
    pub(super) clients: Clients,
    /// The port on 127.0.0.1. 0 means any free port.
    pub(super) port: u16,
}

impl Settings {
    /// The default settings for a service with these operations.
    pub(super) fn new(operations: &[Operation]) -> Self {
        Self {
            seed: 1,
            now: NOW,
            latency: Duration::ZERO,
            token_lifetime: Duration::from_secs(3_600),
            times: Times::Uniform,
            chaos: (0.0, 0),
            clients: Clients::of_all_scopes(operations),
            port: 0,
        }
    }

    /// The sandbox's "now", before which all initial records were created.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }
}

impl AsMut<Self> for Settings {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
