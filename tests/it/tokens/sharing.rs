//! Tests that all waiting calls share one token request, even if some of the calls are dropped or
//! late.

use std::pin::pin;

use super::{prelude::*, runtimes::abroad};

#[tokio::test]
async fn a_thousand_first_calls_ask_for_one_token_a_scope() {
    let (mint, gate, env) = closed(seconds(3600));

    let lists = join_all((0..500).map(|_| listing(&env)));
    let deposits = join_all((0..500).map(|_| env.client.list_deposit_addresses().send()));
    let open = async {
        mint.reached(2).await;
        gate.add_permits(2);
    };
    let (lists, deposits, ()) = tokio::join!(lists, within_bounds(deposits), open);

    assert!(lists.into_iter().all(|call| call.is_ok_and(|result| result.is_ok())));
    assert!(deposits.iter().all(Result::is_ok));
    assert_eq!((mint.count(), env.service.count()), (2, 1_000));
}

#[tokio::test]
async fn a_failure_is_shared_by_all_who_wait_on_any_runtime() {
    let refusal = json(401, r#"{"error":"invalid_client"}"#);
    for (answer, code, asked) in [(refusal, Some("invalid_client"), 1), (status(503), None, 3)] {
        let gate = gate();
        let env = refusing(answer.behind(&gate));

        let runtime = abroad(&env);
        env.auth.reached(1).await;
        let calls: Vec<_> = (0..100).map(|_| listing(&env)).collect();
        begun().await;
        gate.add_permits(100);

        for call in calls {
            let error = within_bounds(call).await.expect("no panic").expect_err("no token");
            assert_eq!((error.kind(), error.oauth_error()), (ErrorKind::Token, code));
            assert_eq!((error.attempts(), error.is_retryable()), (0, code.is_none()));
        }
        assert_eq!((env.auth.count(), env.service.count()), (asked, 0));
        runtime.shutdown_background();
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_source_is_an_error_of_all_who_wait() -> Result<(), Error> {
    let clock = Clock::stopped();
    let source = Source::of(|times| {
        assert!(times > 0, "the source has no token, and no manners");
        async move {
            assert!(times > 1, "the source still has no manners");
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

#[tokio::test]
async fn who_leaves_while_a_token_comes_harms_no_other() -> Result<(), Error> {
    let (mint, gate, env) = closed(seconds(3600));

    let first = listing(&env);
    mint.reached(1).await;
    let second = listing(&env);
    begun().await;
    first.abort();
    begun().await;
    gate.add_permits(1);

    within_bounds(second).await.expect("no panic")?;
    assert_eq!((mint.count(), env.service.count()), (1, 1));
    Ok(())
}

#[tokio::test]
async fn a_token_that_nobody_waits_for_any_more_is_asked_for_again() -> Result<(), Error> {
    let (mint, gate, env) = closed(seconds(3600));

    let only = listing(&env);
    mint.reached(1).await;
    only.abort();
    begun().await;
    gate.add_permits(1);

    list(&env.client).await?;
    assert_eq!(env.service.tokens(), ["word-2"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_is_left_after_thirty_seconds() -> Result<(), Error> {
    let (mint, _never, env) = closed(seconds(3600));

    let start = Instant::now();
    let results = join_all((0..3).map(|_| asking(&env.client))).await;
    for result in results {
        let error = result.expect("no panic").expect_err("silence");
        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable());
    }
    assert!(start.elapsed() >= seconds(30) && start.elapsed() < seconds(32));
    assert_eq!(mint.count(), 1);

    mint.open();
    advance(seconds(1)).await;
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
        begun().await;
        clock.forward(seconds(2)).await;
    }

    list(&env.client).await?;
    assert_eq!(source.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_nobody_polls_is_no_failure_of_the_source() -> Result<(), Error> {
    let source = Source::of(|_| async {
        sleep(millis(1)).await;
        sleep(millis(1)).await;
        Ok(AccessToken::new("word"))
    });
    let env = drawing_on(&source);
    let mut left_alone = pin!(env.client.list_monitoring_addresses().send());

    assert!(left_alone.as_mut().now_or_never().is_none());
    advance(seconds(31)).await;

    token_of(&env.client).await.map(drop)
}

#[tokio::test]
async fn a_bearer_token_is_used_by_the_first_poll_of_a_call() {
    let service = InMemory::always(json(200, "{}"));
    let client = service.with(|client| client.bearer_token("word"));

    for _ in 0..4 {
        list(&client).now_or_never().expect("at once").expect("a page");
    }
    for request in service.requests() {
        let token = &request.headers()["authorization"];
        assert!(token == "Bearer word" && token.is_sensitive());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_a_call_is_late_to_look_at_is_no_failure_of_the_next() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(3600));
    mint.fail(true);
    let _late = late(&env.client);
    mint.reached(1).await;
    begun().await;

    mint.fail(false);
    clock.forward(seconds(2)).await;

    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_a_call_is_late_to_look_at_is_the_only_one() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(3600));
    token_of(&env.client).await?;
    clock.forward(seconds(3301)).await;
    let gate = mint.close();
    let late = late(&env.client);
    mint.reached(2).await;

    clock.forward(seconds(6)).await;
    assert_eq!(token_of(&env.client).await?, "Bearer word-1");
    gate.add_permits(1);
    while token_of(&env.client).await? != "Bearer word-2" {
        begun().await;
    }

    assert_eq!(late.await?, "Bearer word-2");
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_late_to_look_gets_the_token_of_another_runtime() -> Result<(), Error> {
    let gate = gate();
    let (source, env) = playing([sealed().behind(&gate), token("word")]);
    let late = late(&env.client);
    source.reached(1).await;

    elsewhere(&env.client).await?;
    gate.add_permits(1);
    begun().await;

    assert_eq!(late.await?, "Bearer word");
    Ok(())
}
