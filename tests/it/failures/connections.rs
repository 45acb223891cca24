//! Which connections a request goes out on, and what is known of it when there is none.

use std::collections::HashSet;

use digital_assets::{CallOptions, Client, ClientBuilder, Error, ErrorKind, Retry};
use futures_util::future::join_all;
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::unreachable;
use crate::{
    add,
    clock::{Clock, millis, seconds},
    list,
    memory::{InMemory, response},
    server::{Server, json, silent},
    specification::{MEMBERS, new_members},
};

pub(super) fn client(url: &str) -> ClientBuilder {
    Client::builder(url).bearer_token("word").retry(Retry::none())
}

async fn is_not_applied(case: &str, client: &Client) {
    let error = add(client).await.expect_err(case);

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 1), "{case}: {error}");
    assert!(!error.may_have_been_applied() && error.is_retryable(), "{case}");
}

// A full queue of connections on Linux: what comes after it is neither accepted nor refused.
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
        ("a client of one's own", client(&url).call_timeout(short).http_client(mine()).build()),
        ("the same as a service", client(&url).call_timeout(short).http_service(mine()).build()),
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
async fn a_post_that_was_sent_may_have_been_applied_at_the_deadline() {
    let clock = Clock::stopped();
    let service = Server::playing([silent()]);
    let client = client(&service.url()).call_timeout(seconds(3)).build().expect("a client");

    let deadline = async {
        service.reached(1).await;
        clock.forward(seconds(3)).await;
    };
    let (added, ()) = tokio::join!(add(&client), deadline);

    let error = added.expect_err("no answer");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.may_have_been_applied());
}

#[tokio::test(start_paused = true)]
async fn what_a_service_was_never_handed_was_not_applied() {
    let service = InMemory::answering(|| Ok(response(200, MEMBERS)));
    let busy = service.clone().ready(|| std::task::Poll::Pending);
    let slow = service.after(seconds(100));
    for (service, applied) in [(busy, false), (slow, true)] {
        let client = service.client();
        let call = client.add_institution_members().body(new_members());

        let error = call.send().await.expect_err("the deadline");

        assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Timeout, applied));
    }
}

// A kept connection may be closed while a POST is on its way.
#[tokio::test]
async fn a_post_goes_out_on_a_connection_of_its_own_and_listings_share_one() -> Result<(), Error> {
    let service = Server::answering(|received| {
        json(200, if received.line.starts_with("GET") { "{}" } else { MEMBERS })
    });
    let client = client(&service.url()).build()?;

    for _ in 0..5 {
        list(&client).await?;
        add(&client).await?;
    }

    let requests = service.requests();
    let connections = |method: &str| {
        let requests = requests.iter().filter(|request| request.line.starts_with(method));
        requests.map(|request| request.connection).collect::<HashSet<_>>().len()
    };
    assert_eq!((connections("GET"), connections("POST")), (1, 5));
    Ok(())
}

#[tokio::test]
async fn the_body_of_a_post_has_its_length() -> Result<(), Error> {
    let service = Server::playing([json(200, MEMBERS)]);

    add(&client(&service.url()).build()?).await?;

    let request = service.request();
    assert_eq!(request.header("content-length"), Some(&*request.body.len().to_string()));
    assert_eq!(request.header("transfer-encoding"), None);
    Ok(())
}
