//! Tests of which requests are retried.

use std::iter;

use super::unreachable;
use crate::prelude::*;

#[tokio::test]
async fn what_is_tried_again_depends_on_method_and_failure() {
    let codes = |answers: &[u16]| answers.iter().map(|code| status(*code)).collect::<Vec<_>>();
    let broken = vec![
        reset(),
        json(200, "{").truncated(),
        json(200, MEMBERS).truncated(),
        json(200, MEMBERS.trim_end_matches(['}', '\n'])).unmeasured(),
    ];
    let refused = [400, 402, 403, 404, 405, 409, 410, 413, 415, 422, 425, 451];
    for (answers, gets, posts) in [
        (codes(&[408, 500, 501, 502, 503, 504, 507, 599]), 3, 1),
        (broken, 3, 1),
        (codes(&[429]), 3, 3),
        (codes(&refused), 1, 1),
        (codes(&[300, 301, 302, 304, 307]), 1, 1),
        (codes(&[201, 202, 204]), 1, 1),
        (vec![json(200, "[]"), json(200, "<html>")], 1, 1),
    ] {
        let script = answers.iter().flat_map(|answer| iter::repeat_n(answer, gets + posts));
        let env = Environment::playing(script.cloned());
        for _ in &answers {
            let before = env.service.count();
            let error = list(&env.client).await.expect_err("a failure");
            assert_eq!(env.service.count() - before, gets, "GET: {error}");
            assert_eq!(error.attempts() as usize, gets, "GET: {error}");
            assert!(!error.may_have_been_applied(), "GET: {error}");

            let before = env.service.count();
            let error = add(&env.client).await.expect_err("a failure");
            assert_eq!(env.service.count() - before, posts, "POST: {error}");
            assert_eq!(error.attempts() as usize, posts, "POST: {error}");
        }
        // None of these failures concerns the token.
        assert_eq!(env.auth.count(), 2, "a token for each operation");
    }
}

#[tokio::test]
async fn a_post_that_may_be_repeated_is_tried_again_as_a_get_is() -> Result<(), Error> {
    let options = || CallOptions::new().idempotent(true);
    let passing = [status(503), reset(), json(200, MEMBERS)];
    let env = Environment::playing(passing);
    add(&env.client.with_options(options())).await?;
    assert_eq!(env.service.count(), 3);

    // A later response doesn't undo what an earlier request may have done.
    for (answers, attempts, is_retryable) in
        [(vec![503, 503, 503], 3, true), (vec![503, 400], 2, false), (vec![503, 429, 429], 3, true)]
    {
        let env = Environment::playing(answers.iter().map(|code| status(*code)));

        let error = add(&env.client.with_options(options())).await.expect_err("a failure");

        assert_eq!(env.service.count(), attempts, "{answers:?}");
        assert_eq!(error.attempts() as usize, attempts, "{answers:?}");
        assert!(error.may_have_been_applied(), "{answers:?}");
        assert_eq!(error.is_retryable(), is_retryable, "{answers:?}");
    }

    let env = Environment::playing([status(400)]);
    let error = add(&env.client.with_options(options())).await.expect_err("a failure");
    assert!(!error.may_have_been_applied(), "{error}");
    Ok(())
}

#[tokio::test]
async fn calls_that_succeed_return_what_their_retries_took_from_the_budget() -> Result<(), Error> {
    const CALLS: usize = 70;
    let passing = || [status(503), status(503), json(200, "{}")];
    let env = Environment::playing(iter::repeat_with(passing).take(CALLS).flatten());

    // In total, these calls retry more often than the retry budget allows during an outage.
    for _ in 0..CALLS {
        list(&env.client).await?;
    }

    assert_eq!(env.service.count(), 3 * CALLS);
    Ok(())
}

#[tokio::test]
async fn a_post_that_the_service_has_not_taken_is_sent_again() -> Result<(), Error> {
    let env = Environment::playing([status(429), status(429), json(200, MEMBERS)]);

    add(&env.client).await?;

    let bodies: Vec<_> = env.service.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0] && !body.is_empty()), "{bodies:?}");
    Ok(())
}

#[tokio::test]
async fn where_nobody_listens_any_call_is_tried_again() -> Result<(), Error> {
    let (_socket, url) = unreachable();
    let client = Client::builder(url).bearer_token("word").retry(quick()).build()?;

    for error in [list(&client).await, add(&client).await] {
        let error = error.expect_err("nobody listens");

        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 3));
        assert!(error.is_retryable() && !error.may_have_been_applied(), "{error:?}");
        let causes = iter::successors(std::error::Error::source(&error), |e| e.source());
        let refused = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>());
        let refused = refused.map(std::io::Error::kind).collect::<Vec<_>>();
        assert!(refused.contains(&std::io::ErrorKind::ConnectionRefused), "{error:?}");
    }
    Ok(())
}

#[tokio::test]
async fn attempts_can_be_chosen() {
    for (retry, expected) in [
        (Retry::none(), 1),
        (quick().max_attempts(0), 1),
        (quick().max_attempts(1), 1),
        (quick().max_attempts(5), 5),
        (Retry::none().max_delay(millis(1)), 1),
        (Retry::none().base_delay(millis(1)), 1),
        (quick().base_delay(Duration::ZERO), 3),
        (quick().base_delay(seconds(9)).max_delay(Duration::ZERO), 3),
    ] {
        let service = Server::always(status(503));
        let env = Environment::of(service, granting(), |client| client.retry(retry));

        let error = list(&env.client).await.expect_err("503");

        assert_eq!((env.service.count(), error.attempts() as usize), (expected, expected));
    }
}
