//! TLS to Postgres. Where it is spoken, the server's certificate and name are verified first.

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
        SslMode::Prefer => is_here(config),
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

/// Whether the server is on this machine. An address in `hostaddr` is the one that is connected to,
/// whatever the host is called.
fn is_here(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    if config.get_hostaddrs().is_empty() {
        config.get_hosts().iter().all(is_local)
    } else {
        config.get_hostaddrs().iter().all(IpAddr::is_loopback)
    }
}

#[cfg(test)]
mod tests {
    use super::is_here;

    #[test]
    fn a_server_is_here_if_every_address_that_is_connected_to_is() {
        let here = |url: &str| is_here(&url.parse().unwrap());

        assert!(here("postgres://me@localhost/books"));
        assert!(here("postgres://me@127.0.0.1,[::1]/books"));
        assert!(here("postgres://me@%2Frun%2Fpostgresql/books"));
        assert!(here("postgres://me@books.example/books?hostaddr=127.0.0.1"));
        assert!(!here("postgres://me@192.0.2.2/books"));
        assert!(!here("postgres://me@localhost,books.example/books"));
        assert!(!here("postgres://me@localhost/books?hostaddr=192.0.2.2"));
        assert!(!here("postgres://me@localhost,localhost/books?hostaddr=127.0.0.1,192.0.2.2"));
        assert!(!here("postgres:///books?user=me&hostaddr=192.0.2.2"));
    }
}
