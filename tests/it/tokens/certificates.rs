//! Clients that authenticate to the token endpoint with a certificate.

use std::sync::{Arc, Mutex};

use digital_assets::{
    ClientCredentials, ErrorKind,
    reqwest::{self, Certificate, Identity},
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        pki_types::{PrivateKeyDer, pem::PemObject},
        server::WebPkiClientVerifier,
    },
};

use super::{tokens, with};
use crate::{add, list};

/// A token endpoint with a certificate from a private authority, which accepts clients with a
/// certificate from the same one; and the requests it has read.
async fn private_endpoint(
    authority: &CertifiedIssuer<'_, KeyPair>,
) -> (String, Arc<Mutex<String>>) {
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(["localhost".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, authority).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("an authority");
    let clients = WebPkiClientVerifier::builder(Arc::new(roots)).build().expect("a verifier");
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).expect("a key");
    let config = ServerConfig::builder()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a server");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let seen = Arc::new(Mutex::new(String::new()));
    let read = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = vec![0; 4096];
            let mut length = 0;
            while !String::from_utf8_lossy(&request[..length]).contains("grant_type") {
                match stream.read(&mut request[length..]).await {
                    Ok(0) | Err(_) => break,
                    Ok(more) => length += more,
                }
            }
            read.lock().unwrap().push_str(&String::from_utf8_lossy(&request[..length]));
            let body = r#"{"access_token":"word","token_type":"bearer"}"#;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + body).as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (format!("https://localhost:{port}/oauth2/token"), seen)
}

// RFC 8705, section 2.1: `client_id` and no secret.
#[tokio::test]
async fn a_certificate_of_a_private_authority_stands_for_a_secret() {
    let key = KeyPair::generate().expect("a key");
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(parameters, key).expect("an authority");
    let (url, seen) = private_endpoint(&authority).await;
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(["backoffice".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, &authority).expect("a certificate");
    let identity = Identity::from_pem((certificate.pem() + &key.serialize_pem()).as_bytes());
    let root = || Certificate::from_der(authority.der()).expect("a certificate");
    let trusting = || reqwest::Client::builder().no_proxy().tls_certs_only([root()]);
    let with = |http: reqwest::ClientBuilder| {
        let http = http.build().expect("an HTTP client");
        with(ClientCredentials::new(&url, "backoffice", "").http_client(http))
    };

    let (service, client) = with(trusting().identity(identity.expect("an identity")));
    list(&client).await.expect("a page");
    let (_service, nameless) = with(trusting());
    let error = add(&nameless).await.expect_err("no certificate");
    let (_service, distrustful) = with(reqwest::Client::builder().no_proxy());
    let stranger = add(&distrustful).await.expect_err("an unknown authority");

    assert_eq!(tokens(&service), ["word"]);
    assert!(seen.lock().unwrap().contains("client_id=backoffice"));
    assert!(!seen.lock().unwrap().contains("client_secret"));
    assert_eq!((error.kind(), stranger.kind()), (ErrorKind::Token, ErrorKind::Token));
}
