//! Tests of what no log may contain.
//!
//! Every kind of failure is recorded at every level of every crate, and the log is searched for
//! words from secrets, tokens, identifiers, addresses, queries, headers and bodies.

mod seen;

use digital_assets::AuthStyle;
use reqwest::redirect;

use self::seen::{
    MARK, MARKED_ID, SECRET, Seen, TOKEN, assert_clean, assert_shows_nothing, environment,
    every_call, granting, marked, problem,
};
use crate::{
    log,
    prelude::*,
    specification::{
        DEPOSIT_ADDRESS, MONITORING_ADDRESS, QUOTE_EXECUTION, addresses, fields, items, with,
    },
};

#[tokio::test]
async fn no_status_shows_what_was_asked_or_answered() {
    for code in [400, 401, 403, 404, 408, 409, 422, 429, 500, 503] {
        assert_clean(&format!("a problem with {code}"), problem(code)).await;
    }
    let html = marked(status(502).body(format!("<html>{MARK}</html>")));
    assert_clean("a gateway's page", html).await;
    let later = problem(429).header("retry-after", "3600");
    assert_clean("a long wait", later).await;
    let odd = problem(503).header("retry-after", MARK);
    assert_clean("an invalid wait", odd).await;
}

#[tokio::test]
async fn no_broken_answer_shows_what_was_asked_or_answered() {
    let page = || marked(json(200, items(&[QUOTE_EXECUTION], MARK)));
    let garbled = page().header("content-encoding", "gzip");
    let redirect = status(307).header("location", format!("http://127.0.0.1:9/{MARK}?{MARK}"));
    for (case, answer) in [
        ("a reset", reset()),
        ("a truncated page", page().truncated()),
        ("gzip that is none", garbled),
        ("a page without end", marked(json(200, format!(r#"{{"{MARK}":"#).repeat(2_000)))),
        ("a redirect", marked(redirect)),
        ("an invalid header", status(200).header("x marked7", MARK)),
        ("a cursor that is repeated", json(200, format!(r#"{{"next_page_cursor":"{MARK}"}}"#))),
    ] {
        assert_clean(case, answer).await;
    }
}

#[tokio::test]
async fn no_timeout_shows_what_was_asked() {
    let page = json(200, items(&[QUOTE_EXECUTION], MARK)).dripping();
    for (case, answer) in [("silence", silent()), ("a page that drips", page)] {
        let env = Environment::of(Server::always(answer), granting(), |client| {
            client.attempt_timeout(Duration::from_millis(9)).call_timeout(Duration::from_millis(25))
        });
        assert_shows_nothing(case, &env.client).await;
    }
}

#[tokio::test]
async fn no_field_that_cannot_be_read_shows_its_data() {
    let wrong = [
        format!(r#"["{MARK}"]"#),
        format!(r#"{{"{MARK}":"{MARK}","x":{{"{MARK}":"{MARK}"}}}}"#),
        format!(r#""{MARK}, expected {MARK} at line {MARK}""#),
        "70007000".to_owned(),
    ];
    for (page, record) in [
        (items as fn(&[&str], &str) -> String, QUOTE_EXECUTION),
        (addresses, MONITORING_ADDRESS),
        (items, DEPOSIT_ADDRESS),
    ] {
        let answers: Vec<_> = fields(record)
            .keys()
            .flat_map(|field| wrong.iter().map(move |value| with(record, field, value)))
            .map(|record| json(200, page(&[&record], MARK)))
            .collect();
        let count = answers.len();
        let env = environment(Server::playing(answers), granting(), AuthStyle::Body);
        let calls = async {
            let mut errors = Vec::new();
            for _ in 0..count {
                let result = match record {
                    QUOTE_EXECUTION => {
                        let call = env.client.list_quote_executions().profile_id(MARKED_ID);
                        within_bounds(call.send()).await.map(drop)
                    }
                    MONITORING_ADDRESS => list(&env.client).await,
                    _ => within_bounds(env.client.list_deposit_addresses().send()).await.map(drop),
                };
                errors.extend(result.err());
            }
            errors
        };
        let mut seen = Seen::default();

        let errors = seen.errors(Box::pin(calls)).await;

        assert!(errors.iter().all(|error| error.kind() == ErrorKind::Decode), "{errors:?}");
        assert!(errors.len() > count / 2, "{} of {count}", errors.len());
        seen.assert_clean(record);
    }
    for body in [
        format!(r#"{{"{MARK}":1,"next_page_cursor":{{"{MARK}":"{MARK}"}}}}"#),
        format!(r#"{{"total_count":"{MARK}"}}"#),
        format!(r#"{{"items":{{"{MARK}":"{MARK}"}},"addresses":"{MARK}"}}"#),
        format!(r#"{{"items":[{{"metadata":{{"{MARK}":{MARK}}}}}],"addresses":[{MARK}]}}"#),
        format!(r#"{{"institution_id":"{MARK}","members":[{{"roles":"{MARK}"}}]}}"#),
        format!(r#""{MARK}""#),
    ] {
        assert_clean(&body, json(200, body.clone())).await;
    }
}

#[tokio::test]
async fn no_failure_of_the_token_endpoint_shows_the_secret_or_its_answer() {
    let code = |code: &str| format!(r#"{{"error":"{code}","error_description":"{MARK}"}}"#);
    for (case, answer) in [
        ("a refusal", marked(json(401, code("invalid_client")))),
        ("a code of its own", marked(json(400, code(MARK)))),
        ("a refusal that echoes the secret", json(400, code(SECRET))),
        ("a throttled endpoint", problem(429)),
        ("a failing endpoint", problem(500).header("retry-after", "0")),
        ("a page", marked(status(200).body(format!("<html>{MARK}</html>")))),
        ("another type", json(200, format!(r#"{{"access_token":"{TOKEN}","token_type":"mac"}}"#))),
        ("a token that can't be sent", grant("marked7\\n", "3599")),
        ("a token that is a list", json(200, format!(r#"{{"access_token":["{TOKEN}"]}}"#))),
        ("a grant without end", json(200, format!(r#"{{"access_token":"{TOKEN}"#).repeat(80_000))),
        ("a redirect", status(307).header("location", format!("/{MARK}?secret={SECRET}"))),
        ("a reset", reset()),
        ("a truncated grant", grant(TOKEN, "3599").truncated()),
    ] {
        for style in [AuthStyle::Body, AuthStyle::Basic] {
            let env = environment(Server::playing([]), Server::always(answer.clone()), style);
            let call = env.client.list_quote_executions().profile_id(MARKED_ID).page_cursor(MARK);
            let mut seen = Seen::default();

            let error = async { Vec::from_iter(within_bounds(call.send()).await.err()) };
            let error = seen.errors(Box::pin(error)).await.pop().expect("no token");

            assert_eq!(error.kind(), ErrorKind::Token, "{case}");
            seen.assert_clean(case);
        }
    }
}

#[tokio::test]
async fn a_redirect_that_the_users_own_client_follows_shows_nothing() {
    let service = Server::answering(|received| {
        if received.line.contains("elsewhere") {
            json(200, "{}")
        } else {
            status(307).header("location", format!("/elsewhere?{MARK}"))
        }
    });
    let http = reqwest::Client::builder().redirect(redirect::Policy::limited(3));
    let http = http.build().expect("an HTTP client");
    let env = Environment::of(service, granting(), |client| client.http_client(http));

    assert_shows_nothing("a redirect that is followed", &env.client).await;
}

#[tokio::test]
async fn where_nobody_listens_nothing_is_shown() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("an address"))
    };
    let credentials = |url: &str| ClientCredentials::new(url, "marked7client", SECRET);
    let auth = granting();
    for (service, token_url) in [(&closed, auth.url()), (&auth.url(), format!("{closed}/{MARK}"))] {
        let client = Client::builder(service).credentials(credentials(&token_url)).retry(quick());
        let mut seen = Seen::default();
        seen.print(&client);
        seen.assert_clean("a builder");

        assert_shows_nothing(&token_url, &client.build().expect("a client on loopback")).await;
    }
}

#[tokio::test]
async fn what_is_refused_before_sending_is_not_shown() {
    let env = environment(Server::playing([]), granting(), AuthStyle::default());
    let many = vec![MARK.to_owned(); 101];
    let id: uuid::Uuid = MARKED_ID.parse().expect("an identifier");
    let checkpoint = env.client.list_deposit_addresses().ids(vec![id]).items().checkpoint();
    let deposits = || env.client.list_deposit_addresses();
    let mut seen = Seen::default();

    let path = format!("..\\{MARK}");
    let refused = async {
        [
            env.client.list_quote_executions().profile_id(path).send().await.err(),
            env.client.list_quote_executions().profile_id("").page_cursor(MARK).send().await.err(),
            deposits().ref_ids(many.clone()).send().await.err(),
            deposits().ref_ids(many).pages().next().await.and_then(Result::err),
            deposits().ref_ids([""; 0]).account_ids(vec![MARK.to_owned()]).send().await.err(),
            deposits().limit(5_000).page_cursor(MARK).send().await.err(),
            deposits()
                .page_cursor(MARK)
                .items()
                .resume(checkpoint)
                .next()
                .await
                .and_then(Result::err),
            env.client.list_monitoring_addresses().limit(u64::MAX).address(MARK).send().await.err(),
        ]
        .map(|error| error.expect("a refusal"))
        .into()
    };
    seen.errors(Box::pin(refused)).await;

    seen.assert_clean("refused parameters");
    assert_eq!(env.service.count(), 0);
}

#[test]
fn no_configuration_error_quotes_its_setting() {
    let good = "https://api.example.com";
    for url in [
        "marked7",
        "//marked7",
        "https://user:marked7@api.example.com",
        "https://marked7@api.example.com",
        "http://marked7.example.com",
        "https://api.example.com/?key=marked7",
        "https://api.example.com/#marked7",
        "https://api.example.com:marked7",
        "ftp://api.example.com/marked7",
    ] {
        let mut seen = Seen::default();
        let is_query = url.contains('?');
        log::start();
        for (base_url, token_url) in [(url, good), (good, url)] {
            let credentials = ClientCredentials::new(token_url, "marked7client", SECRET);
            seen.print(&credentials);
            let client = Client::builder(base_url).credentials(credentials);
            seen.print(&client);
            match client.build() {
                Err(error) => seen.error(&error),
                Ok(client) => {
                    // Only a token URL may have a query.
                    assert!(is_query && token_url == url, "{url}");
                    seen.print(&client);
                }
            }
        }
        seen.recorded = log::stop();

        seen.assert_clean(url);
    }
    let client = Client::builder(good).bearer_token("marked7\n").user_agent("marked7\n");
    let mut seen = Seen::default();
    seen.print(&client);
    seen.error(&client.build().expect_err("no header"));
    seen.print(&Client::builder(good).bearer_token("marked7").build().expect("a client"));
    seen.print(&AccessToken::new(TOKEN).expires_in(Duration::from_secs(9)));
    seen.assert_clean("a bearer token");
}

#[tokio::test]
async fn what_succeeds_is_not_shown_either() {
    let env = environment(
        Server::answering(|received| match received.path() {
            path if path.contains("rewards") => json(200, addresses(&[MONITORING_ADDRESS], MARK)),
            _ => marked(json(200, items(&[], MARK))),
        }),
        granting(),
        AuthStyle::Basic,
    );
    let mut seen = Seen::default();

    every_call(&env.client, &mut seen).await;

    let targets = |name| seen.recorded.entries.iter().any(|entry| entry.is_of(name));
    assert!(targets("oas_client") && targets("reqwest") && targets("hyper_util"));
    assert_eq!(env.service.requests()[0].header("authorization"), Some("Bearer marked7token"));
    seen.assert_clean("successes");
}
