//! Tests of the connections that requests use, and of requests that got no connection.

use tokio::net::{TcpListener, TcpStream};

use super::unreachable;
use crate::{prelude::*, specification::new_members};

pub(super) fn client(url: &str) -> ClientBuilder {
    Client::builder(url).bearer_token("word").retry(Retry::none())
}

async fn is_not_applied(case: &str, client: &Client) {
    let error = add(client).await.expect_err(case);

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 1), "{case}: {error}");
    assert!(!error.may_have_been_applied() && error.is_retryable(), "{case}");
}

// On Linux, a listener with a full queue neither accepts nor refuses further connections.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_post_without_a_connection_was_not_applied_whichever_deadline_ended_it() {
    let (socket, url) = unreachable();
    let address = socket.local_addr().expect("an address");
    let _listener = socket.listen(1).expect("a listener");
    let mut connections = join_all((0..4).map(|_| TcpStream::connect(address)));
    assert!(timeout(millis(50), &mut connections).await.is_err(), "the queue isn't full");
    let short = millis(150);
    let options = CallOptions::new();
    let mine = || reqwest::Client::builder().no_proxy().build().expect("a client");
    for (case, client) in [
        ("connect_timeout", client(&url).connect_timeout(short).build()),
        ("attempt_timeout", client(&url).attempt_timeout(short).build()),
        ("call_timeout", client(&url).call_timeout(short).build()),
        ("the user's own client", client(&url).call_timeout(short).http_client(mine()).build()),
        ("a client as a service", client(&url).call_timeout(short).http_service(mine()).build()),
    ] {
        is_not_applied(case, &client.expect("a client on loopback")).await;
    }
    let client = client(&url).build().expect("a client on loopback");
    is_not_applied("an attempt", &client.with_options(options.clone().attempt_timeout(short)))
        .await;
    is_not_applied("a call", &client.with_options(options.call_timeout(short))).await;
}

#[tokio::test]
async fn a_post_was_not_applied_while_tls_was_not_agreed_on() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    let client = client(&url).call_timeout(millis(300)).build().expect("a client");

    is_not_applied("a silent listener", &client).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_service_was_never_handed_was_not_applied() {
    let service = InMemory::always(json(200, MEMBERS));
    let busy = service.clone().ready(|| std::task::Poll::Pending);
    let slow = service.after(seconds(100));
    for (service, applied) in [(busy, false), (slow, true)] {
        let client = service.client();
        let call = client.add_institution_members().body(new_members());

        let error = call.send().await.expect_err("the deadline");

        assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Timeout, applied));
    }
}
