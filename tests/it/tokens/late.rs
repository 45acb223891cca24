//! Answers that come late, and calls that are late to look at them.

use std::{future::pending, pin::pin, sync::Arc};

use digital_assets::{AccessToken, Error, Operation};
use futures_util::FutureExt;
use tokio::{runtime, time::Instant};

use super::{
    Mint, Source,
    idle::{drive, idling},
    listing,
    runtimes::drawing_on,
};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    granting, list, moment,
    server::{Server, gate, json, status},
    within_bounds,
};

const OPERATION: Operation = Operation::ListMonitoringAddresses;

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_late_replaces_one_that_has_ended() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let behind = Arc::clone(&gate);
    let source = Source::of(move |times| {
        let gate = Arc::clone(&behind);
        async move {
            if times > 0 {
                return Ok(AccessToken::new("early").expires_in(seconds(10)));
            }
            gate.acquire().await.expect("open").forget();
            Ok(AccessToken::new("late").expires_in(seconds(3600)))
        }
    });
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
    let behind = Arc::clone(&gate);
    let source = Source::of(move |times| {
        let gate = Arc::clone(&behind);
        async move {
            match times {
                0 => gate.acquire().await.expect("open").forget(),
                1 => pending().await,
                _ => return Ok(AccessToken::new("word")),
            }
            Err(Error::token("the vault is sealed"))
        }
    });
    let env = drawing_on(&source);
    let (idle, _call) = idling(&env).await;
    let second = listing(&env);
    moment().await;
    clock.forward(millis(5_100)).await;
    while source.count() < 2 {
        moment().await;
    }

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

    let client = env.client.clone();
    let first = tokio::spawn(async move { client.cached_token(OPERATION).await });
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
    let service = Server::answering(|request| {
        let is_old = request.header("authorization") == Some("Bearer word-1");
        if is_old { status(401) } else { json(200, "{}") }
    });
    let env =
        Environment::of(service, Server::playing([]), |client| client.credentials(mint.clone()));
    let mut late = pin!(env.client.cached_token(OPERATION));
    assert!(late.as_mut().now_or_never().is_none());

    list(&env.client).await?;

    assert_eq!(late.await?, "Bearer word-2");
    assert_eq!(mint.count(), 2);
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_late_to_look_gets_the_token_of_another_runtime() -> Result<(), Error> {
    let gate = gate();
    let behind = Arc::clone(&gate);
    let source = Source::of(move |times| {
        let gate = Arc::clone(&behind);
        async move {
            if times > 0 {
                return Ok(AccessToken::new("word"));
            }
            gate.acquire().await.expect("open").forget();
            Err(Error::token("the vault is sealed"))
        }
    });
    let env = drawing_on(&source);
    let mut late = pin!(env.client.cached_token(OPERATION));
    assert!(late.as_mut().now_or_never().is_none());
    while source.count() == 0 {
        moment().await;
    }

    let client = env.client.clone();
    let elsewhere = tokio::task::spawn_blocking(move || {
        let paused = runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        paused.expect("a runtime").block_on(client.cached_token(OPERATION)).map(drop)
    });
    within_bounds(elsewhere).await.expect("no panic")?;
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
    let mut late = pin!(env.client.cached_token(OPERATION));
    assert!(late.as_mut().now_or_never().is_none());
    mint.reached(1).await;
    moment().await;

    mint.fail(false);
    clock.forward(seconds(2)).await;

    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_a_call_is_late_to_look_at_is_the_only_one() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let env = mint.environment();
    env.client.cached_token(OPERATION).await?;
    clock.forward(seconds(3301)).await;
    let gate = mint.close();
    let mut late = pin!(env.client.cached_token(OPERATION));
    assert!(late.as_mut().now_or_never().is_none());
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
    let mint = Mint::of(seconds(3600));
    let env = mint.environment();
    env.client.cached_token(OPERATION).await?;
    clock.forward(seconds(3301)).await;
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
