//! Tokens: how they are requested, how long they are kept, and where they never appear.

mod asking;
mod assertions;
mod certificates;
mod clients;
mod fetches;
mod idle;
mod late;
mod laws;
mod lifetimes;
mod pauses;
mod peace;
mod recorded;
mod refusals;
mod runtimes;
mod source;

use digital_assets::{Client, ClientCredentials, Error};

use crate::{
    Environment, list, quick,
    server::{Answer, Server, json, status},
};

fn listing(env: &Environment) -> tokio::task::JoinHandle<Result<(), Error>> {
    let client = env.client.clone();
    tokio::spawn(async move { list(&client).await })
}

/// The tokens that the service received, in order.
fn tokens(service: &Server) -> Vec<String> {
    let tokens = service.requests().into_iter().map(|request| {
        let value = request.header("authorization").unwrap_or_default();
        value.strip_prefix("Bearer ").unwrap_or_default().to_owned()
    });
    tokens.collect()
}

fn refusing(answer: Answer) -> Environment {
    let auth = Server::answering(move |_| answer.clone());
    Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client)
}

/// A service that rejects this token alone.
fn rejecting(token: &str) -> Server {
    let rejected = format!("Bearer {token}");
    Server::answering(move |request| {
        let is_rejected = request.header("authorization") == Some(&rejected);
        if is_rejected { status(401) } else { json(200, "{}") }
    })
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A service, and a client of it with these credentials.
fn with(credentials: ClientCredentials) -> (Server, Client) {
    let service = Server::answering(|_| json(200, "{}"));
    let client = Client::builder(service.url()).credentials(credentials).retry(quick());
    (service, client.build().expect("a client on loopback"))
}
