//! Tests of how the client handles a token endpoint that fails, and of what the errors say.

use std::{future::ready, io};

use super::prelude::*;

// RFC 6749, section 5.2.
#[tokio::test(start_paused = true)]
async fn a_refusal_comes_at_once_and_is_remembered_for_five_seconds() {
    for (status_code, error_code) in [
        (401, "invalid_client"),
        (400, "invalid_scope"),
        (400, "unauthorized_client"),
        (400, "invalid_request"),
    ] {
        let clock = Clock::stopped();
        let body = format!(r#"{{"error":"{error_code}","error_description":"sesame"}}"#);
        let env = refusing(json(status_code, body));

        for (wait, asked) in [(0, 1), (0, 1), (4_900, 1), (200, 2), (4_900, 2), (200, 3)] {
            clock.forward(millis(wait)).await;
            let error = list(&env.client).await.expect_err(error_code);

            assert_eq!(error.kind(), ErrorKind::Token, "{error_code}");
            assert_eq!(error.oauth_error(), Some(error_code));
            assert_eq!(code(&error), Some(status_code));
            assert_eq!((error.attempts(), error.is_retryable()), (0, false));
            assert!(error.to_string().contains(error_code), "{error}");
            assert!(!printed(&error).contains("sesame"), "{error:?}");
            assert_eq!(env.auth.count(), asked, "{error_code} {wait}");
        }
        assert_eq!(env.service.count(), 0);
    }
}

// Section 5 of the specification, point 3: each operation requires one scope. A client may be
// granted only one of the scopes.
#[tokio::test]
async fn a_scope_that_is_not_granted_stops_its_own_operation_alone() -> Result<(), Error> {
    let auth = Server::answering(|request| {
        if request.form().contains(&pair("scope", "transfer:read_deposit_address")) {
            grant("word", "3599")
        } else {
            json(400, r#"{"error":"invalid_scope"}"#)
        }
    });
    let env = Environment::of(Server::always(json(200, "{}")), auth, |client| client);

    let error = list(&env.client).await.expect_err("not granted");
    env.client.list_deposit_addresses().send().await?;

    assert_eq!(error.oauth_error(), Some("invalid_scope"));
    assert!(error.to_string().contains("listMonitoringAddresses"), "{error}");
    assert_eq!(env.service.count(), 1);
    Ok(())
}

// A string that doesn't look like an error code isn't reported, because it may repeat a secret from
// the request. Even a string of letters may be a secret, so only the codes that RFC 6749 registers
// are printed.
#[tokio::test(start_paused = true)]
async fn a_code_is_told_that_looks_like_one_and_printed_if_it_is_registered() {
    let long = "a".repeat(64);
    for (status, code, is_told, is_printed) in [
        (400, "invalid_scope", true, true),
        (200, "invalid_client", true, true),
        (503, "temporarily_unavailable", true, true),
        (400, "opensesame", true, false),
        (400, &long, true, false),
        (400, &format!("{long}a"), false, false),
        (400, "sesame is wrong", false, false),
        (400, "Sesame", false, false),
        (401, r#"sesame is \\"wrong\\""#, false, false),
        (401, r#"","error":{"message":"sesame"},"x":""#, false, false),
    ] {
        let answer = json(status, format!(r#"{{"error":"{code}"}}"#));
        let env = in_memory(InMemory::always(answer));

        let error = list(&env.client).await.expect_err("no token");

        assert_eq!(error.oauth_error(), is_told.then_some(code));
        assert_eq!(printed(&error).contains(code), is_printed, "{error:?}");
        assert!(!printed(&error).contains("sesame"), "{error:?}");
        assert_eq!(error.body(), None);
    }
}

#[tokio::test]
async fn of_a_failed_answer_no_more_than_a_mebibyte_is_read() {
    let padding = " ".repeat(1 << 20);
    let env = refusing(json(400, format!(r#"{padding}{{"error":"invalid_scope"}}"#)));

    let error = list(&env.client).await.expect_err("no token");

    assert_eq!(error.oauth_error(), None);
}

// The status is known from the response's head, however the body ends.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_lost_behind_a_body_that_is_not_whole() {
    let body = r#"{"error":"invalid_client"}"#;
    let busy = status(429).header("retry-after", "60").body(body);
    for (case, answer, expected) in [
        ("cut off", json(401, body).truncated(), 401),
        ("too slow", json(401, body).dripping(), 401),
        ("not gzip", json(401, body).header("content-encoding", "gzip"), 401),
        ("busy, cut off", busy.clone().truncated(), 429),
        ("busy, too slow", busy.dripping(), 429),
    ] {
        let (env, start) = (in_memory(InMemory::always(answer)), Instant::now());

        let error = list(&env.client).await.expect_err(case);

        assert_eq!(code(&error), Some(expected), "{case}");
        assert!(expected != 429 || start.elapsed() < seconds(10), "{case}");
        assert_eq!(error.is_retryable(), expected == 429, "{case}");
        assert_eq!(error.retry_after().is_some(), expected == 429, "{case}");
        assert_eq!(env.auth.count(), 1, "{case}");
    }
    let env = in_memory(InMemory::always(status(503).body(" ".repeat(2 << 20))));
    let error = list(&env.client).await.expect_err("an outage");
    assert!(error.is_retryable(), "{error:?}");
    assert_eq!(env.auth.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_token_endpoint_that_stumbles_is_asked_three_times() -> Result<(), Error> {
    let cut = status(200).body(r#"{"access_token":"sesa"#).unmeasured();
    for stumble in [
        status(408),
        status(429),
        status(500),
        status(503),
        status(502),
        reset(),
        cut,
        grant("sesame", "3599").truncated(),
        status(200),
        status(200).unmeasured(),
    ] {
        let endpoint = InMemory::scripted(move |count, _| match count {
            2 => grant("word", "3599"),
            _ => stumble.clone(),
        });
        let env = in_memory(endpoint);

        list(&env.client).await?;
        assert_eq!((env.auth.count(), env.service.count()), (3, 1));

        let call = env.client.list_deposit_addresses().send();
        let error = call.await.expect_err("three times in vain");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Token, 0));
        assert!(error.is_retryable(), "{error:?}");
        assert!(!printed(&error).contains("sesa"), "{error:?}");
        assert_eq!((env.auth.count(), env.service.count()), (6, 1), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_source_of_ones_own_fails_with_its_own_words_and_cause() {
    let source = Source::of(|times| {
        ready(Err(match times {
            0 => Error::token("the vault is sealed"),
            _ => Error::token_from(io::Error::other("the vault is gone")),
        }))
    });
    let env = drawing_on(&source);

    let sealed = list(&env.client).await.expect_err("sealed");
    let gone = add(&env.client).await.expect_err("gone");

    assert_eq!((sealed.kind(), gone.kind()), (ErrorKind::Token, ErrorKind::Token));
    assert!(sealed.to_string().contains("the vault is sealed"), "{sealed}");
    let cause = std::error::Error::source(&gone).expect("a cause");
    assert_eq!(cause.to_string(), "the vault is gone");
    assert!(cause.is::<io::Error>(), "{cause:?}");
    assert!(!gone.may_have_been_applied());
    assert_eq!((sealed.attempts(), env.service.count()), (0, 0));
}

#[tokio::test]
async fn the_cause_of_a_failed_source_shows_no_query() {
    let cause = reqwest::get("http://127.0.0.1:1/?key=sesame").await.expect_err("nobody there");

    let error = Error::token_from(cause);

    assert!(!printed(&error).contains("sesame"), "{error:?}");
    let cause = std::error::Error::source(&error).expect("a cause");
    assert!(cause.is::<reqwest::Error>(), "{cause:?}");
}

// RFC 9112, section 6.3: `Transfer-Encoding` overrides `Content-Length`.
#[tokio::test]
async fn a_chunked_grant_is_complete_whatever_its_content_length() -> Result<(), Error> {
    let grant = r#"{"access_token":"word"}"#;
    let chunked = format!("{:x}\r\n{grant}\r\n0\r\n\r\n", grant.len());
    let answer = json(200, chunked).header("transfer-encoding", "chunked");
    let env = refusing(answer.header("content-length", "1000"));

    list(&env.client).await?;

    assert_eq!((env.auth.count(), env.service.tokens()), (1, vec!["word".to_owned()]));
    Ok(())
}
