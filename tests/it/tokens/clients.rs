//! How a token endpoint is reached, and how it knows the client.

use std::{
    future::{Ready, ready},
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::SystemTime,
};

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    UnparsedPublicKey, VerificationAlgorithm,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use digital_assets::{
    BoxFuture, Client, ClientCredentials, Error, ErrorKind, PemSigner, Signer,
    reqwest::{self, Certificate, Identity, Proxy, Request, Response},
};
use futures_util::future::join_all;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ED25519, PKCS_RSA_SHA256, PublicKeyData,
};
use serde_json::Value;
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
use tower_service::Service;

use super::{pair, tokens};
use crate::{
    add,
    clock::{Clock, millis, seconds},
    grant, granting, list, printed, quick,
    server::{Server, json, status},
};

const TOKEN_URL: &str = "https://auth.example.com/oauth2/token";

/// A service, and a client of it with these credentials.
fn with(credentials: ClientCredentials) -> (Server, Client) {
    let service = Server::answering(|_| json(200, "{}"));
    let client = Client::builder(service.url()).credentials(credentials).retry(quick());
    (service, client.build().expect("a client on loopback"))
}

#[tokio::test]
async fn a_proxy_gets_its_password_and_the_endpoint_its_secret() {
    let proxy = Server::answering(|received| match received.header("proxy-authorization") {
        // operator:open
        Some("Basic b3BlcmF0b3I6b3Blbg==") => grant("word", "3599"),
        _ => status(407),
    });
    let through = |proxy: Proxy| {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let http = http.proxy(proxy).build().expect("an HTTP client");
        let url = "http://localhost:1/oauth2/token";
        with(ClientCredentials::new(url, "backoffice", "sesame").http_client(http))
    };
    let to_proxy = || Proxy::all(proxy.url()).expect("a proxy");

    let (_service, client) = through(to_proxy());
    let error = list(&client).await.expect_err("407");
    let (service, client) = through(to_proxy().basic_auth("operator", "open"));
    list(&client).await.expect("a page");

    assert_eq!(error.status().map(|status| status.as_u16()), Some(407));
    let requests = proxy.requests();
    assert_eq!(requests[1].line, "POST http://localhost:1/oauth2/token");
    assert!(requests[1].form().contains(&pair("client_secret", "sesame")));
    assert_eq!(tokens(&service), ["word"]);
}

/// Answers in the place of a token endpoint.
#[derive(Clone)]
struct Endpoint {
    asked: Arc<AtomicUsize>,
    answer: fn(usize) -> Result<Response, io::Error>,
    is_ready: fn(usize) -> Poll<Result<(), io::Error>>,
}

impl Endpoint {
    fn of(answer: fn(usize) -> Result<Response, io::Error>) -> Self {
        Self { asked: Arc::default(), answer, is_ready: |_| Poll::Ready(Ok(())) }
    }

    fn client(&self) -> (Server, Client) {
        let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
        with(credentials.http_service(self.clone()))
    }
}

impl Service<Request> for Endpoint {
    type Response = Response;
    type Error = io::Error;
    type Future = Ready<Result<Response, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        (self.is_ready)(self.asked.load(Ordering::Relaxed))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        assert_eq!(request.url().as_str(), TOKEN_URL);
        ready((self.answer)(self.asked.fetch_add(1, Ordering::Relaxed)))
    }
}

fn fell_in() -> io::Error {
    io::Error::other("the tunnel fell in")
}

fn granted() -> Response {
    let body = r#"{"access_token":"word","token_type":"bearer"}"#;
    http::Response::builder().body(body).expect("a response").into()
}

#[tokio::test]
async fn a_service_of_the_users_own_answers_for_the_token_endpoint() {
    let endpoint = Endpoint::of(|_| Ok(granted()));
    let (service, client) = endpoint.client();

    list(&client).await.expect("a page");

    assert_eq!(tokens(&service), ["word"]);
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_users_own_service_are_token_errors_that_keep_them() {
    let clock = Clock::stopped();
    let failing = Endpoint::of(|_| Err(fell_in()));
    let once = Endpoint::of(|times| match times {
        0 => Err(fell_in()),
        _ => Ok(granted()),
    });
    let unready =
        Endpoint { is_ready: |_| Poll::Ready(Err(fell_in())), ..Endpoint::of(|_| Ok(granted())) };

    let (_service, client) = once.client();
    clock.run(millis(10), list(&client)).await.expect("a page");
    for (endpoint, asked) in [(&failing, 3), (&unready, 0)] {
        let (service, client) = endpoint.client();
        let error = clock.run(millis(10), list(&client)).await.expect_err("no token");

        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable() && !error.may_have_been_applied());
        let cause = std::error::Error::source(&error).expect("a cause");
        assert_eq!(cause.to_string(), "the tunnel fell in");
        assert!(cause.is::<io::Error>(), "{cause:?}");
        assert_eq!((endpoint.asked.load(Ordering::Relaxed), service.count()), (asked, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_never_ready_ends_with_the_attempt() {
    let clock = Clock::stopped();
    let endpoint = Endpoint { is_ready: |_| Poll::Pending, ..Endpoint::of(|_| Ok(granted())) };
    let (_service, client) = endpoint.client();

    let start = tokio::time::Instant::now();
    let error = clock.run(millis(100), list(&client)).await.expect_err("no token");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(start.elapsed() <= seconds(31), "{:?}", start.elapsed());
    assert_eq!(endpoint.asked.load(Ordering::Relaxed), 0);
}

// RFC 6749, section 2.3.1: the client may omit an empty secret.
#[tokio::test]
async fn an_empty_secret_is_not_sent() {
    let auth = granting();
    let url = format!("{}/oauth2/token", auth.url());
    let (_service, client) = with(ClientCredentials::new(url, "backoffice", ""));

    list(&client).await.expect("a page");

    let form = auth.request().form();
    assert!(form.contains(&pair("client_id", "backoffice")));
    assert!(form.iter().all(|(name, _)| name != "client_secret"), "{form:?}");
}

#[tokio::test]
async fn a_secret_is_asked_for_before_each_token_request_and_by_nobody_else() {
    let asked = Arc::new(AtomicUsize::new(0));
    let auth = granting();
    let counting = Arc::clone(&asked);
    let credentials = ClientCredentials::new(auth.url(), "backoffice", "the old one")
        .secret_from(move || format!("secret-{}", counting.fetch_add(1, Ordering::Relaxed)));
    let shown = format!("{credentials:?}");
    let (_service, client) = with(credentials);
    assert_eq!((asked.load(Ordering::Relaxed), shown.contains("secret-")), (0, false));

    list(&client).await.expect("a page");
    list(&client).await.expect("a page");
    client.list_deposit_addresses().send().await.expect("a page");

    for (at, request) in auth.requests().iter().enumerate() {
        assert!(request.form().contains(&pair("client_secret", &format!("secret-{at}"))));
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

// The secret is rotated while each request that carries the last one is under way.
#[tokio::test(start_paused = true)]
async fn a_thousand_rotations_of_the_secret_fail_no_call() {
    let clock = Clock::stopped();
    let current = Arc::new(AtomicUsize::new(0));
    let (rotating, reading) = (Arc::clone(&current), Arc::clone(&current));
    let mut requests = 0;
    let auth = Server::answering(move |received| {
        requests += 1;
        if requests % 2 == 1 {
            rotating.fetch_add(1, Ordering::Relaxed);
        }
        let secret = format!("secret-{}", rotating.load(Ordering::Relaxed));
        if received.form().contains(&pair("client_secret", &secret)) {
            grant(&format!("word-{requests}"), "10")
        } else {
            json(401, r#"{"error":"invalid_client"}"#)
        }
    });
    let credentials = ClientCredentials::new(auth.url(), "backoffice", "")
        .secret_from(move || format!("secret-{}", reading.load(Ordering::Relaxed)));
    let (service, client) = with(credentials);

    for _ in 0..1_000 {
        let calls = join_all((0..4).map(|_| list(&client))).await;
        assert!(calls.iter().all(Result::is_ok), "{calls:?}");
        clock.forward(seconds(10)).await;
    }

    assert_eq!((current.load(Ordering::Relaxed), service.count()), (1_000, 4_000));
}

fn part(text: &str) -> Value {
    let json = BASE64_URL_SAFE_NO_PAD.decode(text).expect("base64");
    serde_json::from_slice(&json).expect("JSON")
}

// RFC 7523, sections 2.2 and 3; RFC 7515, section 3.
#[tokio::test]
async fn an_assertion_is_signed_for_each_token_request() {
    let [rsa, ec, ed] = [&PKCS_RSA_SHA256, &PKCS_ECDSA_P256_SHA256, &PKCS_ED25519]
        .map(|algorithm| KeyPair::generate_for(algorithm).expect("a key"));
    let cases: [(_, _, _, &'static dyn VerificationAlgorithm); 4] = [
        ("RS256", &rsa, PemSigner::rs256(rsa.serialize_pem()), &RSA_PKCS1_2048_8192_SHA256),
        ("PS256", &rsa, PemSigner::ps256(rsa.serialize_pem()), &RSA_PSS_2048_8192_SHA256),
        ("ES256", &ec, PemSigner::es256(ec.serialize_pem()), &ECDSA_P256_SHA256_FIXED),
        ("EdDSA", &ed, PemSigner::eddsa(ed.serialize_pem()), &ED25519),
    ];
    for (name, key, signer, verification) in cases {
        let auth = granting();
        let signer = signer.expect(name).key_id("2026-01");
        let credentials = ClientCredentials::private_key_jwt(auth.url(), "backoffice", signer);
        let (_service, client) = with(credentials);

        list(&client).await.expect(name);
        client.list_deposit_addresses().send().await.expect(name);

        let mut ids = Vec::new();
        for request in auth.requests() {
            let form = request.form();
            let field = |name: &str| {
                let (_, value) = form.iter().find(|(known, _)| known == name)?;
                Some(value.as_str())
            };
            let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            assert_eq!(field("client_assertion_type"), Some(kind));
            assert_eq!((field("client_id"), field("client_secret")), (Some("backoffice"), None));
            assert_eq!(request.header("authorization"), None);
            let assertion = field("client_assertion").expect("an assertion");
            let (message, signature) = assertion.rsplit_once('.').expect("a signature");
            let (header, claims) = message.split_once('.').expect("claims");
            let (header, claims) = (part(header), part(claims));
            assert_eq!(header, serde_json::json!({"alg": name, "typ": "JWT", "kid": "2026-01"}));
            for (claim, value) in
                [("iss", "backoffice"), ("sub", "backoffice"), ("aud", &auth.url())]
            {
                assert_eq!(claims[claim], *value, "{claim}");
            }
            let [issued, ends] = ["iat", "exp"].map(|name| claims[name].as_u64().expect(name));
            let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
            assert!(ends == issued + 300 && now.abs_diff(issued) < 60, "{claims}");
            ids.push(claims["jti"].as_str().expect("an id").to_owned());

            let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).expect("base64");
            let key = UnparsedPublicKey::new(verification, key.der_bytes());
            key.verify(message.as_bytes(), &signature).expect(name);
        }
        assert_eq!(ids.len(), 2);
        assert_ne!(ids[0], ids[1]);
    }
}

#[test]
fn a_key_of_another_kind_is_no_configuration() {
    let [rsa, ec, ed] = [&PKCS_RSA_SHA256, &PKCS_ECDSA_P256_SHA256, &PKCS_ED25519]
        .map(|algorithm| KeyPair::generate_for(algorithm).expect("a key").serialize_pem());
    let certificate = "-----BEGIN CERTIFICATE-----\nsesame\n-----END CERTIFICATE-----\n";
    for (constructor, pems) in [
        (PemSigner::rs256 as fn(String) -> _, [&ec, &ed]),
        (PemSigner::ps256, [&ec, &ed]),
        (PemSigner::es256, [&rsa, &ed]),
        (PemSigner::eddsa, [&rsa, &ec]),
    ] {
        for pem in [pems[0], pems[1], certificate, "sesame", ""] {
            let error: Error = constructor(pem.to_owned()).expect_err("another key");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(!printed(&error).contains("sesame"));
        }
    }
    let signer = PemSigner::es256(&ec).expect("a key");
    assert_eq!(format!("{signer:?}"), r#"PemSigner { algorithm: "ES256", .. }"#);
}

#[tokio::test]
async fn a_signer_that_fails_sends_nothing() {
    struct Kms;
    impl Signer for Kms {
        fn algorithm(&self) -> &'static str {
            "ES256"
        }

        fn sign<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
            Box::pin(ready(Err(Error::token("the key is locked"))))
        }
    }
    let auth = granting();
    let credentials = ClientCredentials::private_key_jwt(auth.url(), "backoffice", Kms);
    let (_service, client) = with(credentials);

    let error = list(&client).await.expect_err("no signature");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(error.to_string().contains("the key is locked"), "{error}");
    assert_eq!(auth.count(), 0);
}

/// A token endpoint with a certificate of a private authority, which grants to those who have one
/// of it, too; and what it has read.
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
