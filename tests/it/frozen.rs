//! An HTTP/2 connection that freezes: its peer acknowledges what it gets, and never answers.

use std::{env, fs, path::Path, process::Command};

use futures_util::future::join;
use rcgen::generate_simple_self_signed;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{pause, resume},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::{
    frames::{self, Connection},
    prelude::*,
    server::listen,
};

/// Speaks HTTP/2 over TLS. Its first connection freezes, and the others give this answer. Counts the
/// requests of each.
async fn freezing(pem: &Path, answer: &'static str) -> (String, watch::Receiver<[usize; 2]>) {
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(pem).expect("a certificate")],
            PrivateKeyDer::from_pem_file(pem).expect("a key"),
        )
        .expect("a server");
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (count, counted) = watch::channel([0, 0]);
    let mut is_frozen = true;
    let port = listen(move |stream| {
        let (acceptor, count) = (acceptor.clone(), count.clone());
        let answer = Some(answer).filter(|_| !is_frozen);
        is_frozen = false;
        async move { serve(acceptor.accept(stream).await?, answer, &count).await }
    })
    .await;
    (format!("https://localhost:{port}"), counted)
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: Option<&str>,
    count: &watch::Sender<[usize; 2]>,
) -> std::io::Result<()> {
    let mut connection = Connection::begin(stream).await?;
    loop {
        let (stream, _) = connection.request().await?;
        let Some(answer) = answer else {
            count.send_modify(|[frozen, _]| *frozen += 1);
            continue;
        };
        count.send_modify(|[_, answered]| *answered += 1);
        connection.send(&frames::answer(stream, answer)).await?;
    }
}

/// Set in the process whose certificate store is the server's certificate.
const STORE: &str = "SSL_CERT_FILE";
const IS_INNER: &str = "FROZEN_CONNECTIONS";

// The crate's own HTTP clients, whose certificates are the platform's: so in a process of its own.
#[test]
fn a_connection_that_acknowledges_and_never_answers_costs_one_attempt() {
    if env::var_os(IS_INNER).is_some() {
        return recover();
    }
    let own = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let pem = Path::new(env!("CARGO_TARGET_TMPDIR")).join("frozen.pem");
    fs::write(&pem, own.cert.pem() + &own.signing_key.serialize_pem()).expect("a file");

    let name = "frozen::a_connection_that_acknowledges_and_never_answers_costs_one_attempt";
    let inner = Command::new(env::current_exe().expect("a test"))
        .args([name, "--exact", "--nocapture"])
        .envs([(STORE, pem.as_os_str()), (IS_INNER, "yes".as_ref())])
        .env_remove("SSL_CERT_DIR")
        .output()
        .expect("a process");

    let output = String::from_utf8_lossy(&inner.stderr);
    assert!(inner.status.success(), "{output}");
}

#[tokio::main(flavor = "current_thread")]
async fn recover() {
    let pem = env::var_os(STORE).expect("a certificate");
    let (url, mut calls) = freezing(pem.as_ref(), "{}").await;
    let granted = r#"{"access_token":"word","token_type":"bearer"}"#;
    let (token_url, mut tokens) = freezing(pem.as_ref(), granted).await;
    let credentials = ClientCredentials::new(token_url, "backoffice", "sesame");
    let at_once = Retry::default().base_delay(Duration::ZERO).max_delay(Duration::ZERO);
    let client = Client::builder(url).credentials(credentials).retry(at_once).build();
    let client = client.expect("a client");

    let attempts_end = async {
        for requests in [&mut tokens, &mut calls] {
            requests.wait_for(|[frozen, _]| *frozen == 1).await.expect("a server");
            // An attempt has 15 s.
            pause();
            advance(Duration::from_secs(16)).await;
            resume();
        }
    };
    let (outcome, ()) = join(list(&client), attempts_end).await;

    outcome.expect("an answer on a second connection");
    assert_eq!((*tokens.borrow(), *calls.borrow()), ([1, 1], [1, 1]));
}
