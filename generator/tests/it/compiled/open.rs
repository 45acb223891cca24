//! Calls operations that don't need a token, and operations that need other kinds of credentials
//! than those of OAuth clients.

#![allow(missing_docs)]

mod server;

use std::sync::mpsc::channel;

use digital_assets::{CallOptions, Client, ErrorKind, operation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play())
}

async fn play() -> Result<(), Box<dyn std::error::Error>> {
    // This channel receives the token and the API key from each request.
    let (sender, received) = channel();
    let url = server::serve(move |request| {
        let header = |name: &str| request.lines().find_map(|line| line.strip_prefix(name));
        let (token, key) = (header("authorization: "), header("x-api-key: "));
        sender.send((token.map(str::to_owned), key.map(str::to_owned))).expect("a test");
        match key {
            Some("echoed") => (403, r#"{"detail":"unknown key echoed"}"#.to_owned()),
            _ => (200, String::new()),
        }
    });

    for (client, expected) in [
        (Client::builder(&url), [None, None, None]),
        (Client::builder(&url).bearer_token("word"), [None, Some("Bearer word"), None]),
    ] {
        let client = client.build()?;
        client.get_open().send().await?;
        client.get_optional().send().await?;
        client.get_both().send().await?;
        let sent: Vec<_> = received.iter().take(3).collect();
        assert_eq!(sent.iter().map(|(token, _)| token.as_deref()).collect::<Vec<_>>(), expected);
        assert!(sent.iter().all(|(_, key)| key.is_none()));
    }

    assert_eq!(operation::GET_WITH_KEY_AND_TOKEN.scopes(), ["write"]);
    let (token, key) = (Some("Bearer word"), Some("hush"));
    let builder = || Client::builder(&url).bearer_token("word").api_key("X-API-Key", "hush");
    assert!(!format!("{:?}", builder()).contains("hush"));
    let client = builder().build()?;
    client.get_bearer().send().await?;
    client.get_with_key().send().await?;
    client.get_with_key_and_token().send().await?;
    client.get_with_key_or_token().send().await?;
    let other = CallOptions::new().header("x-api-key", "other");
    client.get_with_key().options(other).send().await?;
    let sent: Vec<_> = received.iter().take(5).collect();
    let sent: Vec<_> = sent.iter().map(|(t, k)| (t.as_deref(), k.as_deref())).collect();
    assert_eq!(sent, [(token, None), (None, key), (token, key), (token, key), (None, Some("other"))]);

    // A key that the service echoes isn't printed.
    for other in [builder().api_key("X-API-Key", "echoed").build()?, client.clone()] {
        let options = CallOptions::new().header("x-api-key", "echoed");
        let error = other.get_with_key().options(options).send().await.expect_err("a 403");
        assert!(error.with_problem().to_string().ends_with("unknown key [key]"), "{error:?}");
        assert!(received.iter().next().is_some());
    }

    // Credentials that are missing are reported before a request is sent.
    let open = Client::builder(&url).build()?;
    open.get_with_key_or_token().send().await?;
    assert_eq!(received.iter().next(), Some((None, None)));
    let by_token = Client::builder(&url).bearer_token("word").build()?;
    for (error, message) in [
        (open.get_bearer().send().await, "the client has no credentials"),
        (open.get_with_key().send().await, "the client has no API key for the header `x-api-key`"),
        (by_token.get_with_key_and_token().send().await, "the client has no API key"),
    ] {
        let error = error.expect_err("no credentials");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(message), "{error}");
    }
    for (header, key, message) in [
        ("x-key", "hush", "no operation requires an API key in the header `x-key`"),
        ("x-api-key", "hu\nsh", "the API key for the header `x-api-key` contains a character"),
    ] {
        let error = Client::builder(&url).api_key(header, key).build().expect_err(message);
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(message), "{error}");
    }
    assert!(received.try_recv().is_err());
    Ok(())
}
