//! Calls operations of which none needs a token, without credentials and with some.

#![allow(missing_docs)]

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::mpsc::{Sender, channel},
};

use digital_assets::Client;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play())
}

async fn play() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let (sender, received) = channel();
    std::thread::spawn(move || serve(&listener, &sender));

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

/// Tells each request's token, and answers it.
fn serve(listener: &TcpListener, sender: &Sender<Option<String>>) {
    for stream in listener.incoming() {
        let mut stream = stream.expect("a connection");
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        let token = head.iter().find_map(|line| line.strip_prefix("authorization: "));
        sender.send(token.map(str::to_owned)).expect("a test");
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).expect("an answer");
    }
}
