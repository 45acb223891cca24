//! Tests of redirects. The token is sent nowhere else, whatever replaces the HTTP client.

use reqwest::{Body, Request, ResponseBuilderExt};
use tower::util::{MapRequest, MapRequestLayer};

use super::layers::layers;
use crate::prelude::*;

type Settings = fn(ClientBuilder) -> ClientBuilder;

const CODES: [u16; 5] = [301, 302, 303, 307, 308];

/// Starts a service that redirects to another server with this status. Returns both of them and a
/// client.
fn redirecting(code: u16, settings: Settings) -> (Environment, Server) {
    let elsewhere = Server::always(json(200, "{}"));
    let answer = status(code).header("location", format!("{}/x", elsewhere.url()));
    let service = Server::always(answer);
    (Environment::of(service, granting(), settings), elsewhere)
}

#[tokio::test]
async fn a_redirect_is_an_error_and_the_token_goes_nowhere_else() {
    let clients: [(&str, Settings); 2] =
        [("plain", |client| client), ("behind layers of tower-http", layers)];
    for redirect in CODES {
        for (case, settings) in clients {
            let (env, elsewhere) = redirecting(redirect, settings);

            for error in [list(&env.client).await, add(&env.client).await] {
                let error = error.expect_err("a redirect");
                assert_eq!(error.kind(), ErrorKind::Status, "{case}");
                assert_eq!(code(&error), Some(redirect), "{case}");
            }
            assert_eq!((env.service.count(), elsewhere.count()), (2, 0), "{case}: {redirect}");
        }
    }
}

fn following() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

#[tokio::test]
async fn what_follows_redirects_takes_the_token_nowhere_else_and_does_so_once() {
    let clients: [(&str, Settings); 3] = [
        ("an HTTP client", |client| client.http_client(following())),
        ("a service", |client| {
            client.http_service(MapRequest::new(following(), |request: Request| request))
        }),
        ("an HTTP client behind layers", |client| layers(client.http_client(following()))),
    ];
    for redirect in CODES {
        for (case, settings) in clients {
            let (env, elsewhere) = redirecting(redirect, settings);

            let mut results = vec![list(&env.client).await];
            // The statuses 307 and 308 tell the client to repeat the POST, whose body reqwest can't
            // send again.
            if redirect < 307 {
                results.push(add(&env.client).await);
            }

            let count = results.len();
            let operations =
                [operation::LIST_MONITORING_ADDRESSES, operation::ADD_INSTITUTION_MEMBERS];
            for (result, operation) in results.into_iter().zip(operations) {
                let error = result.expect_err("not the service's response");
                assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 1), "{error}");
                assert_eq!((error.operation(), error.is_retryable()), (Some(operation), false));
            }
            assert_eq!(
                (env.service.count(), elsewhere.count()),
                (count, count),
                "{case}: {redirect}"
            );
            let strays = elsewhere.requests();
            assert!(strays.iter().all(|it| it.header("authorization").is_none()), "{strays:?}");
        }
    }
}

#[tokio::test]
async fn a_service_in_memory_is_held_to_the_same() {
    let elsewhere = || {
        let url = "http://127.0.0.1:10/v2/rewards/monitor/address".parse().unwrap();
        let answer = http::Response::builder().status(200).url(url);
        Ok(answer.body("{}".to_owned()).unwrap().into())
    };
    let moved = status(307).header("location", "http://127.0.0.1:10");
    for (service, kind) in [
        (InMemory::always(moved), ErrorKind::Status),
        (InMemory::playing(move |_, _| elsewhere()), ErrorKind::Transport),
    ] {
        for error in [list(&service.client()).await, add(&service.client()).await] {
            let error = error.unwrap_err();
            assert_eq!((error.kind(), error.attempts()), (kind, 1), "{error}");
            assert!(!error.is_retryable());
        }
        assert_eq!(service.count(), 2);
    }
}

#[tokio::test]
async fn a_layer_cannot_send_a_token_elsewhere() {
    let elsewhere = Server::always(json(200, "{}"));
    let uri: http::Uri = elsewhere.url().parse().unwrap();
    let service = Server::always(json(200, "{}"));
    let env = Environment::of(service, granting(), |client| {
        client.layer(MapRequestLayer::new(move |mut request: http::Request<Body>| {
            *request.uri_mut() = uri.clone();
            request
        }))
    });

    let error = list(&env.client).await.unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 1), "{error}");
    assert_eq!((env.service.count(), elsewhere.count()), (0, 0));
}
