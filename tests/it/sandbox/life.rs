use std::time::{Duration, Instant};

use digital_assets::sandbox::Sandbox;

use super::caller::Caller;

#[tokio::test]
async fn the_port_is_free_once_the_last_handle_is_dropped() {
    let sandbox = Sandbox::start().await.unwrap();
    let address = sandbox.base_url().trim_start_matches("http://").to_owned();
    let other = sandbox.clone();

    drop(sandbox);
    let mut open = tokio::net::TcpStream::connect(&address).await.unwrap();
    drop(other);

    let begin = Instant::now();
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it still listens");
        tokio::task::yield_now().await;
    }
    let mut rest = Vec::new();
    let closed = tokio::io::AsyncReadExt::read_to_end(&mut open, &mut rest);
    let _ = tokio::time::timeout(Duration::from_secs(60), closed).await.expect("it is still open");
    assert!(rest.is_empty());
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error() {
    let sandbox = Sandbox::start().await.unwrap();
    let port = sandbox.base_url().rsplit(':').next().unwrap().parse().unwrap();

    let error = Sandbox::builder().port(port).start().await.unwrap_err();

    assert!(error.to_string().contains(&port.to_string()), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn requests_are_there_to_be_seen() {
    let caller = Caller::start().await;
    caller.ok("/v2/transfer/deposit-addresses?networks=SOLANA&networks=BASE&limit=5").await;
    assert_eq!(caller.get("/v2/nowhere%2Felse?x=a%20b").await.0, 404);

    let [first, second] = &caller.sandbox.requests()[..] else { panic!("not two requests") };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    };
    assert_eq!((first.method.as_str(), &*first.path), ("GET", "/v2/transfer/deposit-addresses"));
    assert_eq!(first.query, pairs(&[("networks", "SOLANA"), ("networks", "BASE"), ("limit", "5")]));
    assert_eq!((&*second.path, &second.query), ("/v2/nowhere%2Felse", &pairs(&[("x", "a b")])));
    let token = first.header("authorization").and_then(|header| header.strip_prefix("Bearer "));
    assert!(!format!("{first:?}").contains(token.unwrap()));
    assert_eq!((first.header("content-type"), first.body()), (None, &b""[..]));

    caller.add(&serde_json::json!({ "institution_id": "é" })).await;
    let requests = caller.sandbox.requests();
    let added = requests.last().unwrap();
    assert_eq!(added.header("Content-Type"), Some("application/json"));
    assert_eq!(added.body(), "{\"institution_id\":\"é\"}".as_bytes());
}

#[tokio::test(start_paused = true)]
async fn every_answer_takes_the_latency_that_was_asked_for() {
    let latency = Duration::from_millis(60);
    let caller = Caller::with(Sandbox::builder().latency(latency)).await;
    let begin = tokio::time::Instant::now();

    caller.ok(&caller.executions()).await;

    assert!(begin.elapsed() >= latency);
}

#[tokio::test]
async fn debug_output_does_not_hold_the_secret() {
    let sandbox = Sandbox::start().await.unwrap();

    let text = format!("{sandbox:?}");

    assert!(text.contains("REDACTED") && !text.contains(sandbox.client_secret()), "{text}");
}
