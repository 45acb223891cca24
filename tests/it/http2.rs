//! What an HTTP/2 service didn't process, as it says.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{
    frames::{self, Connection, REFUSED_STREAM, go_away, reset_stream},
    prelude::*,
    server::listen,
};

/// Speaks HTTP/2 in frames: plays a refusal to the first request, and answers the others.
async fn refusing(refusal: Vec<u8>, answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let port = listen(move |stream| {
        let (count, refusal) = (Arc::clone(&count), refusal.clone());
        async move {
            let mut connection = Connection::begin(stream).await?;
            loop {
                let (stream, _) = connection.request().await?;
                let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
                let answer = frames::answer(stream, answer);
                connection.send(if is_first { &refusal } else { &answer }).await?;
            }
        }
    });
    (format!("http://127.0.0.1:{}", port.await), asked)
}

#[tokio::test]
async fn what_the_service_did_not_process_is_sent_again_at_no_cost() -> Result<(), Error> {
    for refusal in [reset_stream(1, REFUSED_STREAM), go_away(0)] {
        for is_post in [false, true] {
            let members =
                r#"{"institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;
            let (url, asked) =
                refusing(refusal.clone(), if is_post { members } else { "{}" }).await;
            let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
            let client = Client::builder(url).bearer_token("word").retry(Retry::none());
            let client = client.http_client(http.build().expect("a client")).build()?;

            if is_post {
                add(&client).await?;
            } else {
                list(&client).await?;
            }

            assert_eq!(asked.load(Ordering::Relaxed), 2, "{refusal:?}");
        }
    }
    Ok(())
}
