//! Tests of the crate from outside: what it sends, how it reads responses, and its sandbox.

#![allow(clippy::unwrap_used)]

mod at_scale;
mod certified;
mod checks;
mod clock;
mod contributing;
mod decoding;
mod escaping;
mod examples;
mod failures;
mod following;
mod frames;
mod framing;
mod frozen;
mod generation;
mod http1_required;
mod http2;
mod imports;
mod listing;
mod log;
mod memory;
mod oidc;
mod options;
mod peers;
mod prelude;
mod properties;
mod recording;
mod requests;
mod sandbox;
mod schemas;
mod seam;
mod second;
mod secrets;
mod server;
mod simulation;
mod spans;
mod specification;
mod surface;
mod tokens;

use std::{future::Future, pin::pin, sync::mpsc, thread, time::Duration};

use digital_assets::{Client, ClientBuilder, ClientCredentials, Error, Retry};
use proptest::test_runner::Config;
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    memory::InMemory,
    server::{Answer, Server, json},
    specification::{OPERATIONS, new_members},
};

/// A service that plays a script, a token endpoint that grants tokens, and a client of both.
pub(crate) struct Environment<S = Server, A = Server> {
    pub(crate) service: S,
    pub(crate) auth: A,
    pub(crate) client: Client,
}

impl Environment {
    pub(crate) fn playing(script: impl IntoIterator<Item = Answer>) -> Self {
        Self::of(Server::playing(script), granting(), |client| client)
    }

    /// Returns an environment whose service sends the same response to every request.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::of(Server::always(answer), granting(), |client| client)
    }

    /// Returns an environment whose service sends the response from the specification to every
    /// request.
    pub(crate) fn well(settings: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        let service = Server::answering(|received| {
            let shown = OPERATIONS.iter().find(|shown| shown.is_of(received.path()));
            json(200, (shown.expect("an operation").response)())
        });
        Self::of(service, granting(), settings)
    }

    pub(crate) fn with(
        script: impl IntoIterator<Item = Answer>,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Self {
        Self::of(Server::playing(script), granting(), settings)
    }

    pub(crate) fn of(
        service: Server,
        auth: Server,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Self {
        let client = Client::builder(service.url()).credentials(credentials(&auth)).retry(quick());
        let client = settings(client).build().expect("a client on loopback");
        Self { service, auth, client }
    }
}

impl Environment<InMemory, InMemory> {
    /// Returns an environment without sockets. Under a paused clock, waits take no real time.
    pub(crate) fn in_memory(
        service: InMemory,
        auth: InMemory,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Self {
        let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
        let credentials = credentials.http_service(auth.clone());
        let client = service.with(|client| settings(client.credentials(credentials)));
        Self { service, auth, client }
    }
}

/// The URL of a token endpoint in memory.
pub(crate) const TOKEN_URL: &str = "https://auth.example.com/oauth2/token";

pub(crate) fn credentials(auth: &Server) -> ClientCredentials {
    ClientCredentials::new(format!("{}/oauth2/token", auth.url()), "backoffice", "sesame")
}

/// Starts a token endpoint that grants `word-1`, `word-2`, …
pub(crate) fn granting() -> Server {
    let mut granted = 0;
    Server::answering(move |_| {
        granted += 1;
        grant(&format!("word-{granted}"), "3599")
    })
}

/// Returns a token endpoint in memory that grants `word-1`, `word-2`, …
pub(crate) fn granting_in_memory() -> InMemory {
    InMemory::scripted(|earlier, _| grant(&format!("word-{}", earlier + 1), "3599"))
}

/// Returns a successful token response (RFC 6749, section 5.1).
pub(crate) fn grant(token: &str, expires_in: &str) -> Answer {
    let (kind, rest) = (r#""token_type":"bearer""#, format!(r#""expires_in":{expires_in}"#));
    json(200, format!(r#"{{"access_token":"{token}",{kind},{rest}}}"#))
}

/// Returns the default number of attempts, with pauses of only a millisecond.
pub(crate) fn quick() -> Retry {
    Retry::default().base_delay(Duration::from_millis(1)).max_delay(Duration::from_millis(1))
}

/// Makes a GET request.
pub(crate) async fn list(client: &Client) -> Result<(), Error> {
    within_bounds(client.list_monitoring_addresses().send()).await.map(drop)
}

/// Makes a POST request.
pub(crate) async fn add(client: &Client) -> Result<(), Error> {
    within_bounds(client.add_institution_members().body(new_members()).send()).await.map(drop)
}

/// Returns the HTTP status in an error.
pub(crate) fn code(error: &Error) -> Option<u16> {
    error.status().map(|status| status.as_u16())
}

/// Calls every operation once.
pub(crate) async fn call_each(client: &Client) -> Result<(), Error> {
    for shown in OPERATIONS {
        within_bounds((shown.call)(client)).await?;
    }
    Ok(())
}

/// Makes a GET request in a new task.
pub(crate) fn listing<S, A>(env: &Environment<S, A>) -> JoinHandle<Result<(), Error>> {
    let client = env.client.clone();
    tokio::spawn(async move { list(&client).await })
}

/// Makes a POST request in a new task.
pub(crate) fn adding<S, A>(env: &Environment<S, A>) -> JoinHandle<Result<(), Error>> {
    let client = env.client.clone();
    tokio::spawn(async move { add(&client).await })
}

/// Returns the configuration for property tests, which write no files.
pub(crate) fn cases() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}

/// Waits for a future, but panics after two minutes of real time.
pub(crate) async fn within_bounds<T>(future: impl Future<Output = T>) -> T {
    let (still_waiting, patience) = mpsc::channel::<()>();
    let (over, bound) = oneshot::channel::<()>();
    // This uses a thread, because a blocking task would stop a paused clock.
    thread::spawn(move || {
        let _ = patience.recv_timeout(Duration::from_secs(120));
        drop(over);
    });
    let outcome = tokio::select! {
        outcome = pin!(future) => outcome,
        _ = bound => panic!("the future didn't finish within two minutes"),
    };
    drop(still_waiting);
    outcome
}

/// Returns everything that a program could log about the error: the Display and Debug texts of the
/// error and of all its causes.
pub(crate) fn printed(error: &Error) -> String {
    let chain = std::iter::successors(Some(error as &dyn std::error::Error), |e| e.source());
    chain.map(|error| format!("{error} {error:?} {error:#?}")).collect::<Vec<_>>().join("\n")
}
