//! TLS settings, which HTTP clients share because reading the certificate store is slow.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use reqwest::ClientBuilder;
use rustls::{ClientConfig, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::{Error, lock::lock};

/// TLS settings. The certificates are loaded when the first HTTP client needs them.
#[derive(Default)]
pub(crate) struct Tls(OnceLock<ClientConfig>);

/// The age at which new settings replace the shared settings.
const SHARED: Duration = Duration::from_secs(1);

static LATEST: Mutex<Option<(Instant, Arc<Tls>)>> = Mutex::new(None);

impl Tls {
    /// Returns the latest settings, or new settings if the latest ones are at least a second old.
    pub(crate) fn latest() -> Arc<Self> {
        let mut latest = lock(&LATEST);
        match &*latest {
            Some((since, tls)) if since.elapsed() < SHARED => Arc::clone(tls),
            _ => Arc::clone(&latest.insert((Instant::now(), Arc::default())).1),
        }
    }

    /// Returns new settings, even if the latest ones are less than a second old.
    pub(crate) fn reload() -> Arc<Self> {
        *lock(&LATEST) = None;
        Self::latest()
    }

    /// Adds the settings to the builder of an HTTP client.
    ///
    /// # Errors
    ///
    /// `Configuration` if there is no crypto provider, or if the platform has no certificates.
    pub(crate) fn add_to(
        &self,
        client: ClientBuilder,
        http1_only: bool,
    ) -> Result<ClientBuilder, Error> {
        let config = if let Some(config) = self.0.get() {
            config
        } else {
            let config = config()?;
            self.0.get_or_init(|| config)
        };
        let mut config = config.clone();
        if http1_only {
            config.alpn_protocols.retain(|protocol| protocol != b"h2");
        }
        Ok(client.tls_backend_preconfigured(config))
    }
}

/// Creates the same settings as reqwest would: TLS 1.2 and 1.3, the platform's certificates, and
/// HTTP/2 if the feature `http2` is enabled.
fn config() -> Result<ClientConfig, Error> {
    let failed = |error| Error::configuration("TLS can't be set up").caused_by(error);
    let mut config = ClientConfig::builder_with_provider(provider()?)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(failed)?
        .with_no_client_auth();
    config.alpn_protocols = vec![
        #[cfg(feature = "http2")]
        b"h2".to_vec(),
        b"http/1.1".to_vec(),
    ];
    Ok(config)
}

fn provider() -> Result<Arc<CryptoProvider>, Error> {
    let provider = CryptoProvider::get_default().map(Arc::clone);
    #[cfg(feature = "rustls")]
    let provider = provider.or_else(|| Some(rustls::crypto::aws_lc_rs::default_provider().into()));
    provider.ok_or_else(|| {
        Error::configuration(
            "TLS has no crypto provider: before you build the client, install one of rustls's \
             providers with `install_default`, or enable the feature `rustls`",
        )
    })
}
