//! One request for all who wait.

use digital_assets::{Error, ErrorKind};
use futures_util::future::join_all;

use super::{Mint, listing, refusing, tokens};
use crate::{
    clock::{Clock, millis, seconds},
    list, moment,
    server::{gate, json, status},
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
