//! Tests of services that replace the HTTP client, and of their limits.

mod layers;
mod redirects;
mod telemetry;

use std::{io, task::Poll};

use futures_util::stream;
use reqwest::{Body, Request, Response};

use crate::prelude::*;

/// Returns the request's path and query.
fn target(request: &Request) -> String {
    let url = request.url();
    url.path().to_owned() + &url.query().map(|query| format!("?{query}")).unwrap_or_default()
}

#[tokio::test]
async fn a_service_answers_in_place_of_an_http_client() -> Result<(), Error> {
    let service = InMemory::always(json(200, r#"{"addresses":[]}"#));

    list(&service.client()).await?;

    let asked = service.requests();
    let [request] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(request.url().as_str(), "http://127.0.0.1:9/v2/rewards/monitor/address");
    assert_eq!(request.headers()["authorization"], "Bearer word");
    Ok(())
}

#[tokio::test]
async fn of_client_and_service_the_last_one_counts() -> Result<(), Error> {
    let first = InMemory::playing(|_, _| Err("not asked".into()));
    let last = InMemory::always(json(200, "{}"));
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
    let service = InMemory::playing(|_, _| Err(io::Error::other("mine").into()));

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
    let service = InMemory::always(json(200, MEMBERS));
    let service = service.ready(|| Poll::Ready(Err("broken".into())));

    let error = add(&service.client()).await.unwrap_err();

    assert_eq!((error.kind(), service.count()), (ErrorKind::Transport, 0));
    assert!(!error.may_have_been_applied());
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "broken");
}

#[tokio::test]
async fn a_service_cannot_make_a_post_repeatable() {
    let refused = reqwest::Client::builder().no_proxy().build().unwrap();
    let unreachable = refused.get("http://127.0.0.1:9").send().await.unwrap_err();
    assert!(unreachable.is_connect());
    let unreachable = Mutex::new(Some(unreachable));
    let mine = Error::token("not sent, says the service");
    let mine = Mutex::new(Some(mine));
    for service in [
        InMemory::playing(|_, _| Err(io::Error::from(io::ErrorKind::ConnectionRefused).into())),
        InMemory::playing(move |_, _| Err(unreachable.lock().unwrap().take().unwrap().into())),
        InMemory::playing(move |_, _| Err(mine.lock().unwrap().take().unwrap().into())),
        InMemory::always(status(503)),
        InMemory::always(status(408)),
    ] {
        let error = add(&service.client()).await.unwrap_err();

        assert_eq!((service.count(), error.attempts()), (1, 1), "{error}");
        assert!(error.may_have_been_applied() && !error.is_retryable(), "{error}");
    }
}

/// Returns a response whose body never arrives.
fn endless(status: u16) -> Response {
    let body = Body::wrap_stream(stream::pending::<io::Result<Vec<u8>>>());
    http::Response::builder().status(status).body(body).unwrap().into()
}

#[tokio::test(start_paused = true)]
async fn a_service_cannot_outlive_a_deadline() {
    let page = || InMemory::always(json(200, "{}"));
    for (service, expected) in [
        (page().after(Duration::from_secs(1 << 30)), ErrorKind::Timeout),
        (page().ready(|| Poll::Pending), ErrorKind::Timeout),
        (InMemory::playing(|_, _| Ok(endless(200))), ErrorKind::Timeout),
        (InMemory::playing(|_, _| Ok(endless(503))), ErrorKind::Status),
    ] {
        for (retry, seconds) in [(Retry::none(), 15), (Retry::default().max_attempts(9), 60)] {
            let client = service.with(|client| client.retry(retry));

            let start = Instant::now();
            let error = client.list_monitoring_addresses().send().await.unwrap_err();

            assert_eq!(error.kind(), expected);
            assert!(start.elapsed() <= Duration::from_secs(seconds), "{:?}", start.elapsed());
            // The client waits no longer than 2 s for the body of an error response.
            let least = seconds - 16 * u64::from(seconds == 60);
            let least = if expected == ErrorKind::Status { 2 } else { least };
            assert!(start.elapsed() >= Duration::from_secs(least), "{:?}", start.elapsed());
        }
    }
}
