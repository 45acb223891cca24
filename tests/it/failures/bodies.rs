//! Tests of requests whose body the service doesn't read to the end.

use std::io;

use digital_assets::types::{AddInstitutionMembersRequest, InstitutionMemberToAdd};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc::{Receiver, channel},
    task::yield_now,
};
use uuid::Uuid;

use super::connections::client;
use crate::{
    certified::{acceptor, in_a_process_of_its_own},
    frames::{Connection, END_HEADERS, END_STREAM, HEADERS, NO_ERROR, frame, reset_stream},
    prelude::*,
    server::{listen, read},
};

/// More bytes than a socket accepts before its peer reads.
const LENGTH: usize = 5 << 20;

/// Returns a request whose body is slightly longer than `length` bytes.
fn adding(length: usize) -> AddInstitutionMembersRequest {
    let member =
        InstitutionMemberToAdd { identity_id: Uuid::nil(), roles: vec!["x".repeat(length)] };
    AddInstitutionMembersRequest { institution_id: Uuid::nil(), members: vec![member] }
}

async fn add(client: &Client, length: usize) -> Result<(), Error> {
    let call = client.add_institution_members().body(adding(length));
    within_bounds(call.send()).await.map(drop)
}

/// Starts a server that doesn't read from its connections. Returns its URL and the connections.
async fn unread() -> (String, Receiver<TcpStream>) {
    let (accepted, connections) = channel(1);
    let port = listen(move |stream| {
        let accepted = accepted.clone();
        async move { accepted.send(stream).await.map_err(io::Error::other) }
    });
    (format!("http://127.0.0.1:{}", port.await), connections)
}

/// Returns how many bytes of a request had been received when its connection was closed.
async fn came(connections: &mut Receiver<TcpStream>) -> usize {
    // This lets the task that drives the connection run.
    for _ in 0..100 {
        yield_now().await;
    }
    let mut stream = connections.recv().await.expect("a connection");
    let mut received = Vec::new();
    within_bounds(stream.read_to_end(&mut received)).await.expect("what was sent");
    received.len()
}

#[tokio::test]
async fn a_connection_whose_peer_does_not_read_ends_with_its_call() {
    for case in ["the deadline", "a call that is dropped", "the user's own HTTP client", "a layer"]
    {
        let (url, mut connections) = unread().await;
        let mine = reqwest::Client::builder().no_proxy().build().expect("a client");
        let settings = client(&url).call_timeout(millis(500));
        let client = match case {
            "the user's own HTTP client" => settings.http_client(mine),
            "a layer" => settings.layer(tower::layer::util::Identity::new()),
            "a call that is dropped" => settings.call_timeout(seconds(60)),
            _ => settings,
        };
        let client = client.build().expect("a client");

        let outcome = timeout(seconds(10), add(&client, LENGTH)).await;

        if let Ok(outcome) = outcome {
            let error = outcome.expect_err(case);
            assert_eq!(error.kind(), ErrorKind::Timeout, "{case}: {error}");
            assert!(error.may_have_been_applied(), "{case}: {error}");
        }
        let came = came(&mut connections).await;
        assert!(came > 0 && came < LENGTH, "{case}: {came} bytes came");
    }
}

// The crate's own HTTP clients use HTTP/2 only over TLS.
#[test]
fn a_tls_connection_whose_peer_does_not_read_ends_with_its_call() {
    let name = "failures::bodies::a_tls_connection_whose_peer_does_not_read_ends_with_its_call";
    in_a_process_of_its_own(name, end_over_tls);
}

#[tokio::main(flavor = "current_thread")]
async fn end_over_tls() {
    for protocol in ["http/1.1", "h2"] {
        let (accepted, mut connections) = channel(1);
        let acceptor = acceptor(&[protocol]);
        let port = listen(move |stream| {
            let (accepted, acceptor) = (accepted.clone(), acceptor.clone());
            async move {
                let (stream, _) = acceptor.accept(stream).await?.into_inner();
                accepted.send(stream).await.map_err(io::Error::other)
            }
        });
        let url = format!("https://localhost:{}", port.await);
        let client = client(&url).call_timeout(seconds(2)).build().expect("a client");

        let error = add(&client, LENGTH).await.expect_err("the deadline");

        assert_eq!(error.kind(), ErrorKind::Timeout, "{protocol}: {error}");
        let came = came(&mut connections).await;
        assert!(came > 0 && came < LENGTH, "{protocol}: {came} bytes came");
    }
}

// The peer's flow-control window is smaller than the body (RFC 9113, section 5.2).
#[tokio::test]
async fn a_connection_of_http2_whose_peer_does_not_read_ends_with_its_call() {
    let (url, mut connections) = unread().await;
    let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
    let http = http.pool_max_idle_per_host(0).build().expect("a client");
    let client =
        client(&url).call_timeout(millis(500)).http_client(http).build().expect("a client");

    let error = add(&client, LENGTH).await.expect_err("the deadline");

    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    let came = came(&mut connections).await;
    assert!(came > 0 && came < LENGTH, "{came} bytes came");
}

#[tokio::test]
async fn a_body_that_is_read_slowly_comes_whole() -> Result<(), Error> {
    for length in [1, 16 << 10, 17 << 10, 1 << 20, LENGTH] {
        let lengths = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&lengths);
        let port = listen(move |mut stream| {
            let seen = Arc::clone(&seen);
            async move {
                yield_now().await;
                let request = read(&mut stream, &mut Vec::new()).await?.expect("a request");
                seen.lock().unwrap().push(request.body.matches('x').count());
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", MEMBERS.len());
                stream.write_all(&[head.as_bytes(), MEMBERS.as_bytes()].concat()).await
            }
        });
        let client = client(&format!("http://127.0.0.1:{}", port.await)).build()?;

        add(&client, length).await?;

        assert_eq!(*lengths.lock().unwrap(), [length]);
    }
    Ok(())
}

/// Starts a server that rejects each request after reading `reads` bytes. Returns its URL and the
/// connections.
async fn refusing(reads: usize) -> (String, Receiver<TcpStream>) {
    let (refused, connections) = channel(1);
    let port = listen(move |mut stream| {
        let refused = refused.clone();
        async move {
            let (mut part, mut read) = (vec![0; 64 << 10], 0);
            while read < reads {
                read += stream.read(&mut part).await?;
            }
            stream.write_all(b"HTTP/1.1 413 No\r\ncontent-length: 4\r\n\r\nmuch").await?;
            // If the receiver is gone, the connection is closed here.
            refused.send(stream).await.map_err(io::Error::other)
        }
    });
    (format!("http://127.0.0.1:{}", port.await), connections)
}

#[tokio::test]
async fn the_status_of_a_service_that_refuses_a_body_before_its_end_is_read() {
    for reads in [1, 64 << 10, 1 << 20] {
        for _ in 0..3 {
            let (url, connections) = refusing(reads).await;
            drop(connections);
            let client = client(&url).build().unwrap();

            let error = add(&client, LENGTH).await.expect_err("413");

            assert_eq!(code(&error), Some(413), "{reads}: {error:#}");
            assert!(!error.may_have_been_applied(), "{reads}");
        }
    }
}

// RFC 9113, section 8.1: after a complete response, `NO_ERROR` asks the client to stop sending the
// body.
#[tokio::test]
async fn the_status_of_a_service_of_http2_that_refuses_a_body_before_its_end_is_read() {
    for ends in [false, true] {
        let port = listen(move |stream| async move {
            let mut connection = Connection::begin(stream).await?;
            connection.stream.read_exact(&mut [0; 1 << 10]).await?;
            // This is `:status` with its name from the static table (RFC 7541, section 6.2.2).
            let head = frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x08\x03413");
            let end = if ends { reset_stream(1, NO_ERROR) } else { Vec::new() };
            connection.send(&[head, end].concat()).await?;
            connection.stream.read_to_end(&mut Vec::new()).await.map(drop)
        });
        let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
        let client = client(&format!("http://127.0.0.1:{}", port.await));
        let client = client.http_client(http.build().expect("a client")).build().unwrap();

        let error = add(&client, LENGTH).await.expect_err("413");

        assert_eq!(code(&error), Some(413), "{ends}: {error:#}");
        assert!(!error.may_have_been_applied(), "{ends}");
    }
}

// The connection can't be used again, because the rest of the body isn't sent.
#[tokio::test]
async fn the_rest_of_a_body_that_was_refused_is_not_sent() {
    let (url, mut connections) = refusing(1).await;
    let client = client(&url).build().unwrap();

    let error = add(&client, LENGTH).await.expect_err("413");

    assert_eq!((code(&error), error.body()), (Some(413), Some(&b"much"[..])));
    let came = came(&mut connections).await;
    assert!(came < LENGTH, "{came} bytes came");
}
