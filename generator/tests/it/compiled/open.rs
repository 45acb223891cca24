//! Calls operations that don't need a token, with and without credentials.

#![allow(missing_docs)]

mod server;

use std::sync::mpsc::channel;

use digital_assets::Client;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play())
}

async fn play() -> Result<(), Box<dyn std::error::Error>> {
    // This channel receives the token from each request.
    let (sender, received) = channel();
    let url = server::serve(move |request| {
        let token = request.lines().find_map(|line| line.strip_prefix("authorization: "));
        sender.send(token.map(str::to_owned)).expect("a test");
        (200, String::new())
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
        assert_eq!(sent.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }
    Ok(())
}
