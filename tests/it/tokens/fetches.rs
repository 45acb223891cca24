//! One fetch of a token for all waiting calls.

use std::pin::pin;

use digital_assets::{AccessToken, CallOptions, Error, ErrorKind};
use futures_util::{FutureExt, future::join_all};
use tokio::time::Instant;

use super::{
    listing, refusing, rejecting,
    source::{Mint, OPERATION, Source, asking, drawing_on, drawing_with, silence, token},
    tokens,
};
use crate::{
    Environment,
    clock::{Clock, millis, seconds},
    list, moment, printed,
    server::{Server, gate, json, status},
    within_bounds,
};

#[tokio::test]
async fn a_thousand_first_calls_ask_for_one_token_a_scope() -> Result<(), Error> {
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();

    let mut calls: Vec<_> = (0..1000)
        .map(|n| {
            let client = env.client.clone();
            tokio::spawn(async move {
                match n % 2 {
                    0 => client.list_monitoring_addresses().send().await.map(drop),
                    _ => client.list_deposit_addresses().send().await.map(drop),
                }
            })
        })
        .collect();
    mint.reached(2).await;
    moment().await;
    // A few connections are enough for what follows.
    calls.drain(20..).for_each(|call| call.abort());
    gate.add_permits(2);
    for call in calls {
        within_bounds(call).await.expect("no panic")?;
    }

    assert_eq!(mint.count(), 2);
    assert_eq!(env.service.count(), 20);
    Ok(())
}

#[tokio::test]
async fn a_refusal_is_shared_by_all_who_wait() {
    let gate = gate();
    let refusal = json(401, r#"{"error":"invalid_client"}"#).behind(&gate);
    let env = refusing(refusal);

    let calls: Vec<_> = (0..100).map(|_| listing(&env)).collect();
    env.auth.reached(1).await;
    moment().await;
    gate.add_permits(100);

    for call in calls {
        let error = within_bounds(call).await.expect("no panic").expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Token);
        assert_eq!(error.oauth_error(), Some("invalid_client"));
        assert_eq!(error.attempts(), 0);
    }
    assert_eq!((env.auth.count(), env.service.count()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_shared_by_all_who_wait() {
    let clock = Clock::stopped();
    let env = refusing(status(503));

    let calls: Vec<_> = (0..100).map(|_| listing(&env)).collect();
    let results = clock.run(millis(10), join_all(calls)).await;

    for result in results {
        let error = result.expect("no panic").expect_err("an outage");
        assert_eq!((error.kind(), error.oauth_error()), (ErrorKind::Token, None));
        assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
        assert!(error.is_retryable());
    }
    assert_eq!(env.auth.count(), 3);
}

#[tokio::test]
async fn who_leaves_while_a_token_comes_harms_no_other() -> Result<(), Error> {
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();

    let first = listing(&env);
    mint.reached(1).await;
    let second = listing(&env);
    moment().await;
    first.abort();
    moment().await;
    gate.add_permits(1);

    within_bounds(second).await.expect("no panic")?;
    assert_eq!((mint.count(), env.service.count()), (1, 1));
    Ok(())
}

#[tokio::test]
async fn a_token_that_nobody_waits_for_any_more_is_asked_for_again() -> Result<(), Error> {
    let mint = Mint::of(seconds(3600));
    let gate = mint.close();
    let env = mint.environment();

    let only = listing(&env);
    mint.reached(1).await;
    only.abort();
    moment().await;
    gate.add_permits(1);

    list(&env.client).await?;
    assert_eq!(tokens(&env.service), ["word-2"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_is_left_after_thirty_seconds() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let _never = mint.close();
    let env = mint.environment();

    let start = Instant::now();
    let results = clock.run(millis(100), join_all((0..3).map(|_| listing(&env)))).await;
    for result in results {
        let error = result.expect("no panic").expect_err("silence");
        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable());
    }
    assert!(start.elapsed() >= seconds(30) && start.elapsed() < seconds(32));
    assert_eq!(mint.count(), 1);

    mint.open();
    clock.forward(seconds(1)).await;
    list(&env.client).await?;
    assert_eq!(mint.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_once_is_asked_again_while_calls_keep_coming() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::playing([silence(), token("word")]);
    let env = drawing_with(&source, |client| client.call_timeout(seconds(10)));

    let mut waiting = Vec::new();
    for _ in 0..16 {
        waiting.push(listing(&env));
        moment().await;
        clock.forward(seconds(2)).await;
    }

    list(&env.client).await?;
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_source_is_an_error_of_all_who_wait() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::of(|times| {
        assert!(times > 0, "the source has no token, and no manners");
        async move {
            assert!(times > 1, "the source has still no manners");
            Ok(AccessToken::new("word"))
        }
    });
    let env = Environment::with([json(200, "{}")], |client| client.credentials(source.clone()));

    for asked in [1, 2] {
        for result in join_all((0..3).map(|_| listing(&env))).await {
            let error = result.expect("no panic").expect_err("a panic");
            assert_eq!(error.kind(), ErrorKind::Token);
            assert!(error.to_string().contains("the token source panicked"), "{error}");
            assert!(!printed(&error).contains("manners"), "{error:?}");
        }
        assert_eq!(source.count(), asked);
        clock.forward(seconds(2)).await;
    }
    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_nobody_polls_is_no_failure_of_the_source() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::of(|_| async {
        tokio::time::sleep(millis(1)).await;
        tokio::time::sleep(millis(1)).await;
        Ok(AccessToken::new("word"))
    });
    let env = drawing_on(&source);
    let mut left_alone = pin!(env.client.list_monitoring_addresses().send());

    assert!(left_alone.as_mut().now_or_never().is_none());
    clock.forward(seconds(31)).await;

    clock.run(millis(1), list(&env.client)).await
}

#[tokio::test]
async fn a_bearer_token_is_used_by_the_first_poll_of_a_call() {
    let env = Environment::with([], |client| client.bearer_token("word"));

    for _ in 0..4 {
        let token = env.client.cached_token(OPERATION).now_or_never();
        let token = token.expect("at once").expect("a token");
        assert_eq!(token, "Bearer word");
        assert!(token.is_sensitive());
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_renewal_hands_out_no_token_that_was_rejected_meanwhile() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(10));
    let auth = Server::playing([]);
    let env = Environment::of(rejecting("word-1"), auth, |client| client.credentials(mint.clone()));
    env.client.cached_token(OPERATION).await?;
    clock.forward(seconds(8)).await;
    let gate = mint.close();

    let hurried = CallOptions::new().call_timeout(seconds(1));
    let renewing = asking(&env.client.with_options(hurried));
    mint.reached(2).await;
    let rejected = listing(&env);
    while env.client.cached_token(OPERATION).now_or_never().is_some() {
        moment().await;
    }
    clock.forward(millis(600)).await;
    moment().await;
    let another = listing(&env);
    moment().await;
    assert_eq!(mint.count(), 2);
    gate.add_permits(1);

    assert_eq!(within_bounds(renewing).await.expect("no panic")?, "Bearer word-2");
    within_bounds(another).await.expect("no panic")?;
    within_bounds(rejected).await.expect("no panic")
}
