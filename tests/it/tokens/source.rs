//! Token sources in the same process, clients of them, and the calls that ask for a token.

use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use digital_assets::{
    AccessToken, BoxFuture, CallOptions, Client, ClientBuilder, Error, TokenSource,
    reqwest::{Request, Response, header::HeaderValue},
};
use futures_util::FutureExt;
use tokio::{
    runtime::{self, Runtime},
    sync::watch,
    task::{JoinHandle, spawn_blocking},
    time::sleep,
};

use crate::{
    Environment,
    clock::Clock,
    memory::{InMemory, response},
    server::{Gate, gate},
    within_bounds,
};

type Granted = Result<AccessToken, Error>;

/// A source with a lifetime. Grants `word-1`, `word-2`, … by default.
#[derive(Clone)]
pub(super) struct Mint(Arc<Inner>);

struct Inner {
    lifetime: Option<Duration>,
    failing: AtomicBool,
    gate: Mutex<Option<Gate>>,
    /// The scopes of every token that it was asked for.
    asked: watch::Sender<Vec<Vec<String>>>,
}

impl Mint {
    pub(super) fn of(lifetime: impl Into<Option<Duration>>) -> Self {
        let (failing, gate, asked) = (false.into(), Mutex::default(), watch::Sender::default());
        Self(Arc::new(Inner { lifetime: lifetime.into(), failing, gate, asked }))
    }

    pub(super) fn count(&self) -> usize {
        self.0.asked.borrow().len()
    }

    pub(super) fn scopes(&self) -> Vec<Vec<String>> {
        self.0.asked.borrow().clone()
    }

    pub(super) async fn reached(&self, count: usize) {
        let mut asked = self.0.asked.subscribe();
        let reached = within_bounds(asked.wait_for(|asked| asked.len() >= count)).await;
        reached.expect("a mint");
    }

    pub(super) fn fail(&self, failing: bool) {
        self.0.failing.store(failing, Ordering::Relaxed);
    }

    /// From now on it answers at once.
    pub(super) fn open(&self) {
        *self.0.gate.lock().expect("a gate") = None;
    }

    /// From now on it answers when the gate opens.
    pub(super) fn close(&self) -> Gate {
        let gate = gate();
        *self.0.gate.lock().expect("a gate") = Some(Arc::clone(&gate));
        gate
    }
}

impl TokenSource for Mint {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Granted> {
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
#[derive(Clone)]
pub(super) struct Source {
    answer: Arc<dyn Fn(usize) -> BoxFuture<'static, Granted> + Send + Sync>,
    asked: watch::Sender<usize>,
}

impl Source {
    pub(super) fn of<T>(answer: impl Fn(usize) -> T + Send + Sync + 'static) -> Self
    where
        T: Future<Output = Granted> + Send + 'static,
    {
        let answer = Arc::new(move |times| answer(times).boxed());
        Self { answer, asked: watch::Sender::default() }
    }

    /// Answers with these, one per request, and repeats the last.
    pub(super) fn playing(script: impl Into<Vec<Reply>>) -> Self {
        let script = script.into();
        Self::of(move |times| script[times.min(script.len() - 1)].clone().come())
    }

    pub(super) fn count(&self) -> usize {
        *self.asked.borrow()
    }

    pub(super) async fn reached(&self, count: usize) {
        let mut asked = self.asked.subscribe();
        within_bounds(asked.wait_for(|asked| *asked >= count)).await.expect("a source");
    }
}

impl TokenSource for Source {
    fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Granted> {
        let mut earlier = 0;
        self.asked.send_modify(|asked| {
            earlier = *asked;
            *asked += 1;
        });
        (self.answer)(earlier)
    }
}

/// What a source answers, and when.
#[derive(Clone)]
pub(super) struct Reply {
    token: Option<AccessToken>,
    gate: Option<Gate>,
    delay: Option<Duration>,
}

/// A token without a lifetime.
pub(super) fn token(secret: &str) -> Reply {
    Reply { token: Some(AccessToken::new(secret)), gate: None, delay: None }
}

/// The error "the vault is sealed".
pub(super) fn sealed() -> Reply {
    Reply { token: None, gate: None, delay: None }
}

/// No answer at all.
pub(super) fn silence() -> Reply {
    sealed().behind(&gate())
}

impl Reply {
    pub(super) fn lasting(self, lifetime: Duration) -> Self {
        Self { token: self.token.map(|token| token.expires_in(lifetime)), ..self }
    }

    /// Comes when the gate opens.
    pub(super) fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(Arc::clone(gate)), ..self }
    }

    pub(super) fn after(self, delay: Duration) -> Self {
        Self { delay: Some(delay), ..self }
    }

    async fn come(self) -> Granted {
        if let Some(delay) = self.delay {
            sleep(delay).await;
        }
        if let Some(gate) = self.gate {
            gate.acquire().await.expect("a gate").forget();
        }
        self.token.ok_or_else(|| Error::token("the vault is sealed"))
    }
}

/// A service in memory, and a client of it and of a token source.
pub(super) type Drawing = Environment<InMemory, ()>;

/// A client of a source, and of a service that answers everything at once.
pub(super) fn drawing_on<S: TokenSource + Clone + 'static>(source: &S) -> Drawing {
    drawing_with(source, |client| client)
}

/// A stopped clock, a mint, and a client of it.
pub(super) fn minting(lifetime: Duration) -> (Clock, Mint, Drawing) {
    let (clock, mint) = (Clock::stopped(), Mint::of(lifetime));
    let env = drawing_on(&mint);
    (clock, mint, env)
}

/// A mint that answers when the gate opens, and a client of it.
pub(super) fn closed(lifetime: Duration) -> (Mint, Gate, Drawing) {
    let mint = Mint::of(lifetime);
    let (gate, env) = (mint.close(), drawing_on(&mint));
    (mint, gate, env)
}

/// A source that answers with these, and a client of it.
pub(super) fn playing(script: impl Into<Vec<Reply>>) -> (Source, Drawing) {
    let source = Source::playing(script);
    let env = drawing_on(&source);
    (source, env)
}

/// The client of a source, with further settings.
pub(super) fn drawing_with<S: TokenSource + Clone + 'static>(
    source: &S,
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Drawing {
    let service = InMemory::playing(|_, request| Ok(echo(request)));
    let client = service.with(|client| settings(client.credentials(source.clone())));
    Drawing { service, auth: (), client }
}

/// The same, with a service that rejects `word-1`, and it alone, after this many calls.
pub(super) fn rejected_after(
    calls: usize,
    source: &(impl TokenSource + Clone + 'static),
) -> Drawing {
    let service = InMemory::playing(move |count, request| {
        let is_rejected = request.headers()["authorization"] == "Bearer word-1" && count >= calls;
        Ok(if is_rejected { response(401, "") } else { echo(request) })
    });
    let client = service.with(|client| client.credentials(source.clone()));
    Drawing { service, auth: (), client }
}

/// Says which token came.
fn echo(request: &Request) -> Response {
    let mut answer = response(200, "{}");
    let token = request.headers()["authorization"].clone();
    answer.headers_mut().insert("authorization", token);
    answer
}

/// The token of a call, from a service that says which one came.
pub(super) async fn token_of(client: &Client) -> Result<HeaderValue, Error> {
    let page = client.list_monitoring_addresses().send().await?;
    Ok(page.headers()["authorization"].clone())
}

/// A call that asks for a token.
pub(super) fn asking(client: &Client) -> JoinHandle<Result<HeaderValue, Error>> {
    let client = client.clone();
    tokio::spawn(async move { token_of(&client).await })
}

/// A call that has asked for a token, and looks for it when it is polled again.
pub(super) fn late(client: &Client) -> BoxFuture<'static, Result<HeaderValue, Error>> {
    let client = client.clone();
    let mut call = async move { token_of(&client).await }.boxed();
    assert!(call.as_mut().now_or_never().is_none());
    call
}

/// A call that asks for a token and doesn't wait for it.
pub(super) fn give_up(client: &Client) {
    drop(late(client));
}

/// The token on a runtime of its own.
pub(super) async fn elsewhere(client: &Client) -> Result<HeaderValue, Error> {
    let client = client.clone();
    let call = spawn_blocking(move || paused().block_on(token_of(&client)));
    within_bounds(call).await.expect("no panic")
}

/// A runtime whose clock stands still while it works, and jumps to the next timer otherwise.
pub(super) fn paused() -> Runtime {
    let paused = runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    paused.expect("a runtime")
}

/// A client whose calls have this long.
pub(super) fn with_timeout<S, A>(env: &Environment<S, A>, timeout: Duration) -> Client {
    env.client.with_options(CallOptions::new().call_timeout(timeout))
}
