//! Tests of how `Retry-After` and `rate_limit` delay calls.

use std::{pin::pin, time::SystemTime};

use httpdate::fmt_http_date;

use super::patient;
use crate::{memory::until, prelude::*};

// RFC 9110, section 10.2.3.
#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_in_seconds_and_as_a_date() -> Result<(), Error> {
    let soon: fn() -> String = || fmt_http_date(SystemTime::now() + seconds(100));
    let then: fn() -> String = || "Sun, 06 Nov 1994 08:50:30 GMT".to_owned();
    let for_ninety: fn() -> String = || "90".to_owned();
    for (code, retry_after, date) in [
        (429, for_ninety, None),
        (503, for_ninety, None),
        (500, || "  90 ".to_owned(), None),
        (429, soon, None),
        (429, then, Some("Sun, 06 Nov 1994 08:49:00 GMT")),
    ] {
        let service = InMemory::scripted(move |count, _| {
            if count > 0 {
                return json(200, "{}");
            }
            let answer = status(code).header("retry-after", retry_after());
            date.into_iter().fold(answer, |answer, date| answer.header("date", date))
        });

        list(&service.with(patient)).await?;

        let waited = service.times()[1];
        assert!((seconds(90)..seconds(101)).contains(&waited), "{code}: {waited:?}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_understood_in_the_forms_that_services_give_it() -> Result<(), Error> {
    let date = "Sun, 06 Nov 1994 08:49:00 GMT";
    for (values, expected) in [
        (&["2.5"][..], 3),
        (&["0.001"], 1),
        (&["7.0"], 7),
        (&["2, 2"], 2),
        (&["2,30 , 4.1"], 30),
        (&["5", "9"], 9),
        (&["soon, 8"], 8),
        (&["Sun, 06 Nov 1994 08:49:40 UTC"], 40),
        (&["Sun, 06 Nov 1994 08:49:41 +0000"], 41),
        (&["Sun, 06 Nov 1994 10:49:42 +0200"], 42),
        (&["Sun, 6 Nov 1994 08:49:43 GMT"], 43),
        (&["6 Nov 1994 08:49:44 UTC"], 44),
        (&["Sun, 06 Nov 1994 08:49:20 GMT, Sun, 06 Nov 1994 08:49:45 GMT"], 45),
        (&["Sunday, 06-Nov-94 08:49:46 GMT"], 46),
        (&["Sun Nov  6 08:49:47 1994"], 47),
    ] {
        let service = InMemory::scripted(move |count, _| {
            let answer = status(503).header("date", date);
            let headers = values.iter().filter(|_| count == 0);
            let answer = headers.fold(answer, |answer, value| answer.header("retry-after", *value));
            if count == 0 { answer } else { json(200, "{}") }
        });

        list(&service.with(patient)).await?;

        assert_eq!(service.times()[1], seconds(expected), "{values:?}");
    }
    Ok(())
}

// Otherwise, a single response header would remove the pauses before retries.
#[tokio::test(start_paused = true)]
async fn a_retry_after_that_is_over_shortens_no_wait() {
    for over in ["0", "Sun, 06 Nov 1994 08:49:37 GMT", "0.0", "0, 0"] {
        for status in [429, 503] {
            let service = InMemory::always(json(status, "{}").header("retry-after", over));
            let retry = Retry::default().max_attempts(2).base_delay(seconds(8));
            let client = service.with(|client| client.retry(retry.max_delay(seconds(8))));
            let mut waits = Vec::new();
            for _ in 0..20 {
                let before = service.count();
                list(&client).await.unwrap_err();
                assert_eq!(service.count(), before + 2, "{status} {over}");
                let times = service.times();
                waits.push(times[before + 1].saturating_sub(times[before]));
            }

            let total: Duration = waits.iter().sum();
            assert!(total > seconds(20), "{status} {over}: {waits:?}");
            let least = if status == 429 { millis(800) } else { Duration::ZERO };
            assert!(waits.iter().all(|wait| *wait >= least), "{status} {over}: {waits:?}");
        }
    }
}

#[tokio::test]
async fn a_retry_after_that_is_over_or_says_nothing_is_no_wait() -> Result<(), Error> {
    for text in ["0", "Sun, 06 Nov 1994 08:49:37 GMT", "soon", "-1", "+1", ""] {
        let answer = status(503).header("retry-after", text);
        let env = Environment::playing([answer, json(200, "{}")]);

        list(&env.client).await?;

        assert_eq!(env.service.count(), 2, "{text}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_deadline_comes_back_at_once() {
    for (code, text, expected) in [
        (429, "3600", seconds(3600)),
        (503, "61", seconds(61)),
        // RFC 9111, section 1.2.2: a number that is too large counts as the largest possible
        // number.
        (429, "99999999999999999999", Duration::from_secs(u64::MAX)),
        (429, "18446744073709551615", seconds(u64::MAX)),
    ] {
        let _clock = Clock::stopped();
        let env = Environment::always(status(code).header("retry-after", text));

        let error = list(&env.client).await.expect_err("beyond the deadline");

        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Status, 1), "{text}");
        assert_eq!(error.retry_after(), Some(expected));
        assert!(error.is_retryable(), "{text}");
        assert_eq!(env.service.count(), 1, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_429_holds_back_the_clones() -> Result<(), Error> {
    let service = InMemory::scripted(|count, _| match count {
        0 => status(429).header("retry-after", "5"),
        _ => json(200, "{}"),
    });
    let client = service.with(|client| patient(client).retry(Retry::none()));

    let error = list(&client).await.expect_err("429");
    assert_eq!(error.retry_after(), Some(seconds(5)));
    // Another operation isn't delayed.
    client.list_deposit_addresses().send().await?;
    list(&client.clone()).await?;

    assert_eq!(service.times(), [0, 0, 5].map(seconds));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_503_holds_nobody_back() -> Result<(), Error> {
    let _clock = Clock::stopped();
    let env = Environment::playing([status(503).header("retry-after", "600"), json(200, "{}")]);

    let error = list(&env.client).await.expect_err("503");

    assert_eq!(error.retry_after(), Some(seconds(600)));
    list(&env.client).await
}

#[tokio::test]
async fn a_rate_limit_that_leaves_no_time_comes_back_at_once() -> Result<(), Error> {
    let env = Environment::of(Server::always(json(200, "{}")), granting(), |client| {
        client.rate_limit(operation::LIST_MONITORING_ADDRESSES, 0.001)
    });

    list(&env.client).await?;
    let error = list(&env.client).await.expect_err("too early");
    within_bounds(env.client.list_deposit_addresses().send()).await?;

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(error.retry_after().is_some_and(|wait| wait > seconds(900) && wait <= seconds(1000)));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn operations_that_share_a_rate_limit_take_turns() {
    let service = InMemory::always(json(200, "{}"));
    let shared = [operation::LIST_MONITORING_ADDRESSES, operation::LIST_DEPOSIT_ADDRESSES];
    let client = service.with(|client| client.shared_rate_limit(shared, 1.0));
    let deposits = client.list_deposit_addresses();

    let (one, two, three) = tokio::join!(list(&client), deposits.clone().send(), list(&client));
    deposits.send().await.unwrap();

    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(service.times(), [0, 1, 2, 3].map(seconds));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_polls_keeps_no_turn_from_others_and_none_for_itself() {
    let (service, client) = limited(1.0);
    list(&client).await.unwrap();
    let mut left_alone = pin!(list(&client));
    assert!(left_alone.as_mut().now_or_never().is_none());

    advance(seconds(10)).await;
    list(&client).await.unwrap();
    assert!(left_alone.as_mut().now_or_never().is_none());
    assert_eq!(service.count(), 2);

    left_alone.await.unwrap();
    assert_eq!(service.times(), [0, 10, 11].map(seconds));
}

#[tokio::test(start_paused = true)]
async fn a_429_that_is_over_is_not_what_the_rate_limit_refuses_with() {
    let clock = Clock::stopped();
    let throttled = status(429).header("retry-after", "90");
    let env = Environment::with([throttled], |client| {
        client.rate_limit(operation::LIST_MONITORING_ADDRESSES, 0.001)
    });
    assert_eq!(list(&env.client).await.unwrap_err().kind(), ErrorKind::Status);

    clock.forward(seconds(100)).await;
    let error = list(&env.client).await.unwrap_err();

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert_eq!(error.retry_after(), Some(seconds(900)));
}

#[tokio::test]
async fn a_post_that_got_401_and_then_no_turn_was_not_applied() {
    let env = Environment::with([status(401)], |client| {
        client.rate_limit(operation::ADD_INSTITUTION_MEMBERS, 0.001)
    });

    let error = add(&env.client).await.expect_err("no turn before the deadline");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    assert!(!error.may_have_been_applied());
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_429_holds_back_a_call_that_was_waiting_for_its_token() {
    let (throttle, grants) = (gate(), gate());
    let (throttled, held) = (Arc::clone(&throttle), Arc::clone(&grants));
    let service = InMemory::scripted(move |count, _| match count {
        0 => status(429).header("retry-after", "3600").behind(&throttled),
        _ => status(401),
    });
    let auth = InMemory::scripted(move |count, _| match count {
        0 => grant("first", "3599"),
        _ => grant("second", "3599").behind(&held),
    });
    let env = Environment::in_memory(service, auth, |client| client);

    let first = listing(&env);
    until(|| env.service.count() == 1).await;
    let second = listing(&env);
    until(|| (env.service.count(), env.auth.count()) == (2, 2)).await;
    throttle.add_permits(1);
    let first = first.await.expect("no panic").expect_err("throttled");
    grants.add_permits(1);
    let second = second.await.expect("no panic").expect_err("held back");

    assert_eq!(code(&first), Some(429));
    assert_eq!((code(&second), second.attempts()), (Some(429), 1));
    assert_eq!(env.service.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_clones_of_a_client_keep_to_one_rate_although_timers_wake_late() -> Result<(), Error> {
    // Timers fire only at whole milliseconds.
    for (rate, calls) in [(300_u16, 90_u16), (900, 180)] {
        let (_, client) = limited(rate.into());
        let start = Instant::now();

        let clients = [client.clone(), client];
        for result in join_all(clients.iter().cycle().take(calls.into()).map(list)).await {
            result?;
        }

        let took = start.elapsed().as_secs_f64();
        let least = f64::from(calls - 1) / f64::from(rate);
        assert!((least..least * 1.03).contains(&took), "{calls} calls at {rate} took {took} s");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_rate_makes_up_for_fifty_milliseconds_of_a_timer_that_wakes_late() {
    let (service, client) = limited(100.0);
    let mut calls = pin!(join_all((0..8).map(|_| list(&client))));
    assert!(calls.as_mut().now_or_never().is_none());

    advance(millis(200)).await;
    assert!(calls.await.iter().all(Result::is_ok));

    assert_eq!(service.times(), [0, 200, 200, 200, 200, 200, 200, 210].map(millis));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_comes_late_costs_the_next_no_time_and_an_idle_time_saves_none()
-> Result<(), Error> {
    let (service, client) = limited(500.0);
    let call = || client.list_monitoring_addresses().send();

    call().await?;
    sleep(millis(3)).await; // its turn was due after two
    call().await?;
    call().await?;
    sleep(millis(20)).await;
    call().await?;
    call().await?;

    assert_eq!(service.times(), [0, 3, 4, 24, 26].map(millis));
    Ok(())
}
