//! Tests of tokens that the service rejects with a 401, and of their replacement.

use std::{future::ready, iter, sync::Mutex};

use super::prelude::*;

#[tokio::test]
async fn a_401_forgets_the_token_and_sends_once_more() -> Result<(), Error> {
    let script = [status(401), json(200, "{}"), status(401), json(200, MEMBERS)];
    let env = Environment::with(script, |client| client.retry(Retry::none()));

    list(&env.client).await?;
    add(&env.client).await?;

    assert_eq!(env.service.tokens(), ["word-1", "word-2", "word-3", "word-4"]);
    let requests = env.service.requests();
    assert_eq!(requests[2].line, "POST /v2/identity/institution-members");
    assert_eq!((&requests[2].line, &requests[2].body), (&requests[3].line, &requests[3].body));
    Ok(())
}

#[tokio::test]
async fn a_401_to_the_fresh_token_is_the_error() {
    let env = Environment::always(status(401));

    let error = list(&env.client).await.expect_err("401");
    let posted = add(&env.client).await.expect_err("401");

    for error in [error, posted] {
        assert_eq!(error.kind(), ErrorKind::Status);
        assert_eq!(code(&error), Some(401));
        assert_eq!(error.attempts(), 2);
        assert!(!error.may_have_been_applied());
    }
    assert_eq!((env.service.count(), env.auth.count()), (4, 4));
}

#[tokio::test]
async fn many_401s_to_one_token_ask_for_one_other() {
    let service = Server::answering(|request| match request.header("authorization") {
        Some("Bearer word-1") => status(401),
        _ => json(200, "{}"),
    });
    let env = Environment::of(service, granting(), |client| client);

    let results = join_all((0..50).map(|_| list(&env.client))).await;

    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!((env.auth.count(), env.service.count()), (2, 100));
}

#[tokio::test]
async fn a_bearer_token_is_never_replayed() {
    let env = Environment::with([status(401)], |client| client.bearer_token("word"));

    let error = list(&env.client).await.expect_err("401");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Status, 1));
    assert_eq!(env.service.tokens(), ["word"]);
    assert_eq!(env.auth.count(), 0);
}

// This happens if a session is ended elsewhere, or if a service loses its sessions when it
// restarts.
#[tokio::test(start_paused = true)]
async fn a_token_that_is_revoked_after_its_use_is_replaced_within_the_call() {
    let last = Mutex::new(None);
    let service = InMemory::scripted(move |_, request| {
        let token = request.headers().get("authorization").cloned();
        let last = std::mem::replace(&mut *last.lock().expect("a token"), token.clone());
        json(if token == last { 401 } else { 200 }, "{}")
    });
    let mint = Source::minting(seconds(3600));
    let client = service.with(|client| client.credentials(mint.clone()));

    for _ in 0..20 {
        let start = Instant::now();
        client.list_monitoring_addresses().send().await.expect("a page");
        assert!(start.elapsed() <= millis(1_100), "{:?}", start.elapsed());
    }
    let hurried = client.with_options(CallOptions::new().call_timeout(millis(500)));
    let error = list(&hurried).await.expect_err("401");

    assert_eq!(code(&error), Some(401));
    assert!(error.retry_after().is_some_and(|wait| wait > millis(500)), "{error:?}");
    assert_eq!(mint.count(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_refuses_every_token_costs_one_in_five_seconds() {
    let clock = Clock::stopped();
    let env = Environment::always(status(401));

    for (wait, left) in [(0, 5_000), (0, 5_000), (3_900, 1_100)] {
        clock.forward(millis(wait)).await;
        let error = list(&env.client).await.expect_err("401");
        assert_eq!(error.retry_after(), Some(millis(left)));
        assert_eq!(env.auth.count(), 2);
    }

    clock.forward(millis(1_100)).await;
    for _ in 0..20 {
        let error = list(&env.client).await.expect_err("401");
        assert_eq!(error.retry_after(), Some(seconds(5)));
    }
    assert_eq!(env.auth.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_late_401_to_an_old_token_takes_no_new_one_away() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let ok = json(200, "{}");
    let env = Environment::playing([status(401).behind(&gate), status(401), ok.clone(), ok]);

    let late = listing(&env);
    env.service.reached(1).await;
    list(&env.client).await?;
    clock.forward(seconds(5)).await;
    gate.add_permits(1);
    within_bounds(late).await.expect("no panic")?;

    assert_eq!(env.service.tokens(), ["word-1", "word-1", "word-2", "word-2"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_to_an_old_token_says_nothing_of_a_new_one() -> Result<(), Error> {
    let clock = Clock::stopped();
    let gate = gate();
    let rejected = iter::repeat_n(status(401), 9);
    let env = Environment::playing([json(200, "{}").behind(&gate)].into_iter().chain(rejected));

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

#[tokio::test]
async fn a_call_that_is_late_to_look_gets_no_token_that_was_rejected_meanwhile() -> Result<(), Error>
{
    let mint = Source::minting(seconds(3600));
    let env = rejected_after(0, &mint);
    let late = late(&env.client);

    list(&env.client).await?;

    assert_eq!(late.await?, "Bearer word-2");
    assert_eq!(mint.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_late_renewal_hands_out_no_token_that_was_rejected_meanwhile() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Source::minting(seconds(10));
    let env = rejected_after(1, &mint);
    token_of(&env.client).await?;
    clock.forward(seconds(8)).await;
    let gate = mint.close();

    let hurried = CallOptions::new().call_timeout(seconds(1));
    let renewing = asking(&env.client.with_options(hurried));
    mint.reached(2).await;
    let rejected = listing(&env);
    begun().await;
    clock.forward(millis(600)).await;
    begun().await;
    let another = listing(&env);
    begun().await;
    assert_eq!(mint.count(), 2);
    gate.add_permits(1);

    assert_eq!(within_bounds(renewing).await.expect("no panic")?, "Bearer word-2");
    within_bounds(another).await.expect("no panic")?;
    within_bounds(rejected).await.expect("no panic")
}

// Some token endpoints return the same token until it expires. A renewal can't know of a rejection
// after its start.
#[tokio::test(start_paused = true)]
async fn a_renewal_that_was_started_before_a_401_is_no_replacement() -> Result<(), Error> {
    let same = |token: &str| AccessToken::new(token).expires_in(seconds(10));
    for (renewed, accepted) in [("word-1", "word-3"), ("word-2", "word-3")] {
        for is_abandoned in [false, true] {
            let clock = Clock::stopped();
            let mint = Source::of(move |earlier| {
                let token = ["word-1", renewed, "word-3"][earlier];
                ready(Ok(same(token)))
            });
            let service = InMemory::scripted(move |count, request| {
                let token = &request.headers()["authorization"];
                let is_accepted = count == 0 || *token == format!("Bearer {accepted}");
                json(if is_accepted { 200 } else { 401 }, "{}")
            });
            let client = service.with(|client| client.credentials(mint.clone()));
            list(&client).await?;
            clock.forward(seconds(8)).await;
            let gate = mint.close();
            // This call starts the renewal. It waits for the renewal until half of its time is over.
            let hurried = CallOptions::new().call_timeout(seconds(1));
            let renewing = asking(&client.with_options(hurried));
            mint.reached(2).await;

            if is_abandoned {
                clock.forward(millis(600)).await;
                begun().await;
            }
            let rejected = {
                let client = client.clone();
                tokio::spawn(async move { list(&client).await })
            };
            begun().await;
            begun().await;
            mint.open();
            gate.add_permits(9);

            within_bounds(rejected).await.expect("no panic")?;
            assert_eq!(mint.count(), 3, "{renewed}, {is_abandoned}");
            drop(renewing);
        }
    }
    Ok(())
}
