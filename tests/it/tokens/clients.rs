//! How the client reaches a token endpoint and authenticates there.

use std::{
    future::{Ready, ready},
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use digital_assets::{
    AuthStyle, BoxFuture, Client, ClientCredentials, Error, ErrorKind,
    reqwest::{self, Proxy, Request, Response},
};
use futures_util::{future::join_all, stream};
use tower_service::Service;

use super::{pair, tokens, with};
use crate::{
    clock::{Clock, millis, seconds},
    grant, granting, list,
    server::{Server, json, status},
};

const TOKEN_URL: &str = "https://auth.example.com/oauth2/token";

#[tokio::test]
async fn a_proxy_gets_its_password_and_the_endpoint_its_secret() {
    let proxy = Server::answering(|received| match received.header("proxy-authorization") {
        // operator:open
        Some("Basic b3BlcmF0b3I6b3Blbg==") => grant("word", "3599"),
        _ => status(407),
    });
    let through = |proxy: Proxy| {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let http = http.proxy(proxy).build().expect("an HTTP client");
        let url = "http://localhost:1/oauth2/token";
        with(ClientCredentials::new(url, "backoffice", "sesame").http_client(http))
    };
    let to_proxy = || Proxy::all(proxy.url()).expect("a proxy");

    let (_service, client) = through(to_proxy());
    let error = list(&client).await.expect_err("407");
    let (service, client) = through(to_proxy().basic_auth("operator", "open"));
    list(&client).await.expect("a page");

    assert_eq!(error.status().map(|status| status.as_u16()), Some(407));
    let requests = proxy.requests();
    assert_eq!(requests[1].line, "POST http://localhost:1/oauth2/token");
    assert!(requests[1].form().contains(&pair("client_secret", "sesame")));
    assert_eq!(tokens(&service), ["word"]);
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

    fn client(&self) -> (Server, Client) {
        let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
        with(credentials.http_service(self.clone()))
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
async fn a_service_of_the_users_own_answers_for_the_token_endpoint() {
    let endpoint = Endpoint::of(|_| Ok(granted()));
    let (service, client) = endpoint.client();

    list(&client).await.expect("a page");

    assert_eq!(tokens(&service), ["word"]);
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
    let clock = Clock::stopped();
    let failing = Endpoint::of(|_| Err(fell_in()));
    let once = Endpoint::of(|times| match times {
        0 => Err(fell_in()),
        _ => Ok(granted()),
    });
    let unready =
        Endpoint { is_ready: |_| Poll::Ready(Err(fell_in())), ..Endpoint::of(|_| Ok(granted())) };

    let (_service, client) = once.client();
    clock.run(millis(10), list(&client)).await.expect("a page");
    for (endpoint, asked) in [(&failing, 3), (&unready, 0)] {
        let (service, client) = endpoint.client();
        let error = clock.run(millis(10), list(&client)).await.expect_err("no token");

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
    let clock = Clock::stopped();
    let endpoint = Endpoint::of(|_| {
        let body = stream::once(async {
            tokio::time::sleep(seconds(1)).await;
            Ok::<_, io::Error>(r#"{"error":"temporarily_unavailable"}"#)
        });
        let answer = http::Response::builder().status(503);
        Ok(answer.body(reqwest::Body::wrap_stream(body)).expect("a response").into())
    });
    let (_service, client) = endpoint.client();

    let error = clock.run(millis(100), list(&client)).await.expect_err("an outage");

    assert_eq!(error.oauth_error(), Some("temporarily_unavailable"));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_never_ready_ends_with_the_attempt() {
    let clock = Clock::stopped();
    let endpoint = Endpoint { is_ready: |_| Poll::Pending, ..Endpoint::of(|_| Ok(granted())) };
    let (_service, client) = endpoint.client();

    let start = tokio::time::Instant::now();
    let error = clock.run(millis(100), list(&client)).await.expect_err("no token");

    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(start.elapsed() <= seconds(31), "{:?}", start.elapsed());
    assert_eq!(endpoint.asked.load(Ordering::Relaxed), 0);
}

// RFC 6749, section 2.3.1: the client may omit an empty secret.
#[test]
fn credentials_print_how_they_are_sent_and_no_more() {
    let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");

    assert_eq!(format!("{credentials:?}"), "ClientCredentials { style: Body, .. }");
}

#[tokio::test]
async fn an_empty_secret_is_not_sent() {
    let auth = granting();
    let url = format!("{}/oauth2/token", auth.url());
    let (_service, client) = with(ClientCredentials::new(url, "backoffice", ""));

    list(&client).await.expect("a page");

    let form = auth.request().form();
    assert!(form.contains(&pair("client_id", "backoffice")));
    assert!(form.iter().all(|(name, _)| name != "client_secret"), "{form:?}");
}

#[tokio::test]
async fn a_secret_is_asked_for_before_each_token_request_and_by_nobody_else() {
    let asked = Arc::new(AtomicUsize::new(0));
    let auth = granting();
    let counting = Arc::clone(&asked);
    let credentials = ClientCredentials::new(auth.url(), "backoffice", "the old one")
        .secret_from(move || format!("secret-{}", counting.fetch_add(1, Ordering::Relaxed)));
    let shown = format!("{credentials:?}");
    let (_service, client) = with(credentials);
    assert_eq!((asked.load(Ordering::Relaxed), shown.contains("secret-")), (0, false));

    list(&client).await.expect("a page");
    list(&client).await.expect("a page");
    client.list_deposit_addresses().send().await.expect("a page");

    for (at, request) in auth.requests().iter().enumerate() {
        assert!(request.form().contains(&pair("client_secret", &format!("secret-{at}"))));
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

fn unread() -> io::Error {
    io::Error::other("/run/secrets/client: not there")
}

fn of_another_kind() -> Error {
    Client::builder("no URL").build().expect_err("another kind")
}

#[tokio::test]
async fn a_secret_that_is_not_there_is_an_error_before_anything_is_sent() {
    let auth = granting();
    let new = || ClientCredentials::new(auth.url(), "backoffice", "the old one");
    let failing =
        |error: fn() -> Error| new().secret_provider(move || Box::pin(ready(Err(error()))));
    let empty = || Box::pin(ready(Ok(String::new()))) as BoxFuture<'static, _>;
    for (credentials, said, cause) in [
        (failing(|| Error::token("no lease")), "no lease", None),
        (failing(|| Error::token_from(unread())), "failed", Some(unread().to_string())),
        (failing(of_another_kind), "failed", Some(of_another_kind().to_string())),
        (new().secret_provider(empty), "the client secret is empty", None),
        (new().secret_from(String::new), "the client secret is empty", None),
    ] {
        let (_service, client) = with(credentials);

        let error = list(&client).await.expect_err("no secret");

        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Token, 0));
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(std::error::Error::source(&error).map(ToString::to_string), cause);
        assert!(!error.may_have_been_applied());
    }
    assert_eq!(auth.count(), 0);
}

#[tokio::test]
async fn a_provider_is_waited_for_and_asked_again_when_its_secret_is_refused() {
    let auth = Server::playing([
        json(401, r#"{"error":"invalid_client"}"#),
        grant("word", "3599"),
        json(401, r#"{"error":"invalid_client"}"#),
    ]);
    let asked = AtomicUsize::new(0);
    let credentials =
        ClientCredentials::new(auth.url(), "backoffice", "").secret_provider(move || {
            let asked = asked.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move {
                tokio::task::yield_now().await;
                let sealed = || Error::token("the vault is sealed");
                (asked < 3).then(|| format!("secret-{asked}")).ok_or_else(sealed)
            })
        });
    let (_service, client) = with(credentials);

    list(&client).await.expect("a page");
    let error = client.list_deposit_addresses().send().await.expect_err("refused");

    assert_eq!(error.oauth_error(), Some("invalid_client"));
    let requests = auth.requests();
    for (at, request) in requests.iter().enumerate() {
        assert!(request.form().contains(&pair("client_secret", &format!("secret-{at}"))));
    }
    assert_eq!(requests.len(), 3);
}

#[tokio::test]
async fn a_secret_that_is_refused_and_still_the_same_is_shown_once() {
    let auth = Server::answering(|_| json(401, r#"{"error":"invalid_client"}"#));
    let url = format!("{}/oauth2/token", auth.url());
    let credentials =
        ClientCredentials::new(url, "backoffice", "").secret_from(|| "sesame".to_owned());
    let (_service, client) = with(credentials);

    list(&client).await.expect_err("refused");

    assert_eq!(auth.count(), 1);
}

// The secret is rotated while requests with the previous one are in flight.
#[tokio::test(start_paused = true)]
async fn a_thousand_rotations_of_the_secret_fail_no_call() {
    let clock = Clock::stopped();
    let current = Arc::new(AtomicUsize::new(0));
    let (rotating, reading) = (Arc::clone(&current), Arc::clone(&current));
    let mut requests = 0;
    let auth = Server::answering(move |received| {
        requests += 1;
        if requests % 2 == 1 {
            rotating.fetch_add(1, Ordering::Relaxed);
        }
        let secret = format!("secret-{}", rotating.load(Ordering::Relaxed));
        if received.form().contains(&pair("client_secret", &secret)) {
            grant(&format!("word-{requests}"), "10")
        } else {
            json(401, r#"{"error":"invalid_client"}"#)
        }
    });
    let credentials = ClientCredentials::new(auth.url(), "backoffice", "")
        .secret_from(move || format!("secret-{}", reading.load(Ordering::Relaxed)));
    let (service, client) = with(credentials);

    for _ in 0..1_000 {
        let calls = join_all((0..4).map(|_| list(&client))).await;
        assert!(calls.iter().all(Result::is_ok), "{calls:?}");
        clock.forward(seconds(10)).await;
    }

    assert_eq!((current.load(Ordering::Relaxed), service.count()), (1_000, 4_000));
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_always_another_is_shown_twice_and_after_an_outage_three_times() {
    for (answer, most) in [(json(401, r#"{"error":"invalid_client"}"#), 2), (status(503), 3)] {
        let clock = Clock::stopped();
        let auth = Server::answering(move |_| answer.clone());
        let number = AtomicUsize::new(0);
        let credentials = ClientCredentials::new(auth.url(), "backoffice", "")
            .secret_from(move || format!("secret-{}", number.fetch_add(1, Ordering::Relaxed)));
        let (_service, client) = with(credentials);

        clock.run(millis(10), list(&client)).await.expect_err("no token");

        assert_eq!(auth.count(), most);
    }
}
