//! Tests of a client that several runtimes use. No call waits for a connection that another runtime
//! drives.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::try_join;
use tokio::{
    runtime::{Builder, Runtime},
    task::spawn_blocking,
};

use super::connections::client;
use crate::prelude::*;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Runs a future in a new runtime. Returns the runtime, which is idle afterwards, and the future's
/// output.
async fn elsewhere<F>(future: F) -> (Runtime, F::Output)
where
    F: Future<Output: Send> + Send + 'static,
{
    let run = move || {
        let runtime = runtime();
        let outcome = runtime.block_on(future);
        (runtime, outcome)
    };
    spawn_blocking(run).await.expect("no panic")
}

fn connections(server: &Server) -> Vec<usize> {
    server.requests().iter().map(|request| request.connection).collect()
}

#[tokio::test]
async fn a_connection_of_an_idle_runtime_is_left_to_it() -> Result<(), Error> {
    let service = Server::always(json(200, "{}"));
    let shared = client(&service.url()).build()?;

    let there = shared.clone();
    let (idle, outcome) = elsewhere(async move { list(&there).await }).await;
    outcome?;
    list(&shared).await?;
    list(&shared).await?;

    assert_eq!(connections(&service), [0, 1, 1]);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test]
async fn runtimes_that_end_fail_no_call_of_the_next() -> Result<(), Error> {
    let service = Server::always(json(200, "{}"));
    let shared = client(&service.url()).build()?;

    for _ in 0..200 {
        let there = shared.clone();
        let both = async move { try_join(list(&there), list(&there)).await };
        let (ended, outcome) = elsewhere(both).await;
        ended.shutdown_background();
        outcome?;
    }

    assert_eq!(service.count(), 400);
    list(&shared).await
}

// The client doesn't know when a runtime has ended, so it keeps only some of the runtimes' HTTP
// clients.
#[tokio::test]
async fn of_runtimes_that_take_turns_most_keep_their_connections() -> Result<(), Error> {
    let service = Server::always(json(200, "{}"));
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let shared = client(&service.url()).http_client_from(move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(reqwest::Client::builder().no_proxy().build()?)
    });
    let shared = shared.build()?;
    let runtimes: Vec<_> = (0..150).map(|_| Arc::new(runtime())).collect();

    for round in 0..4 {
        let before = made.load(Ordering::Relaxed);
        for runtime in &runtimes {
            let (there, runtime) = (shared.clone(), Arc::clone(runtime));
            let call = move || runtime.block_on(list(&there));
            spawn_blocking(call).await.expect("no panic")?;
        }
        let made = made.load(Ordering::Relaxed) - before;
        assert!(round == 0 || made < 100, "{made} HTTP clients for 150 calls");
    }

    let runtimes = runtimes.into_iter().filter_map(Arc::into_inner);
    runtimes.for_each(Runtime::shutdown_background);
    Ok(())
}

// Unlike the token endpoint's default client, this HTTP client keeps its connections.
#[tokio::test]
async fn a_token_request_waits_for_no_connection_of_an_idle_runtime() -> Result<(), Error> {
    let service = Server::always(json(200, "{}"));
    let auth = Server::always(grant("word", "3599"));
    let http = || Ok(reqwest::Client::builder().no_proxy().build()?);
    let credentials = ClientCredentials::new(auth.url(), "backoffice", "sesame");
    let client = Client::builder(service.url());
    let client = client.credentials(credentials.http_client_from(http)).retry(quick()).build()?;

    let there = client.clone();
    let (idle, outcome) = elsewhere(async move { list(&there).await }).await;
    outcome?;
    client.list_deposit_addresses().send().await?;

    assert_eq!(connections(&auth), [0, 1]);
    idle.shutdown_background();
    Ok(())
}
