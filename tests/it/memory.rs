//! A service without a socket. Under a paused clock, time advances as soon as all tasks are
//! waiting.

use std::{
    future::ready,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use digital_assets::{BoxFuture, Client, ClientBuilder, operation};
use reqwest::{Request, Response};
use tokio::{
    task::yield_now,
    time::{Instant, sleep},
};
use tower_service::Service;

use crate::{
    quick,
    server::{Answer, json},
};

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Answered = Result<Response, BoxError>;

/// A service that plays a script and records its requests.
#[derive(Clone)]
pub(crate) struct InMemory {
    asked: Arc<Mutex<Vec<(Instant, Request)>>>,
    script: Arc<Script>,
    latency: Duration,
    ready: Arc<dyn Fn() -> Poll<Result<(), BoxError>> + Send + Sync>,
}

type Script = dyn Fn(usize, &Request) -> BoxFuture<'static, Answered> + Send + Sync;

impl InMemory {
    /// Returns a service that calls `script` for each request, with the number of earlier requests.
    pub(crate) fn playing(
        script: impl Fn(usize, &Request) -> Answered + Send + Sync + 'static,
    ) -> Self {
        Self::of(Arc::new(move |count, request| Box::pin(ready(script(count, request)))))
    }

    /// Returns a service that calls `script` for each request and sends the response as the test
    /// server would.
    pub(crate) fn scripted(
        script: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::of(Arc::new(move |count, request| Box::pin(script(count, request).in_memory())))
    }

    fn of(script: Arc<Script>) -> Self {
        let (asked, latency) = (Arc::default(), Duration::ZERO);
        Self { asked, script, latency, ready: Arc::new(|| Poll::Ready(Ok(()))) }
    }

    /// Returns a service that sends the same response to every request.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::scripted(move |_, _| answer.clone())
    }

    /// Makes the service wait for this time before each response.
    pub(crate) fn after(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    pub(crate) fn ready(
        self,
        ready: impl Fn() -> Poll<Result<(), BoxError>> + Send + Sync + 'static,
    ) -> Self {
        Self { ready: Arc::new(ready), ..self }
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Returns the time of each request since the first one.
    pub(crate) fn times(&self) -> Vec<Duration> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|(at, _)| *at - asked[0].0).collect()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|(_, request)| request.try_clone().unwrap()).collect()
    }

    /// Returns the tokens in the requests, in order.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let tokens = self.requests().into_iter().filter_map(|request| {
            let header = request.headers().get("authorization")?.to_str().ok()?;
            Some(header.trim_start_matches("Bearer ").to_owned())
        });
        tokens.collect()
    }

    pub(crate) fn client(&self) -> Client {
        self.with(|client| client)
    }

    pub(crate) fn with(&self, settings: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        let client = Client::builder("http://127.0.0.1:9").bearer_token("word");
        settings(client.retry(quick()).http_service(self.clone())).build().unwrap()
    }
}

/// Returns a service with empty pages, and a client that lists addresses at most `rate` times per
/// second.
pub(crate) fn limited(rate: f64) -> (InMemory, Client) {
    let service = InMemory::always(json(200, "{}"));
    let client =
        service.with(|client| client.rate_limit(operation::LIST_MONITORING_ADDRESSES, rate));
    (service, client)
}

impl Service<Request> for InMemory {
    type Response = Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Answered>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        (self.ready)()
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let mut asked = self.asked.lock().unwrap();
        let answer = (self.script)(asked.len(), &request);
        asked.push((Instant::now(), request));
        let latency = self.latency;
        Box::pin(async move {
            // Even a timer of zero length fires only at the next millisecond, which never comes on
            // a stopped clock.
            if !latency.is_zero() {
                sleep(latency).await;
            }
            answer.await
        })
    }
}

/// Lets other tasks run until `is_so` returns true.
pub(crate) async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        yield_now().await;
    }
}
