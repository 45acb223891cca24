//! Tests of the information in an error: what failed, and whether the call may have been applied.

use std::iter;

use crate::prelude::*;

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
        (vec![json(200, &MEMBERS[..99]).unmeasured()], Transport, true, false),
        (vec![json(200, &MEMBERS[..99])], Decode, true, false),
        (vec![json(200, "{}")], Decode, true, false),
        (vec![json(200, "[]")], Decode, true, false),
        (vec![status(200).body("<html>")], Decode, true, false),
        (vec![json(200, " ".repeat(2000))], ResponseTooLarge, true, false),
        // The last attempt determines the error.
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
        assert_eq!(error.operation(), Some(operation::ADD_INSTITUTION_MEMBERS));
        assert_eq!(env.service.count(), count, "{error}");
    }
}

#[test]
fn one_format_specifier_prints_the_causes_as_well() {
    let io = std::io::Error::other("the\nfile\u{202e}");
    let inner = Error::token_from(io);
    let outer = Error::token_from(inner);

    assert_eq!(format!("{outer}"), "the token source failed");
    let whole = r"the token source failed: the token source failed: the\nfile\u{202e}";
    assert_eq!(format!("{outer:#}"), whole);
    assert_eq!(format!("{:#}", Error::token("over")), "over");
}

#[tokio::test]
async fn a_failure_to_connect_prints_its_causes() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let client = Client::builder(format!("http://127.0.0.1:{port}")).bearer_token("word");

    let error = list(&client.retry(Retry::none()).build().unwrap()).await.unwrap_err();

    let (short, whole) = (error.to_string(), format!("{error:#}"));
    assert!(whole.starts_with(&short) && whole.contains("Connection refused"), "{whole}");
    assert_eq!(whole.lines().count(), 1);
}

#[tokio::test]
async fn without_a_token_a_post_was_not_applied() {
    let refused = json(401, r#"{"error":"invalid_client"}"#);
    for tokens in [vec![refused.clone()], vec![grant("word", "3599"), refused]] {
        let service = Server::playing([status(401)]);
        let env = Environment::of(service, Server::playing(tokens), |client| client);

        let error = add(&env.client).await.expect_err("no token");

        assert_eq!((error.kind(), error.may_have_been_applied()), (ErrorKind::Token, false));
    }
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
    assert_eq!(error.operation(), Some(operation::ADD_INSTITUTION_MEMBERS));
    assert!(error.to_string().starts_with("addInstitutionMembers: "), "{error}");
    assert!(error.to_string().contains("409 Conflict"), "{error}");
    assert_eq!(error.problem(), None);
    assert_eq!(error.with_problem().to_string(), error.to_string());
}

async fn refused_with(title: &str, detail: &str) -> Error {
    let problem = serde_json::json!({ "title": title, "detail": detail });
    let env = Environment::playing([json(409, problem.to_string())]);
    add(&env.client).await.expect_err("a problem")
}

#[tokio::test]
async fn no_word_of_the_service_is_printed() {
    for title in [
        "Account 4929 1234 5678 9012 is closed",
        "Card 4929-1234",
        "PIN 1234",
        "No token opensesame",
        "Not enough funds",
        "safe \u{202e}drowssap",
    ] {
        let error = refused_with(title, title).await;

        let printed = printed(&error);
        for word in title.split_whitespace().filter(|word| !["is", "No", "Not"].contains(word)) {
            assert!(!printed.contains(word), "{word}: {printed}");
        }
        assert!(printed.contains("addInstitutionMembers: the service responded with 409 Conflict"));
    }
}

#[tokio::test]
async fn those_who_may_log_it_print_the_problem_on_one_line() {
    let said = "addInstitutionMembers: the service responded with 409 Conflict";
    for (title, detail, expected) in [
        ("Exists", "It's \"here\"", r#"Exists: It's "here""#),
        ("Gone\r\nfor\u{1b}[31m good", "", r"Gone\r\nfor\u{1b}[31m good: "),
        (
            "safe \u{202e}drow\u{2066}\u{200b}",
            "é\u{2028}",
            r"safe \u{202e}drow\u{2066}\u{200b}: é\u{2028}",
        ),
        (r"a\n", "b", r"a\\n: b"),
        // RFC 7807, section 4.2: a title may be the same as the status phrase, which is already in
        // the message.
        ("Conflict", "Exists", "Exists"),
        ("CONFLICT", "Exists", "Exists"),
    ] {
        let error = refused_with(title, detail).await;

        assert_eq!(error.with_problem().to_string(), format!("{said}: {expected}"));
    }
    let long = refused_with(&"x".repeat(5000), "y").await.with_problem().to_string();
    assert_eq!(long, format!("{said}: {}…: y", "x".repeat(1000)));
}

#[tokio::test]
async fn a_token_that_the_service_echoes_is_not_printed() {
    for code in [400, 401, 403, 500] {
        let service = Server::answering(move |request| {
            let token = request.header("authorization").unwrap().trim_start_matches("Bearer ");
            let words = format!("the token {token} isn't valid");
            json(code, serde_json::json!({ "title": words, "detail": words }).to_string())
        });
        let env = Environment::of(service, granting(), |client| client.retry(Retry::none()));

        let error = add(&env.client).await.expect_err("a problem");

        let printed = error.with_problem().to_string();
        assert!(
            printed.contains(": the token [token] isn't valid: the token [token]"),
            "{printed}"
        );
        assert!(!format!("{:?}", error.problem()).contains("[token]"));
        let body = String::from_utf8_lossy(error.body().unwrap()).into_owned();
        assert!(!body.contains("[token]"), "{body}");
    }
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
fn errors_are_one_pointer_wide() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Error>>(), size_of::<usize>());
}
