//! Tests of how token requests reach their endpoint.

use std::{io, task::Poll};

use digital_assets::reqwest::{self, Request};
use futures_util::stream;

use super::prelude::*;
use crate::{granting_in_memory, memory::BoxError};

// A connection can freeze: its peer acknowledges data, but never responds.
#[tokio::test]
async fn a_connection_that_freezes_holds_up_no_later_request() -> Result<(), Error> {
    let auth = Server::always(grant("word", "3599"));
    let env = Environment::of(Server::always(json(200, "{}")), auth, |client| client);

    list(&env.client).await?;
    env.client.list_deposit_addresses().send().await?;

    let connections: Vec<_> = env.auth.requests().iter().map(|it| it.connection).collect();
    assert_eq!(connections, [0, 1]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_does_not_answer_is_asked_again_after_15_seconds() -> Result<(), Error> {
    let endpoint =
        InMemory::scripted(|at, _| if at == 0 { silent() } else { grant("word", "3599") });
    let env = in_memory(endpoint);

    list(&env.client).await?;

    let asked = env.auth.times();
    assert!(asked.len() == 2 && (seconds(15)..seconds(16)).contains(&asked[1]), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn the_secret_follows_no_redirect() {
    for redirect in [301, 302, 303, 307, 308] {
        let elsewhere = Server::always(grant("word", "3599"));
        let env = refusing(status(redirect).header("location", elsewhere.url()));

        let error = list(&env.client).await.expect_err("a redirect");

        assert_eq!(error.kind(), ErrorKind::Token, "{redirect}");
        assert_eq!(code(&error), Some(redirect));
        let counts = (env.auth.count(), elsewhere.count(), env.service.count());
        assert_eq!(counts, (1, 0, 0), "{redirect}");
    }
}

fn fell_in() -> BoxError {
    io::Error::other("the tunnel fell in").into()
}

#[tokio::test]
async fn the_header_with_the_secret_is_known_as_sensitive() {
    let endpoint = tower::service_fn(async |request: Request| {
        assert!(request.headers()["authorization"].is_sensitive());
        grant("word", "3599").in_memory().await
    });
    let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
    let (_service, client) = with(credentials.auth_style(AuthStyle::Basic).http_service(endpoint));

    list(&client).await.expect("a page");
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_users_own_service_are_token_errors_that_keep_them() {
    let failing = InMemory::playing(|_, _| Err(fell_in()));
    let once = InMemory::playing(|times, _| match times {
        0 => Err(fell_in()),
        _ => Ok(http::Response::new(r#"{"access_token":"word"}"#).into()),
    });
    let unready = granting_in_memory().ready(|| Poll::Ready(Err(fell_in())));

    let env = in_memory(once);
    list(&env.client).await.expect("a page");
    assert_eq!(env.service.tokens(), ["word"]);
    assert!(env.auth.requests().iter().all(|request| request.url().as_str() == TOKEN_URL));
    for (endpoint, asked) in [(failing, 3), (unready, 0)] {
        let env = in_memory(endpoint);
        let error = list(&env.client).await.expect_err("no token");

        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable() && !error.may_have_been_applied());
        let cause = std::error::Error::source(&error).expect("a cause");
        assert_eq!(cause.to_string(), "the tunnel fell in");
        assert!(cause.is::<io::Error>(), "{cause:?}");
        assert_eq!((env.auth.count(), env.service.count()), (asked, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn the_code_of_an_outage_may_come_a_second_after_its_head() {
    let env = in_memory(InMemory::playing(|_, _| {
        let body = stream::once(async {
            sleep(seconds(1)).await;
            Ok::<_, io::Error>(r#"{"error":"temporarily_unavailable"}"#)
        });
        let answer = http::Response::builder().status(503);
        Ok(answer.body(reqwest::Body::wrap_stream(body)).expect("a response").into())
    }));

    let error = list(&env.client).await.expect_err("an outage");

    assert_eq!(error.oauth_error(), Some("temporarily_unavailable"));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_never_ready_ends_with_the_attempt() {
    let env = in_memory(granting_in_memory().ready(|| Poll::Pending));

    let start = Instant::now();
    let error = list(&env.client).await.expect_err("no token");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(start.elapsed() <= seconds(31), "{:?}", start.elapsed());
    assert_eq!(env.auth.count(), 0);
}
