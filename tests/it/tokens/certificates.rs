//! Tests of clients that authenticate to the token endpoint with a certificate.

use std::mem;

use digital_assets::reqwest::{self, Certificate, Identity, Proxy};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional},
    net::TcpStream,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        pki_types::{PrivateKeyDer, pem::PemObject},
        server::WebPkiClientVerifier,
    },
};

use super::with;
use crate::{
    prelude::*,
    server::{listen, read},
};

/// Starts a token endpoint with a certificate from this authority. It accepts clients whose
/// certificate is from the same authority.
///
/// Returns its URL, the bodies that it has read, and the acceptor for its next connections.
async fn private_endpoint(
    authority: &CertifiedIssuer<'_, KeyPair>,
) -> (String, Arc<Mutex<String>>, Arc<Mutex<TlsAcceptor>>) {
    let acceptor = Arc::new(Mutex::new(acceptor(authority, &[authority])));
    let seen = Arc::new(Mutex::new(String::new()));
    let (written, current) = (Arc::clone(&seen), Arc::clone(&acceptor));
    let port = listen(move |stream| {
        let (acceptor, written) = (current.lock().unwrap().clone(), Arc::clone(&written));
        async move {
            let mut stream = acceptor.accept(stream).await?;
            let Some(request) = read(&mut stream, &mut Vec::new()).await? else {
                return Ok(());
            };
            written.lock().unwrap().push_str(&request.body);
            let body = r#"{"access_token":"word","token_type":"bearer","addresses":[]}"#;
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length";
            let answer = format!("{head}: {}\r\n\r\n{body}", body.len());
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await
        }
    })
    .await;
    (format!("https://localhost:{port}/oauth2/token"), seen, acceptor)
}

/// Returns an acceptor with a certificate from `authority`, which accepts clients with a
/// certificate from one of the authorities in `clients`.
fn acceptor(
    authority: &CertifiedIssuer<'_, KeyPair>,
    clients: &[&CertifiedIssuer<'_, KeyPair>],
) -> TlsAcceptor {
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(["localhost".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, authority).expect("a certificate");
    let mut roots = RootCertStore::empty();
    for client in clients {
        roots.add(client.der().clone()).expect("an authority");
    }
    let clients = WebPkiClientVerifier::builder(Arc::new(roots)).build().expect("a verifier");
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).expect("a key");
    let config = ServerConfig::builder()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a server");
    TlsAcceptor::from(Arc::new(config))
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let key = KeyPair::generate().expect("a key");
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, key).expect("an authority")
}

fn identity(authority: &CertifiedIssuer<'_, KeyPair>) -> Identity {
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(["backoffice".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, authority).expect("a certificate");
    let identity = Identity::from_pem((certificate.pem() + &key.serialize_pem()).as_bytes());
    identity.expect("an identity")
}

fn root(authority: &CertifiedIssuer<'_, KeyPair>) -> Certificate {
    Certificate::from_der(authority.der()).expect("a certificate")
}

/// Returns the builder of an HTTP client that trusts only this root certificate and uses no proxy.
fn trusting(root: Certificate) -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy().tls_certs_only([root])
}

// RFC 8705, section 2.1: the request has a `client_id` and no secret. RFC 6749, section 2.3.1: the
// client may omit an empty secret.
#[tokio::test]
async fn a_certificate_of_a_private_authority_stands_for_a_secret() {
    let authority = authority();
    let (url, seen, _) = private_endpoint(&authority).await;
    let with = |http: reqwest::ClientBuilder| {
        let http = http.build().expect("an HTTP client");
        with(ClientCredentials::with_certificate(&url, "backoffice").http_client(http))
    };

    let (service, client) = with(trusting(root(&authority)).identity(identity(&authority)));
    list(&client).await.expect("a page");
    let (_service, nameless) = with(trusting(root(&authority)));
    let error = add(&nameless).await.expect_err("no certificate");
    let (_service, distrustful) = with(reqwest::Client::builder().no_proxy());
    let stranger = add(&distrustful).await.expect_err("an unknown authority");

    assert_eq!(service.tokens(), ["word"]);
    assert!(seen.lock().unwrap().contains("client_id=backoffice"));
    assert!(!seen.lock().unwrap().contains("client_secret"));
    assert_eq!((error.kind(), stranger.kind()), (ErrorKind::Token, ErrorKind::Token));
}

// Between two requests, the endpoint gets a new authority, and then accepts only clients of this
// authority.
#[tokio::test(start_paused = true)]
async fn a_renewed_certificate_is_used_within_the_lifetime_of_connections() {
    let clock = Clock::stopped();
    let old = authority();
    let (url, _, acceptor) = private_endpoint(&old).await;
    let current = Arc::new(Mutex::new(Some((root(&old), identity(&old)))));
    let reading = Arc::clone(&current);
    let make = move || {
        let (root, identity) = reading.lock().unwrap().clone().ok_or("half a file")?;
        Ok(trusting(root).identity(identity).build()?)
    };
    let credentials =
        ClientCredentials::with_certificate(&url, "backoffice").http_client_from(make);
    let (service, client) = with(credentials.connection_lifetime(seconds(600)));
    list(&client).await.expect("a page");

    // If a certificate file can't be read yet, requests don't fail.
    let new = authority();
    *current.lock().unwrap() = None;
    clock.forward(seconds(600)).await;
    client.list_deposit_addresses().send().await.expect("a page");
    *acceptor.lock().unwrap() = self::acceptor(&new, &[&new]);
    *current.lock().unwrap() = Some((root(&new), identity(&new)));
    clock.forward(seconds(1)).await;
    client.list_quote_executions().profile_id("p").send().await.expect("a page");

    assert_eq!(service.count(), 3);
    let credentials = ClientCredentials::with_certificate(&url, "backoffice");
    let failing = credentials.http_client_from(|| Err("half a file".into()));
    let error = Client::builder(service.url()).credentials(failing).build().expect_err("half");
    assert_eq!(error.kind(), ErrorKind::Configuration);
    let cause = std::error::Error::source(&error).expect("a cause");
    assert_eq!(cause.to_string(), "half a file");
}

// The endpoint accepts clients of the old authority, then of both, and then only of the new one.
#[tokio::test(start_paused = true)]
async fn a_certificate_is_rotated_under_fifty_calls_at_once() {
    let clock = Clock::stopped();
    let (old, new) = (authority(), authority());
    let (url, _, acceptor) = private_endpoint(&old).await;
    let root = root(&old);
    let current = Arc::new(Mutex::new(identity(&old)));
    let reading = Arc::clone(&current);
    let make = move || {
        let identity = reading.lock().unwrap().clone();
        Ok(trusting(root.clone()).identity(identity).build()?)
    };
    let builder = Client::builder(url.trim_end_matches("/oauth2/token")).bearer_token("word");
    let builder = builder.http_client_from(make).connection_lifetime(seconds(1));
    let client = builder.retry(Retry::none()).build().expect("a client");

    let mut under_way: Vec<JoinHandle<Result<(), Error>>> = Vec::new();
    for (clients, issuer) in [(&[&old] as &[_], &old), (&[&old, &new], &new), (&[&new], &new)] {
        *acceptor.lock().unwrap() = self::acceptor(&old, clients);
        *current.lock().unwrap() = identity(issuer);
        clock.forward(seconds(1)).await;
        let calls = (0..50).map(|_| {
            let client = client.clone();
            tokio::spawn(async move { list(&client).await })
        });
        for call in mem::replace(&mut under_way, calls.collect()) {
            call.await.expect("no panic").expect("a page");
        }
    }
    for call in under_way {
        call.await.expect("no panic").expect("a page");
    }
}

/// Starts a proxy that connects a client to any port of this machine if the client knows the
/// password. Returns its URL, and the request heads that it has read.
async fn proxy() -> (String, Arc<Mutex<String>>) {
    let seen = Arc::new(Mutex::new(String::new()));
    let heads = Arc::clone(&seen);
    let port = listen(move |stream| {
        let heads = Arc::clone(&heads);
        async move {
            let mut stream = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).await? > 0 {}
            heads.lock().unwrap().push_str(&head);
            // This is the base64 form of `operator:open`.
            if !head.to_lowercase().contains("proxy-authorization: basic b3blcmf0b3i6b3blbg==") {
                let refused = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
                return stream.write_all(refused).await;
            }
            let authority = head.split(' ').nth(1).unwrap_or_default();
            let port = authority.rsplit(':').next().and_then(|port| port.parse().ok());
            let mut endpoint = TcpStream::connect(("127.0.0.1", port.unwrap_or(0))).await?;
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            copy_bidirectional(&mut stream, &mut endpoint).await.map(drop)
        }
    })
    .await;
    (format!("http://127.0.0.1:{port}"), seen)
}

// RFC 9110, section 9.3.6: the proxy can't read what goes through its tunnel.
#[tokio::test]
async fn a_tunnel_takes_the_password_of_its_proxy_and_shows_it_no_secret() {
    let authority = authority();
    let (url, seen, _) = private_endpoint(&authority).await;
    let (proxy, heads) = proxy().await;
    let through = |proxy: Proxy| {
        let http = trusting(root(&authority)).identity(identity(&authority)).proxy(proxy).build();
        let http = http.expect("an HTTP client");
        with(ClientCredentials::new(&url, "backoffice", "sesame").http_client(http))
    };
    let to_proxy = || Proxy::https(&proxy).expect("a proxy");

    let (_service, nobody) = through(to_proxy());
    let error = add(&nobody).await.expect_err("407");
    assert!(seen.lock().unwrap().is_empty());
    let (service, client) = through(to_proxy().basic_auth("operator", "open"));
    list(&client).await.expect("a page");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert_eq!(service.tokens(), ["word"]);
    assert!(seen.lock().unwrap().contains("client_secret=sesame"));
    let heads = heads.lock().unwrap();
    assert!(heads.starts_with("CONNECT localhost:"), "{heads}");
    assert!(!heads.contains("sesame") && !heads.contains("POST"), "{heads}");
}
