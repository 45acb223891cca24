//! Tests of when a source is asked again after it has failed, and of what calls do meanwhile.

use digital_assets::reqwest::Request;
use tokio::time::sleep_until;

use super::prelude::*;

// Between six failures of three requests each, there are pauses of 1 s, 2 s, 4 s, 8 s and 16 s.
#[tokio::test(start_paused = true)]
async fn an_endpoint_that_is_down_is_asked_less_and_less() {
    let env = in_memory(InMemory::always(status(503)));

    for _ in 0..50 {
        let start = Instant::now();
        let error = list(&env.client).await.expect_err("an outage");

        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.is_retryable());
        sleep_until(start + seconds(1)).await;
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
async fn a_renewal_waits_as_long_as_the_endpoint_asks() -> Result<(), Error> {
    let clock = Clock::stopped();
    let busy = status(503).header("retry-after", "60");
    let auth = Server::playing([grant("word-1", "3600"), busy, grant("word-2", "3600")]);
    let env = Environment::of(Server::always(json(200, "{}")), auth, |client| client);

    list(&env.client).await?;
    for (wait, asked) in [(3301, 2), (59, 2), (1, 3)] {
        clock.forward(seconds(wait)).await;
        list(&env.client).await?;
        assert_eq!(env.auth.count(), asked, "{wait}");
    }

    assert_eq!(env.service.tokens(), ["word-1", "word-1", "word-1", "word-2"]);
    Ok(())
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

#[tokio::test(start_paused = true)]
async fn an_endpoint_of_one_request_a_second_serves_the_tokens_of_all_operations() {
    for retry_after in [None, Some(1)] {
        let last = Mutex::new(None::<Instant>);
        let env = granting_unless(move |_| {
            let (now, mut last) = (Instant::now(), last.lock().expect("a time"));
            if last.is_some_and(|last| now - last < seconds(1)) {
                return Some(retry_after.map_or_else(|| status(429), throttled));
            }
            *last = Some(now);
            None
        });

        let executions = env.client.list_quote_executions().profile_id("p");
        let deposits = env.client.list_deposit_addresses();
        let calls = async {
            let (addresses, members) = (list(&env.client), add(&env.client));
            tokio::join!(executions.send(), deposits.send(), addresses, members)
        };
        let (executions, deposits, addresses, added) = Box::pin(calls).await;

        executions.expect("a page");
        deposits.expect("a page");
        addresses.expect("a page");
        added.expect("members");
        assert!(env.auth.count() <= 8, "{}", env.auth.count());
    }
}

/// Returns an environment whose token endpoint takes 10 ms, and grants a token unless `refusal`
/// returns another response. The service has lists and members.
fn granting_unless(
    refusal: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static,
) -> Environment<InMemory, InMemory> {
    let auth = move |count, _: &_| refusal(count).unwrap_or_else(|| grant("word", "3599"));
    let auth = InMemory::scripted(auth).after(millis(10));
    let service =
        |_, request: &Request| json(200, if request.method() == "GET" { "{}" } else { MEMBERS });
    Environment::in_memory(InMemory::scripted(service), auth, |client| client)
}

/// Returns an environment whose token endpoint requests these waits, in seconds, before it grants a
/// token.
fn throttled_for(waits: &[u64]) -> Environment<InMemory, InMemory> {
    let waits = waits.to_vec();
    granting_unless(move |count| waits.get(count).copied().map(throttled))
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_five_seconds_is_no_failure_of_another_scope() -> Result<(), Error> {
    let env = throttled_for(&[5]);
    let listing = listing(&env);
    sleep(millis(20)).await;

    add(&env.client).await?;

    listing.await.expect("no panic")?;
    let asked = env.auth.times();
    assert_eq!(asked.len(), 3);
    assert!(asked[2] >= asked[1] + seconds(5));
    Ok(())
}

// A wait of zero counts as one second. After a wait of a minute, requests are a second apart for
// another minute.
#[tokio::test(start_paused = true)]
async fn after_a_429_requests_are_a_second_apart_for_a_minute() -> Result<(), Error> {
    for (wait, later, apart) in [(0, 0, 1), (60, 60, 1), (60, 120, 0)] {
        let env = throttled_for(&[wait]);
        if later > 0 {
            list(&env.client).await.expect_err("429");
        }
        sleep(seconds(later)).await;

        list(&env.client).await?;
        add(&env.client).await?;

        let asked = env.auth.times();
        assert!(asked[1] >= seconds(later.max(1)), "{wait}, {later}: {asked:?}");
        let earliest = asked[1] + seconds(apart);
        let expected = earliest..earliest + millis(100);
        assert!(expected.contains(&asked[2]), "{wait}, {later}: {asked:?}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_longest_of_several_waits_holds() {
    for waits in [[1, 30], [30, 1]] {
        let env = throttled_for(&waits);
        let first = listing(&env);
        sleep(millis(5)).await;
        let second = adding(&env);
        sleep(millis(20)).await;

        let third = env.client.list_deposit_addresses().send().await;
        for (wait, call) in waits.iter().zip([first, second]) {
            if *wait == 30 {
                call.await.expect("no panic").expect_err("429");
            }
        }

        let left = third.expect_err("a pause").retry_after().expect("a pause");
        assert!(left > seconds(29) && left <= seconds(30), "{waits:?}: {left:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_requests_that_nobody_waited_for_are_followed_by_another_at_once() -> Result<(), Error>
{
    let _clock = Clock::stopped();
    let (_, env) = playing([token("word")]);
    give_up(&env.client);
    give_up(&env.client);

    within_bounds(token_of(&env.client)).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_call_with_time_for_a_pause_and_for_its_request_waits() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (source, env) = playing([token("word")]);
    for _ in 0..3 {
        give_up(&env.client);
    }

    let waiting = asking(&with_timeout(&env, seconds(2)));
    begun().await;
    assert_eq!(source.count(), 0);
    clock.forward(millis(1_001)).await;

    within_bounds(waiting).await.expect("no panic")?;
    assert_eq!(source.count(), 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_without_time_for_both_fails_at_once_with_what_is_left_of_the_pause() {
    let clock = Clock::stopped();
    let (_, env) = playing([token("word")]);
    for _ in 0..3 {
        give_up(&env.client);
    }
    clock.forward(millis(200)).await;

    let token = token_of(&with_timeout(&env, millis(1_500))).now_or_never();

    let error = token.expect("at once").expect_err("a pause");
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Token, true));
    assert_eq!(error.retry_after(), Some(millis(800)));
}

/// The program gives each call five seconds and then pauses for a second, whatever the error says.
#[tokio::test(start_paused = true)]
async fn a_source_that_is_slow_after_an_outage_brings_a_token_to_calls_in_any_rhythm() {
    for shift in 0..6 {
        let outage = Instant::now() + seconds(200);
        let source = Source::of(move |_| async move {
            let is_out = Instant::now() < outage;
            sleep(if is_out { seconds(60) } else { millis(1_500) }).await;
            Ok(AccessToken::new("word"))
        });
        let client = drawing_with(&source, |client| client.call_timeout(seconds(5))).client;
        let try_once = async || {
            let call = token_of(&client);
            let token = timeout(seconds(5), call).await;
            sleep(seconds(1)).await;
            matches!(token, Ok(Ok(_)))
        };

        while Instant::now() < outage - seconds(10) {
            assert!(!try_once().await);
        }
        sleep(seconds(shift)).await;
        let mut has_token = false;
        while !has_token && Instant::now() < outage + seconds(60) {
            has_token = try_once().await;
        }

        assert!(has_token, "no token for a minute, shifted by {shift} s");
    }
}
