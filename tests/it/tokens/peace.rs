//! How often a failing token endpoint is asked again.

use std::time::Duration;

use digital_assets::{AccessToken, CallOptions, Client, ErrorKind};
use tokio::time::Instant;

use super::{
    listing, refusing,
    source::{Mint, OPERATION, Source, drawing_with},
};
use crate::{
    Environment, add,
    clock::{Clock, millis, seconds},
    grant, granting, list, moment,
    server::{Server, gate, json, status},
    specification::MEMBERS,
    within_bounds,
};

// 1 s, 2 s, 4 s, 8 s and 16 s lie between six failures of three requests each.
#[tokio::test(start_paused = true)]
async fn an_endpoint_that_is_down_is_asked_less_and_less() {
    let clock = Clock::stopped();
    let env = refusing(status(503));

    for _ in 0..50 {
        let start = Instant::now();
        let error = clock.run(millis(10), list(&env.client)).await.expect_err("an outage");

        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable());
        clock.forward(seconds(1).saturating_sub(start.elapsed())).await;
    }

    assert_eq!(env.auth.count(), 18);
}

#[tokio::test(start_paused = true)]
async fn calls_in_a_pause_fail_at_once_with_what_is_left_of_it() {
    for (answer, first, rest) in [
        (status(429).header("retry-after", "30"), seconds(30), 30),
        (status(429).header("retry-after", "86400"), seconds(86_400), 300),
        (status(500).header("retry-after", "20"), seconds(20), 20),
        (json(401, r#"{"error":"invalid_client"}"#), Duration::ZERO, 5),
    ] {
        let clock = Clock::stopped();
        let env = refusing(answer);

        let error = list(&env.client).await.expect_err("no token");
        assert_eq!(error.retry_after().unwrap_or_default(), first);
        for left in [4, 3, 1] {
            let passed = env.auth.requests()[0].at.elapsed();
            clock.forward(seconds(rest - left).saturating_sub(passed)).await;
            let error = list(&env.client).await.expect_err("a pause");

            let near = error.retry_after().expect("a time").abs_diff(seconds(left));
            assert!(near < millis(10), "{error:?} {near:?}");
            assert_eq!(env.auth.count(), 1);
        }
        clock.forward(millis(1_010)).await;
        list(&env.client).await.expect_err("no token");
        assert_eq!(env.auth.count(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_of_one_request_a_second_serves_the_tokens_of_all_operations() {
    for retry_after in [None, Some("1")] {
        let clock = Clock::stopped();
        let mut last: Option<Instant> = None;
        let auth = Server::answering(move |_| {
            let now = Instant::now();
            if last.is_some_and(|last| now - last < seconds(1)) {
                let throttled = status(429);
                return retry_after
                    .into_iter()
                    .fold(throttled, |it, wait| it.header("retry-after", wait));
            }
            last = Some(now);
            grant("word", "3599")
        });
        let service = Server::answering(|received| match received.path() {
            path if path.contains("members") => json(200, MEMBERS),
            _ => json(200, "{}"),
        });
        let env = Environment::of(service, auth, |client| client);

        let executions = env.client.list_quote_executions().profile_id("p");
        let deposits = env.client.list_deposit_addresses();
        let calls = async {
            tokio::join!(executions.send(), deposits.send(), list(&env.client), add(&env.client),)
        };
        let (executions, deposits, addresses, added) = Box::pin(clock.run(millis(10), calls)).await;

        executions.expect("a page");
        deposits.expect("a page");
        addresses.expect("a page");
        added.expect("members");
        assert!(env.auth.count() <= 8, "{}", env.auth.count());
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_that_one_scope_was_told_holds_for_all() {
    for (asked_for, left) in [("30", 20), ("86400", 290)] {
        let clock = Clock::stopped();
        let env = refusing(status(429).header("retry-after", asked_for));

        list(&env.client).await.expect_err("429");
        clock.forward(seconds(10)).await;
        let error = add(&env.client).await.expect_err("429");

        assert_eq!((error.kind(), error.retry_after()), (ErrorKind::Token, Some(seconds(left))));
        assert_eq!(env.auth.count(), 1);
    }
}

/// A token endpoint that asks once for a wait, and a service of lists and members.
fn throttled_once(wait: &str) -> Environment {
    let granted = [grant("word-1", "3599"), grant("word-2", "3599")];
    let script = [status(429).header("retry-after", wait)].into_iter().chain(granted);
    let service = Server::answering(|received| match received.path() {
        path if path.contains("members") => json(200, MEMBERS),
        _ => json(200, "{}"),
    });
    Environment::of(service, Server::playing(script), |client| client)
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_five_seconds_is_no_failure_of_another_scope() {
    let clock = Clock::stopped();
    let env = throttled_once("5");
    let listing = listing(&env);
    env.auth.reached(1).await;
    for _ in 0..20 {
        moment().await;
    }

    let both = async { tokio::join!(add(&env.client), listing) };
    let (added, listed) = clock.run(millis(100), both).await;

    added.expect("members");
    listed.expect("no panic").expect("a page");
    let asked = env.auth.requests();
    assert_eq!(asked.len(), 3);
    assert!(asked[2].at - asked[1].at >= seconds(5));
}

#[tokio::test(start_paused = true)]
async fn no_wait_is_one_of_a_second() {
    let clock = Clock::stopped();
    let env = throttled_once("0");
    clock.run(millis(100), list(&env.client)).await.expect("a page");
    let asked = env.auth.requests();
    assert!(asked[1].at - asked[0].at >= seconds(1));
}

#[tokio::test(start_paused = true)]
async fn the_longest_of_several_waits_holds() {
    for waits in [["1", "30"], ["30", "1"]] {
        let _clock = Clock::stopped();
        let gates = [gate(), gate()];
        let answers = std::iter::zip(waits, &gates)
            .map(|(wait, gate)| status(429).header("retry-after", wait).behind(gate));
        let auth = Server::playing(answers.collect::<Vec<_>>());
        let env = Environment::of(Server::playing([]), auth, |client| client);
        let first = listing(&env);
        env.auth.reached(1).await;
        let client = env.client.clone();
        let second = tokio::spawn(async move { add(&client).await });
        env.auth.reached(2).await;

        for ((wait, gate), call) in waits.iter().zip(gates).zip([first, second]) {
            gate.add_permits(1);
            if *wait == "30" {
                within_bounds(call).await.expect("no panic").expect_err("429");
            }
            for _ in 0..20 {
                moment().await;
            }
        }
        let third = within_bounds(env.client.list_deposit_addresses().send()).await;
        let error = third.expect_err("a pause");

        assert_eq!(error.retry_after(), Some(seconds(30)), "{waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_ends_a_minute_after_the_wait() {
    let clock = Clock::stopped();
    let env = throttled_once("60");
    list(&env.client).await.expect_err("429");
    clock.forward(seconds(120)).await;

    list(&env.client).await.expect("a page");
    add(&env.client).await.expect("members");

    let asked = env.auth.requests();
    assert_eq!(asked[1].at, asked[2].at);
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_of_a_minute_requests_are_a_second_apart() {
    let clock = Clock::stopped();
    let env = throttled_once("60");
    list(&env.client).await.expect_err("429");
    clock.forward(seconds(60)).await;

    list(&env.client).await.expect("a page");
    clock.run(millis(100), add(&env.client)).await.expect("members");

    let asked = env.auth.requests();
    let apart = asked[2].at - asked[1].at;
    assert!(apart >= seconds(1) && apart < seconds(2), "{apart:?}");
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

// A session that is ended elsewhere, or a service that forgets its sessions when it restarts.
#[tokio::test(start_paused = true)]
async fn a_token_that_is_revoked_after_its_use_is_replaced_within_the_call() {
    let clock = Clock::stopped();
    let mut last = String::new();
    let service = Server::answering(move |request| {
        let token = request.header("authorization").unwrap_or_default().to_owned();
        let is_revoked = token == last;
        last = token;
        if is_revoked { status(401) } else { json(200, "{}") }
    });
    let env = Environment::of(service, granting(), |client| client);

    for _ in 0..20 {
        let start = Instant::now();
        clock.run(millis(100), list(&env.client)).await.expect("a page");
        assert!(start.elapsed() <= millis(1_100), "{:?}", start.elapsed());
    }
    let hurried = env.client.with_options(CallOptions::new().call_timeout(millis(500)));
    let error = list(&hurried).await.expect_err("401");

    assert_eq!(error.status().map(|status| status.as_u16()), Some(401));
    assert!(error.retry_after().is_some_and(|wait| wait > millis(500)), "{error:?}");
    assert_eq!(env.auth.count(), 20);
}

#[tokio::test(start_paused = true)]
async fn calls_that_give_up_do_not_ask_again_each_time() {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let _never = mint.close();
    let env = drawing_with(&mint, |client| client.call_timeout(millis(100)));

    for _ in 0..300 {
        clock.run(millis(20), list(&env.client)).await.expect_err("no time");
    }
    assert!(mint.count() <= 8, "{} requests in 30 s", mint.count());

    mint.open();
    clock.forward(seconds(30)).await;
    within_bounds(list(&env.client)).await.expect("a page");
}

/// A program that gives a call five seconds and pauses for one, whatever it is told.
#[tokio::test(start_paused = true)]
async fn a_source_that_is_slow_after_an_outage_brings_a_token_to_calls_in_any_rhythm() {
    for shift in 0..6 {
        let outage = Instant::now() + seconds(200);
        let source = Source::of(move |_| async move {
            let is_out = Instant::now() < outage;
            tokio::time::sleep(if is_out { seconds(60) } else { millis(1_500) }).await;
            Ok(AccessToken::new("word"))
        });
        let builder = Client::builder("http://127.0.0.1:1").credentials(source);
        let client = builder.call_timeout(seconds(5)).build().expect("a client on loopback");
        let try_once = async || {
            let call = client.cached_token(OPERATION);
            let token = tokio::time::timeout(seconds(5), call).await;
            tokio::time::sleep(seconds(1)).await;
            matches!(token, Ok(Ok(_)))
        };

        while Instant::now() < outage - seconds(10) {
            assert!(!try_once().await);
        }
        tokio::time::sleep(seconds(shift)).await;
        let mut has_token = false;
        while !has_token && Instant::now() < outage + seconds(60) {
            has_token = try_once().await;
        }

        assert!(has_token, "no token for a minute, {shift} s shifted");
    }
}
