//! Answers that come late, and calls that are late to look at them.

use std::sync::Arc;

use digital_assets::Error;
use futures_util::FutureExt;
use tokio::time::Instant;

use super::{
    idle::{drive, idling},
    listing, rejecting,
    source::{
        Mint, OPERATION, Source, asking, drawing_on, elsewhere, late, sealed, silence, token,
    },
};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    granting, list, moment,
    server::{Server, gate, json, status},
    within_bounds,
};

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_replaces_one_that_has_ended() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let source = Source::playing([
        token("late").lasting(seconds(3600)).behind(&gate),
        token("early").lasting(seconds(10)),
    ]);
    let env = drawing_on(&source);
    let (idle, _call) = idling(&env).await;
    let early = clock.run(millis(100), env.client.cached_token(OPERATION)).await?;
    assert_eq!(early, "Bearer early");

    clock.forward(seconds(10)).await;
    gate.add_permits(1);
    drive(idle, seconds(20));

    assert_eq!(env.client.cached_token(OPERATION).await?, "Bearer late");
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_comes_late_says_nothing_of_a_later_request() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let source = Source::playing([sealed().behind(&gate), silence(), token("word")]);
    let env = drawing_on(&source);
    let (idle, _call) = idling(&env).await;
    let second = listing(&env);
    moment().await;
    clock.forward(millis(5_100)).await;
    source.reached(2).await;

    gate.add_permits(1);
    drive(idle, seconds(6));
    let third = listing(&env);
    moment().await;
    assert_eq!(source.count(), 2);
    second.abort();
    third.abort();
    moment().await;

    assert_eq!(env.client.cached_token(OPERATION).await?, "Bearer word");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_takes_longer_than_it_lasts_is_used_by_who_waited() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(10));
    let gate = mint.close();
    let env = mint.environment();

    let first = asking(&env.client);
    mint.reached(1).await;
    clock.forward(seconds(10)).await;
    gate.add_permits(2);

    assert_eq!(within_bounds(first).await.expect("no panic")?, "Bearer word-1");
    assert_eq!(env.client.cached_token(OPERATION).await?, "Bearer word-2");
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_late_to_look_gets_no_token_that_was_rejected_meanwhile() -> Result<(), Error>
{
    let mint = Mint::of(seconds(3600));
    let auth = Server::playing([]);
    let env = Environment::of(rejecting("word-1"), auth, |client| client.credentials(mint.clone()));
    let late = late(&env.client);

    list(&env.client).await?;

    assert_eq!(late.await?, "Bearer word-2");
    assert_eq!(mint.count(), 2);
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_late_to_look_gets_the_token_of_another_runtime() -> Result<(), Error> {
    let gate = gate();
    let source = Source::playing([sealed().behind(&gate), token("word")]);
    let env = drawing_on(&source);
    let late = late(&env.client);
    source.reached(1).await;

    elsewhere(&env.client).await?;
    gate.add_permits(1);
    moment().await;

    assert_eq!(late.await?, "Bearer word");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_a_call_is_late_to_look_at_is_no_failure_of_the_next() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    mint.fail(true);
    let env = mint.environment();
    let _late = late(&env.client);
    mint.reached(1).await;
    moment().await;

    mint.fail(false);
    clock.forward(seconds(2)).await;

    list(&env.client).await
}

/// A source, and a client near the end of its token.
async fn near_its_end(clock: &Clock) -> Result<(Mint, Environment), Error> {
    let mint = Mint::of(seconds(3600));
    let env = mint.environment();
    env.client.cached_token(OPERATION).await?;
    clock.forward(seconds(3301)).await;
    Ok((mint, env))
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_a_call_is_late_to_look_at_is_the_only_one() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (mint, env) = near_its_end(&clock).await?;
    let gate = mint.close();
    let late = late(&env.client);
    mint.reached(2).await;

    clock.forward(seconds(6)).await;
    let token = env.client.cached_token(OPERATION).now_or_never();
    assert_eq!(token.expect("at once")?, "Bearer word-1");
    gate.add_permits(1);
    while env.client.cached_token(OPERATION).await? != "Bearer word-2" {
        moment().await;
    }

    assert_eq!(late.await?, "Bearer word-2");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_is_waited_for_for_five_seconds_at_most() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (mint, env) = near_its_end(&clock).await?;
    let _never = mint.close();

    let start = Instant::now();
    let token = clock.run(millis(100), env.client.cached_token(OPERATION)).await?;

    assert_eq!(token, "Bearer word-1");
    assert!(start.elapsed() < seconds(6), "{:?}", start.elapsed());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_late_401_to_an_old_token_takes_no_new_one_away() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let (held, mut count) = (Arc::clone(&gate), 0);
    let service = Server::answering(move |request| {
        count += 1;
        match request.header("authorization") {
            Some("Bearer word-1") if count == 1 => status(401).behind(&held),
            Some("Bearer word-1") => status(401),
            _ => json(200, "{}"),
        }
    });
    let env = Environment::of(service, granting(), |client| client);

    let late = listing(&env);
    env.service.reached(1).await;
    list(&env.client).await?;
    clock.forward(seconds(5)).await;
    gate.add_permits(1);
    within_bounds(late).await.expect("no panic")?;

    assert_eq!(env.auth.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_to_an_old_token_says_nothing_of_a_new_one() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let (held, mut count) = (Arc::clone(&gate), 0);
    let service = Server::answering(move |_| {
        count += 1;
        if count == 1 { json(200, "{}").behind(&held) } else { status(401) }
    });
    let env = Environment::of(service, granting(), |client| client);

    let late = listing(&env);
    env.service.reached(1).await;
    list(&env.client).await.expect_err("401");
    gate.add_permits(1);
    within_bounds(late).await.expect("no panic")?;
    clock.forward(seconds(1)).await;
    list(&env.client).await.expect_err("401");

    assert_eq!(env.auth.count(), 2);
    Ok(())
}
