//! Tests of how long an attempt and a call may take.

use crate::prelude::*;

#[tokio::test(start_paused = true)]
async fn a_silent_service_is_left_at_the_deadline_of_the_attempt_or_of_the_call() {
    for (chosen, almost) in [(None, millis(14_999)), (Some(seconds(2)), millis(1_999))] {
        let clock = Clock::stopped();
        let env = Environment::with([silent()], |client| {
            let client = client.retry(Retry::none());
            chosen.into_iter().fold(client, ClientBuilder::call_timeout)
        });

        let call = adding(&env);
        env.service.reached(1).await;
        clock.forward(almost).await;
        assert!(!call.is_finished(), "{chosen:?}");
        clock.forward(millis(2)).await;
        let error = within_bounds(call).await.expect("no panic").expect_err("silence");

        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
        assert!(error.may_have_been_applied() && !error.is_retryable());
        env.service.hung_up().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_that_no_clock_can_measure_lasts_for_months() -> Result<(), Error> {
    let (clock, gate) = (Clock::stopped(), gate());
    let env = Environment::with([json(200, "{}").behind(&gate)], |client| {
        let client = client.call_timeout(Duration::MAX).attempt_timeout(Duration::MAX);
        client.connect_timeout(Duration::MAX)
    });

    let call = listing(&env);
    env.service.reached(1).await;
    clock.forward(seconds(100 * 24 * 3600)).await;
    gate.add_permits(1);

    within_bounds(call).await.expect("no panic")
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_one_byte_a_second_ends_at_the_attempt_timeout() {
    let service = InMemory::scripted(|_, _| json(200, " ".repeat(1000)).dripping());
    let client = service.with(|client| client.retry(Retry::none()));

    let start = Instant::now();
    let error = list(&client).await.expect_err("too slow");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    assert!((seconds(15)..seconds(16)).contains(&start.elapsed()));
    assert!(error.is_retryable() && !error.may_have_been_applied());
    assert_eq!(code(&error), Some(200));
}

#[tokio::test(start_paused = true)]
async fn a_status_is_not_lost_behind_a_body_that_does_not_come() {
    for (status_code, applied) in [(422, false), (503, true)] {
        let answer = status(status_code).body("x".repeat(1000)).dripping();
        let service = InMemory::scripted(move |_, _| answer.clone());
        let client = service.with(|client| client.retry(Retry::none()));

        let error = add(&client).await.expect_err("a failure");

        assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(status_code)));
        assert_eq!(error.may_have_been_applied(), applied, "{status_code}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_status_asks_for_does_not_wait_for_the_body() -> Result<(), Error> {
    for answer in [status(401), status(429).header("retry-after", "1"), status(503)] {
        let slow = answer.body("x".repeat(1000)).dripping();
        let service = InMemory::scripted(move |count, _| match count {
            0 => slow.clone(),
            _ => json(200, "{}"),
        });
        let env = Environment::in_memory(service, granting_in_memory(), |client| client);

        let start = Instant::now();
        list(&env.client).await?;

        assert!(start.elapsed() < seconds(4), "{:?}", start.elapsed());
        assert_eq!(env.service.count(), 2);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_however_many_attempts_it_has_left() {
    let service = InMemory::scripted(|_, _| silent());
    let client =
        service.with(|client| client.call_timeout(seconds(20)).retry(quick().max_attempts(10)));

    let start = Instant::now();
    let error = list(&client).await.expect_err("silence");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 2));
    assert!((seconds(20)..seconds(21)).contains(&start.elapsed()));
    assert_eq!(service.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_call_holds_while_it_waits_for_a_token() {
    let clock = Clock::stopped();
    let never = gate();
    let auth = Server::answering(move |_| grant("word", "3599").behind(&never));
    let settings = |client: ClientBuilder| client.call_timeout(seconds(9));
    let env = Environment::of(Server::playing([]), auth, settings);

    let call = adding(&env);
    env.auth.reached(1).await;
    clock.forward(seconds(9) + millis(1)).await;
    let error = within_bounds(call).await.expect("no panic").expect_err("no token");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(!error.may_have_been_applied() && error.is_retryable());
    assert_eq!(env.service.count(), 0);
}

#[tokio::test]
async fn a_call_without_time_sends_nothing() {
    let env = Environment::with([], |client| client.call_timeout(Duration::ZERO));

    let error = add(&env.client).await.expect_err("no time");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(!error.may_have_been_applied());
    assert_eq!(env.service.count(), 0);
}
