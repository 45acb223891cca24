//! Tests of token requests in a runtime that nobody drives, while another runtime makes calls.

use tokio::runtime::Runtime;

use super::prelude::*;

type Call = BoxFuture<'static, Result<(), Error>>;

/// Starts a call in a new runtime. After the call has requested a token, nobody drives this
/// runtime.
///
/// The clock of the new runtime is paused and is set to the time of the test's clock. Otherwise,
/// the deadlines in one of the runtimes would be too late by the time that the test has taken so
/// far.
async fn idling<S, A>(env: &Environment<S, A>) -> (Runtime, Call) {
    let client = env.client.clone();
    let mut call: Call =
        Box::pin(async move { client.list_monitoring_addresses().send().await.map(drop) });
    let here = Instant::now();
    let (idle, call, there) = beside(move || {
        let idle = paused();
        let there = idle.block_on(async {
            advance(here.saturating_duration_since(Instant::now())).await;
            assert!(call.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
            Instant::now()
        });
        (idle, call, there)
    });
    advance(there.saturating_duration_since(here)).await;
    (idle, call)
}

/// Advances the clock of an idle runtime, and then drives the runtime for a moment.
fn drive(idle: Runtime, forward: Duration) {
    let driven = beside(move || {
        idle.block_on(async {
            advance(forward).await;
            sleep(millis(50)).await;
        });
        idle
    });
    driven.shutdown_background();
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_nobody_drives_holds_no_call_up_for_long() -> Result<(), Error> {
    let (mint, gate, env) = closed(seconds(3600));
    let (idle, _call) = idling(&env).await;
    mint.reached(1).await;
    gate.add_permits(2);

    let start = Instant::now();
    token_of(&env.client).await?;

    assert!(start.elapsed() < seconds(6), "{:?}", start.elapsed());
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn short_calls_are_not_held_up_for_longer_by_a_runtime_that_nobody_drives() {
    let mint = Source::minting(seconds(3600));
    let gate = mint.close();
    let env = drawing_with(&mint, |client| client.call_timeout(seconds(4)));
    let (idle, _call) = idling(&env).await;
    mint.reached(1).await;
    gate.add_permits(2);

    let first = asking(&env.client).await.expect("no panic");
    let second = asking(&env.client).await.expect("no panic");

    assert_eq!(first.expect_err("no token in four seconds").kind(), ErrorKind::Timeout);
    second.expect("a page after five");
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
}

// The first two abandoned requests cause no pause. After the next three, the pauses are 1 s, 2 s
// and 4 s. A call waits up to 8 s for the sixth request.
#[tokio::test(start_paused = true)]
async fn a_request_of_another_runtime_is_waited_for_as_long_as_the_pause() -> Result<(), Error> {
    let (source, env) = playing([silence(), token("word")]);
    for pause in [0, 0, 1, 2, 4] {
        give_up(&env.client);
        advance(seconds(pause)).await;
    }
    let (idle, _call) = idling(&env).await;
    source.reached(1).await;

    let client = with_timeout(&env, seconds(10));
    token_of(&client).await?;

    assert_eq!(source.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn who_is_late_to_abandon_one_fetch_leaves_the_next_alone() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (mint, gate, env) = closed(seconds(3600));
    let (idle, _call) = idling(&env).await;
    mint.reached(1).await;

    let first = listing(&env);
    begun().await;
    clock.forward(seconds(1)).await;
    let second = listing(&env);
    begun().await;
    clock.forward(millis(4500)).await;
    mint.reached(2).await;
    clock.forward(seconds(1)).await;
    begun().await;
    gate.add_permits(2);

    for call in [first, second] {
        within_bounds(call).await.expect("no panic")?;
    }
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_too_late_leaves_the_later_one_alone() -> Result<(), Error> {
    let gate = gate();
    let [first, second] =
        [3, 3600].map(|lifetime| token("word").lasting(seconds(lifetime)).behind(&gate));
    let (source, env) = playing([first, second]);
    let (idle, _call) = idling(&env).await;
    gate.add_permits(2);
    token_of(&env.client).await?;
    assert_eq!(source.count(), 2);

    drive(idle, millis(1));

    list(&env.client).await?;
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_replaces_one_that_has_ended() -> Result<(), Error> {
    let gate = gate();
    let (source, env) = playing([
        token("late").lasting(seconds(3600)).behind(&gate),
        token("early").lasting(seconds(10)),
    ]);
    let (idle, _call) = idling(&env).await;
    let early = token_of(&env.client).await?;
    assert_eq!(early, "Bearer early");

    advance(seconds(10)).await;
    gate.add_permits(1);
    drive(idle, seconds(20));

    assert_eq!(token_of(&env.client).await?, "Bearer late");
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_comes_late_says_nothing_of_a_later_request() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let (source, env) = playing([sealed().behind(&gate), silence(), token("word")]);
    let (idle, _call) = idling(&env).await;
    let second = listing(&env);
    begun().await;
    clock.forward(millis(5_100)).await;
    source.reached(2).await;

    gate.add_permits(1);
    drive(idle, seconds(6));
    let third = listing(&env);
    begun().await;
    assert_eq!(source.count(), 2);
    second.abort();
    third.abort();
    begun().await;

    assert_eq!(token_of(&env.client).await?, "Bearer word");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_ends_a_pause() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let (source, env) = playing([token("word").behind(&gate), silence()]);
    let (idle, _call) = idling(&env).await;
    let second = asking(&env.client);
    begun().await;
    clock.forward(millis(5_100)).await;
    source.reached(2).await;
    second.abort();
    begun().await;
    give_up(&env.client);

    let resting = asking(&env.client);
    begun().await;
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
    let (source, env) = playing([first, silence(), sealed()]);
    give_up(&env.client);
    give_up(&env.client);
    let (third, _call) = idling(&env).await;
    let client = env.client.clone();
    let (fourth, late) = beside(move || {
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
    });
    assert_eq!(source.count(), 2);

    gate.add_permits(1);
    drive(third, millis(1));
    fourth.shutdown_background();
    assert_eq!(late.await?, "Bearer word");
    clock.forward(seconds(20)).await;

    token_of(&env.client).await.expect_err("sealed");
    let again = token_of(&env.client).now_or_never();
    let error = again.expect("at once").expect_err("a pause");
    assert_eq!(error.retry_after(), Some(seconds(1)));
    Ok(())
}
