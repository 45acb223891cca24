//! How the client requests a token, and how it reads the answer.

use digital_assets::{AuthStyle, Client, ClientCredentials, Error, ErrorKind};

use super::{pair, refusing, source::Mint, tokens};
use crate::{
    Environment, add,
    clock::{Clock, millis, seconds},
    grant, list, printed,
    server::{Server, json, silent, status},
    specification::MEMBERS,
};

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

    assert_eq!(mint.scopes(), [["transfer:read_deposit_address"]]);
    assert_eq!(tokens(&env.service), ["word-1"]);
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
        assert!(error.status().is_some(), "{error}");
        assert_eq!((env.auth.count(), env.service.count()), (1, 0), "{error}");
        assert!(!printed(&error).contains("sesame"), "{error:?}");
    }
}

// Of a code that is none, nothing is told: it may echo what was sent.
#[tokio::test(start_paused = true)]
async fn a_code_is_told_that_looks_like_one() {
    let long = "a".repeat(64);
    for (status, code, is_told) in [
        (400, "invalid_scope", true),
        (503, "temporarily_unavailable", true),
        (400, &long, true),
        (400, &format!("{long}a"), false),
        (400, "sesame is wrong", false),
        (400, "Sesame", false),
    ] {
        let clock = Clock::stopped();
        let env = refusing(json(status, format!(r#"{{"error":"{code}"}}"#)));

        let error = clock.run(millis(10), list(&env.client)).await.expect_err("no token");

        assert_eq!(error.oauth_error(), is_told.then_some(code));
    }
}

#[tokio::test]
async fn of_a_failed_answer_no_more_than_a_mebibyte_is_read() {
    let padding = " ".repeat(1 << 20);
    let env = refusing(json(400, format!(r#"{padding}{{"error":"invalid_scope"}}"#)));

    let error = list(&env.client).await.expect_err("no token");

    assert_eq!(error.oauth_error(), None);
}

#[tokio::test(start_paused = true)]
async fn a_lifetime_of_a_second_is_one() -> Result<(), Error> {
    let clock = Clock::stopped();
    let env = refusing(grant("word", "1"));

    list(&env.client).await?;
    clock.forward(seconds(1)).await;
    list(&env.client).await?;

    assert_eq!(env.auth.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_does_not_answer_is_asked_again_after_15_seconds() -> Result<(), Error> {
    let clock = Clock::stopped();
    let auth = Server::playing([silent(), grant("word", "3599")]);
    let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

    clock.run(millis(100), list(&env.client)).await?;

    assert_eq!(env.auth.count(), 2);
    Ok(())
}

// A connection can freeze: its peer acknowledges what it gets, and never answers.
#[tokio::test]
async fn a_connection_that_freezes_holds_up_no_later_request() -> Result<(), Error> {
    let auth = Server::answering(|_| grant("word", "3599"));
    let env = Environment::of(Server::answering(|_| json(200, "{}")), auth, |client| client);

    list(&env.client).await?;
    env.client.list_deposit_addresses().send().await?;

    let connections: Vec<_> = env.auth.requests().iter().map(|it| it.connection).collect();
    assert_eq!(connections, [0, 1]);
    Ok(())
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

#[tokio::test]
async fn the_cause_of_a_failed_source_shows_no_query() {
    let cause = reqwest::get("http://127.0.0.1:1/?key=sesame").await.expect_err("nobody there");

    let error = Error::token_from(cause);

    assert!(!printed(&error).contains("sesame"), "{error:?}");
    let cause = std::error::Error::source(&error).expect("a cause");
    assert!(cause.is::<reqwest::Error>(), "{cause:?}");
}
