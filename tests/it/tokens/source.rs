//! Token sources in the test's process, clients that use them, and calls that request a token.

use std::{
    future::{Future, ready},
    sync::atomic::{AtomicBool, Ordering},
};

use digital_assets::{
    BoxFuture, TokenSource,
    reqwest::{Request, header::HeaderValue},
};
use tokio::{
    sync::watch,
    task::{JoinHandle, spawn_blocking},
};

use crate::{prelude::*, server::Gate};

type Granted = Result<AccessToken, Error>;

/// A token source whose answers come from a function of the number of earlier requests.
#[derive(Clone)]
pub(super) struct Source {
    answer: Arc<dyn Fn(usize) -> BoxFuture<'static, Granted> + Send + Sync>,
    /// The number of requests so far.
    asked: watch::Sender<usize>,
    gate: Arc<Mutex<Option<Gate>>>,
    failing: Arc<AtomicBool>,
}

impl Source {
    pub(super) fn of<T>(answer: impl Fn(usize) -> T + Send + Sync + 'static) -> Self
    where
        T: Future<Output = Granted> + Send + 'static,
    {
        let answer = Arc::new(move |earlier| answer(earlier).boxed());
        Self {
            answer,
            asked: watch::Sender::default(),
            gate: Arc::default(),
            failing: Arc::default(),
        }
    }

    /// Returns a source that grants `word-1`, `word-2`, …, each with this lifetime.
    pub(super) fn minting(lifetime: impl Into<Option<Duration>>) -> Self {
        let lifetime = lifetime.into();
        Self::of(move |earlier| {
            let token = AccessToken::new(format!("word-{}", earlier + 1));
            ready(Ok(lifetime.into_iter().fold(token, AccessToken::expires_in)))
        })
    }

    /// Returns a source that answers with these replies, one per request, and repeats the last one.
    pub(super) fn playing(script: impl Into<Vec<Reply>>) -> Self {
        let script = script.into();
        Self::of(move |earlier| script[earlier.min(script.len() - 1)].clone().come())
    }

    pub(super) fn count(&self) -> usize {
        *self.asked.borrow()
    }

    pub(super) async fn reached(&self, count: usize) {
        let mut asked = self.asked.subscribe();
        within_bounds(asked.wait_for(|asked| *asked >= count)).await.expect("a source");
    }

    pub(super) fn fail(&self, failing: bool) {
        self.failing.store(failing, Ordering::Relaxed);
    }

    /// From now on, the source answers at once.
    pub(super) fn open(&self) {
        *self.gate.lock().expect("a gate") = None;
    }

    /// From now on, the source answers only when the returned gate opens.
    pub(super) fn close(&self) -> Gate {
        let gate = gate();
        *self.gate.lock().expect("a gate") = Some(Arc::clone(&gate));
        gate
    }
}

impl TokenSource for Source {
    fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Granted> {
        let mut earlier = 0;
        self.asked.send_modify(|asked| {
            earlier = *asked;
            *asked += 1;
        });
        let (answer, gate) = ((self.answer)(earlier), self.gate.lock().expect("a gate").clone());
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.acquire().await.expect("a gate").forget();
            }
            if self.failing.load(Ordering::Relaxed) {
                return Err(Error::token("the mint is closed"));
            }
            answer.await
        })
    }
}

/// A token source's answer, and when it comes.
#[derive(Clone)]
pub(super) struct Reply {
    token: Option<AccessToken>,
    gate: Option<Gate>,
    delay: Option<Duration>,
}

/// Returns a token without a lifetime.
pub(super) fn token(secret: &str) -> Reply {
    Reply { token: Some(AccessToken::new(secret)), gate: None, delay: None }
}

/// Returns the error "the vault is sealed".
pub(super) fn sealed() -> Reply {
    Reply { token: None, gate: None, delay: None }
}

/// Returns a reply that never comes.
pub(super) fn silence() -> Reply {
    sealed().behind(&gate())
}

impl Reply {
    pub(super) fn lasting(self, lifetime: Duration) -> Self {
        Self { token: self.token.map(|token| token.expires_in(lifetime)), ..self }
    }

    /// Delays the reply until the gate opens.
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

/// A service in memory, and a client that uses this service and a token source.
pub(super) type Drawing = Environment<InMemory, ()>;

/// Returns a client that uses this token source, with a service that responds at once.
pub(super) fn drawing_on(source: &Source) -> Drawing {
    drawing_with(source, |client| client)
}

/// Returns a stopped clock, a source that grants tokens, and a client that uses the source.
pub(super) fn minting(lifetime: Duration) -> (Clock, Source, Drawing) {
    let (clock, source) = (Clock::stopped(), Source::minting(lifetime));
    let env = drawing_on(&source);
    (clock, source, env)
}

/// Returns a source that grants tokens only when its gate opens, the gate, and a client that uses
/// the source.
pub(super) fn closed(lifetime: Duration) -> (Source, Gate, Drawing) {
    let source = Source::minting(lifetime);
    let (gate, env) = (source.close(), drawing_on(&source));
    (source, gate, env)
}

/// Returns a source with these replies, and a client that uses the source.
pub(super) fn playing(script: impl Into<Vec<Reply>>) -> (Source, Drawing) {
    let source = Source::playing(script);
    let env = drawing_on(&source);
    (source, env)
}

/// Returns a client that uses this token source and has further settings.
pub(super) fn drawing_with(
    source: &Source,
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Drawing {
    let service = InMemory::scripted(|_, request| echo(request));
    let client = service.with(|client| settings(client.credentials(source.clone())));
    Drawing { service, auth: (), client }
}

/// Returns a client that uses this token source. After `calls` calls, its service rejects `word-1`,
/// and only this token.
pub(super) fn rejected_after(calls: usize, source: &Source) -> Drawing {
    let service = InMemory::scripted(move |count, request| {
        let is_rejected = request.headers()["authorization"] == "Bearer word-1" && count >= calls;
        if is_rejected { status(401) } else { echo(request) }
    });
    let client = service.with(|client| client.credentials(source.clone()));
    Drawing { service, auth: (), client }
}

/// Returns a response that repeats the request's token.
fn echo(request: &Request) -> Answer {
    let token = request.headers()["authorization"].to_str().expect("a token");
    json(200, "{}").header("authorization", token)
}

/// Makes a call, and returns the token that the service has repeated.
pub(super) async fn token_of(client: &Client) -> Result<HeaderValue, Error> {
    let page = client.list_monitoring_addresses().send().await?;
    Ok(page.headers()["authorization"].clone())
}

/// Spawns a call that requests a token.
pub(super) fn asking(client: &Client) -> JoinHandle<Result<HeaderValue, Error>> {
    let client = client.clone();
    tokio::spawn(async move { token_of(&client).await })
}

/// Returns a call that has requested a token, and notices the token only when it is polled again.
pub(super) fn late(client: &Client) -> BoxFuture<'static, Result<HeaderValue, Error>> {
    let client = client.clone();
    let mut call = async move { token_of(&client).await }.boxed();
    assert!(call.as_mut().now_or_never().is_none());
    call
}

/// Makes a call that requests a token, and drops the call at once.
pub(super) fn give_up(client: &Client) {
    drop(late(client));
}

/// Returns the token of a call in a new runtime.
pub(super) async fn elsewhere(client: &Client) -> Result<HeaderValue, Error> {
    let client = client.clone();
    let call = spawn_blocking(move || paused().block_on(token_of(&client)));
    within_bounds(call).await.expect("no panic")
}

/// Returns a client whose calls have this timeout.
pub(super) fn with_timeout<S, A>(env: &Environment<S, A>, timeout: Duration) -> Client {
    env.client.with_options(CallOptions::new().call_timeout(timeout))
}
