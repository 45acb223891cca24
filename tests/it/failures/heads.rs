//! Tests of HTTP/1.1 response heads that a strict parser would reject, of how a body's end is found,
//! and of bodies that never end.

use digital_assets::Follow;
use futures_util::stream;
use tokio::io::AsyncWriteExt;

use crate::{
    prelude::*,
    server::{listen, read},
};

/// Returns a client of a service that responds to each request with these bytes.
async fn answered(response: String) -> Client {
    let port = listen(move |mut stream| {
        let response = response.clone();
        async move {
            let mut unread = Vec::new();
            while read(&mut stream, &mut unread).await?.is_some() {
                stream.write_all(response.as_bytes()).await?;
            }
            Ok(())
        }
    });
    let client = Client::builder(format!("http://127.0.0.1:{}", port.await));
    client.bearer_token("word").retry(Retry::none()).build().unwrap()
}

// RFC 9112, section 5.2: a client may replace a line fold with spaces.
#[tokio::test]
async fn a_folded_header_line_is_read() {
    let head = "HTTP/1.1 200 OK\r\nx-long: one\r\n two\r\n\tthree\r\ncontent-length: 2\r\n\r\n";
    let client = answered(format!("{head}{{}}")).await;

    let page = within_bounds(client.list_deposit_addresses().send()).await.unwrap();

    let long = page.headers()["x-long"].to_str().unwrap();
    assert_eq!(long.split_whitespace().collect::<Vec<_>>(), ["one", "two", "three"]);
}

#[tokio::test]
async fn a_response_may_have_hundreds_of_header_fields() {
    let fields: String = (0..400).map(|n| format!("x-{n}: {n}\r\n")).collect::<Vec<_>>().concat();
    let client =
        answered(format!("HTTP/1.1 200 OK\r\n{fields}content-length: 2\r\n\r\n{{}}")).await;

    let page = within_bounds(client.list_deposit_addresses().send()).await.unwrap();

    assert_eq!(page.headers()["x-399"], "399");
}

// RFC 9110, section 5.6.7: a year has four digits. RFC 9111, section 5.1: `Age` is a number of
// seconds.
#[tokio::test(start_paused = true)]
async fn an_absurd_date_is_no_date() {
    const YEAR_262142: &str = "Mon, 31 Dec 262142 23:59:59 GMT";
    const YEAR_9999: &str = "Fri, 31 Dec 9999 23:59:59 GMT";
    for (date, age) in [
        (YEAR_262142, "0"),
        (YEAR_262142, "1"),
        // From 9999-12-31T23:59:59Z, this is 262142-12-31T23:59:59Z.
        (YEAR_9999, "7956864576000"),
        (YEAR_9999, "9223372036854775"),
        (YEAR_9999, "99999999999999999999"),
        ("Sat, 01 Jan 0000 00:00:00 GMT", "-1"),
    ] {
        let dated = move |answer: Answer| answer.header("date", date).header("age", age);
        let service = InMemory::scripted(move |_, _| dated(json(200, r#"{"items":[]}"#)));
        let client = service.with(|client| client.bearer_token("word"));
        for concurrency in [1, 1, 2] {
            let items = client.list_quote_executions().profile_id("p").items();
            let first = items.concurrency(concurrency).next().await;
            assert!(first.is_none(), "{date}, {age}: {first:?}");
            advance(seconds(2)).await;
        }
        let follow = Follow::once();
        let mut following = client.list_quote_executions().profile_id("p").items().follow(follow);
        assert!(following.next().await.is_none(), "{date}, {age}");

        let absurd = move |_: usize, _: &_| dated(status(503)).header("retry-after", YEAR_262142);
        let service = InMemory::scripted(absurd);
        let client = service.with(|client| client.bearer_token("word").retry(Retry::none()));
        let error = list(&client).await.unwrap_err();
        assert_eq!((code(&error), error.retry_after()), (Some(503), None), "{date}, {age}");
    }
}

// RFC 9112, section 6.3: `Transfer-Encoding` overrides `Content-Length`. A gateway that compresses
// a response keeps the original length.
#[tokio::test]
async fn the_end_of_a_chunked_body_is_its_last_chunk_whatever_its_content_length()
-> Result<(), Error> {
    for length in [1, 2, 1_000] {
        let head =
            format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: {length}");
        let client = answered(format!("{head}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n")).await;
        list(&client).await?;

        let cut = json(200, "2\r\n{}\r\n").header("transfer-encoding", "chunked");
        let cut = Environment::always(cut.header("content-length", "2").unmeasured());
        let error = list(&cut.client).await.expect_err("no last chunk");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 3));
    }
    Ok(())
}

// RFC 9112, section 6.3: a response whose last transfer coding isn't chunked ends with its
// connection.
#[tokio::test]
async fn a_body_that_ends_with_its_connection_may_be_cut_off_whatever_its_content_length()
-> Result<(), Error> {
    for (part, is_whole) in [("{", false), ("{}", true)] {
        let answer = json(200, part).header("transfer-encoding", "identity");
        let answer = answer.header("content-length", "1").unmeasured();
        let env = Environment::always(answer);

        let result = list(&env.client).await;

        assert_eq!(result.is_ok(), is_whole, "{part}: {result:?}");
        let kind = result.err().map(|error| (error.kind(), error.attempts()));
        assert_eq!(kind, (!is_whole).then_some((ErrorKind::Transport, 3)), "{part}");
    }
    Ok(())
}

// The user's own service returns a body that never ends and contains no bytes.
#[tokio::test]
async fn a_body_of_empty_frames_without_an_end_ends_with_the_deadline() {
    let service = InMemory::playing(|_, _| {
        let frames = stream::repeat_with(|| Ok::<_, std::io::Error>(Vec::new()));
        let response = http::Response::new(reqwest::Body::wrap_stream(frames));
        Ok(response.into())
    });
    let client = service.with(|client| client.attempt_timeout(millis(50)).retry(Retry::none()));

    let error = within_bounds(client.list_deposit_addresses().send()).await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}
