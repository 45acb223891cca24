//! Tests of tokens: how they are requested, how long they are kept, and where they must never
//! appear.
//!
//! | the tests are about | file |
//! |---|---|
//! | the token request, its response and its log | `requests` |
//! | authentication with a secret, a key or a certificate | `secrets`, `keys`, `certificates` |
//! | the connection and the HTTP client | `connections` |
//! | a token's lifetime and its renewal | `lifetimes` |
//! | a token that the service rejects | `rejected` |
//! | one request for all waiting calls | `sharing` |
//! | runtimes that end, or that nobody drives | `runtimes`, `idle` |
//! | the errors of a failing endpoint, and the pauses after them | `refusals`, `pauses` |
//! | sources and signers that wrap others | `wrapped` |
//! | general properties, whatever the source does | `any_source` |

mod any_source;
mod certificates;
mod connections;
mod idle;
mod keys;
mod lifetimes;
mod pauses;
mod prelude;
mod refusals;
mod rejected;
mod requests;
mod runtimes;
mod secrets;
mod sharing;
mod source;
mod wrapped;

use crate::prelude::*;

/// Lets the spawned calls start. Each runs until it has to wait.
async fn begun() {
    tokio::task::yield_now().await;
}

/// Runs `work` in a new thread, and returns its result.
fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(work).join().expect("no panic")
}

fn refusing(answer: Answer) -> Environment {
    let auth = Server::always(answer);
    Environment::of(Server::always(json(200, "{}")), auth, |client| client)
}

/// Returns an environment whose client gets tokens from `auth`, and whose service responds at once.
fn in_memory(auth: InMemory) -> Environment<InMemory, InMemory> {
    Environment::in_memory(InMemory::always(json(200, "{}")), auth, |client| client)
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Starts a service. Returns it with a client that has these credentials.
fn with(credentials: ClientCredentials) -> (Server, Client) {
    let service = Server::always(json(200, "{}"));
    let client = Client::builder(service.url()).credentials(credentials).retry(quick());
    (service, client.build().expect("a client on loopback"))
}
