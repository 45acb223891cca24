//! Tests of requests that an HTTP/2 service says it didn't process, and of responses that it breaks
//! off.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{
    frames::{
        self, Connection, DATA, END_HEADERS, END_STREAM, HEADERS, HTTP_1_1_REQUIRED, NO_ERROR, OK,
        REFUSED_STREAM, frame, go_away, ok_of_length, reset_stream,
    },
    prelude::*,
    server::listen,
};

/// A page and members in one object. Each reader ignores the fields that it doesn't need.
const ANSWER: &str =
    r#"{"addresses":[],"institution_id":"6f1d4c1c-5d1e-4c39-8f0c-2f3cf1f4a6b0","members":[]}"#;

/// Starts an HTTP/2 server. `frames` returns the response to a request, given the number of earlier
/// requests and the request's stream.
async fn speaking(
    frames: impl Fn(usize, u32) -> Vec<u8> + Send + Sync + 'static,
) -> (ClientBuilder, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let (count, frames) = (Arc::clone(&asked), Arc::new(frames));
    let port = listen(move |stream| {
        let (count, frames) = (Arc::clone(&count), Arc::clone(&frames));
        async move {
            let mut connection = Connection::begin(stream).await?;
            loop {
                let (stream, _) = connection.request().await?;
                let sent = frames(count.fetch_add(1, Ordering::Relaxed), stream);
                connection.send(&sent).await?;
            }
        }
    });
    let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
    let http = http.retry(reqwest::retry::never());
    let client = Client::builder(format!("http://127.0.0.1:{}", port.await));
    let client = client.bearer_token("word").retry(Retry::none());
    (client.http_client(http.build().unwrap()), asked)
}

#[tokio::test]
async fn what_the_service_did_not_process_is_sent_again_at_no_cost() {
    let required = reset_stream(1, HTTP_1_1_REQUIRED);
    for refusal in [reset_stream(1, REFUSED_STREAM), required, go_away(0)] {
        for is_post in [false, true] {
            let first = refusal.clone();
            let (client, asked) =
                speaking(
                    move |at, stream| {
                        if at == 0 { first.clone() } else { frames::answer(stream, ANSWER) }
                    },
                )
                .await;
            let client = client.build().unwrap();

            let result = if is_post { add(&client).await } else { list(&client).await };

            assert!(result.is_ok(), "{refusal:?}: {result:?}");
            assert_eq!(asked.load(Ordering::Relaxed), 2, "{refusal:?}");
        }
    }
}

// RFC 9113, section 8.7: a service that has started a response has processed the request.
#[tokio::test]
async fn a_post_whose_response_has_begun_is_never_sent_again() {
    for part in [0, 20, ANSWER.len()] {
        let (client, asked) = speaking(move |_, stream| {
            let headers = frame(HEADERS, END_HEADERS, stream, OK);
            let begun = frame(DATA, 0, stream, &ANSWER.as_bytes()[..part]);
            [headers, begun, reset_stream(stream, REFUSED_STREAM)].concat()
        })
        .await;
        let client = client.retry(quick()).build().unwrap();

        let error = add(&client).await.unwrap_err();

        assert_eq!(asked.load(Ordering::Relaxed), 1, "{part}");
        assert_eq!((error.kind(), code(&error)), (ErrorKind::Transport, Some(200)), "{part}");
        assert!(error.may_have_been_applied() && !error.is_retryable(), "{part}: {error}");
        list(&client).await.unwrap_err();
        assert_eq!(asked.load(Ordering::Relaxed), 4, "a GET is retried: {part}");
    }
}

#[tokio::test]
async fn a_service_that_processes_nothing_is_asked_twice_and_then_as_after_any_failure() {
    for (retry, each) in [(Retry::none(), 2), (quick(), 4)] {
        let (client, asked) = speaking(|_, stream| reset_stream(stream, REFUSED_STREAM)).await;
        let client = client.retry(retry).build().unwrap();

        for is_post in [false, true] {
            let result = if is_post { add(&client).await } else { list(&client).await };
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, each));
            assert!(error.is_retryable() && !error.may_have_been_applied(), "{error}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2 * each as usize);
        // The retry budget limits the retries during an outage.
        for _ in 0..300 {
            list(&client).await.unwrap_err();
        }
        let asked = asked.load(Ordering::Relaxed);
        assert!(asked <= 2 * (300 + 2) + 100, "{asked}");
    }
}

// Some proxies end a stream normally although the server behind them has failed.
#[tokio::test]
async fn a_body_that_ends_before_its_length_is_cut_short_in_http2_too() {
    for head in [OK.to_vec(), ok_of_length(ANSWER.len())] {
        for part in [0, 20] {
            let head = head.clone();
            let (client, asked) = speaking(move |at, stream| {
                let begun = frame(DATA, 0, stream, &ANSWER.as_bytes()[..part]);
                let headers = frame(HEADERS, END_HEADERS, stream, &head);
                match at {
                    0 => [headers, begun, reset_stream(stream, NO_ERROR)].concat(),
                    _ => frames::answer(stream, ANSWER),
                }
            })
            .await;
            let client = client.build().unwrap();

            let error = list(&client).await.unwrap_err();

            assert_eq!((error.kind(), code(&error)), (ErrorKind::Transport, Some(200)), "{error}");
            assert!(error.is_retryable(), "{error}");
            list(&client).await.unwrap();
            assert_eq!(asked.load(Ordering::Relaxed), 2);
        }
    }
}

// RFC 9113, section 8.1: the headers of a response without a body end its stream. They also do so
// if a proxy gives up on the server behind it.
#[tokio::test]
async fn a_response_that_ends_with_its_headers_and_has_no_length_is_cut_short() {
    let (client, asked) = speaking(|at, stream| match at {
        0 | 2 => frame(HEADERS, END_HEADERS | END_STREAM, stream, OK),
        _ => frames::answer(stream, ANSWER),
    })
    .await;
    let client = client.retry(quick()).build().unwrap();

    list(&client).await.unwrap();
    let error = add(&client).await.unwrap_err();

    assert_eq!(asked.load(Ordering::Relaxed), 3);
    assert_eq!((error.kind(), code(&error)), (ErrorKind::Transport, Some(200)), "{error}");
    assert!(error.may_have_been_applied() && !error.is_retryable(), "{error}");
}

#[tokio::test]
async fn a_response_that_states_that_it_is_empty_is_complete() {
    let (client, asked) =
        speaking(|_, stream| frame(HEADERS, END_HEADERS | END_STREAM, stream, &ok_of_length(0)))
            .await;
    let client = client.retry(quick()).build().unwrap();

    let error = list(&client).await.unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Decode, 1), "{error}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
