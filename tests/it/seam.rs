//! Services that users bring in place of an HTTP client, and what they can't do.

use std::{
    io,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use digital_assets::{BoxFuture, Client, ClientBuilder, Error, ErrorKind};
use reqwest::{Request, Response};
use tower_service::Service;

use crate::{add, list, quick, specification::MEMBERS};

type Answered = Result<Response, BoxError>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A service in memory, which remembers what it was asked.
#[derive(Clone)]
struct InMemory {
    asked: Arc<Mutex<Vec<Request>>>,
    answer: Arc<dyn Fn() -> Answered + Send + Sync>,
    ready: Arc<dyn Fn() -> Poll<Result<(), BoxError>> + Send + Sync>,
}

impl InMemory {
    fn answering(answer: impl Fn() -> Answered + Send + Sync + 'static) -> Self {
        Self {
            asked: Arc::default(),
            answer: Arc::new(answer),
            ready: Arc::new(|| Poll::Ready(Ok(()))),
        }
    }

    fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn client(&self) -> Client {
        self.with(|client| client)
    }

    fn with(&self, settings: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        let client = Client::builder("http://127.0.0.1:9").bearer_token("word");
        settings(client.retry(quick()).http_service(self.clone())).build().unwrap()
    }
}

impl Service<Request> for InMemory {
    type Response = Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Answered>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        (self.ready)()
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.asked.lock().unwrap().push(request);
        Box::pin(std::future::ready((self.answer)()))
    }
}

fn response(status: u16, body: impl Into<String>) -> Response {
    http::Response::builder().status(status).body(body.into()).unwrap().into()
}

#[tokio::test]
async fn a_service_answers_in_place_of_an_http_client() -> Result<(), Error> {
    let service = InMemory::answering(|| Ok(response(200, r#"{"addresses":[]}"#)));

    list(&service.client()).await?;

    let asked = service.asked.lock().unwrap();
    let [request] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(request.url().as_str(), "http://127.0.0.1:9/v2/rewards/monitor/address");
    assert_eq!(request.headers()["authorization"], "Bearer word");
    Ok(())
}

#[tokio::test]
async fn of_client_and_service_the_last_one_counts() -> Result<(), Error> {
    let first = InMemory::answering(|| Err("not asked".into()));
    let last = InMemory::answering(|| Ok(response(200, "{}")));
    let http = reqwest::Client::new();

    list(&last.with(|client| client.http_client(http.clone()).http_service(last.clone()))).await?;
    list(&first.with(|client| client.http_service(last.clone()))).await?;
    let error = list(&last.with(|client| client.http_client(http))).await;

    assert_eq!((first.count(), last.count()), (0, 2));
    assert!(error.is_err());
    Ok(())
}

#[tokio::test]
async fn an_error_of_the_service_is_transport_and_keeps_its_cause() {
    let service = InMemory::answering(|| Err(io::Error::other("mine").into()));

    let get = list(&service.client()).await.unwrap_err();
    let post = add(&service.client()).await.unwrap_err();

    assert_eq!((get.kind(), get.attempts()), (ErrorKind::Transport, 3));
    assert_eq!((post.kind(), post.attempts()), (ErrorKind::Transport, 1));
    assert!(post.may_have_been_applied() && !get.may_have_been_applied());
    for error in [get, post] {
        let cause = std::error::Error::source(&error).and_then(|it| it.downcast_ref());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::Other));
    }
}

#[tokio::test]
async fn a_service_that_is_not_ready_was_sent_nothing() {
    let service = InMemory {
        ready: Arc::new(|| Poll::Ready(Err("broken".into()))),
        ..InMemory::answering(|| Ok(response(200, MEMBERS)))
    };

    let error = add(&service.client()).await.unwrap_err();

    assert_eq!((error.kind(), service.count()), (ErrorKind::Transport, 0));
    assert!(!error.may_have_been_applied());
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "broken");
}
