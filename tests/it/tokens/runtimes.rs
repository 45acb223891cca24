//! Token requests that calls of several runtimes wait for.

use std::{future::pending, sync::Arc, thread};

use digital_assets::{AccessToken, CallOptions, Error, ErrorKind, Operation, TokenSource};
use futures_util::FutureExt;
use tokio::runtime::{self, Runtime};

use super::{Mint, Shared, Source, listing, refusing};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    grant, list, moment,
    server::{Server, gate, json, status},
    within_bounds,
};

const OPERATION: Operation = Operation::ListMonitoringAddresses;

/// A client of a source, and of a service that answers everything.
pub(super) fn drawing_on<F>(source: &Arc<Source<F>>) -> Environment
where
    Shared<Source<F>>: TokenSource + 'static,
{
    let service = Server::answering(|_| json(200, "{}"));
    Environment::of(service, Server::playing([]), |client| {
        client.credentials(Shared(Arc::clone(source)))
    })
}

/// A runtime with a call that asks for a token.
fn abroad(env: &Environment) -> Runtime {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let (runtime, client) = (runtime.expect("a runtime"), env.client.clone());
    runtime.spawn(async move { list(&client).await });
    runtime
}

#[tokio::test]
async fn a_runtime_that_ends_with_its_flight_takes_no_token_from_the_others() {
    let gate = gate();
    let behind = Arc::clone(&gate);
    let env = refusing(grant("word", "3599").behind(&behind));

    let runtime = abroad(&env);
    env.auth.reached(1).await;
    let waiting: Vec<_> = (0..3).map(|_| listing(&env)).collect();
    moment().await;
    runtime.shutdown_background();
    gate.add_permits(10);

    for call in waiting {
        within_bounds(call).await.expect("no panic").expect("a page");
    }
    assert_eq!(env.service.count(), 3);
}

#[tokio::test]
async fn an_answer_is_shared_by_all_runtimes() {
    for refusal in [json(401, r#"{"error":"invalid_client"}"#), status(503)] {
        let gate = gate();
        let env = refusing(refusal.behind(&gate));

        let runtime = abroad(&env);
        env.auth.reached(1).await;
        let waiting = listing(&env);
        moment().await;
        gate.add_permits(100);
        let error = within_bounds(waiting).await.expect("no panic").expect_err("refused");

        assert_eq!(error.kind(), ErrorKind::Token);
        let asked = if error.is_retryable() { 3 } else { 1 };
        assert_eq!((error.status().is_some(), env.auth.count()), (true, asked), "{error}");
        runtime.shutdown_background();
    }
}

#[tokio::test]
async fn a_failure_of_the_source_is_shared_by_all_runtimes() {
    let gate = gate();
    let behind = Arc::clone(&gate);
    let source = Source::of(move |_| {
        let gate = Arc::clone(&behind);
        async move {
            gate.acquire().await.expect("open").forget();
            Err(Error::token("the vault is sealed"))
        }
    });
    let env = drawing_on(&source);

    let runtime = abroad(&env);
    while source.count() == 0 {
        moment().await;
    }
    let waiting = listing(&env);
    moment().await;
    gate.add_permits(100);
    let error = within_bounds(waiting).await.expect("no panic").expect_err("sealed");

    assert!(error.to_string().contains("the vault is sealed"), "{error}");
    assert_eq!(source.count(), 1);
    runtime.shutdown_background();
}

#[tokio::test]
async fn the_timers_of_a_runtime_that_has_ended_stop_no_flight() {
    let source = Source::of(|times| async move {
        tokio::time::sleep(if times == 0 { seconds(20) } else { millis(1) }).await;
        Ok(AccessToken::new("word"))
    });
    let env = drawing_on(&source);

    let runtime = abroad(&env);
    while source.count() == 0 {
        moment().await;
    }
    let waiting = listing(&env);
    moment().await;
    runtime.shutdown_background();

    within_bounds(waiting).await.expect("no panic").expect("a page");
    assert_eq!(source.count(), 2);
}

#[tokio::test]
async fn the_end_of_a_runtime_adds_no_pause_to_those_before() -> Result<(), Error> {
    let source = Source::of(|times| async move {
        tokio::time::sleep(if times == 0 { seconds(20) } else { millis(1) }).await;
        Ok(AccessToken::new("word"))
    });
    let env = drawing_on(&source);
    for _ in 0..3 {
        assert!(env.client.cached_token(OPERATION).now_or_never().is_none());
    }
    tokio::time::sleep(seconds(1)).await;

    let runtime = abroad(&env);
    while source.count() == 0 {
        moment().await;
    }
    let quick = env.client.with_options(CallOptions::new().call_timeout(millis(1500)));
    let waiting = tokio::spawn(async move { list(&quick).await });
    moment().await;
    runtime.shutdown_background();

    within_bounds(waiting).await.expect("no panic")
}

#[tokio::test]
async fn calls_on_a_runtime_that_has_ended_add_no_pause() -> Result<(), Error> {
    let source = Source::of(|_| async { Ok(AccessToken::new("word")) });
    let env = drawing_on(&source);
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let handle = runtime.handle().clone();
    runtime.shutdown_background();

    for _ in 0..4 {
        let (handle, client) = (handle.clone(), env.client.clone());
        let call = thread::spawn(move || handle.block_on(client.cached_token(OPERATION)));
        let error = call.join().expect("no panic").expect_err("no runtime");
        assert!(error.to_string().contains("the runtime is shutting down"), "{error}");
    }

    list(&env.client).await?;
    assert_eq!(source.count(), 1);
    Ok(())
}

#[tokio::test]
async fn a_token_that_another_runtime_was_given_ends_the_wait_for_one_that_hangs() {
    let source = Source::of(|times| async move {
        match times {
            0 => pending().await,
            _ => Ok(AccessToken::new("word")),
        }
    });
    let env = drawing_on(&source);
    let waiting = [listing(&env), listing(&env)];
    while source.count() == 0 {
        moment().await;
    }

    let client = env.client.clone();
    let elsewhere = tokio::task::spawn_blocking(move || {
        let paused = runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        paused.expect("a runtime").block_on(client.cached_token(OPERATION)).map(drop)
    });

    within_bounds(elsewhere).await.expect("no panic").expect("a token");
    for call in waiting {
        within_bounds(call).await.expect("no panic").expect("a page");
    }
    assert_eq!(source.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_holds_no_call_up_beyond_the_end_of_its_token() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::of(|times| async move {
        match times {
            0 => Ok(AccessToken::new("old").expires_in(seconds(10))),
            1 => pending().await,
            _ => Ok(AccessToken::new("new")),
        }
    });
    let env = drawing_on(&source);
    env.client.cached_token(OPERATION).await?;
    clock.forward(seconds(8)).await;
    let client = env.client.clone();
    let renewing = tokio::spawn(async move { client.cached_token(OPERATION).await });
    moment().await;
    clock.forward(millis(1_001)).await;
    moment().await;

    let client = env.client.clone();
    let elsewhere = thread::spawn(move || {
        let runtime =
            runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            tokio::time::advance(seconds(10)).await;
            client.cached_token(OPERATION).await
        })
    });

    assert_eq!(elsewhere.join().expect("no panic")?, "Bearer new");
    assert_eq!(within_bounds(renewing).await.expect("no panic")?, "Bearer new");
    Ok(())
}

#[tokio::test]
async fn runtimes_that_end_one_after_the_other_fail_no_source() -> Result<(), Error> {
    let source = Source::of(|times| async move {
        tokio::time::sleep(if times < 2 { seconds(20) } else { millis(1) }).await;
        Ok(AccessToken::new("word"))
    });
    let env = drawing_on(&source);
    let asked = async |times: usize| {
        while source.count() < times {
            moment().await;
        }
    };

    let first = abroad(&env);
    asked(1).await;
    let second = abroad(&env);
    moment().await;
    first.shutdown_background();
    asked(2).await;
    let waiting = listing(&env);
    moment().await;
    second.shutdown_background();

    within_bounds(waiting).await.expect("no panic")?;
    assert_eq!(source.count(), 3);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_its_runtime_never_began_is_begun_by_the_next_call() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(10));
    let env = mint.environment();
    env.client.cached_token(OPERATION).await?;
    let near_its_end = seconds(8);

    let client = env.client.clone();
    let ended = thread::spawn(move || {
        let runtime =
            runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(tokio::time::advance(near_its_end));
        let handle = runtime.handle().clone();
        drop(runtime);
        handle.block_on(client.cached_token(OPERATION))
    });
    assert_eq!(ended.join().expect("no panic")?, "Bearer word-1");
    clock.forward(near_its_end).await;

    assert_eq!(env.client.cached_token(OPERATION).await?, "Bearer word-2");
    Ok(())
}
