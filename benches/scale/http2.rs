//! The same calls over HTTP/1.1 and over HTTP/2, to a service with TLS.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use digital_assets::Client;
use futures_util::{StreamExt, stream};
use http::Response;
use hyper::{
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::generate_simple_self_signed;
use reqwest::{Body, Certificate};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

use crate::cpu::{median, thread_nanos};

const CALLS: usize = 1_024;
const ROUNDS: usize = 9;
const PAGE: &str = r#"{"addresses":[]}"#;

struct Service {
    url: String,
    certificate: Certificate,
    connections: Arc<AtomicUsize>,
}

pub(crate) fn run() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let service = serve();
    println!(
        "{CALLS} calls over TLS that return an empty page, medians of {ROUNDS} alternating rounds:"
    );
    for at_once in [1, 8, 64] {
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            one.push(round(&runtime, &service, at_once, reqwest::ClientBuilder::http1_only));
            two.push(round(&runtime, &service, at_once, |http| http));
        }
        let of =
            |rounds: &[Round], what: fn(&Round) -> f64| median(rounds.iter().map(what).collect());
        let time = of(&one, |round| round.micros) / of(&two, |round| round.micros);
        println!("  {at_once} concurrent calls: HTTP/2 is {time:.2} times as fast");
        for (name, rounds) in [("HTTP/1.1", &one), ("HTTP/2", &two)] {
            let connections = of(rounds, |round| round.connections);
            let (time, cpu) = (of(rounds, |round| round.micros), of(rounds, |round| round.cpu));
            println!(
                "    {name}: {connections} connections, {time:.0} µs per call, {cpu:.0} µs of CPU"
            );
        }
    }
}

/// The number of connections in a round, and the time and CPU time per call in microseconds.
struct Round {
    connections: f64,
    micros: f64,
    cpu: f64,
}

/// Measures `CALLS` calls, after a first call with which the client learns the service's protocol.
fn round(
    runtime: &Runtime,
    service: &Service,
    at_once: usize,
    protocol: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Round {
    let http = reqwest::Client::builder().no_proxy();
    let http = protocol(http.add_root_certificate(service.certificate.clone())).build().unwrap();
    let client =
        Client::builder(&service.url).bearer_token("token").http_client(http).build().unwrap();
    let before = service.connections.load(Ordering::Relaxed);
    runtime.block_on(client.list_monitoring_addresses().send()).unwrap();
    let (begun, cpu) = (Instant::now(), thread_nanos());
    runtime.block_on(async {
        let calls = (0..CALLS).map(|_| client.list_monitoring_addresses().send());
        let mut answers = stream::iter(calls).buffer_unordered(at_once);
        while let Some(answer) = answers.next().await {
            answer.unwrap();
        }
    });
    let a_call = |nanos: f64| nanos / 1e3 / CALLS as f64;
    Round {
        cpu: a_call(thread_nanos() - cpu),
        micros: a_call(begun.elapsed().as_secs_f64() * 1e9),
        connections: (service.connections.load(Ordering::Relaxed) - before) as f64,
    }
}

/// Starts the service on its own thread, so that its CPU time isn't added to the client's.
fn serve() -> Service {
    let own = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = own.signing_key.serialize_der().try_into().unwrap();
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            accept(TcpListener::from_std(listener).unwrap(), acceptor, count).await;
        });
    });
    let certificate = Certificate::from_der(own.cert.der()).unwrap();
    Service { url, certificate, connections }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, count: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            count.fetch_add(1, Ordering::Relaxed);
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let stream = TokioIo::new(stream);
            let answer =
                service_fn(|_| async { Ok::<_, Infallible>(Response::new(Body::from(PAGE))) });
            let _ = if is_http2 {
                http2::Builder::new(TokioExecutor::new()).serve_connection(stream, answer).await
            } else {
                http1::Builder::new().serve_connection(stream, answer).await
            };
        });
    }
}
