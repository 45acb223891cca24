//! The settings that a sandbox of any service has.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::{clients::Clients, times::Times};
use crate::Operation;

/// The default "now": 2026-01-01T00:00:00Z.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// The settings of a sandbox that isn't running yet.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed that all records are generated from.
    pub seed: u64,
    /// The time before which all records were created.
    pub now: DateTime<Utc>,
    /// The time that passes before an operation handles a request.
    pub latency: Duration,
    /// The lifetime of tokens.
    pub token_lifetime: Duration,
    /// The distribution of the records' creation times.
    pub times: Times,
    /// The share of the responses that fail, and the seed for choosing them.
    pub chaos: (f64, u64),
    /// The clients of the token endpoint.
    pub clients: Clients,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Settings {
    /// The default settings for a service with these operations.
    #[must_use]
    pub fn new(operations: &[Operation]) -> Self {
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
}
