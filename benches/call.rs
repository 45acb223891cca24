//! Measures the time and the allocations of a GET, from its builder to its decoded response.
//!
//! One benchmark uses a reused connection, and another adds a service that the caller provides. A
//! third one uses an in-memory service and several threads, which share a client and its token.

#![allow(clippy::unwrap_used)]

use std::{
    future::{Ready, ready},
    io::{Read, Write},
    net::TcpListener,
    sync::LazyLock,
    task::{Context, Poll},
    thread,
};

use digital_assets::{AccessToken, BoxFuture, Client, ClientBuilder, Error, TokenSource};
use divan::{AllocProfiler, Bencher, black_box};
use futures_util::FutureExt;
use tokio::runtime::{Builder, Runtime};
use tower_service::Service;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    LazyLock::force(&IN_MEMORY);
    divan::main();
}

#[divan::bench]
fn without_a_seam(bencher: Bencher<'_, '_>) {
    call(bencher, |client| client.http_client(http_client()));
}

#[divan::bench]
fn through_a_service(bencher: Bencher<'_, '_>) {
    call(bencher, |client| client.http_service(PassThrough(http_client())));
}

/// The runtime for the timers of all threads.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());

/// A client that has already fetched its token.
static IN_MEMORY: LazyLock<Client> = LazyLock::new(|| {
    let client = Client::builder("http://127.0.0.1:9").credentials(Vault);
    let client = client.http_service(Empty).build().unwrap();
    RUNTIME.block_on(client.list_monitoring_addresses().send()).unwrap();
    client
});

#[divan::bench(threads = [1, 2, 64])]
fn in_memory() {
    let _timers = RUNTIME.enter();
    let page = IN_MEMORY.list_monitoring_addresses().send().now_or_never();
    black_box(page.unwrap().unwrap());
}

struct Vault;

impl TokenSource for Vault {
    fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(ready(Ok(AccessToken::new("word"))))
    }
}

/// A service that immediately returns an empty page.
#[derive(Clone)]
struct Empty;

impl Service<reqwest::Request> for Empty {
    type Response = reqwest::Response;
    type Error = Error;
    type Future = Ready<Result<Self::Response, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: reqwest::Request) -> Self::Future {
        ready(Ok(http::Response::new("{\"addresses\":[]}").into()))
    }
}

fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Measures a call on a single thread, which also runs the runtime and the connection, so divan
/// counts all allocations.
fn call(bencher: Bencher<'_, '_>, with: impl FnOnce(ClientBuilder) -> ClientBuilder) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let client = with(Client::builder(serve()).bearer_token("token")).build().unwrap();
    let call = || runtime.block_on(client.list_monitoring_addresses().send()).unwrap();
    for _ in 0..100 {
        call();
    }
    bencher.bench_local(|| black_box(call()));
}

#[derive(Clone)]
struct PassThrough(reqwest::Client);

impl Service<reqwest::Request> for PassThrough {
    type Response = reqwest::Response;
    type Error = reqwest::Error;
    type Future = <reqwest::Client as Service<reqwest::Request>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), reqwest::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: reqwest::Request) -> Self::Future {
        self.0.call(request)
    }
}

/// Starts a server that returns an empty page for each request. Each connection has its own thread.
fn serve() -> String {
    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                            content-length: 16\r\n\r\n{\"addresses\":[]}";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let (mut request, mut piece) = (Vec::new(), [0; 4096]);
                while let Ok(length @ 1..) = stream.read(&mut piece) {
                    request.extend_from_slice(&piece[..length]);
                    if request.ends_with(b"\r\n\r\n") {
                        stream.write_all(ANSWER).unwrap();
                        request.clear();
                    }
                }
            });
        }
    });
    url
}
