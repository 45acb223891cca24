//! Token requests on a runtime that nobody drives, beside calls of another.

use std::{thread, time::Duration};

use digital_assets::{BoxFuture, Error, ErrorKind};
use futures_util::FutureExt;
use tokio::{
    runtime::Runtime,
    time::{Instant, advance, sleep},
};

use super::{
    listing,
    source::{Mint, OPERATION, Source, drawing_on, drawing_with, paused, token},
};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    list, moment,
    server::gate,
    within_bounds,
};

type Call = BoxFuture<'static, Result<(), Error>>;

/// A call in a runtime that nobody drives after it has asked for a token. Its clock stands still, as
/// the test's does, and both say the same: else the one would be ahead by the time that the test took
/// so far, and the other's deadlines too far away.
pub(super) async fn idling(env: &Environment) -> (Runtime, Call) {
    let client = env.client.clone();
    let mut call: Call =
        Box::pin(async move { client.list_monitoring_addresses().send().await.map(drop) });
    let here = Instant::now();
    let idle = thread::spawn(move || {
        let idle = paused();
        let there = idle.block_on(async {
            advance(here.saturating_duration_since(Instant::now())).await;
            assert!(call.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
            Instant::now()
        });
        (idle, call, there)
    });
    let (idle, call, there) = idle.join().expect("no panic");
    advance(there.saturating_duration_since(here)).await;
    (idle, call)
}

/// Drives such a runtime for a moment, after its clock has gone forward.
pub(super) fn drive(idle: Runtime, forward: Duration) {
    let driven = thread::spawn(move || {
        idle.block_on(async {
            advance(forward).await;
            sleep(millis(50)).await;
        });
        idle
    });
    driven.join().expect("no panic").shutdown_background();
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_nobody_drives_holds_no_call_up_for_long() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();
    let (idle, _call) = idling(&env).await;
    mint.reached(1).await;
    gate.add_permits(2);

    let start = Instant::now();
    clock.run(millis(100), env.client.cached_token(OPERATION)).await?;

    assert!(start.elapsed() < seconds(6), "{:?}", start.elapsed());
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn short_calls_are_not_held_up_for_longer_by_a_runtime_that_nobody_drives() {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = drawing_with(&mint, |client| client.call_timeout(seconds(4)));
    let (idle, _call) = idling(&env).await;
    mint.reached(1).await;
    gate.add_permits(2);

    let first = clock.run(millis(100), listing(&env)).await.expect("no panic");
    let second = clock.run(millis(100), listing(&env)).await.expect("no panic");

    assert_eq!(first.expect_err("no token in four seconds").kind(), ErrorKind::Timeout);
    second.expect("a page after five");
    assert_eq!(mint.count(), 2);
    idle.shutdown_background();
}

#[tokio::test(start_paused = true)]
async fn who_is_late_to_abandon_one_fetch_leaves_the_next_alone() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();
    let (idle, _call) = idling(&env).await;
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

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_too_late_leaves_the_later_one_alone() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let [first, second] =
        [3, 3600].map(|lifetime| token("word").lasting(seconds(lifetime)).behind(&gate));
    let source = Source::playing([first, second]);
    let env = drawing_on(&source);
    let (idle, _call) = idling(&env).await;
    gate.add_permits(2);
    clock.run(millis(100), list(&env.client)).await?;
    assert_eq!(source.count(), 2);

    drive(idle, millis(1));

    list(&env.client).await?;
    assert_eq!(source.count(), 2);
    Ok(())
}
