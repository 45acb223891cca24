//! Tests of which settings make a client, and which are rejected.

use std::{
    iter,
    sync::atomic::{AtomicBool, Ordering},
};

use digital_assets::{BoxFuture, TokenSource};

use crate::prelude::*;

#[test]
fn an_address_is_https_or_loopback() {
    for (url, accepted) in [
        ("https://api.example.com", true),
        ("https://api.example.com/gateway/", true),
        ("HTTPS://api.example.com", true),
        ("http://127.0.0.1:8080", true),
        ("http://127.8.7.6", true),
        ("http://localhost:8080", true),
        ("http://[::1]:8080", true),
        ("http://api.example.com", false),
        ("http://10.0.0.1", false),
        ("http://0.0.0.0", false),
        ("http://127.0.0.1.example.com", false),
        ("http://localhost.example.com", false),
        ("http://example.com#localhost", false),
        ("http://localhost@example.com", false),
        ("http://[::ffff:10.0.0.1]", false),
        ("ftp://127.0.0.1", false),
        ("file:///etc/hosts", false),
        ("api.example.com", false),
        ("//api.example.com", false),
        ("", false),
        ("https://user:word@api.example.com", false),
        ("https://api.example.com#part", false),
    ] {
        let base = Client::builder(url).bearer_token("word").build();
        let credentials = ClientCredentials::new(url, "id", "secret");
        let token = Client::builder("https://api.example.com").credentials(credentials).build();

        for (result, name) in [(base, "base URL"), (token, "token URL")] {
            match result {
                Ok(_) => assert!(accepted, "{url}"),
                Err(error) => {
                    assert!(!accepted, "{url}: {error}");
                    assert_eq!(error.kind(), ErrorKind::Configuration, "{url}");
                    assert!(error.to_string().contains(name), "{url}: {error}");
                    assert_eq!((error.attempts(), error.operation()), (0, None), "{url}");
                    assert!(!error.is_retryable(), "{url}");
                }
            }
        }
    }
}

#[test]
fn a_client_that_cannot_be_is_not_built() {
    let base = || Client::builder("https://api.example.com");
    let with_token = || base().bearer_token("word");
    for (builder, word) in [
        (Client::builder("https://api.example.com?x=1").bearer_token("word"), "query"),
        (base().bearer_token(""), "bearer token"),
        (base().bearer_token("two\nlines"), "bearer token"),
        (with_token().connection_lifetime(Duration::ZERO), "connection_lifetime"),
        (with_token().http_client_from(|| panic!("no client")), "panicked"),
        (with_token().scopes(iter::empty::<String>()), "scopes"),
        (with_token().rate_limit(operation::LIST_QUOTE_EXECUTIONS, 0.0), "rate_limit"),
        (with_token().rate_limit(operation::LIST_QUOTE_EXECUTIONS, -1.0), "rate_limit"),
        (with_token().rate_limit(operation::LIST_QUOTE_EXECUTIONS, f64::NAN), "rate_limit"),
        (with_token().rate_limit(operation::LIST_QUOTE_EXECUTIONS, f64::INFINITY), "rate_limit"),
        (with_token().user_agent("two\nlines"), ""),
    ] {
        let error = builder.build().expect_err(word);

        assert_eq!(error.kind(), ErrorKind::Configuration, "{word}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn credentials_whose_http_client_cannot_be_are_refused() {
    let credentials = || ClientCredentials::new("https://auth.example.com/token", "id", "secret");
    for (credentials, word) in [
        (credentials().connection_lifetime(Duration::ZERO), "connection_lifetime"),
        (credentials().http_client_from(|| panic!("no client")), "panicked"),
    ] {
        let builder = Client::builder("https://api.example.com").credentials(credentials);

        let error = builder.build().expect_err(word);

        assert_eq!(error.kind(), ErrorKind::Configuration, "{word}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[tokio::test]
async fn a_panic_of_the_function_that_makes_the_http_client_ends_no_later_call() -> Result<(), Error>
{
    let service = Server::always(json(200, "{}"));
    let is_first = AtomicBool::new(true);
    let client = Client::builder(service.url()).bearer_token("word").http_client_from(move || {
        assert!(is_first.swap(false, Ordering::Relaxed), "no other client");
        Ok(reqwest::Client::builder().no_proxy().build()?)
    });
    let client = client.connection_lifetime(Duration::from_nanos(1)).build()?;

    list(&client).await?;
    list(&client).await?;

    assert_eq!(service.count(), 2);
    Ok(())
}

#[test]
fn a_source_that_rejects_its_own_settings_is_a_configuration_error() {
    struct Vault;

    impl TokenSource for Vault {
        fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
            Box::pin(std::future::ready(Err(Error::token("no vault"))))
        }

        fn check(&self) -> Result<(), Error> {
            Err(Error::token("VAULT_ADDR is missing"))
        }
    }

    let builder = Client::builder("https://api.example.com").credentials(Vault);

    let error = builder.build().expect_err("no address");

    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("VAULT_ADDR is missing"), "{error}");
}

// The user's own HTTP client would send requests to any address.
#[test]
fn a_token_url_is_checked_whatever_sends_the_requests() {
    let credentials =
        || ClientCredentials::new("http://auth.example.com/oauth2/token", "id", "secret");
    let http = || reqwest::Client::builder().no_proxy().build();
    let built = http().expect("an HTTP client");
    for credentials in
        [credentials().http_client(built), credentials().http_client_from(move || Ok(http()?))]
    {
        let builder = Client::builder("https://api.example.com").credentials(credentials);

        let error = builder.build().expect_err("neither https nor loopback");

        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("token URL"), "{error}");
    }
}
