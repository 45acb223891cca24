//! TLS to Postgres: nothing is sent unless the server's certificate and name are verified.

use std::{net::IpAddr, sync::Arc};

use postgres::{
    Client, Config, NoTls,
    config::{Host, SslMode},
};
use rustls::{ClientConfig, crypto::aws_lc_rs};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::Failure;

/// No TLS on this machine or with `sslmode=disable`. Otherwise TLS if the server supports it, or
/// an error with `sslmode=require` if it doesn't.
pub(super) fn connect(config: &Config) -> Result<Client, Failure> {
    let is_plain = match config.get_ssl_mode() {
        SslMode::Disable => true,
        SslMode::Prefer => config.get_hosts().iter().all(is_here),
        _ => false,
    };
    if is_plain {
        return Ok(config.clone().ssl_mode(SslMode::Disable).connect(NoTls)?);
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| Failure::other(format!("TLS to Postgres: {error}")))?
        .with_no_client_auth();
    Ok(config.connect(MakeRustlsConnect::new(tls))?)
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}
