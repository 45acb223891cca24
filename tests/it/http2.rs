//! What an HTTP/2 service didn't process, as it says.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{
    frames::{self, Connection, REFUSED_STREAM, go_away, reset_stream},
    prelude::*,
    server::listen,
};

/// A page, and members: no client reads the other's fields.
const ANSWER: &str =
    r#"{"addresses":[],"institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;

/// Speaks HTTP/2 in frames: plays a refusal to the first request, and answers the others.
async fn refusing(refusal: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let port = listen(move |stream| {
        let (count, refusal) = (Arc::clone(&count), refusal.clone());
        async move {
            let mut connection = Connection::begin(stream).await?;
            loop {
                let (stream, _) = connection.request().await?;
                let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
                let answer = frames::answer(stream, ANSWER);
                connection.send(if is_first { &refusal } else { &answer }).await?;
            }
        }
    });
    (format!("http://127.0.0.1:{}", port.await), asked)
}

#[tokio::test]
async fn what_the_service_did_not_process_is_sent_again_at_no_cost() {
    for refusal in [reset_stream(1, REFUSED_STREAM), go_away(0)] {
        for is_post in [false, true] {
            let (url, asked) = refusing(refusal.clone()).await;
            let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
            let client = Client::builder(url).bearer_token("word").retry(Retry::none());
            let client = client.http_client(http.build().unwrap()).build().unwrap();

            let result = if is_post { add(&client).await } else { list(&client).await };

            assert!(result.is_ok(), "{refusal:?}: {result:?}");
            assert_eq!(asked.load(Ordering::Relaxed), 2, "{refusal:?}");
        }
    }
}
