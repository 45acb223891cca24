//! How token requests reach their endpoint.

use std::{
    future::{Ready, ready},
    io,
    task::{Context, Poll},
};

use digital_assets::reqwest::{self, Request, Response};
use futures_util::stream;
use tower_service::Service;

use super::prelude::*;

// A connection can freeze: its peer acknowledges what it gets, and never answers.
#[tokio::test]
async fn a_connection_that_freezes_holds_up_no_later_request() -> Result<(), Error> {
    let auth = Server::answering(|_| grant("word", "3599"));
    let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

    list(&env.client).await?;
    env.client.list_deposit_addresses().send().await?;

    let connections: Vec<_> = env.auth.requests().iter().map(|it| it.connection).collect();
    assert_eq!(connections, [0, 1]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_does_not_answer_is_asked_again_after_15_seconds() -> Result<(), Error> {
    let env = in_memory(|count, _| if count == 0 { silent() } else { grant("word", "3599") });

    list(&env.client).await?;

    let asked = env.auth.times();
    assert!(asked.len() == 2 && (seconds(15)..seconds(16)).contains(&asked[1]), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn the_secret_follows_no_redirect() {
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::answering(|_| grant("word", "3599"));
        let env = refusing(status(code).header("location", elsewhere.url()));

        let error = list(&env.client).await.expect_err("a redirect");

        assert_eq!(error.kind(), ErrorKind::Token, "{code}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(code));
        let counts = (env.auth.count(), elsewhere.count(), env.service.count());
        assert_eq!(counts, (1, 0, 0), "{code}");
    }
}

/// Answers instead of a token endpoint.
#[derive(Clone)]
struct Endpoint {
    asked: Arc<AtomicUsize>,
    answer: fn(usize) -> Result<Response, io::Error>,
    is_ready: fn(usize) -> Poll<Result<(), io::Error>>,
}

impl Endpoint {
    fn of(answer: fn(usize) -> Result<Response, io::Error>) -> Self {
        Self { asked: Arc::default(), answer, is_ready: |_| Poll::Ready(Ok(())) }
    }

    fn client(&self) -> (InMemory, Client) {
        let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
        let service = InMemory::answering(|| Ok(response(200, "{}")));
        let client = service.with(|it| it.credentials(credentials.http_service(self.clone())));
        (service, client)
    }
}

impl Service<Request> for Endpoint {
    type Response = Response;
    type Error = io::Error;
    type Future = Ready<Result<Response, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        (self.is_ready)(self.asked.load(Ordering::Relaxed))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        assert_eq!(request.url().as_str(), TOKEN_URL);
        ready((self.answer)(self.asked.fetch_add(1, Ordering::Relaxed)))
    }
}

fn fell_in() -> io::Error {
    io::Error::other("the tunnel fell in")
}

fn granted() -> Response {
    let body = r#"{"access_token":"word","token_type":"bearer"}"#;
    http::Response::builder().body(body).expect("a response").into()
}

#[tokio::test]
async fn the_header_with_the_secret_is_known_as_sensitive() {
    let endpoint = tower::service_fn(async |request: Request| {
        let is_sensitive = request.headers()["authorization"].is_sensitive();
        if is_sensitive { Ok(granted()) } else { Err(fell_in()) }
    });
    let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
    let (_service, client) = with(credentials.auth_style(AuthStyle::Basic).http_service(endpoint));

    list(&client).await.expect("a page");
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_users_own_service_are_token_errors_that_keep_them() {
    let failing = Endpoint::of(|_| Err(fell_in()));
    let once = Endpoint::of(|times| match times {
        0 => Err(fell_in()),
        _ => Ok(granted()),
    });
    let unready =
        Endpoint { is_ready: |_| Poll::Ready(Err(fell_in())), ..Endpoint::of(|_| Ok(granted())) };

    let (service, client) = once.client();
    list(&client).await.expect("a page");
    assert_eq!(tokens(&service), ["word"]);
    for (endpoint, asked) in [(&failing, 3), (&unready, 0)] {
        let (service, client) = endpoint.client();
        let error = list(&client).await.expect_err("no token");

        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable() && !error.may_have_been_applied());
        let cause = std::error::Error::source(&error).expect("a cause");
        assert_eq!(cause.to_string(), "the tunnel fell in");
        assert!(cause.is::<io::Error>(), "{cause:?}");
        assert_eq!((endpoint.asked.load(Ordering::Relaxed), service.count()), (asked, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn the_code_of_an_outage_may_come_a_second_after_its_head() {
    let endpoint = Endpoint::of(|_| {
        let body = stream::once(async {
            tokio::time::sleep(seconds(1)).await;
            Ok::<_, io::Error>(r#"{"error":"temporarily_unavailable"}"#)
        });
        let answer = http::Response::builder().status(503);
        Ok(answer.body(reqwest::Body::wrap_stream(body)).expect("a response").into())
    });
    let (_service, client) = endpoint.client();

    let error = list(&client).await.expect_err("an outage");

    assert_eq!(error.oauth_error(), Some("temporarily_unavailable"));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_never_ready_ends_with_the_attempt() {
    let endpoint = Endpoint { is_ready: |_| Poll::Pending, ..Endpoint::of(|_| Ok(granted())) };
    let (_service, client) = endpoint.client();

    let start = Instant::now();
    let error = list(&client).await.expect_err("no token");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(start.elapsed() <= seconds(31), "{:?}", start.elapsed());
    assert_eq!(endpoint.asked.load(Ordering::Relaxed), 0);
}
