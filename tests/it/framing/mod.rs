//! Tests over connections that break in many ways: truncated responses, invalid frames, resets. A
//! ledger records what the service has applied.

mod http1;
mod http2;

use std::{
    collections::HashMap,
    io,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use digital_assets::types::{AddInstitutionMembersRequest, InstitutionMemberToAdd};
use fastrand::Rng;
use futures_util::stream;
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::{prelude::*, server::listen};

const CALLS: u32 = 300;

/// A service that fails at random, and what it has received and applied.
#[derive(Clone)]
struct Service {
    random: Arc<Mutex<Rng>>,
    /// How often each identity was added as a member.
    ledger: Arc<Mutex<HashMap<Uuid, u32>>>,
    requests: Arc<AtomicU32>,
    is_calm: Arc<AtomicBool>,
}

impl Service {
    fn new(seed: u64) -> Self {
        let random = Arc::new(Mutex::new(Rng::with_seed(seed)));
        Self { random, ledger: Arc::default(), requests: Arc::default(), is_calm: Arc::default() }
    }

    fn below(&self, end: usize) -> usize {
        self.random.lock().unwrap().usize(..end)
    }

    /// Returns one of the faults at random, or `None` for no fault.
    fn fault<T: Copy>(&self, faults: &[T]) -> Option<T> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self.is_calm.load(Ordering::Relaxed) || self.below(3) == 0 {
            return None;
        }
        Some(faults[self.below(faults.len())])
    }

    /// Applies a request and returns the response's JSON: the added members, or a page that repeats
    /// the request's `limit`, sometimes as a string. The page contains a number that no float can
    /// hold.
    fn apply(&self, limit: Option<&str>, body: &[u8]) -> String {
        let Ok(request) = serde_json::from_slice::<AddInstitutionMembersRequest>(body) else {
            let limit = limit.unwrap_or("null");
            let quote = ["", "\""][self.below(2)];
            let quote = if limit == "null" { "" } else { quote };
            return format!(
                r#"{{"items":[],"total_count":{quote}{limit}{quote},"x":1e-400,"next_page_cursor":"c"}}"#
            );
        };
        let identity = request.members[0].identity_id;
        *self.ledger.lock().unwrap().entry(identity).or_default() += 1;
        let institution = request.institution_id;
        format!(r#"{{"institution_id":"{institution}","members":[]}}"#)
    }

    /// Returns the JSON of a response with status 200 that reports a failure. It isn't a page,
    /// although it may have a property of one.
    fn failed(&self) -> &'static str {
        [r#"{"success":false}"#, r#"{"total_count":7,"errors":["overloaded"]}"#][self.below(2)]
    }

    /// Tests a client with these settings, over connections that `serve` handles.
    async fn over<F>(serve: fn(TcpStream, Self) -> F, settings: fn(ClientBuilder) -> ClientBuilder)
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        for seed in 0..3 {
            let service = Self::new(seed);
            let serving = service.clone();
            let port = listen(move |stream| serve(stream, serving.clone())).await;
            let client = Client::builder(format!("http://127.0.0.1:{port}")).bearer_token("word");
            service.meets(&settings(client.retry(quick())).build().unwrap()).await;
        }
    }

    /// Makes the calls, six at once, and compares the ledger with the calls' results.
    async fn meets(&self, client: &Client) {
        let calls = stream::iter(1..=CALLS).map(|number| self.meets_one(client, number));
        within_bounds(calls.buffer_unordered(6).collect::<Vec<_>>()).await;
        // Each call makes at most three attempts, and one more if the service didn't process a
        // request.
        assert!(self.requests.load(Ordering::Relaxed) <= 4 * CALLS);

        self.is_calm.store(true, Ordering::Relaxed);
        // These calls use up the remaining broken connections.
        for _ in 0..12 {
            let _ = list(client, 1).await;
        }
        for number in [CALLS + 1, CALLS + 2] {
            within_bounds(list(client, number)).await.unwrap();
            within_bounds(add(client, number)).await.unwrap();
        }
    }

    async fn meets_one(&self, client: &Client, number: u32) {
        if !number.is_multiple_of(3) {
            if let Err(error) = list(client, number).await {
                assert!(!error.may_have_been_applied(), "{error}");
            }
            return;
        }
        let result = add(client, number).await;
        let ledger = self.ledger.lock().unwrap();
        let times = ledger.get(&identity(number)).copied().unwrap_or_default();
        match result {
            Ok(()) => assert_eq!(times, 1, "{number}"),
            Err(error) if error.may_have_been_applied() => assert!(times <= 1, "{number}"),
            Err(error) => assert_eq!(times, 0, "{number}: {error}"),
        }
    }
}

fn identity(number: u32) -> Uuid {
    Uuid::from_u128(number.into())
}

/// Makes a call, and asserts that the response doesn't belong to another call.
async fn list(client: &Client, number: u32) -> Result<(), Error> {
    let limit = i32::try_from(number).unwrap();
    let page = client.list_quote_executions().profile_id("p").limit(limit).send().await?;
    assert!(page.total_count.is_none_or(|count| count == limit), "{page:?} of {number}");
    assert_eq!(page.next_page_cursor.as_deref(), Some("c"), "not a page from the service");
    Ok(())
}

async fn add(client: &Client, number: u32) -> Result<(), Error> {
    let member =
        InstitutionMemberToAdd { identity_id: identity(number), roles: vec!["TRUSTEE".into()] };
    let body = AddInstitutionMembersRequest { institution_id: Uuid::nil(), members: vec![member] };
    client.add_institution_members().body(body).send().await.map(drop)
}
