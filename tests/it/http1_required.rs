//! Tests of a service that accepts requests only over HTTP/1.1 and says so over HTTP/2 (RFC 9113,
//! section 7).

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt;

use crate::{
    certified::{acceptor, in_a_process_of_its_own},
    frames::{Connection, HTTP_1_1_REQUIRED, reset_stream},
    prelude::*,
    server::{listen, read},
};

/// A token, a page and members in one object. Each reader ignores the fields that it doesn't need.
const ANSWER: &str = r#"{"access_token":"word","token_type":"bearer","addresses":[],
    "institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;

/// Starts a service that rejects requests over HTTP/2. Returns its URL and the number of rejected
/// requests.
async fn refusing() -> (String, Arc<AtomicUsize>) {
    let (acceptor, refused) = (acceptor(&["h2", "http/1.1"]), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&refused);
    let port = listen(move |stream| {
        let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
        async move {
            let mut stream = acceptor.accept(stream).await?;
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                let mut connection = Connection::begin(stream).await?;
                loop {
                    let (stream, _) = connection.request().await?;
                    count.fetch_add(1, Ordering::Relaxed);
                    connection.send(&reset_stream(stream, HTTP_1_1_REQUIRED)).await?;
                }
            }
            let mut unread = Vec::new();
            while read(&mut stream, &mut unread).await?.is_some() {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", ANSWER.len());
                stream.write_all(&[head.as_bytes(), ANSWER.as_bytes()].concat()).await?;
                stream.flush().await?;
            }
            Ok(())
        }
    });
    (format!("https://localhost:{}", port.await), refused)
}

#[test]
fn a_service_that_requires_http1_is_asked_over_http1() {
    let name = "http1_required::a_service_that_requires_http1_is_asked_over_http1";
    in_a_process_of_its_own(name, ask);
}

#[tokio::main(flavor = "current_thread")]
async fn ask() {
    let (url, refused) = refusing().await;
    let (token_url, refused_tokens) = refusing().await;
    let credentials = ClientCredentials::new(token_url, "backoffice", "sesame");
    let client = Client::builder(url).credentials(credentials).retry(Retry::none());
    let client = client.build().expect("a client");

    for _ in 0..3 {
        list(&client).await.expect("a page");
        add(&client).await.expect("members");
    }

    // The service rejects one request on the kept connections, and one on the connections for
    // POSTs.
    assert_eq!(refused.load(Ordering::Relaxed), 2);
    assert_eq!(refused_tokens.load(Ordering::Relaxed), 1);
}
