//! Tokens: how they are asked for, how long they are kept, and where they never appear.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use digital_assets::{
    AccessToken, AuthStyle, BoxFuture, Client, ClientCredentials, Error, ErrorKind, Retry,
    TokenSource,
};
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::{
    Environment, add,
    clock::{Clock, millis, seconds},
    grant, granting, list, moment, printed,
    server::{Answer, Gate, Server, gate, json, reset, status},
    specification::MEMBERS,
    within_bounds,
};

/// A source in the same process: grants `word-1`, `word-2`, …, unless it is told otherwise.
#[derive(Clone)]
struct Mint(Arc<Inner>);

struct Inner {
    lifetime: Option<Duration>,
    failing: AtomicBool,
    gate: Mutex<Option<Gate>>,
    /// The scopes of every token that it was asked for.
    asked: watch::Sender<Vec<Vec<String>>>,
}

impl Mint {
    fn of(lifetime: impl Into<Option<Duration>>) -> Self {
        let (failing, gate, asked) = (false.into(), Mutex::default(), watch::Sender::default());
        Self(Arc::new(Inner { lifetime: lifetime.into(), failing, gate, asked }))
    }

    fn count(&self) -> usize {
        self.0.asked.borrow().len()
    }

    async fn reached(&self, count: usize) {
        let mut asked = self.0.asked.subscribe();
        let reached = within_bounds(asked.wait_for(|asked| asked.len() >= count)).await;
        reached.expect("a mint");
    }

    fn fail(&self, failing: bool) {
        self.0.failing.store(failing, Ordering::Relaxed);
    }

    /// From now on it answers when the gate opens.
    fn close(&self) -> Gate {
        let gate = gate();
        *self.0.gate.lock().expect("a gate") = Some(Arc::clone(&gate));
        gate
    }

    /// A client of it, and of a service that answers everything.
    fn environment(&self) -> Environment {
        let service = Server::answering(|_| json(200, "{}"));
        Environment::of(service, Server::playing([]), |client| client.credentials(self.clone()))
    }
}

impl TokenSource for Mint {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(async move {
            let scopes = scopes.iter().map(ToString::to_string).collect();
            self.0.asked.send_modify(|asked| asked.push(scopes));
            let token = AccessToken::new(format!("word-{}", self.count()));
            let gate = self.0.gate.lock().expect("a gate").clone();
            if let Some(gate) = gate {
                gate.acquire().await.expect("a gate").forget();
            }
            if self.0.failing.load(Ordering::Relaxed) {
                return Err(Error::token("the mint is closed"));
            }
            Ok(match self.0.lifetime {
                Some(lifetime) => token.expires_in(lifetime),
                None => token,
            })
        })
    }
}

fn listing(env: &Environment) -> tokio::task::JoinHandle<Result<(), Error>> {
    let client = env.client.clone();
    tokio::spawn(async move { list(&client).await })
}

/// The tokens that the service got, in their order.
fn tokens(service: &Server) -> Vec<String> {
    let tokens = service.requests().into_iter().map(|request| {
        let value = request.header("authorization").unwrap_or_default();
        value.strip_prefix("Bearer ").unwrap_or_default().to_owned()
    });
    tokens.collect()
}

fn refusing(answer: Answer) -> Environment {
    let auth = Server::answering(move |_| answer.clone());
    Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client)
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

// Section 5: client credentials, and the scope of each operation. RFC 6749, section 4.4.2.
#[tokio::test]
async fn a_token_is_asked_for_with_the_scope_of_the_operation() -> Result<(), Error> {
    let ok = json(200, "{}");
    let env = Environment::playing([ok.clone(), ok.clone(), ok, json(200, MEMBERS)]);

    env.client.list_quote_executions().profile_id("p").send().await?;
    env.client.list_monitoring_addresses().send().await?;
    env.client.list_deposit_addresses().send().await?;
    add(&env.client).await?;

    let requests = env.auth.requests();
    let scopes = [
        "exchange:read_quote_execution",
        "rewards:read_monitoring_address",
        "transfer:read_deposit_address",
        "identity:write_identity",
    ];
    assert_eq!(requests.len(), scopes.len());
    for (request, scope) in std::iter::zip(requests, scopes) {
        assert_eq!(request.line, "POST /oauth2/token");
        assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
        assert_eq!(request.header("accept"), Some("application/json"));
        assert_eq!(request.header("authorization"), None);
        let mut form = request.form();
        form.sort();
        let expected = [
            pair("client_id", "backoffice"),
            pair("client_secret", "sesame"),
            pair("grant_type", "client_credentials"),
            pair("scope", scope),
        ];
        assert_eq!(form, expected);
    }
    Ok(())
}

// RFC 6749, section 2.3.1: identifier and secret are form-encoded before they are joined.
#[tokio::test]
async fn basic_sends_the_secret_in_the_header_alone() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);
    let url = format!("{}/oauth2/token", env.auth.url());
    let credentials =
        ClientCredentials::new(url, "back office", "se:same+ü").auth_style(AuthStyle::Basic);
    let client = Client::builder(env.service.url()).credentials(credentials).build()?;

    list(&client).await?;

    let request = env.auth.request();
    // back+office:se%3Asame%2B%C3%BC
    let expected = "Basic YmFjaytvZmZpY2U6c2UlM0FzYW1lJTJCJUMzJUJD";
    assert_eq!(request.header("authorization"), Some(expected));
    let mut form = request.form();
    form.sort();
    let scope = pair("scope", "rewards:read_monitoring_address");
    assert_eq!(form, [pair("grant_type", "client_credentials"), scope]);
    Ok(())
}

#[tokio::test]
async fn scopes_of_ones_own_make_one_token_for_all() -> Result<(), Error> {
    let script = [json(200, "{}"), json(200, "{}"), json(200, "{}"), json(200, MEMBERS)];
    let env = Environment::with(script, |client| client.scopes(["rewards:all", "transfer:all"]));

    env.client.list_quote_executions().profile_id("p").send().await?;
    env.client.list_monitoring_addresses().send().await?;
    env.client.list_deposit_addresses().send().await?;
    add(&env.client).await?;

    assert!(env.auth.request().form().contains(&pair("scope", "rewards:all transfer:all")));
    assert_eq!(tokens(&env.service), ["word-1"; 4]);
    Ok(())
}

#[tokio::test]
async fn a_token_is_kept_for_the_next_calls_and_the_clones() -> Result<(), Error> {
    let env = Environment::always(json(200, "{}"));

    list(&env.client).await?;
    list(&env.client.clone()).await?;
    list(&env.client).await?;

    assert_eq!(env.auth.count(), 1);
    assert_eq!(tokens(&env.service), ["word-1"; 3]);
    Ok(())
}

#[tokio::test]
async fn a_source_of_ones_own_is_asked_for_the_scope_of_the_operation() -> Result<(), Error> {
    let mint = Mint::of(None);
    let env = mint.environment();

    env.client.list_deposit_addresses().send().await?;

    assert_eq!(*mint.0.asked.borrow(), [["transfer:read_deposit_address"]]);
    assert_eq!(tokens(&env.service), ["word-1"]);
    Ok(())
}

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

// Of 1,000 s the last 250 s are the window: min(5 min, lifetime / 4).
#[tokio::test(start_paused = true)]
async fn a_token_near_its_end_is_renewed_by_one_while_the_others_go_on() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(1000));
    let env = mint.environment();

    list(&env.client).await?;
    clock.forward(seconds(749)).await;
    list(&env.client).await?;
    assert_eq!(mint.count(), 1);

    clock.forward(seconds(2)).await;
    let gate = mint.close();
    let renewing = listing(&env);
    mint.reached(2).await;
    list(&env.client).await?;
    list(&env.client).await?;
    gate.add_permits(1);
    within_bounds(renewing).await.expect("no panic")?;
    list(&env.client).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-1", "word-1", "word-2", "word-2"]);
    assert_eq!(mint.count(), 2);
    Ok(())
}

// The margin: min(60 s, lifetime / 10).
#[tokio::test(start_paused = true)]
async fn a_token_is_given_up_shortly_before_its_end() -> Result<(), Error> {
    for (lifetime, almost) in [(3600, 3539), (1000, 939), (600, 539), (100, 89), (10, 8)] {
        let clock = Clock::stopped();
        let mint = Mint::of(seconds(lifetime));
        let env = mint.environment();

        list(&env.client).await?;
        mint.fail(true);
        clock.forward(seconds(almost) + millis(999)).await;
        list(&env.client).await?;
        clock.forward(millis(2)).await;
        let error = list(&env.client).await.expect_err("no token any more");

        assert_eq!(error.kind(), ErrorKind::Token, "{lifetime}");
        assert_eq!(tokens(&env.service), ["word-1", "word-1"], "{lifetime}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failed_renewal_keeps_the_old_token_and_pauses() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let env = mint.environment();

    list(&env.client).await?;
    mint.fail(true);
    clock.forward(seconds(3301)).await;
    for (wait, asked) in [
        (Duration::ZERO, 2),
        (Duration::ZERO, 2),
        (millis(4_900), 2),
        (millis(200), 3),
        (millis(9_800), 3),
        (millis(300), 4),
        (millis(19_800), 4),
        (millis(300), 5),
    ] {
        clock.forward(wait).await;
        list(&env.client).await?;
        assert_eq!(mint.count(), asked, "{wait:?}");
    }

    mint.fail(false);
    clock.forward(seconds(60)).await;
    list(&env.client).await?;
    let tokens = tokens(&env.service);
    assert!(tokens[..9].iter().all(|token| token == "word-1"), "{tokens:?}");
    assert_eq!(tokens[9], "word-6");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_renewals_ends_with_the_token() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(10));
    let env = mint.environment();

    list(&env.client).await?;
    mint.fail(true);
    clock.forward(seconds(8)).await;
    list(&env.client).await?;
    mint.fail(false);
    clock.forward(millis(1_100)).await;
    list(&env.client).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-3"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_leaves_the_old_token_in_use() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(3600));
    let service = Server::answering(|_| json(200, "{}"));
    let env = Environment::of(service, Server::playing([]), |client| {
        client.credentials(mint.clone()).call_timeout(seconds(9))
    });

    list(&env.client).await?;
    clock.forward(seconds(3301)).await;
    let _never = mint.close();
    clock.run(millis(100), list(&env.client)).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-1"]);
    Ok(())
}

// Window and margin of 2 s: the last 0.5 s and the last 0.2 s.
#[tokio::test(start_paused = true)]
async fn a_token_of_two_seconds_is_used_and_renewed() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(2));
    let env = mint.environment();

    for wait in [0, 1_400, 200, 1_400, 450] {
        clock.forward(millis(wait)).await;
        list(&env.client).await?;
    }

    assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-2", "word-2", "word-3"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_lifetime_counts_from_when_the_token_was_asked_for() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(seconds(300));
    let gate = mint.close();
    let env = mint.environment();

    let first = listing(&env);
    mint.reached(1).await;
    clock.forward(seconds(50)).await;
    gate.add_permits(2);
    within_bounds(first).await.expect("no panic")?;
    clock.forward(seconds(221)).await;
    list(&env.client).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-2"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_without_a_lifetime_is_kept_until_it_is_refused() -> Result<(), Error> {
    let clock = Clock::stopped();
    let mint = Mint::of(None);
    let script = [json(200, "{}"), json(200, "{}"), status(401), json(200, "{}")];
    let env = Environment::with(script, |client| client.credentials(mint.clone()));

    list(&env.client).await?;
    clock.forward(seconds(365 * 24 * 3600)).await;
    list(&env.client).await?;
    list(&env.client).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-1", "word-2"]);
    Ok(())
}

// RFC 6749, section 5.1: a number; some endpoints write it as text.
#[tokio::test(start_paused = true)]
async fn expires_in_may_be_a_number_or_text() -> Result<(), Error> {
    for expires_in in ["3599", r#""3599""#, "3599.0", r#"" 3599 ""#] {
        let clock = Clock::stopped();
        let mut granted = 0;
        let auth = Server::answering(move |_| {
            granted += 1;
            grant(&format!("word-{granted}"), expires_in)
        });
        let service = Server::answering(|_| json(200, "{}"));
        let env = Environment::of(service, auth, |client| client);

        list(&env.client).await?;
        clock.forward(seconds(3298)).await;
        list(&env.client).await?;
        clock.forward(seconds(242)).await;
        list(&env.client).await?;

        assert_eq!(tokens(&env.service), ["word-1", "word-1", "word-2"], "{expires_in}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_expires_in_that_says_nothing_is_none() -> Result<(), Error> {
    for expires_in in ["null", r#""soon""#, "{}", "1e30", r#""""#, r#""NaN""#, "true"] {
        let clock = Clock::stopped();
        let env = refusing(grant("word", expires_in));

        list(&env.client).await?;
        clock.forward(seconds(24 * 3600)).await;
        list(&env.client).await?;

        assert_eq!((env.auth.count(), env.service.count()), (1, 2), "{expires_in}");
    }
    Ok(())
}

#[tokio::test]
async fn a_token_that_is_over_at_once_serves_the_call_it_was_fetched_for() -> Result<(), Error> {
    for expires_in in ["0", "-5", r#""0""#] {
        let env = refusing(grant("word", expires_in));

        list(&env.client).await?;
        list(&env.client).await?;

        assert_eq!((env.auth.count(), env.service.count()), (2, 2), "{expires_in}");
    }
    Ok(())
}

#[tokio::test]
async fn the_kind_of_token_is_bearer_in_any_case_or_unsaid() -> Result<(), Error> {
    for kind in [r#""token_type":"Bearer","#, r#""token_type":"bearer","#, ""] {
        let env = refusing(json(200, format!(r#"{{{kind}"access_token":"word"}}"#)));

        list(&env.client).await?;

        assert_eq!(tokens(&env.service), ["word"], "{kind}");
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_without_a_token_is_an_error() {
    let deep = format!(r#"{{"access_token":"sesame","x":{}"#, "[".repeat(100_000));
    for answer in [
        json(200, "{}"),
        json(200, "[]"),
        json(200, r#"["sesame","bearer"]"#),
        json(200, r#"{"access_token":7}"#),
        json(200, r#"{"access_token":"sesame","token_type":"mac"}"#),
        json(200, r#"{"access_token":"sesame\n","token_type":"bearer"}"#),
        json(200, deep),
        json(200, format!(r#"{{"access_token":"sesame","x":"{}"}}"#, "x".repeat(2 << 20))),
        status(200).body("<html>sesame</html>"),
        status(204),
    ] {
        let env = refusing(answer);

        let error = list(&env.client).await.expect_err("no token");

        assert_eq!(error.kind(), ErrorKind::Token, "{error}");
        assert_eq!((env.auth.count(), env.service.count()), (1, 0), "{error}");
        assert!(!printed(&error).contains("sesame"), "{error:?}");
    }
}

#[tokio::test]
async fn a_401_forgets_the_token_and_sends_once_more() -> Result<(), Error> {
    let env = Environment::playing([status(401), json(200, "{}"), status(401), json(200, MEMBERS)]);

    list(&env.client).await?;
    add(&env.client).await?;

    assert_eq!(tokens(&env.service), ["word-1", "word-2", "word-3", "word-4"]);
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
        assert_eq!(error.status().map(|status| status.as_u16()), Some(401));
        assert_eq!(error.attempts(), 2);
        assert!(!error.may_have_been_applied());
    }
    assert_eq!((env.service.count(), env.auth.count()), (4, 4));
}

#[tokio::test]
async fn a_401_is_replayed_where_nothing_else_is_tried_again() -> Result<(), Error> {
    let script = [status(401), json(200, "{}")];
    let env = Environment::with(script, |client| client.retry(Retry::none()));

    list(&env.client).await
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
async fn a_403_never_asks_for_another_token() {
    let env = Environment::always(status(403));

    let error = list(&env.client).await.expect_err("403");

    assert_eq!(error.status().map(|status| status.as_u16()), Some(403));
    assert_eq!((env.service.count(), env.auth.count()), (1, 1));
}

#[tokio::test]
async fn a_bearer_token_is_never_replayed() {
    let env = Environment::with([status(401)], |client| client.bearer_token("word"));

    let error = list(&env.client).await.expect_err("401");

    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Status, 1));
    assert_eq!(tokens(&env.service), ["word"]);
    assert_eq!(env.auth.count(), 0);
}

#[tokio::test]
async fn the_secret_follows_no_redirect() {
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = Server::answering(|_| grant("word", "3599"));
        let env = refusing(status(code).header("location", elsewhere.url()));

        let error = list(&env.client).await.expect_err("a redirect");

        assert_eq!(error.kind(), ErrorKind::Token, "{code}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(code));
        let counts = (env.auth.count(), elsewhere.count(), env.service.count());
        assert_eq!(counts, (1, 0, 0), "{code}");
    }
}

// RFC 6749, section 5.2.
#[tokio::test(start_paused = true)]
async fn a_refusal_comes_at_once_and_is_remembered_for_five_seconds() {
    for (code, error_code) in [
        (401, "invalid_client"),
        (400, "invalid_scope"),
        (400, "unauthorized_client"),
        (400, "invalid_request"),
    ] {
        let clock = Clock::stopped();
        let body = format!(r#"{{"error":"{error_code}","error_description":"sesame"}}"#);
        let env = refusing(json(code, body));

        for (wait, asked) in [(0, 1), (0, 1), (4_900, 1), (200, 2), (4_900, 2), (200, 3)] {
            clock.forward(millis(wait)).await;
            let error = list(&env.client).await.expect_err(error_code);

            assert_eq!(error.kind(), ErrorKind::Token, "{error_code}");
            assert_eq!(error.oauth_error(), Some(error_code));
            assert_eq!(error.status().map(|status| status.as_u16()), Some(code));
            assert_eq!((error.attempts(), error.is_retryable()), (0, false));
            assert!(error.to_string().contains(error_code), "{error}");
            assert!(!printed(&error).contains("sesame"), "{error:?}");
            assert_eq!(env.auth.count(), asked, "{error_code} {wait}");
        }
        assert_eq!(env.service.count(), 0);
    }
}

// Section 5, point 3: each operation requires one scope; a client may be granted one alone.
#[tokio::test]
async fn a_scope_that_is_not_granted_stops_its_own_operation_alone() -> Result<(), Error> {
    let auth = Server::answering(|request| {
        if request.form().contains(&pair("scope", "transfer:read_deposit_address")) {
            grant("word", "3599")
        } else {
            json(400, r#"{"error":"invalid_scope"}"#)
        }
    });
    let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

    let error = list(&env.client).await.expect_err("not granted");
    env.client.list_deposit_addresses().send().await?;

    assert_eq!(error.oauth_error(), Some("invalid_scope"));
    assert!(error.to_string().contains("listMonitoringAddresses"), "{error}");
    assert_eq!(env.service.count(), 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_token_endpoint_that_stumbles_is_asked_three_times() -> Result<(), Error> {
    for stumble in [status(408), status(429), status(500), status(503), reset(), status(502)] {
        let clock = Clock::stopped();
        let answers = [stumble.clone(), stumble.clone(), grant("word", "3599"), stumble.clone()];
        let auth = Server::playing(answers.into_iter().chain([stumble.clone(), stumble]));
        let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

        clock.run(millis(10), list(&env.client)).await?;
        assert_eq!((env.auth.count(), env.service.count()), (3, 1));

        let call = env.client.list_deposit_addresses().send();
        let error = clock.run(millis(10), call).await.expect_err("three times in vain");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Token, 0));
        assert!(error.is_retryable(), "{error:?}");
        assert_eq!((env.auth.count(), env.service.count()), (6, 1));
    }
    Ok(())
}

#[tokio::test]
async fn a_retry_after_of_the_token_endpoint_is_heeded() {
    let env = refusing(status(429).header("retry-after", "30"));

    let error = list(&env.client).await.expect_err("429");
    let again = list(&env.client).await.expect_err("429");

    assert_eq!(error.retry_after(), Some(seconds(30)));
    assert_eq!((error.kind(), again.kind()), (ErrorKind::Token, ErrorKind::Token));
    assert_eq!(env.auth.count(), 1);
}

#[tokio::test]
async fn a_source_of_ones_own_fails_with_its_own_words_and_cause() {
    struct Vault;
    impl TokenSource for Vault {
        fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
            Box::pin(async move {
                match *scopes {
                    ["rewards:read_monitoring_address"] => Err(Error::token("the vault is sealed")),
                    _ => Err(Error::token_from(io::Error::other("the vault is gone"))),
                }
            })
        }
    }
    let env = Environment::with([], |client| client.credentials(Vault));

    let sealed = list(&env.client).await.expect_err("sealed");
    let gone = add(&env.client).await.expect_err("gone");

    assert_eq!((sealed.kind(), gone.kind()), (ErrorKind::Token, ErrorKind::Token));
    assert!(sealed.to_string().contains("the vault is sealed"), "{sealed}");
    let cause = std::error::Error::source(&gone).expect("a cause");
    assert_eq!(cause.to_string(), "the vault is gone");
    assert!(cause.is::<io::Error>(), "{cause:?}");
    assert!(!gone.may_have_been_applied());
    assert_eq!((sealed.attempts(), env.service.count()), (0, 0));
}

#[tokio::test]
async fn no_secret_is_ever_printed() -> Result<(), Error> {
    let env = Environment::playing([
        status(403).body(r#"{"title":"No","detail":"Bearer sesame-token"}"#),
        json(200, r#"{"items":["sesame-data"]}"#),
        json(200, r#"{"items":[{"sesame-key":1}]}"#),
        reset(),
    ]);
    let credentials = ClientCredentials::new(
        format!("{}/token?key=sesame-key", env.auth.url()),
        "sesame-id",
        "sesame-secret",
    );
    let basic = credentials.clone().auth_style(AuthStyle::Basic);
    let builder = Client::builder(env.service.url());
    let mut shown = vec![
        format!("{:?}", AccessToken::new("sesame").expires_in(seconds(9))),
        format!("{credentials:?} {credentials:#?} {basic:?}"),
        format!("{:?}", Client::builder(env.service.url()).credentials(basic)),
        format!("{:?}", Client::builder(env.service.url()).bearer_token("sesame")),
        format!("{:#?}", Client::builder(env.service.url()).bearer_token("sesame").build()?),
    ];

    let client = builder.credentials(credentials).retry(Retry::none()).build()?;
    shown.push(format!("{client:?} {client:#?}"));
    let call = || client.list_quote_executions().profile_id("sesame").page_cursor("sesame");
    shown.push(format!("{:?} {:?} {:?}", call(), call().items(), call().pages()));
    for expected in [ErrorKind::Status, ErrorKind::Decode, ErrorKind::Decode, ErrorKind::Transport]
    {
        let error = call().send().await.expect_err("a failure");
        assert_eq!(error.kind(), expected);
        shown.push(printed(&error));
    }
    drop(env.service);
    shown.push(printed(&call().send().await.expect_err("nobody listens")));
    drop(env.auth);
    let error = client.list_monitoring_addresses().send().await.expect_err("nobody listens");
    assert_eq!(error.kind(), ErrorKind::Token);
    shown.push(printed(&error));
    let refused = Client::builder("http://sesame:sesame@example.com?key=sesame");
    shown.push(printed(&refused.bearer_token("sesame").build().expect_err("not https")));

    for shown in shown {
        assert!(!shown.contains("sesame"), "{shown}");
    }
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_repeats_the_secret_prints_none_of_it() {
    for body in [
        r#"{"error":"invalid_client","error_description":"sesame is wrong"}"#,
        r#"{"error":{"message":"sesame is wrong"}}"#,
        r#"{"error":"sesame is \"wrong\""}"#,
        "sesame",
    ] {
        let env = refusing(json(401, body));

        let error = list(&env.client).await.expect_err("refused");

        assert!(!printed(&error).contains("sesame"), "{error:?}");
        assert_eq!(error.body(), None);
    }
}
