//! TLS to Postgres. Where it is spoken, the server's certificate and name are verified first.

use std::{env, fmt, net::IpAddr, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
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
        let (client, connection) = config
            .ssl_mode(SslMode::Disable)
            .connect(NoTls)
            .await
            .map_err(|error| at(&config, error))?;
        return Ok((client, tokio::spawn(connection)));
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let failed = |error: &dyn fmt::Display| Failure::other(format!("TLS to Postgres: {error}"));
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    // As libpq has it.
    let tls = match env::var_os("PGSSLROOTCERT").filter(|path| path != "system") {
        Some(path) => {
            let mut roots = RootCertStore::empty();
            let found = CertificateDer::pem_file_iter(&path).map_err(|error| failed(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| failed(&error))?;
                roots.add(certificate).map_err(|error| failed(&error))?;
            }
            tls.with_root_certificates(roots)
        }
        None => tls.with_platform_verifier().map_err(|error| failed(&error))?,
    };
    let tls = MakeRustlsConnect::new(tls.with_no_client_auth());
    let (client, connection) = config.connect(tls).await.map_err(|error| at(config, error))?;
    Ok((client, tokio::spawn(connection)))
}

/// The failure to reach a server, with its host and port.
fn at(config: &Config, error: Error) -> Failure {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    Failure::from(error).in_words(format!("{host}:{port}"))
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
