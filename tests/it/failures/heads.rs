//! Tests of HTTP/1.1 response heads that a strict parser would reject, and of bodies that never
//! end.

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
