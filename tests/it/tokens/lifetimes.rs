//! Tests of how long a token is kept, and when it is renewed.

use super::prelude::*;

// A token is renewed in the last min(5 min, lifetime / 4) of its lifetime. Of 1,000 s, these are
// the last 250 s.
#[tokio::test(start_paused = true)]
async fn a_token_near_its_end_is_renewed_by_one_while_the_others_go_on() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(1000));

    list(&env.client).await?;
    clock.forward(seconds(749)).await;
    list(&env.client).await?;
    assert_eq!(mint.count(), 1);

    clock.forward(seconds(1)).await;
    let gate = mint.close();
    let renewing = listing(&env);
    mint.reached(2).await;
    list(&env.client).await?;
    list(&env.client).await?;
    gate.add_permits(1);
    within_bounds(renewing).await.expect("no panic")?;
    list(&env.client).await?;

    assert_eq!(env.service.tokens(), ["word-1", "word-1", "word-1", "word-1", "word-2", "word-2"]);
    assert_eq!(mint.count(), 2);
    Ok(())
}

// A token isn't used in the last min(60 s, lifetime / 10) of its lifetime.
#[tokio::test(start_paused = true)]
async fn a_token_is_given_up_shortly_before_its_end() -> Result<(), Error> {
    for (lifetime, almost) in [(3600, 3539), (1000, 939), (600, 539), (100, 89), (10, 8)] {
        let (clock, mint, env) = minting(seconds(lifetime));

        list(&env.client).await?;
        mint.fail(true);
        clock.forward(seconds(almost) + millis(999)).await;
        list(&env.client).await?;
        clock.forward(millis(1)).await;
        let error = list(&env.client).await.expect_err("no token any more");

        assert_eq!(error.kind(), ErrorKind::Token, "{lifetime}");
        assert_eq!(env.service.tokens(), ["word-1", "word-1"], "{lifetime}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_lifetime_counts_from_when_the_token_was_asked_for() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (mint, gate, env) = closed(seconds(300));

    let first = listing(&env);
    mint.reached(1).await;
    clock.forward(seconds(50)).await;
    gate.add_permits(2);
    within_bounds(first).await.expect("no panic")?;
    clock.forward(seconds(221)).await;
    list(&env.client).await?;

    assert_eq!(env.service.tokens(), ["word-1", "word-2"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_that_takes_longer_than_it_lasts_is_used_by_who_waited() -> Result<(), Error> {
    let clock = Clock::stopped();
    let (mint, gate, env) = closed(seconds(10));

    let first = asking(&env.client);
    mint.reached(1).await;
    clock.forward(seconds(10)).await;
    gate.add_permits(2);

    assert_eq!(within_bounds(first).await.expect("no panic")?, "Bearer word-1");
    assert_eq!(token_of(&env.client).await?, "Bearer word-2");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_without_a_lifetime_is_kept_until_it_is_refused() -> Result<(), Error> {
    let clock = Clock::stopped();
    for lifetime in [None, Some(Duration::ZERO)] {
        let mint = Source::minting(lifetime);
        let script = [json(200, "{}"), json(200, "{}"), status(401), json(200, "{}")];
        let env = Environment::with(script, |client| client.credentials(mint.clone()));

        list(&env.client).await?;
        clock.forward(seconds(365 * 24 * 3600)).await;
        list(&env.client).await?;
        list(&env.client).await?;

        assert_eq!(env.service.tokens(), ["word-1", "word-1", "word-1", "word-2"]);
    }
    Ok(())
}

// RFC 6749, section 5.1: `expires_in` is a number, but some endpoints send a string. A value of
// less than a second is ignored.
#[tokio::test(start_paused = true)]
async fn expires_in_may_be_a_number_or_text() -> Result<(), Error> {
    let first_renewals = [
        ("3599", 3_299_000),
        (r#""3599""#, 3_299_000),
        ("3599.0", 3_299_000),
        (r#"" 3599 ""#, 3_299_000),
        ("1", 750),
    ];
    let unknown = ["null", r#""soon""#, "{}", "1e30", "1e999", r#""""#, r#""NaN""#, "true"];
    let none = ["0", "-5", r#""0""#, "-1e30", "0.2"];
    let never = unknown.into_iter().chain(none).map(|text| (text, 86_400_000));
    for (expires_in, millis_until) in first_renewals.into_iter().chain(never) {
        let clock = Clock::stopped();
        let env = refusing(grant("word", expires_in));

        list(&env.client).await?;
        clock.forward(millis(millis_until - 1)).await;
        list(&env.client).await?;
        assert_eq!(env.auth.count(), 1, "{expires_in}");
        clock.forward(millis(1)).await;
        list(&env.client).await?;

        let renewed = usize::from(millis_until < 86_400_000);
        assert_eq!(env.auth.count(), 1 + renewed, "{expires_in}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failed_renewal_keeps_the_old_token_and_pauses() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(3600));

    list(&env.client).await?;
    mint.fail(true);
    clock.forward(seconds(3301)).await;
    for (wait, asked) in [
        (Duration::ZERO, 2),
        (Duration::ZERO, 2),
        (millis(4_900), 2),
        (millis(100), 3),
        (millis(9_900), 3),
        (millis(100), 4),
        (millis(19_900), 4),
        (millis(100), 5),
    ] {
        clock.forward(wait).await;
        list(&env.client).await?;
        assert_eq!(mint.count(), asked, "{wait:?}");
    }

    mint.fail(false);
    clock.forward(seconds(60)).await;
    list(&env.client).await?;
    let tokens = env.service.tokens();
    assert!(tokens[..9].iter().all(|token| token == "word-1"), "{tokens:?}");
    assert_eq!(tokens[9], "word-6");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_renewals_ends_with_the_token() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(10));

    list(&env.client).await?;
    mint.fail(true);
    clock.forward(seconds(8)).await;
    list(&env.client).await?;
    mint.fail(false);
    clock.forward(millis(1_100)).await;
    list(&env.client).await?;

    assert_eq!(env.service.tokens(), ["word-1", "word-1", "word-3"]);
    Ok(())
}

// A call waits at most five seconds for a renewal, and at most half of its remaining time.
#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_leaves_the_old_token_in_use() -> Result<(), Error> {
    for (timeout, longest, asked) in [(60_000, 5_100, 3), (9_000, 4_600, 2), (250, 130, 2)] {
        let mint = Source::minting(seconds(3600));
        let env = drawing_with(&mint, |client| client.call_timeout(millis(timeout)));
        token_of(&env.client).await?;
        advance(seconds(3301)).await;
        let _never = mint.close();

        for _ in 0..3 {
            let start = Instant::now();
            assert_eq!(token_of(&env.client).await?, "Bearer word-1");
            assert!(start.elapsed() <= millis(longest), "{timeout}: {:?}", start.elapsed());
        }
        assert_eq!(mint.count(), asked, "{timeout}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_its_caller_gave_up_pauses_like_a_failed_one() -> Result<(), Error> {
    let (clock, mint, env) = minting(seconds(3600));
    list(&env.client).await?;
    clock.forward(seconds(3301)).await;
    let _never = mint.close();

    for asked in [2, 3] {
        let renewing = listing(&env);
        mint.reached(asked).await;
        renewing.abort();
        begun().await;
        mint.open();
        list(&env.client).await?;
        clock.forward(millis(4_900)).await;
        list(&env.client).await?;
        assert_eq!(mint.count(), asked);

        let _never = mint.close();
        clock.forward(millis(5_200)).await;
    }
    mint.open();
    clock.forward(seconds(10)).await;
    list(&env.client).await?;
    assert_eq!(env.service.tokens().last().map(String::as_str), Some("word-4"));
    Ok(())
}
