//! Services that users bring in place of an HTTP client, and what they can't do.

use std::{io, task::Poll};

use digital_assets::{Error, ErrorKind};

use crate::{
    add, list,
    memory::{InMemory, response},
    specification::MEMBERS,
};

#[tokio::test]
async fn a_service_answers_in_place_of_an_http_client() -> Result<(), Error> {
    let service = InMemory::answering(|| Ok(response(200, r#"{"addresses":[]}"#)));

    list(&service.client()).await?;

    let asked = service.requests();
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
    let service = InMemory::answering(|| Ok(response(200, MEMBERS)));
    let service = service.ready(|| Poll::Ready(Err("broken".into())));

    let error = add(&service.client()).await.unwrap_err();

    assert_eq!((error.kind(), service.count()), (ErrorKind::Transport, 0));
    assert!(!error.may_have_been_applied());
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "broken");
}
