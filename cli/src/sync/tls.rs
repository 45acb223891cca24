//! TLS connections to Postgres, as in libpq
//! (<https://www.postgresql.org/docs/current/libpq-ssl.html>), except that the server's certificate
//! is always verified.

use std::{
    fmt::Display,
    net::IpAddr,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor,
    },
    crypto::{self, CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::task::JoinHandle;
use tokio_postgres::{
    Client, Config, Error, NoTls,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{failure::Failure, service::is_loopback};

/// The TLS settings: whether to encrypt the connection, and how to verify the server.
#[derive(Debug)]
pub(super) struct Tls {
    pub mode: Mode,
    /// The file with the certificates of the trusted authorities. `None` means the platform's
    /// certificates.
    pub roots: Option<PathBuf>,
}

/// The value of `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    /// No TLS if the server is on this machine. Otherwise, TLS if the server supports it.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl FromStr for Mode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            "allow" => return Err("tries without TLS first; use prefer"),
            _ => return Err("isn't one of disable, prefer, require, verify-ca and verify-full"),
        })
    }
}

/// Connects to the server. Returns the client, and the task that runs the connection until it is
/// closed or lost.
pub(super) async fn connect(
    mut config: Config,
    tls: &Tls,
) -> Result<(Client, JoinHandle<Result<(), Error>>), Failure> {
    let mode = match tls.mode {
        Mode::Disable => SslMode::Disable,
        Mode::Prefer if is_here(&config) => SslMode::Disable,
        Mode::Prefer => SslMode::Prefer,
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
    };
    config.ssl_mode(mode);
    if mode == SslMode::Disable {
        let connected = config.connect(NoTls).await;
        let (client, connection) = connected.map_err(|error| at(&config, error))?;
        return Ok((client, tokio::spawn(connection)));
    }
    let connected = config.connect(MakeRustlsConnect::new(tls.client()?)).await;
    let (client, connection) = connected.map_err(|error| at(&config, error))?;
    Ok((client, tokio::spawn(connection)))
}

impl Tls {
    fn client(&self) -> Result<ClientConfig, Failure> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(failed)?;
        let client = match &self.roots {
            // Anyone can get a certificate that the platform trusts, so the host name is checked
            // too.
            None => client.with_platform_verifier().map_err(failed)?,
            Some(path) if self.mode == Mode::VerifyFull => {
                client.with_root_certificates(read(path)?)
            }
            Some(path) => {
                let verifier = AnyName { roots: read(path)?, provider };
                client.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
            }
        };
        Ok(client.with_no_client_auth())
    }
}

fn read(path: &Path) -> Result<RootCertStore, Failure> {
    let unread = |error: &dyn Display| failed(format!("{}: {error}", path.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unread(&error))? {
        let certificate = certificate.map_err(|error| unread(&error))?;
        roots.add(certificate).map_err(|error| unread(&error))?;
    }
    if roots.is_empty() { Err(unread(&"the file contains no certificate")) } else { Ok(roots) }
}

fn failed(error: impl Display) -> Failure {
    Failure::other(format!("TLS to Postgres: {error}"))
}

/// A verifier that requires a server certificate from a trusted authority, but accepts any host
/// name in the certificate.
#[derive(Debug)]
struct AnyName {
    roots: RootCertStore,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let certificate = ParsedCertificate::try_from(certificate)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(
            &certificate,
            &self.roots,
            intermediates,
            now,
            algorithms,
        )?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Converts a connection error to a failure whose message contains the server's host and port.
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

/// Whether the server is on this machine. If the configuration has a `hostaddr`, only `hostaddr`
/// counts, because it is the address to connect to.
fn is_here(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => is_loopback(name),
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
