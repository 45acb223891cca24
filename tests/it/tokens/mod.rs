//! Tokens: how they are requested, how long they are kept, and where they never appear.

mod asking;
mod assertions;
mod certificates;
mod clients;
mod flights;
mod idle;
mod late;
mod laws;
mod lifetimes;
mod pauses;
mod peace;
mod recorded;
mod refusals;
mod runtimes;

use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use digital_assets::{AccessToken, BoxFuture, Client, ClientCredentials, Error, TokenSource};
use tokio::sync::watch;

use crate::{
    Environment, list, quick,
    server::{Answer, Gate, Server, gate, json},
    within_bounds,
};

/// A source in the same process. Grants `word-1`, `word-2`, … by default.
#[derive(Clone)]
struct Mint(Arc<Inner>);

struct Inner {
    lifetime: Option<Duration>,
    failing: AtomicBool,
    gate: Mutex<Option<Gate>>,
    /// The scopes of every token that it was asked for.
    asked: watch::Sender<Vec<Vec<String>>>,
}

impl Mint {
    fn of(lifetime: impl Into<Option<Duration>>) -> Self {
        let (failing, gate, asked) = (false.into(), Mutex::default(), watch::Sender::default());
        Self(Arc::new(Inner { lifetime: lifetime.into(), failing, gate, asked }))
    }

    fn count(&self) -> usize {
        self.0.asked.borrow().len()
    }

    async fn reached(&self, count: usize) {
        let mut asked = self.0.asked.subscribe();
        let reached = within_bounds(asked.wait_for(|asked| asked.len() >= count)).await;
        reached.expect("a mint");
    }

    fn fail(&self, failing: bool) {
        self.0.failing.store(failing, Ordering::Relaxed);
    }

    /// From now on it answers at once.
    fn open(&self) {
        *self.0.gate.lock().expect("a gate") = None;
    }

    /// From now on it answers when the gate opens.
    fn close(&self) -> Gate {
        let gate = gate();
        *self.0.gate.lock().expect("a gate") = Some(Arc::clone(&gate));
        gate
    }

    /// A client of it, and of a service that answers everything.
    fn environment(&self) -> Environment {
        let service = Server::answering(|_| json(200, "{}"));
        Environment::of(service, Server::playing([]), |client| client.credentials(self.clone()))
    }
}

impl TokenSource for Mint {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            let scopes = scopes.iter().map(ToString::to_string).collect();
            self.0.asked.send_modify(|asked| asked.push(scopes));
            let token = AccessToken::new(format!("word-{}", self.count()));
            let gate = self.0.gate.lock().expect("a gate").clone();
            if let Some(gate) = gate {
                gate.acquire().await.expect("a gate").forget();
            }
            if self.0.failing.load(Ordering::Relaxed) {
                return Err(Error::token("the mint is closed"));
            }
            Ok(match self.0.lifetime {
                Some(lifetime) => token.expires_in(lifetime),
                None => token,
            })
        })
    }
}

/// A source made from a function of the number of earlier requests.
struct Source<F>(F, AtomicUsize);

impl<F> Source<F> {
    fn of(answer: F) -> Arc<Self> {
        Arc::new(Self(answer, AtomicUsize::new(0)))
    }

    fn count(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

struct Shared<S>(Arc<S>);

impl<F, T> TokenSource for Shared<Source<F>>
where
    F: Fn(usize) -> T + Send + Sync,
    T: Future<Output = Result<AccessToken, Error>> + Send + 'static,
{
    fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(self.0.0(self.0.1.fetch_add(1, Ordering::Relaxed)))
    }
}

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

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A service, and a client of it with these credentials.
fn with(credentials: ClientCredentials) -> (Server, Client) {
    let service = Server::answering(|_| json(200, "{}"));
    let client = Client::builder(service.url()).credentials(credentials).retry(quick());
    (service, client.build().expect("a client on loopback"))
}
