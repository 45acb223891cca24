//! The pause after requests for a token that brought none, and the calls that wait for its end.

use std::{thread, time::Duration};

use digital_assets::{CallOptions, Client, Error, ErrorKind};
use futures_util::{FutureExt, future::join};
use tokio::time::advance;

use super::{
    idle::{drive, idling},
    source::{
        OPERATION, Source, asking, drawing_on, give_up, late, paused, sealed, silence, token,
    },
    tokens,
};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    grant, list, moment,
    server::{Server, gate, json, status},
    within_bounds,
};

fn with_timeout(env: &Environment, timeout: Duration) -> Client {
    env.client.with_options(CallOptions::new().call_timeout(timeout))
}

#[tokio::test(start_paused = true)]
async fn two_requests_that_nobody_waited_for_are_followed_by_another_at_once() -> Result<(), Error>
{
    let _clock = Clock::stopped();
    let source = Source::playing([token("word")]);
    let env = drawing_on(&source);
    give_up(&env.client);
    give_up(&env.client);

    within_bounds(env.client.cached_token(OPERATION)).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_call_with_time_for_a_pause_and_for_its_request_waits() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::playing([token("word")]);
    let env = drawing_on(&source);
    for _ in 0..3 {
        give_up(&env.client);
    }

    let waiting = asking(&with_timeout(&env, seconds(2)));
    moment().await;
    assert_eq!(source.count(), 0);
    clock.forward(millis(1_001)).await;

    within_bounds(waiting).await.expect("no panic")?;
    assert_eq!(source.count(), 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_without_time_for_both_fails_at_once_with_what_is_left_of_the_pause() {
    let clock = Clock::stopped();
    let source = Source::playing([token("word")]);
    let env = drawing_on(&source);
    for _ in 0..3 {
        give_up(&env.client);
    }
    clock.forward(millis(200)).await;

    let token = with_timeout(&env, millis(1_500)).cached_token(OPERATION).now_or_never();

    let error = token.expect("at once").expect_err("a pause");
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Token, true));
    assert_eq!(error.retry_after(), Some(millis(800)));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_runtime_takes_no_pause_from_those_before() {
    let clock = Clock::stopped();
    let source = Source::playing([silence()]);
    let env = drawing_on(&source);
    for _ in 0..3 {
        give_up(&env.client);
    }
    clock.forward(seconds(1)).await;

    let client = env.client.clone();
    let ended = thread::spawn(move || {
        let runtime = paused();
        let (first, second) = runtime.block_on(async {
            advance(seconds(1)).await;
            (late(&client), late(&client))
        });
        let handle = runtime.handle().clone();
        drop(runtime);
        handle.block_on(join(first, second))
    });
    let (first, second) = ended.join().expect("no panic");
    for result in [first, second] {
        let error = result.expect_err("no runtime");
        assert!(error.to_string().contains("the runtime is shutting down"), "{error}");
    }
    // The fourth.
    give_up(&env.client);

    let token = with_timeout(&env, seconds(3)).cached_token(OPERATION).now_or_never();
    let error = token.expect("at once").expect_err("a pause");
    assert_eq!(error.retry_after(), Some(seconds(2)));
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_ends_a_pause() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let source = Source::playing([token("word").behind(&gate), silence()]);
    let env = drawing_on(&source);
    let (idle, _call) = idling(&env).await;
    let second = asking(&env.client);
    moment().await;
    clock.forward(millis(5_100)).await;
    source.reached(2).await;
    second.abort();
    moment().await;
    give_up(&env.client);

    let resting = asking(&env.client);
    moment().await;
    gate.add_permits(1);
    drive(idle, millis(1));

    within_bounds(resting).await.expect("no panic")?;
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_ends_a_series_though_a_later_request_is_lost() -> Result<(), Error>
{
    let clock = Clock::stopped();
    let gate = gate();
    let first = token("word").lasting(seconds(10)).behind(&gate);
    let source = Source::playing([first, silence(), sealed()]);
    let env = drawing_on(&source);
    give_up(&env.client);
    give_up(&env.client);
    let (third, _call) = idling(&env).await;
    let client = env.client.clone();
    let (fourth, late) = thread::spawn(move || {
        let runtime = paused();
        let mut late = {
            let _inside = runtime.enter();
            late(&client)
        };
        runtime.block_on(async {
            advance(seconds(6)).await;
            assert!(late.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
        });
        (runtime, late)
    })
    .join()
    .expect("no panic");
    assert_eq!(source.count(), 2);

    gate.add_permits(1);
    drive(third, millis(1));
    fourth.shutdown_background();
    assert_eq!(late.await?, "Bearer word");
    clock.forward(seconds(20)).await;

    env.client.cached_token(OPERATION).await.expect_err("sealed");
    let again = env.client.cached_token(OPERATION).now_or_never();
    let error = again.expect("at once").expect_err("a pause");
    assert_eq!(error.retry_after(), Some(seconds(1)));
    Ok(())
}

// 1 s, 2 s and 4 s lie between the requests after the second; 8 s follow the sixth.
#[tokio::test(start_paused = true)]
async fn a_request_of_another_runtime_is_waited_for_as_long_as_the_pause() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::playing([silence(), token("word")]);
    let env = drawing_on(&source);
    for pause in [0, 0, 1, 2, 4] {
        give_up(&env.client);
        clock.forward(seconds(pause)).await;
    }
    let (idle, _call) = idling(&env).await;
    source.reached(1).await;

    let client = with_timeout(&env, seconds(10));
    clock.run(millis(100), client.cached_token(OPERATION)).await?;

    assert_eq!(source.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_waits_as_long_as_the_endpoint_asks() -> Result<(), Error> {
    let clock = Clock::stopped();
    let busy = status(503).header("retry-after", "60");
    let auth = Server::playing([grant("word-1", "3600"), busy, grant("word-2", "3600")]);
    let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

    list(&env.client).await?;
    for (wait, asked) in [(3301, 2), (59, 2), (1, 3)] {
        clock.forward(seconds(wait)).await;
        list(&env.client).await?;
        assert_eq!(env.auth.count(), asked, "{wait}");
    }

    assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-1", "word-2"]);
    Ok(())
}
