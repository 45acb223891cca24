//! Tokens: how they are requested, how long they are kept, and where they never appear.
//!
//! | the promise is about | file |
//! |---|---|
//! | what is asked, what is read, what is recorded | `requests` |
//! | who asks: a secret, a key, a certificate | `secrets`, `keys`, `certificates` |
//! | the connection and the HTTP client | `connections` |
//! | a token's lifetime and its renewal | `lifetimes` |
//! | a token that the service rejects | `rejected` |
//! | one request for all who wait | `sharing` |
//! | runtimes that end, or that nobody drives | `runtimes`, `idle` |
//! | what a failing endpoint says, and when it is asked again | `refusals`, `pauses` |
//! | sources and signers that users make of others | `wrapped` |
//! | all of it, whatever the source does | `any_source` |

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

/// Lets the calls that were spawned begin: each runs until it has to wait.
async fn begun() {
    tokio::task::yield_now().await;
}

/// What a thread of its own comes to.
fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(work).join().expect("no panic")
}

fn refusing(answer: Answer) -> Environment {
    let auth = Server::always(answer);
    Environment::of(Server::always(json(200, "{}")), auth, |client| client)
}

/// A client that asks this for tokens, and a service that answers everything at once.
fn in_memory(auth: InMemory) -> Environment<InMemory, InMemory> {
    Environment::in_memory(InMemory::always(json(200, "{}")), auth, |client| client)
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A service, and a client of it with these credentials.
fn with(credentials: ClientCredentials) -> (Server, Client) {
    let service = Server::always(json(200, "{}"));
    let client = Client::builder(service.url()).credentials(credentials).retry(quick());
    (service, client.build().expect("a client on loopback"))
}
