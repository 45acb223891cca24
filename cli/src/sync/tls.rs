//! TLS to Postgres: nothing is sent unless the server's certificate and name are verified.

use std::{net::IpAddr, sync::Arc};

use rustls::{ClientConfig, crypto::aws_lc_rs};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::task::JoinHandle;
use tokio_postgres::{
    Client, Config, Error, NoTls,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::Failure;

/// No TLS on this machine or with `sslmode=disable`. Otherwise TLS if the server supports it, or
/// an error with `sslmode=require` if it doesn't. The task ends when the connection does.
pub(super) async fn connect(
    config: &Config,
) -> Result<(Client, JoinHandle<Result<(), Error>>), Failure> {
    let is_plain = match config.get_ssl_mode() {
        SslMode::Disable => true,
        SslMode::Prefer => config.get_hosts().iter().all(is_here),
        _ => false,
    };
    if is_plain {
        let mut config = config.clone();
        let (client, connection) = config.ssl_mode(SslMode::Disable).connect(NoTls).await?;
        return Ok((client, tokio::spawn(connection)));
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| Failure::other(format!("TLS to Postgres: {error}")))?
        .with_no_client_auth();
    let (client, connection) = config.connect(MakeRustlsConnect::new(tls)).await?;
    Ok((client, tokio::spawn(connection)))
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
