//! Tests of clients that authenticate to the token endpoint with a secret.

use std::{future::ready, io};

use super::prelude::*;

// RFC 6749, section 2.3.1: the identifier and the secret are form-encoded before they are joined.
#[tokio::test]
async fn basic_sends_the_secret_in_the_header_alone() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);
    let url = format!("{}/oauth2/token", env.auth.url());
    let credentials =
        ClientCredentials::new(url, "back office", "se:same+ü").auth_style(AuthStyle::Basic);
    let client = Client::builder(env.service.url()).credentials(credentials).build()?;

    list(&client).await?;

    let request = env.auth.request();
    // This is the base64 form of `back+office:se%3Asame%2B%C3%BC`.
    let expected = "Basic YmFjaytvZmZpY2U6c2UlM0FzYW1lJTJCJUMzJUJD";
    assert_eq!(request.header("authorization"), Some(expected));
    let mut form = request.form();
    form.sort();
    let scope = pair("scope", "rewards:read_monitoring_address");
    assert_eq!(form, [pair("grant_type", "client_credentials"), scope]);
    Ok(())
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
        ClientCredentials::with_secret_provider(auth.url(), "backoffice", move || {
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

// The secret is rotated while requests with the previous secret are in progress.
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
async fn a_refused_secret_is_followed_by_another_and_after_an_outage_by_any() {
    let refused = json(401, r#"{"error":"invalid_client"}"#);
    for (answer, rotates, most) in [
        (refused.clone(), false, 1),
        (refused, true, 2),
        (status(503), false, 3),
        (status(503), true, 3),
    ] {
        let auth = InMemory::always(answer);
        let (number, step) = (AtomicUsize::new(0), usize::from(rotates));
        let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "")
            .secret_from(move || format!("secret-{}", number.fetch_add(step, Ordering::Relaxed)));
        let client = InMemory::always(json(200, "{}"))
            .with(|client| client.credentials(credentials.http_service(auth.clone())));

        list(&client).await.expect_err("no token");

        assert_eq!(auth.count(), most, "{rotates}");
    }
}
