//! A client that several runtimes use: none waits for a connection that another one drives.

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

/// What a future comes to in a runtime of its own, which is idle afterwards.
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

// The default client of the token endpoint keeps no connection, and this one does.
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
