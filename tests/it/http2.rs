//! A service that speaks HTTP/2, over TLS, as a client learns it: by ALPN.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use digital_assets::{Client, Error, Retry};
use futures_util::future::join_all;
use http::Version;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::generate_simple_self_signed;
use reqwest::{Body, Certificate};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Barrier,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

use crate::{add, list, specification::MEMBERS};

const CALLS: usize = 64;

/// Answers to listings after the first when so many are there at once.
struct Service {
    url: String,
    certificate: Certificate,
    connections: Arc<AtomicUsize>,
}

async fn service() -> Service {
    let own = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = own.signing_key.serialize_der().try_into().expect("a key");
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .expect("a server");
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let connections = Arc::new(AtomicUsize::new(0));
    let (count, asked) = (Arc::clone(&connections), Arc::new(AtomicUsize::new(0)));
    let all = Arc::new(Barrier::new(CALLS));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            count.fetch_add(1, Ordering::Relaxed);
            let (asked, all) = (Arc::clone(&asked), Arc::clone(&all));
            let answer = service_fn(move |request: http::Request<Incoming>| {
                let (asked, all) = (Arc::clone(&asked), Arc::clone(&all));
                async move {
                    assert_eq!(request.version(), Version::HTTP_2);
                    if request.method() == http::Method::POST {
                        return Ok::<_, Infallible>(http::Response::new(Body::from(MEMBERS)));
                    }
                    if asked.fetch_add(1, Ordering::Relaxed) > 0 {
                        all.wait().await;
                    }
                    Ok(http::Response::new(Body::from("{}")))
                }
            });
            let connection = http2::Builder::new(TokioExecutor::new());
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), answer));
        }
    });
    let certificate = Certificate::from_der(own.cert.der()).expect("a certificate");
    Service { url: format!("https://localhost:{port}"), certificate, connections }
}

#[tokio::test]
async fn many_listings_at_once_share_one_connection() -> Result<(), Error> {
    let service = service().await;
    let http = reqwest::Client::builder().no_proxy().add_root_certificate(service.certificate);
    let http = http.build().expect("a client");
    let client = Client::builder(&service.url).bearer_token("word").http_client(http).build()?;

    list(&client).await?;
    for result in join_all((0..CALLS).map(|_| list(&client))).await {
        result?;
    }
    add(&client).await?;

    assert_eq!(service.connections.load(Ordering::Relaxed), 1);
    Ok(())
}

const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
/// `RST_STREAM` of the first stream: `REFUSED_STREAM`.
const REFUSED: &[u8] = &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7];
/// `GOAWAY`: `NO_ERROR`, and no stream was processed.
const GOAWAY: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Speaks HTTP/2 in frames: plays a refusal to the first request, and answers the others.
async fn refusing(refusal: &'static [u8], answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move { serve(stream, refusal, answer, &count).await });
        }
    });
    (url, asked)
}

async fn serve(
    mut stream: TcpStream,
    refusal: &[u8],
    answer: &str,
    asked: &AtomicUsize,
) -> std::io::Result<()> {
    stream.read_exact(&mut [0; 24]).await?;
    stream.write_all(SETTINGS).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [_, high, low, kind, flags, id @ ..] = head;
        stream.read_exact(&mut vec![0; usize::from(high) << 8 | usize::from(low)]).await?;
        // The end of a stream, in HEADERS or DATA.
        if kind > 1 || flags & 1 == 0 {
            continue;
        }
        if asked.fetch_add(1, Ordering::Relaxed) == 0 {
            stream.write_all(refusal).await?;
            continue;
        }
        // `:status: 200`, and the body.
        let length = u8::try_from(answer.len()).expect("a short answer");
        let frames = [&[0, 0, 1, 1, 4], &id[..], &[0x88, 0, 0, length, 0, 1], &id[..]].concat();
        stream.write_all(&[&frames, answer.as_bytes()].concat()).await?;
    }
}

#[tokio::test]
async fn what_the_service_did_not_process_is_sent_again_at_no_cost() -> Result<(), Error> {
    for refusal in [REFUSED, GOAWAY] {
        for is_post in [false, true] {
            let members =
                r#"{"institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;
            let (url, asked) = refusing(refusal, if is_post { members } else { "{}" }).await;
            let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
            let client = Client::builder(url).bearer_token("word").retry(Retry::none());
            let client = client.http_client(http.build().expect("a client")).build()?;

            if is_post {
                add(&client).await?;
            } else {
                list(&client).await?;
            }

            assert_eq!(asked.load(Ordering::Relaxed), 2, "{refusal:?}");
        }
    }
    Ok(())
}
