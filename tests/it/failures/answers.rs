//! Tests of responses that are too large or broken.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::prelude::*;

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

fn packed(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn gzip(body: &[u8]) -> Answer {
    json(200, packed(body)).header("content-encoding", "gzip")
}

fn bounded(answer: Answer) -> Environment {
    Environment::of(Server::always(answer), granting(), |client| client.max_response_bytes(1000))
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
        ("small until unpacked", gzip(&vec![b' '; 8 << 20])),
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

// A body without a length and without chunks ends when its connection closes (RFC 9112, section
// 6.3).
#[tokio::test]
async fn a_body_that_ends_with_its_connection_is_cut_off_where_its_json_is() -> Result<(), Error> {
    for part in
        ["", "{", r#"{"items":["#, r#"{"items":[],"next_page_cursor":"c"#, "{\"a\":\"\u{e9}"]
    {
        let cut = json(200, part).unmeasured();
        let env = Environment::playing([cut.clone(), cut, json(200, "{}").unmeasured()]);
        list(&env.client).await?;
        assert_eq!(env.service.count(), 3, "{part}");

        let env = Environment::always(json(200, part).unmeasured().header("x-request-id", "r-1"));
        let error = list(&env.client).await.expect_err(part);

        assert_eq!((error.kind(), code(&error)), (ErrorKind::Transport, Some(200)), "{part}");
        assert_eq!((error.attempts(), error.is_retryable()), (3, true), "{part}");
        assert_eq!(error.body(), Some(part.as_bytes()));
        assert!(error.headers().is_some_and(|headers| headers["x-request-id"] == "r-1"), "{part}");
        assert!(error.to_string().contains("the connection closed before the response"), "{error}");
        assert!(error.to_string().ends_with(": 200 OK (after 3 attempts)"), "{error}");
    }
    let env = Environment::always(json(200, "{").truncated().header("x-request-id", "r-1"));
    let error = list(&env.client).await.expect_err("cut off");
    assert_eq!((error.kind(), code(&error)), (ErrorKind::Transport, Some(200)));
    assert!(error.headers().is_some_and(|headers| headers["x-request-id"] == "r-1"), "{error}");
    // A complete but invalid response isn't retried.
    for whole in ["{}}", "[]", r#"{"items":}"#] {
        let env = Environment::always(json(200, whole).unmeasured());
        let error = list(&env.client).await.expect_err(whole);
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Decode, 1), "{whole}");
    }
    Ok(())
}

#[tokio::test]
async fn several_gzip_members_are_one_body() -> Result<(), Error> {
    let parts = [r#"{"items":[],"#, "", r#""next_page"#, r#"_cursor":"c"}"#];
    let members: Vec<u8> = parts.into_iter().flat_map(|part| packed(part.as_bytes())).collect();
    for encoding in ["gzip", "GZIP", "x-gzip"] {
        let whole = json(200, members.clone()).header("content-encoding", encoding);
        for answer in [whole.clone(), whole.unmeasured()] {
            let env = Environment::playing([answer]);

            let page = env.client.list_deposit_addresses().send().await?;

            assert_eq!(page.next_page_cursor.as_deref(), Some("c"));
        }
    }
    Ok(())
}

// Each gzip member needs a new decompressor, so a response that consists of empty members keeps its
// reader busy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadline_holds_while_an_answer_is_decompressed_to_nothing() {
    let members = packed(b"").repeat(1 << 20);
    let service =
        Server::answering(move |_| json(200, members.clone()).header("content-encoding", "gzip"));
    let env = Environment::of(service, granting(), |client| client.call_timeout(millis(300)));

    let error = timeout(seconds(60), list(&env.client)).await.expect("an end").expect_err("late");

    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn a_failure_may_be_packed_too() {
    let body = r#"{"title":"Gone","detail":"for good"}"#;
    let answer = status(410).body(packed(body.as_bytes())).header("content-encoding", "gzip");
    let env = Environment::playing([answer]);

    let error = list(&env.client).await.expect_err("410");

    assert_eq!(error.body(), Some(body.as_bytes()));
    assert_eq!(error.problem().and_then(|problem| problem.title.as_deref()), Some("Gone"));
}

#[tokio::test]
async fn gzip_that_is_cut_off_or_none_is_an_error() {
    let whole = packed(br#"{"items":[]}"#);
    let cut = whole[..whole.len() - 3].to_vec();
    let with_more = [whole.as_slice(), b"more"].concat();
    for body in [b"{}".to_vec(), cut, with_more, whole[..5].to_vec()] {
        for answer in [json(200, body.clone()), json(200, body.clone()).unmeasured()] {
            let env = Environment::always(answer.header("content-encoding", "gzip"));

            let error = list(&env.client).await.expect_err("not gzip");

            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 3), "{error}");
        }
    }
}

#[tokio::test]
async fn the_body_of_an_error_is_decoded_in_any_format() -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    struct Refusal {
        code: u32,
    }
    let answers = [r#"{"code":17,"message":"sesame"}"#, r#"{"code":"17"}"#, "<html>", ""];
    let service = Server::playing(answers.map(|answer| json(422, answer)));
    let client = Client::builder(service.url()).bearer_token("word").build()?;

    for expected in [Some(17), None, None, None] {
        let error = list(&client).await.unwrap_err();

        assert_eq!(error.body_as::<Refusal>().map(|refusal| refusal.code), expected);
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    Ok(())
}
