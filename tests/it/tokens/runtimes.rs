//! Token requests that calls of several runtimes wait for.

use std::{sync::Arc, thread};

use digital_assets::{AccessToken, BoxFuture, Error, ErrorKind, TokenSource};
use futures_util::FutureExt;
use tokio::{
    runtime::{self, Runtime},
    time::Instant,
};

use super::{Mint, Shared, Source, listing, refusing};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    grant, list, moment,
    server::{Server, gate, json, status},
    within_bounds,
};

/// A call in a runtime of its own, which has asked for a token.
fn drawing_on<F>(source: &Arc<Source<F>>) -> Environment
where
    Shared<Source<F>>: TokenSource + 'static,
{
    let service = Server::answering(|_| json(200, "{}"));
    Environment::of(service, Server::playing([]), |client| {
        client.credentials(Shared(Arc::clone(source)))
    })
}

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

/// A call in a runtime that nobody drives after it has asked for a token.
fn idling(env: &Environment) -> (Runtime, BoxFuture<'static, Result<(), Error>>) {
    let client = env.client.clone();
    let mut call: BoxFuture<'_, _> =
        Box::pin(async move { client.list_monitoring_addresses().send().await.map(drop) });
    let idle = thread::spawn(move || {
        let idle = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        idle.block_on(async {
            assert!(call.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
        });
        (idle, call)
    });
    idle.join().expect("no panic")
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_nobody_drives_holds_no_call_up_for_long() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();
    let (idle, _call) = idling(&env);
    mint.reached(1).await;
    gate.add_permits(2);

    let start = Instant::now();
    clock.run(millis(100), listing(&env)).await.expect("no panic")?;

    assert!(start.elapsed() < seconds(6), "{:?}", start.elapsed());
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn who_is_late_to_leave_one_flight_leaves_the_next_alone() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();
    let (idle, _call) = idling(&env);
    mint.reached(1).await;

    let first = listing(&env);
    moment().await;
    clock.forward(seconds(1)).await;
    let second = listing(&env);
    moment().await;
    clock.forward(millis(4500)).await;
    mint.reached(2).await;
    clock.forward(seconds(1)).await;
    moment().await;
    gate.add_permits(2);

    for call in [first, second] {
        within_bounds(call).await.expect("no panic")?;
    }
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
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
