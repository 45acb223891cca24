//! TLS with the platform's own library. Each HTTP client sets up TLS for itself, so no settings are
//! shared.

use std::sync::Arc;

use reqwest::ClientBuilder;

use crate::Error;

pub(crate) struct Tls;

impl Tls {
    pub(crate) fn latest() -> Arc<Self> {
        Arc::new(Self)
    }

    pub(crate) fn reload() -> Arc<Self> {
        Self::latest()
    }

    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // same signature as with rustls
    pub(crate) fn add_to(&self, client: ClientBuilder, _: bool) -> Result<ClientBuilder, Error> {
        Ok(client)
    }
}
