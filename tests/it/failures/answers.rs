//! Answers that lead elsewhere, and those that are too large.

use std::io::Write;

use digital_assets::{Error, ErrorKind, Operation, Retry};
use flate2::{Compression, write::GzEncoder};

use super::code;
use crate::{
    Environment, add, granting, list,
    server::{Answer, Server, json, status},
};

#[tokio::test]
async fn a_redirect_is_an_error_and_the_token_goes_nowhere_else() {
    for status_code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::playing([]);
        let answer = status(status_code).header("location", format!("{}/x", elsewhere.url()));
        let env = Environment::always(answer);

        for error in [list(&env.client).await, add(&env.client).await] {
            let error = error.expect_err("a redirect");
            assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(status_code)));
        }
        assert_eq!((env.service.count(), elsewhere.count()), (2, 0), "{status_code}");
    }
}

#[tokio::test]
async fn an_http_client_that_follows_redirects_takes_the_token_nowhere_else() {
    for status_code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::answering(|_| json(200, "{}"));
        let answer = status(status_code).header("location", format!("{}/x", elsewhere.url()));
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let env = Environment::with([answer], |client| client.http_client(http));

        let error = list(&env.client).await.expect_err("not the service's answer");

        assert_eq!(error.operation(), Some(Operation::ListMonitoringAddresses));
        let strays = elsewhere.requests();
        assert!(strays.iter().all(|stray| stray.header("authorization").is_none()), "{strays:?}");
    }
}

#[tokio::test]
async fn a_redirect_that_was_followed_is_not_followed_again() {
    let elsewhere = Server::answering(|_| json(200, "{}"));
    let answer = status(302).header("location", format!("{}/x", elsewhere.url()));
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let service = Server::answering(move |_| answer.clone());
    let env = Environment::of(service, granting(), |client| client.http_client(http));

    let error = list(&env.client).await.expect_err("not the service's answer");

    assert!(!error.is_retryable(), "{error}");
    assert_eq!((env.service.count(), elsewhere.count()), (1, 1));
}

#[tokio::test]
async fn an_http_client_of_ones_own_is_used() -> Result<(), Error> {
    let http = reqwest::Client::builder().no_proxy().user_agent("mine").build();
    let http = http.expect("a client");
    let env = Environment::with([json(200, "{}")], |client| client.http_client(http));

    list(&env.client).await?;

    assert_eq!(env.service.request().header("user-agent"), Some("mine"));
    assert_eq!(env.service.request().header("authorization"), Some("Bearer word-1"));
    Ok(())
}

fn gzip(body: &[u8]) -> Answer {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory");
    json(200, encoder.finish().expect("memory")).header("content-encoding", "gzip")
}

fn bounded(answer: Answer) -> Environment {
    Environment::of(Server::answering(move |_| answer.clone()), granting(), |client| {
        client.max_response_bytes(1000)
    })
}

#[tokio::test]
async fn an_answer_may_be_as_large_as_the_bound() -> Result<(), Error> {
    let body = format!("{{}}{}", " ".repeat(998));

    for answer in [json(200, &*body), json(200, &*body).unmeasured(), gzip(body.as_bytes())] {
        let env = bounded(answer);
        list(&env.client).await?;
        let encodings = env.service.request().header("accept-encoding").map(str::to_owned);
        assert_eq!(encodings.as_deref(), Some("gzip"));
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_beyond_the_bound_is_not_read_on() {
    let body = format!("{{}}{}", " ".repeat(999));
    for (case, answer) in [
        ("plain", json(200, &*body)),
        ("without a length", json(200, &*body).unmeasured()),
        ("without an end", json(200, " ".repeat(4 << 20)).unmeasured()),
        ("a length that lies", json(200, "{}").header("content-length", "50000000000")),
        ("small until it is read", gzip(&vec![b' '; 8 << 20])),
    ] {
        let env = bounded(answer);

        let error = list(&env.client).await.expect_err(case);

        assert_eq!(error.kind(), ErrorKind::ResponseTooLarge, "{case}");
        assert_eq!((code(&error), error.attempts()), (Some(200), 1), "{case}");
        assert!(error.to_string().contains("1000 bytes"), "{case}: {error}");
        assert!(!error.is_retryable(), "{case}");
        assert_eq!(env.service.count(), 1, "{case}");
    }
}

#[tokio::test]
async fn a_length_that_lies_takes_no_memory() {
    let answer = json(200, "{}").header("content-length", "9007199254740992").truncated();
    let env = Environment::with([answer], |client| {
        client.retry(Retry::none()).max_response_bytes(usize::MAX)
    });

    let error = list(&env.client).await.expect_err("cut off");

    assert_eq!(error.kind(), ErrorKind::Transport);
}

#[tokio::test]
async fn gzip_that_is_none_is_an_error() {
    let broken = json(200, "{}").header("content-encoding", "gzip");
    let env = Environment::always(broken);

    let error = list(&env.client).await.expect_err("not gzip");

    assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::Transport), "{error}");
}
