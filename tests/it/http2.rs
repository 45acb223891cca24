//! A service that speaks HTTP/2, over TLS, as a client learns it: by ALPN.

use std::{
    convert::Infallible,
    io,
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
use tokio::sync::Barrier;
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

use crate::{
    add,
    frames::{self, Connection, REFUSED_STREAM, go_away, reset_stream},
    list,
    server::listen,
    specification::MEMBERS,
};

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
    let connections = Arc::new(AtomicUsize::new(0));
    let (count, asked) = (Arc::clone(&connections), Arc::new(AtomicUsize::new(0)));
    let all = Arc::new(Barrier::new(CALLS));
    let port = listen(move |stream| {
        let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
        let (asked, all) = (Arc::clone(&asked), Arc::clone(&all));
        async move {
            let stream = acceptor.accept(stream).await?;
            count.fetch_add(1, Ordering::Relaxed);
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
            let served = connection.serve_connection(TokioIo::new(stream), answer).await;
            served.map_err(io::Error::other)
        }
    })
    .await;
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

/// Speaks HTTP/2 in frames: plays a refusal to the first request, and answers the others.
async fn refusing(refusal: Vec<u8>, answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let port = listen(move |stream| {
        let (count, refusal) = (Arc::clone(&count), refusal.clone());
        async move {
            let mut connection = Connection::begin(stream).await?;
            loop {
                let (stream, _) = connection.request().await?;
                let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
                let answer = frames::answer(stream, answer);
                connection.send(if is_first { &refusal } else { &answer }).await?;
            }
        }
    });
    (format!("http://127.0.0.1:{}", port.await), asked)
}

#[tokio::test]
async fn what_the_service_did_not_process_is_sent_again_at_no_cost() -> Result<(), Error> {
    for refusal in [reset_stream(1, REFUSED_STREAM), go_away(0)] {
        for is_post in [false, true] {
            let members =
                r#"{"institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;
            let (url, asked) =
                refusing(refusal.clone(), if is_post { members } else { "{}" }).await;
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
