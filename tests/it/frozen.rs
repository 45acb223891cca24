//! Tests of an HTTP/2 connection that freezes: its peer acknowledges frames, but never responds.

use futures_util::future::join;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{pause, resume},
};

use crate::{
    certified::{acceptor, in_a_process_of_its_own},
    frames::{self, Connection},
    prelude::*,
    server::listen,
};

/// Starts an HTTP/2 server with TLS. Its first connection never responds, and all later ones
/// respond with `answer`. Returns its URL, and the number of requests on the first and on later
/// connections.
async fn freezing(answer: &'static str) -> (String, watch::Receiver<[usize; 2]>) {
    let acceptor = acceptor(&["h2"]);
    let (count, counted) = watch::channel([0, 0]);
    let mut is_frozen = true;
    let port = listen(move |stream| {
        let (acceptor, count) = (acceptor.clone(), count.clone());
        let answer = Some(answer).filter(|_| !is_frozen);
        is_frozen = false;
        async move { serve(acceptor.accept(stream).await?, answer, &count).await }
    })
    .await;
    (format!("https://localhost:{port}"), counted)
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: Option<&str>,
    count: &watch::Sender<[usize; 2]>,
) -> std::io::Result<()> {
    let mut connection = Connection::begin(stream).await?;
    loop {
        let (stream, _) = connection.request().await?;
        let Some(answer) = answer else {
            count.send_modify(|[frozen, _]| *frozen += 1);
            continue;
        };
        count.send_modify(|[_, answered]| *answered += 1);
        connection.send(&frames::answer(stream, answer)).await?;
    }
}

#[test]
fn a_connection_that_acknowledges_and_never_answers_costs_one_attempt() {
    let name = "frozen::a_connection_that_acknowledges_and_never_answers_costs_one_attempt";
    in_a_process_of_its_own(name, recover);
}

#[tokio::main(flavor = "current_thread")]
async fn recover() {
    let (url, mut calls) = freezing("{}").await;
    let granted = r#"{"access_token":"word","token_type":"bearer"}"#;
    let (token_url, mut tokens) = freezing(granted).await;
    let credentials = ClientCredentials::new(token_url, "backoffice", "sesame");
    let at_once = Retry::default().base_delay(Duration::ZERO).max_delay(Duration::ZERO);
    let client = Client::builder(url).credentials(credentials).retry(at_once).build();
    let client = client.expect("a client");

    let attempts_end = async {
        for requests in [&mut tokens, &mut calls] {
            requests.wait_for(|[frozen, _]| *frozen == 1).await.expect("a server");
            // An attempt has a timeout of 15 s.
            pause();
            advance(Duration::from_secs(16)).await;
            resume();
        }
    };
    let (outcome, ()) = join(list(&client), attempts_end).await;

    outcome.expect("a response on a second connection");
    assert_eq!((*tokens.borrow(), *calls.borrow()), ([1, 1], [1, 1]));
}
