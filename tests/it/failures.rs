//! What goes wrong: what is tried again, what comes back, and what it says.

use std::{env, io::Write, iter, pin::pin, process::Command, time::SystemTime};

use digital_assets::{Client, ClientCredentials, Error, ErrorKind, Operation, Retry};
use flate2::{Compression, write::GzEncoder};
use futures_util::{FutureExt, future::join_all};
use httpdate::fmt_http_date;
use serde_json::json as value;
use tokio::{
    net::{TcpSocket, TcpStream},
    time::{Duration, Instant, timeout},
};

use crate::{
    Environment, add,
    clock::{Clock, millis, seconds},
    credentials, grant, granting, list, moment, quick,
    server::{Answer, Server, gate, json, reset, silent, status},
    specification::MEMBERS,
    within_bounds,
};

fn code(error: &Error) -> Option<u16> {
    error.status().map(|status| status.as_u16())
}

/// An address at which nobody listens, for as long as the socket lives.
fn unreachable() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let address = socket.local_addr().expect("an address");
    (socket, format!("http://{address}"))
}

/// No deadline but that of the test itself.
fn patient(client: digital_assets::ClientBuilder) -> digital_assets::ClientBuilder {
    client.attempt_timeout(seconds(1 << 20)).call_timeout(seconds(1 << 20))
}

#[tokio::test]
async fn what_is_tried_again_depends_on_method_and_failure() {
    let codes = |answers: &[u16]| answers.iter().map(|code| status(*code)).collect::<Vec<_>>();
    let broken = vec![reset(), json(200, "{").truncated(), json(200, MEMBERS).truncated()];
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
    }
}

#[tokio::test]
async fn a_failure_that_passes_is_not_seen() -> Result<(), Error> {
    for passing in [status(408), status(429), status(503), reset(), json(200, "{").truncated()] {
        let env = Environment::playing([passing.clone(), passing, json(200, "{}")]);

        list(&env.client).await?;

        let lines = env.service.lines();
        assert_eq!(lines, ["GET /v2/rewards/monitor/address"; 3]);
    }
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

// A full queue of connections on Linux: what comes after it is neither accepted nor refused.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_nobody_accepts_a_post_was_not_sent_however_short_the_attempt() {
    let (socket, url) = unreachable();
    let address = socket.local_addr().expect("an address");
    let _listener = socket.listen(1).expect("a listener");
    let mut connections = join_all((0..4).map(|_| TcpStream::connect(address)));
    assert!(timeout(millis(50), &mut connections).await.is_err(), "the queue isn't full");
    let auth = granting();
    let client = Client::builder(url).credentials(credentials(&auth)).retry(Retry::none());
    let client = client.attempt_timeout(millis(200)).build().expect("a client on loopback");

    let error = add(&client).await.expect_err("no connection");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 1));
    assert!(!error.may_have_been_applied());
}

#[tokio::test]
async fn an_error_says_whether_a_post_may_have_been_applied() {
    use ErrorKind::{Decode, ResponseTooLarge, Status, Transport};

    for (answers, kind, applied, retryable) in [
        (vec![status(400)], Status, false, false),
        (vec![status(401), status(401)], Status, false, false),
        (vec![status(403)], Status, false, false),
        (vec![status(404)], Status, false, false),
        (vec![status(409)], Status, false, false),
        (vec![status(422)], Status, false, false),
        (vec![status(429); 3], Status, false, true),
        (vec![status(408)], Status, true, false),
        (vec![status(500)], Status, true, false),
        (vec![status(503)], Status, true, false),
        (vec![reset()], Transport, true, false),
        (vec![json(200, MEMBERS).truncated()], Transport, true, false),
        (vec![json(200, "{}")], Decode, true, false),
        (vec![json(200, "[]")], Decode, true, false),
        (vec![status(200).body("<html>")], Decode, true, false),
        (vec![json(200, " ".repeat(2000))], ResponseTooLarge, true, false),
        // The last attempt decides.
        (vec![status(429), reset()], Transport, true, false),
        (vec![status(401), status(503)], Status, true, false),
        (vec![status(429), status(403)], Status, false, false),
    ] {
        let count = answers.len();
        let env = Environment::with(answers, |client| client.max_response_bytes(1000));

        let error = add(&env.client).await.expect_err("a failure");

        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.may_have_been_applied(), applied, "{error}");
        assert_eq!(error.is_retryable(), retryable, "{error}");
        assert_eq!(error.operation(), Some(Operation::AddInstitutionMembers));
        assert_eq!(env.service.count(), count, "{error}");
    }
}

#[tokio::test]
async fn without_a_token_a_post_was_not_applied() {
    let unauthorized = |_: &_| json(401, r#"{"error":"invalid_client"}"#);
    let env = Environment::of(Server::playing([]), Server::answering(unauthorized), |c| c);
    let error = add(&env.client).await.expect_err("no token");
    assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Token, false));

    let mut grants = vec![grant("word", "3599")].into_iter();
    let once = move |_: &_| grants.next().unwrap_or_else(|| json(400, r#"{"error":"no"}"#));
    let env = Environment::of(Server::playing([status(401)]), Server::answering(once), |c| c);
    let error = add(&env.client).await.expect_err("no second token");
    assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Token, false));
}

#[tokio::test]
async fn a_failure_keeps_what_the_service_said() {
    let answer = status(409).header("x-request-id", "r-1").body("no");
    let env = Environment::playing([answer]);

    let error = add(&env.client).await.expect_err("409");

    assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(409)));
    assert_eq!(
        error.headers().map(|headers| headers["x-request-id"].as_bytes()),
        Some(&b"r-1"[..])
    );
    assert_eq!(error.body(), Some(&b"no"[..]));
    assert_eq!(error.operation(), Some(Operation::AddInstitutionMembers));
    assert!(error.to_string().starts_with("addInstitutionMembers: "), "{error}");
    assert!(error.to_string().contains("409 Conflict"), "{error}");
}

#[tokio::test]
async fn a_broken_connection_keeps_its_cause() {
    let env = Environment::always(reset());

    let error = list(&env.client).await.expect_err("a reset");

    assert_eq!((error.kind(), error.status()), (ErrorKind::Transport, None));
    let causes = iter::successors(std::error::Error::source(&error), |e| e.source());
    assert!(causes.filter(|cause| cause.is::<std::io::Error>()).count() > 0, "{error:?}");
}

#[test]
fn errors_are_one_pointer_wide_and_go_anywhere() {
    fn goes_anywhere<T: std::error::Error + Send + Sync + 'static>() {}

    goes_anywhere::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Error>>(), size_of::<usize>());
}

#[tokio::test]
async fn attempts_can_be_chosen() {
    for (retry, expected) in [
        (Retry::none(), 1),
        (quick().max_attempts(0), 1),
        (quick().max_attempts(1), 1),
        (quick().max_attempts(5), 5),
        (quick().base_delay(Duration::ZERO), 3),
        (quick().base_delay(seconds(9)).max_delay(Duration::ZERO), 3),
    ] {
        let service = Server::answering(|_| status(503));
        let env = Environment::of(service, granting(), |client| client.retry(retry));

        let error = list(&env.client).await.expect_err("503");

        assert_eq!((env.service.count(), error.attempts() as usize), (expected, expected));
    }
}

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
        let clock = Clock::stopped();
        let mut asked = false;
        let service = Server::answering(move |_| {
            if std::mem::replace(&mut asked, true) {
                return json(200, "{}");
            }
            let answer = status(code).header("retry-after", retry_after());
            date.into_iter().fold(answer, |answer, date| answer.header("date", date))
        });
        let env = Environment::of(service, granting(), patient);

        clock.run(seconds(1), list(&env.client)).await?;

        let requests = env.service.requests();
        let waited = requests[1].at - requests[0].at;
        assert!(waited >= seconds(90) && waited < seconds(600), "{code}: {waited:?}");
    }
    Ok(())
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
        // RFC 9111, section 1.2.2: what is too large for a number is as large as one can be.
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
    let clock = Clock::stopped();
    let script = [status(429).header("retry-after", "5"), json(200, "{}"), json(200, "{}")];
    let env = Environment::with(script, |client| patient(client).retry(Retry::none()));

    let error = list(&env.client).await.expect_err("429");
    assert_eq!(error.retry_after(), Some(seconds(5)));
    // Another operation goes its way, while the clock stands.
    within_bounds(env.client.list_deposit_addresses().send()).await?;
    clock.run(millis(50), list(&env.client.clone())).await?;

    let requests = env.service.requests();
    assert_eq!(requests[1].line, "GET /v2/transfer/deposit-addresses");
    assert_eq!(requests[2].line, "GET /v2/rewards/monitor/address");
    assert!(requests[2].at - requests[0].at >= seconds(5));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_wait_for_the_end_of_a_429_comes_back_at_once() -> Result<(), Error> {
    let clock = Clock::stopped();
    let script = [status(429).header("retry-after", "3600"), json(200, "{}")];
    let env = Environment::with(script, |client| client);

    let first = list(&env.client).await.expect_err("429");
    clock.forward(seconds(1000)).await;
    let second = list(&env.client.clone()).await.expect_err("held back");

    assert_eq!((first.attempts(), second.attempts()), (1, 0));
    assert_eq!((second.kind(), code(&second)), (ErrorKind::Status, Some(429)));
    assert_eq!(second.retry_after(), Some(seconds(2600)));
    assert_eq!(env.service.count(), 1);
    clock.forward(seconds(2600)).await;
    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn a_503_holds_nobody_back() -> Result<(), Error> {
    let _clock = Clock::stopped();
    let env = Environment::playing([status(503).header("retry-after", "600"), json(200, "{}")]);

    let error = list(&env.client).await.expect_err("503");

    assert_eq!(error.retry_after(), Some(seconds(600)));
    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn a_silent_service_is_left_at_the_attempt_timeout() {
    for (chosen, almost) in [(None, millis(14_999)), (Some(seconds(2)), millis(1_999))] {
        let clock = Clock::stopped();
        let env = Environment::with([silent()], |client| {
            let client = client.retry(Retry::none());
            chosen.into_iter().fold(client, digital_assets::ClientBuilder::attempt_timeout)
        });

        let client = env.client.clone();
        let call = tokio::spawn(async move { add(&client).await });
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
async fn an_answer_of_one_byte_a_second_ends_at_the_attempt_timeout() {
    let clock = Clock::stopped();
    let slow = json(200, " ".repeat(1000)).dripping();
    let env = Environment::with([slow], |client| client.retry(Retry::none()));

    let start = Instant::now();
    let error = clock.run(millis(100), list(&env.client)).await.expect_err("too slow");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    assert!(start.elapsed() >= seconds(15) && start.elapsed() < seconds(60));
    assert!(error.is_retryable() && !error.may_have_been_applied());
}

#[tokio::test(start_paused = true)]
async fn a_status_is_not_lost_behind_a_body_that_does_not_come() {
    for (status_code, applied) in [(422, false), (503, true)] {
        let clock = Clock::stopped();
        let answer = status(status_code).body("x".repeat(1000)).dripping();
        let env = Environment::with([answer], |client| client.retry(Retry::none()));

        let error = clock.run(millis(100), add(&env.client)).await.expect_err("a failure");

        assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(status_code)));
        assert_eq!(error.may_have_been_applied(), applied, "{status_code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_however_many_attempts_it_has_left() {
    let clock = Clock::stopped();
    let env = Environment::of(Server::answering(|_| silent()), granting(), |client| {
        client.call_timeout(seconds(20)).retry(quick().max_attempts(10))
    });

    let start = Instant::now();
    let error = clock.run(millis(100), list(&env.client)).await.expect_err("silence");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 2));
    assert!(start.elapsed() >= seconds(20) && start.elapsed() < seconds(25));
    assert_eq!(env.service.count(), 2);
}

#[tokio::test]
async fn a_deadline_may_be_further_than_any_clock() -> Result<(), Error> {
    let env = Environment::with([status(503), json(200, "{}")], |client| {
        let client = client.attempt_timeout(Duration::MAX).call_timeout(Duration::MAX);
        client.connect_timeout(Duration::MAX)
    });

    list(&env.client).await
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_call_holds_while_it_waits_for_a_token() {
    let clock = Clock::stopped();
    let never = gate();
    let auth = Server::answering(move |_| grant("word", "3599").behind(&never));
    let settings = |client: digital_assets::ClientBuilder| client.call_timeout(seconds(9));
    let env = Environment::of(Server::playing([]), auth, settings);

    let client = env.client.clone();
    let call = tokio::spawn(async move { add(&client).await });
    env.auth.reached(1).await;
    clock.forward(seconds(9) + millis(1)).await;
    let error = within_bounds(call).await.expect("no panic").expect_err("no token");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(!error.may_have_been_applied() && error.is_retryable());
    assert_eq!(env.service.count(), 0);
}

#[tokio::test]
async fn a_redirect_is_an_error_and_the_token_goes_nowhere_else() {
    for status_code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::playing([]);
        let answer = status(status_code).header("location", format!("{}/x", elsewhere.url()));
        let env = Environment::always(answer);

        for error in [list(&env.client).await, add(&env.client).await] {
            let error = error.expect_err("a redirect");
            assert_eq!((error.kind(), code(&error)), (ErrorKind::Status, Some(status_code)));
        }
        assert_eq!((env.service.count(), elsewhere.count()), (2, 0), "{status_code}");
    }
}

#[tokio::test]
async fn an_http_client_that_follows_redirects_takes_the_token_nowhere_else() {
    for status_code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::answering(|_| json(200, "{}"));
        let answer = status(status_code).header("location", format!("{}/x", elsewhere.url()));
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let env = Environment::with([answer], |client| client.http_client(http));

        let error = list(&env.client).await.expect_err("not the service's answer");

        assert_eq!(error.operation(), Some(Operation::ListMonitoringAddresses));
        let strays = elsewhere.requests();
        assert!(strays.iter().all(|stray| stray.header("authorization").is_none()), "{strays:?}");
    }
}

#[tokio::test]
async fn a_redirect_that_was_followed_is_not_followed_again() {
    let elsewhere = Server::answering(|_| json(200, "{}"));
    let answer = status(302).header("location", format!("{}/x", elsewhere.url()));
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let service = Server::answering(move |_| answer.clone());
    let env = Environment::of(service, granting(), |client| client.http_client(http));

    let error = list(&env.client).await.expect_err("not the service's answer");

    assert!(!error.is_retryable(), "{error}");
    assert_eq!((env.service.count(), elsewhere.count()), (1, 1));
}

#[tokio::test]
async fn an_http_client_of_ones_own_is_used() -> Result<(), Error> {
    let http = reqwest::Client::builder().no_proxy().user_agent("mine").build();
    let http = http.expect("a client");
    let env = Environment::with([json(200, "{}")], |client| client.http_client(http));

    list(&env.client).await?;

    assert_eq!(env.service.request().header("user-agent"), Some("mine"));
    assert_eq!(env.service.request().header("authorization"), Some("Bearer word-1"));
    Ok(())
}

fn gzip(body: &[u8]) -> Answer {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory");
    json(200, encoder.finish().expect("memory")).header("content-encoding", "gzip")
}

fn bounded(answer: Answer) -> Environment {
    Environment::of(Server::answering(move |_| answer.clone()), granting(), |client| {
        client.max_response_bytes(1000)
    })
}

#[tokio::test]
async fn an_answer_may_be_as_large_as_the_bound() -> Result<(), Error> {
    let body = format!("{{}}{}", " ".repeat(998));

    for answer in [json(200, &*body), json(200, &*body).unmeasured(), gzip(body.as_bytes())] {
        let env = bounded(answer);
        list(&env.client).await?;
        let encodings = env.service.request().header("accept-encoding").map(str::to_owned);
        assert_eq!(encodings.as_deref(), Some("gzip"));
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_beyond_the_bound_is_not_read_on() {
    let body = format!("{{}}{}", " ".repeat(999));
    for (case, answer) in [
        ("plain", json(200, &*body)),
        ("without a length", json(200, &*body).unmeasured()),
        ("without an end", json(200, " ".repeat(4 << 20)).unmeasured()),
        ("a length that lies", json(200, "{}").header("content-length", "50000000000")),
        ("small until it is read", gzip(&vec![b' '; 8 << 20])),
    ] {
        let env = bounded(answer);

        let error = list(&env.client).await.expect_err(case);

        assert_eq!(error.kind(), ErrorKind::ResponseTooLarge, "{case}");
        assert_eq!((code(&error), error.attempts()), (Some(200), 1), "{case}");
        assert!(error.to_string().contains("1000 bytes"), "{case}: {error}");
        assert!(!error.is_retryable(), "{case}");
        assert_eq!(env.service.count(), 1, "{case}");
    }
}

#[tokio::test]
async fn a_length_that_lies_takes_no_memory() {
    let answer = json(200, "{}").header("content-length", "9007199254740992").truncated();
    let env = Environment::with([answer], |client| {
        client.retry(Retry::none()).max_response_bytes(usize::MAX)
    });

    let error = list(&env.client).await.expect_err("cut off");

    assert_eq!(error.kind(), ErrorKind::Transport);
}

#[tokio::test]
async fn gzip_that_is_none_is_an_error() {
    let broken = json(200, "{}").header("content-encoding", "gzip");
    let env = Environment::always(broken);

    let error = list(&env.client).await.expect_err("not gzip");

    assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::Transport), "{error}");
}

// Section 4.4, rule 1: each returned member repeats its `identity_id` and `roles` from the request
// and adds a membership `id`.
#[tokio::test]
async fn an_answer_that_does_not_repeat_the_members_is_an_error() {
    let trustee = value!({
        "identity_id": "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", "roles": ["TRUSTEE"],
        "id": "e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a",
    });
    let grantor = value!({
        "identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
        "id": "f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b",
    });
    let altered = |field: &str, other| {
        let mut member = grantor.clone();
        member[field] = other;
        member
    };
    let other_id = value!("00000000-0000-0000-0000-000000000001");
    for (case, members) in [
        ("no members", value!(null)),
        ("an empty array", value!([])),
        ("one is missing", value!([trustee])),
        ("one is there twice", value!([trustee, trustee])),
        ("one too many", value!([trustee, grantor, grantor])),
        ("another identity", value!([trustee, altered("identity_id", other_id)])),
        ("another role", value!([trustee, altered("roles", value!(["TRUSTEE"]))])),
        ("one more role", value!([trustee, altered("roles", value!(["GRANTOR", "TRUSTEE"]))])),
        ("no role", value!([trustee, altered("roles", value!([]))])),
        ("roles are null", value!([trustee, altered("roles", value!(null))])),
        ("a role in another case", value!([trustee, altered("roles", value!(["grantor"]))])),
        ("the id is null", value!([trustee, altered("id", value!(null))])),
        ("the id is empty", value!([trustee, altered("id", value!(""))])),
        (
            "the id is missing",
            value!([trustee, {
                "identity_id": "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", "roles": ["GRANTOR"],
            }]),
        ),
    ] {
        let institution_id = "b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409";
        let body = value!({ "institution_id": institution_id, "members": members }).to_string();
        let env = Environment::playing([json(200, body.clone())]);

        let error = add(&env.client).await.expect_err(case);

        assert_eq!((error.kind(), code(&error)), (ErrorKind::Decode, Some(200)), "{case}");
        assert!(error.may_have_been_applied(), "{case}");
        assert_eq!(error.body(), Some(body.as_bytes()), "{case}");
        assert!(error.to_string().contains("members"), "{case}: {error}");
        assert!(!error.to_string().contains("TRUSTEE"), "{case}: {error}");
        assert_eq!(env.service.count(), 1, "{case}");
    }
}

// No order of the members is shown, and an identifier is the same in either case.
#[tokio::test]
async fn members_are_repeated_in_any_order_and_spelling() -> Result<(), Error> {
    let answer = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[
        {"id":"f1a3b5c7-d9e1-4f20-94b6-c8d0e2f4a60b","roles":["GRANTOR"],
         "identity_id":"8E1F3A5C-7B9D-4E2F-A4C6-D8E0F2A4B607","status":"NEW"},
        {"id":"e0f2a4b6-c8d0-4e1f-83a5-b7c9d1e3f50a","roles":["TRUSTEE"],
         "identity_id":"4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06"}]}"#;
    let env = Environment::playing([json(200, answer)]);

    add(&env.client).await
}

#[test]
fn an_address_is_https_or_loopback() {
    for (url, accepted) in [
        ("https://api.example.com", true),
        ("https://api.example.com/gateway/", true),
        ("HTTPS://api.example.com", true),
        ("http://127.0.0.1:8080", true),
        ("http://127.8.7.6", true),
        ("http://localhost:8080", true),
        ("http://[::1]:8080", true),
        ("http://api.example.com", false),
        ("http://10.0.0.1", false),
        ("http://0.0.0.0", false),
        ("http://127.0.0.1.example.com", false),
        ("http://localhost.example.com", false),
        ("http://example.com#localhost", false),
        ("http://localhost@example.com", false),
        ("http://[::ffff:10.0.0.1]", false),
        ("ftp://127.0.0.1", false),
        ("file:///etc/hosts", false),
        ("api.example.com", false),
        ("//api.example.com", false),
        ("", false),
        ("https://user:word@api.example.com", false),
        ("https://api.example.com#part", false),
    ] {
        let base = Client::builder(url).bearer_token("word").build();
        let credentials = ClientCredentials::new(url, "id", "secret");
        let token = Client::builder("https://api.example.com").credentials(credentials).build();

        for (result, name) in [(base, "base URL"), (token, "token URL")] {
            match result {
                Ok(_) => assert!(accepted, "{url}"),
                Err(error) => {
                    assert!(!accepted, "{url}: {error}");
                    assert_eq!(error.kind(), ErrorKind::Configuration, "{url}");
                    assert!(error.to_string().contains(name), "{url}: {error}");
                    assert_eq!((error.attempts(), error.operation()), (0, None), "{url}");
                    assert!(!error.is_retryable(), "{url}");
                }
            }
        }
    }
}

#[test]
fn a_base_url_has_no_query() {
    let result = Client::builder("https://api.example.com?x=1").bearer_token("word").build();

    assert_eq!(result.expect_err("a query").kind(), ErrorKind::Configuration);
}

#[test]
fn a_client_that_cannot_be_is_not_built() {
    let base = || Client::builder("https://api.example.com");
    let with_token = || base().bearer_token("word");
    for (builder, word) in [
        (base(), "credentials"),
        (base().bearer_token(""), "bearer token"),
        (base().bearer_token("two\nlines"), "bearer token"),
        (with_token().scopes(iter::empty::<String>()), "scopes"),
        (with_token().rate_limit(Operation::ListQuoteExecutions, 0.0), "rate_limit"),
        (with_token().rate_limit(Operation::ListQuoteExecutions, -1.0), "rate_limit"),
        (with_token().rate_limit(Operation::ListQuoteExecutions, f64::NAN), "rate_limit"),
        (with_token().rate_limit(Operation::ListQuoteExecutions, f64::INFINITY), "rate_limit"),
        (with_token().user_agent("two\nlines"), ""),
    ] {
        let error = builder.build().expect_err(word);

        assert_eq!(error.kind(), ErrorKind::Configuration, "{word}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_client_is_built_without_a_runtime_and_goes_anywhere() -> Result<(), Error> {
    fn goes_anywhere<T: Clone + Send + Sync + 'static>(_: &T) {}

    let credentials = ClientCredentials::new("https://auth.example.com/oauth2/token", "id", "word");
    let client = Client::builder("https://api.example.com").credentials(credentials).build()?;

    goes_anywhere(&client);
    Ok(())
}

const VARIABLES: [(&str, &str); 4] = [
    ("DIGITAL_ASSETS_BASE_URL", "https://api.example.com"),
    ("DIGITAL_ASSETS_AUTH_URL", "https://auth.example.com/oauth2/token"),
    ("DIGITAL_ASSETS_CLIENT_ID", "backoffice"),
    ("DIGITAL_ASSETS_CLIENT_SECRET", "sesame"),
];

#[test]
fn the_environment_makes_a_client_or_an_error_names_what_is_missing() {
    for present in 0..16_u8 {
        let is_present = |n: usize| present & (1 << n) != 0;
        let mut probe = Command::new(env::current_exe().expect("this binary"));
        probe.args(["--exact", "failures::probe_of_the_environment", "--ignored"]);
        let mut missing = Vec::new();
        for (n, (name, text)) in VARIABLES.into_iter().enumerate() {
            match is_present(n) {
                true => probe.env(name, text),
                false if n % 2 == 0 => probe.env(name, ""),
                false => probe.env_remove(name),
            };
            if !is_present(n) {
                missing.push(name);
            }
        }
        probe.env("MISSING", missing.join(" "));

        let output = probe.output().expect("a process");

        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{missing:?}: {said}");
    }
}

#[test]
#[ignore = "runs in a process with an environment of its own"]
fn probe_of_the_environment() {
    let missing = env::var("MISSING").expect("what is missing");
    let missing: Vec<&str> = missing.split_whitespace().collect();

    let result = Client::from_env();

    match result {
        Ok(_) => assert!(missing.is_empty(), "{missing:?}"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Configuration);
            let message = error.to_string();
            for (name, _) in VARIABLES {
                assert_eq!(message.contains(name), missing.contains(&name), "{message}");
            }
            assert!(!message.contains("sesame"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_rate_limit_spaces_the_calls_of_an_operation_on_all_clones() -> Result<(), Error> {
    let env = Environment::of(Server::answering(|_| json(200, "{}")), granting(), |client| {
        client.rate_limit(Operation::ListMonitoringAddresses, 20.0)
    });

    let start = std::time::Instant::now();
    let clients = [env.client.clone(), env.client.clone()];
    let calls = join_all(clients.iter().cycle().take(4).map(list));
    calls.await.into_iter().collect::<Result<Vec<()>, Error>>()?;

    assert!(start.elapsed() >= millis(150), "{:?}", start.elapsed());
    Ok(())
}

#[tokio::test]
async fn a_rate_limit_that_leaves_no_time_comes_back_at_once() -> Result<(), Error> {
    let env = Environment::of(Server::answering(|_| json(200, "{}")), granting(), |client| {
        client.rate_limit(Operation::ListMonitoringAddresses, 0.001)
    });

    list(&env.client).await?;
    let error = list(&env.client).await.expect_err("too early");
    within_bounds(env.client.list_deposit_addresses().send()).await?;

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(error.retry_after().is_some_and(|wait| wait > seconds(900) && wait <= seconds(1000)));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_polls_keeps_no_turn_from_others_and_none_for_itself() {
    let clock = Clock::stopped();
    let env = Environment::of(Server::answering(|_| json(200, "{}")), granting(), |client| {
        client.rate_limit(Operation::ListMonitoringAddresses, 1.0)
    });
    list(&env.client).await.unwrap();
    let mut left_alone = pin!(list(&env.client));
    assert!(left_alone.as_mut().now_or_never().is_none());

    clock.forward(seconds(10)).await;
    list(&env.client).await.unwrap();
    assert!(left_alone.as_mut().now_or_never().is_none());
    moment().await;
    assert_eq!(env.service.count(), 2);

    clock.forward(seconds(1)).await;
    left_alone.await.unwrap();
    assert_eq!(env.service.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_429_that_is_over_is_not_what_the_rate_limit_refuses_with() {
    let clock = Clock::stopped();
    let throttled = status(429).header("retry-after", "90");
    let env = Environment::with([throttled], |client| {
        client.rate_limit(Operation::ListMonitoringAddresses, 0.001)
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
        client.rate_limit(Operation::AddInstitutionMembers, 0.001)
    });

    let error = add(&env.client).await.expect_err("no turn before the deadline");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    assert!(!error.may_have_been_applied());
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_429_holds_back_a_call_that_was_waiting_for_its_token() {
    let (throttle, grants) = (gate(), gate());
    let throttled = status(429).header("retry-after", "3600").behind(&throttle);
    let service = Server::playing([throttled, status(401)]);
    let auth = Server::playing([grant("first", "3599"), grant("second", "3599").behind(&grants)]);
    let env = Environment::of(service, auth, |client| client);

    let first = list(&env.client);
    let second = async {
        env.service.reached(1).await;
        list(&env.client).await
    };
    let release = async {
        env.auth.reached(2).await;
        throttle.add_permits(1);
        while env.client.list_monitoring_addresses().limit(1).send().now_or_never().is_none() {
            moment().await;
        }
        grants.add_permits(1);
    };
    let (first, second, ()) = tokio::join!(first, second, release);

    assert_eq!(code(&first.expect_err("throttled")), Some(429));
    let second = second.expect_err("held back");
    assert_eq!((code(&second), second.attempts()), (Some(429), 1));
    assert_eq!(env.service.count(), 2);
}

#[tokio::test]
async fn a_call_without_time_sends_nothing() {
    let env = Environment::with([], |client| client.call_timeout(Duration::ZERO));

    let error = add(&env.client).await.expect_err("no time");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert!(!error.may_have_been_applied());
    assert_eq!(env.service.count(), 0);
}
