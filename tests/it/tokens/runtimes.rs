//! Tests of token requests in runtimes that end, while other runtimes make calls.

use tokio::runtime::{self, Runtime};

use super::prelude::*;

/// Starts a runtime with a call that requests a token.
pub(super) fn abroad<S, A>(env: &Environment<S, A>) -> Runtime {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let (runtime, client) = (runtime.expect("a runtime"), env.client.clone());
    runtime.spawn(async move { list(&client).await });
    runtime
}

#[tokio::test]
async fn the_end_of_a_runtime_adds_no_pause_to_those_before() -> Result<(), Error> {
    let (source, env) = playing([token("word").after(seconds(20)), token("word").after(millis(1))]);
    for _ in 0..3 {
        give_up(&env.client);
    }
    sleep(seconds(1)).await;

    let runtime = abroad(&env);
    source.reached(1).await;
    let quick = with_timeout(&env, millis(3500));
    let waiting = tokio::spawn(async move { list(&quick).await });
    begun().await;
    runtime.shutdown_background();

    within_bounds(waiting).await.expect("no panic")
}

#[tokio::test]
async fn calls_on_a_runtime_that_has_ended_add_no_pause() -> Result<(), Error> {
    let (source, env) = playing([token("word")]);
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let handle = runtime.handle().clone();
    runtime.shutdown_background();

    for _ in 0..4 {
        let (handle, client) = (handle.clone(), env.client.clone());
        let call = beside(move || handle.block_on(token_of(&client)));
        let error = call.expect_err("no runtime");
        assert!(error.to_string().contains("the runtime is shutting down"), "{error}");
    }

    list(&env.client).await?;
    assert_eq!(source.count(), 1);
    Ok(())
}

#[tokio::test]
async fn a_token_that_another_runtime_was_given_ends_the_wait_for_one_that_hangs() {
    let (source, env) = playing([silence(), token("word")]);
    let waiting = [listing(&env), listing(&env)];
    source.reached(1).await;

    elsewhere(&env.client).await.expect("a token");

    for call in waiting {
        within_bounds(call).await.expect("no panic").expect("a page");
    }
    assert_eq!(source.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_holds_no_call_up_beyond_the_end_of_its_token() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (_, env) = playing([token("old").lasting(seconds(10)), silence(), token("new")]);
    token_of(&env.client).await?;
    clock.forward(seconds(8)).await;
    let renewing = asking(&env.client);
    begun().await;
    clock.forward(millis(1_001)).await;
    begun().await;

    let client = env.client.clone();
    let elsewhere = beside(move || {
        paused().block_on(async {
            advance(seconds(10)).await;
            token_of(&client).await
        })
    });

    assert_eq!(elsewhere?, "Bearer new");
    assert_eq!(within_bounds(renewing).await.expect("no panic")?, "Bearer new");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_its_runtime_never_began_is_begun_by_the_next_call() -> Result<(), Error> {
    let (clock, _, env) = minting(seconds(10));
    token_of(&env.client).await?;
    let near_its_end = Instant::now() + seconds(8);

    let client = env.client.clone();
    let ended = beside(move || {
        let runtime = paused();
        // Both clocks are paused, and this runtime's clock was started later.
        let forward = async move { advance(near_its_end - Instant::now()).await };
        runtime.block_on(forward);
        let handle = runtime.handle().clone();
        drop(runtime);
        handle.block_on(token_of(&client))
    });
    assert_eq!(ended?, "Bearer word-1");
    clock.forward(seconds(8)).await;

    assert_eq!(token_of(&env.client).await?, "Bearer word-2");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_runtime_takes_no_pause_from_those_before() {
    let clock = Clock::stopped();
    let (_, env) = playing([silence()]);
    for _ in 0..3 {
        give_up(&env.client);
    }
    clock.forward(seconds(1)).await;

    let client = env.client.clone();
    let (first, second) = beside(move || {
        let runtime = paused();
        let (first, second) = runtime.block_on(async {
            advance(seconds(1)).await;
            (late(&client), late(&client))
        });
        let handle = runtime.handle().clone();
        drop(runtime);
        handle.block_on(join(first, second))
    });
    for result in [first, second] {
        let error = result.expect_err("no runtime");
        assert!(error.to_string().contains("the runtime is shutting down"), "{error}");
    }
    // This is the fourth request that is abandoned.
    give_up(&env.client);

    let token = token_of(&with_timeout(&env, seconds(3))).now_or_never();
    let error = token.expect("at once").expect_err("a pause");
    assert_eq!(error.retry_after(), Some(seconds(2)));
}
