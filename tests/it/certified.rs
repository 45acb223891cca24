//! Servers whose certificate the crate's own HTTP clients trust. These clients use the platform's
//! certificate store, which an environment variable can replace. So the tests run in their own
//! processes.

use std::{env, fs, path::Path, process::Command, sync::Arc};

use rcgen::generate_simple_self_signed;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

/// The environment variable that names the file with the trusted certificates. In a test's own
/// process, this file contains the servers' certificate.
const STORE: &str = "SSL_CERT_FILE";
const IS_INNER: &str = "CERTIFIED_SERVERS";

/// Runs a test in a separate process that trusts the servers' certificate. `name` is the test's
/// full name.
pub(crate) fn in_a_process_of_its_own(name: &str, test: fn()) {
    if env::var_os(IS_INNER).is_some() {
        return test();
    }
    let own = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let file = name.replace("::", "-");
    let pem = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file).with_extension("pem");
    fs::write(&pem, own.cert.pem() + &own.signing_key.serialize_pem()).expect("a file");

    let inner = Command::new(env::current_exe().expect("a test"))
        .args([name, "--exact", "--nocapture"])
        .envs([(STORE, pem.as_os_str()), (IS_INNER, "yes".as_ref())])
        .env_remove("SSL_CERT_DIR")
        .output()
        .expect("a process");

    let output = String::from_utf8_lossy(&inner.stderr);
    assert!(inner.status.success(), "{output}");
}

/// Returns an acceptor for TLS connections to `localhost`. `protocols` are the ALPN protocols, with
/// the preferred one first.
pub(crate) fn acceptor(protocols: &[&str]) -> TlsAcceptor {
    let pem = env::var_os(STORE).expect("a certificate");
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(&pem).expect("a certificate")],
            PrivateKeyDer::from_pem_file(&pem).expect("a key"),
        )
        .expect("a server");
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}
