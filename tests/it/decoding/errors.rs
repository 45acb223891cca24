//! Tests of error responses, and of responses that can't be read.

use super::{added, deposits, executions, monitored};
use crate::{
    prelude::*,
    specification::{
        DEPOSIT_ADDRESS, MONITORING_ADDRESS, QUOTE_EXECUTION, addresses, items, with, without,
    },
};

#[tokio::test]
async fn another_shape_is_an_error_that_names_the_field_and_no_data() {
    let late = with(QUOTE_EXECUTION, "created_at", r#""sesame""#);
    let good = QUOTE_EXECUTION;
    let page = |record: &str| items(&[record], "");
    for (body, words) in [
        (items(&[good, good, good, &late], ""), "items[3].created_at"),
        (page(&with(good, "id", r#""sesame""#)), "items[0].id"),
        (page(&with(good, "id", r#""""#)), "items[0].id"),
        (page(&with(good, "market", "5309")), "items[0].market is not a string"),
        (page(&with(good, "price", "null")), "items[0].price"),
        (page(&with(good, "metadata", r#"["sesame"]"#)), "items[0].metadata"),
        (page(&without(good, "quote_id")), "quote_id"),
        (page("[]"), "items[0] is not an object"),
        (page(r#""sesame""#), "items[0]"),
        (page("null"), "items[0]"),
        (r#"{"items":{"sesame":1}}"#.to_owned(), "items"),
        (r#"{"items":"sesame"}"#.to_owned(), "items is not an array"),
        (r#"{"total_count":"sesame"}"#.to_owned(), "total_count"),
        (r#"{"next_page_cursor":{"sesame":1}}"#.to_owned(), "next_page_cursor is not a string"),
        (page(&with(good, "settled_at", "[]")), "items[0].settled_at is not a string or null"),
        (r#"{"error":{"code":"sesame"}}"#.to_owned(), "the response has no `items`"),
        (r#"{"error":{"code":"sesame"},"error":null}"#.to_owned(), "the response has no `items`"),
        (r#"{"sesame":[1]}"#.to_owned(), "the response has no `items`"),
        // These are error responses with status 200 that contain only flags.
        (r#"{"success":false}"#.to_owned(), "the response has no `items`"),
        (r#"{"ok":false}"#.to_owned(), "the response has no `items`"),
        (r#"{"status":0}"#.to_owned(), "the response has no `items`"),
        (r#"{"code":""}"#.to_owned(), "the response has no `items`"),
        (r#"{"errors":[]}"#.to_owned(), "the response has no `items`"),
        (r#"{"next_page_cursor":"c","error":"sesame"}"#.to_owned(), "the response has no `items`"),
        (r#"{"total_count":5,"errors":["sesame"]}"#.to_owned(), "the response has no `items`"),
        (r#"{"items":null,"error":"sesame"}"#.to_owned(), "the response has no `items`"),
        (r#"{"ok":false,"items":null,"next_page_cursor":null}"#.to_owned(), "`items`"),
        ("[]".to_owned(), ""),
        (r#"["sesame"]"#.to_owned(), ""),
        ("null".to_owned(), ""),
        (r#""sesame""#.to_owned(), ""),
        (r#"{"items":[]} sesame"#.to_owned(), ""),
        (r#"{"items":[]"#.to_owned(), ""),
        ("<html>sesame</html>".to_owned(), ""),
        (String::new(), ""),
    ] {
        let answer = json(200, body.clone()).header("x-request-id", "r-1");

        let error = executions(answer).await.expect_err(&body);

        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert_eq!(code(&error), Some(200), "{body}");
        assert_eq!(error.headers().map(|h| h["x-request-id"].as_bytes()), Some(&b"r-1"[..]));
        assert_eq!(error.body(), Some(body.as_bytes()));
        assert_eq!(error.attempts(), 1, "{body}");
        assert!(!error.is_retryable(), "{body}");
        let message = error.to_string();
        assert!(message.contains(words) && message.lines().count() == 1, "{words}: {message}");
        let printed = printed(&error);
        assert!(!printed.contains("sesame") && !printed.contains("5309"), "{printed}");
        assert!(!printed.contains("64250") && !printed.contains("0c1f4a3e"), "{printed}");
    }
}

// RFC 8259, section 4: the names within an object should be unique.
#[tokio::test]
async fn a_key_that_occurs_twice_is_named() {
    let twice = |record: &str, key: &str| record.replacen('{', &format!("{{{key},"), 1);
    let late = twice(QUOTE_EXECUTION, r#""created_at":"sesame""#);
    let late = late.replacen("sesame", "2025-06-01T12:00:00Z", 1);
    for (body, expected) in [
        (items(&[QUOTE_EXECUTION, &late], ""), "items[1] has `created_at` twice"),
        (
            items(&[&twice(QUOTE_EXECUTION, r#""market":"sesame""#)], ""),
            "items[0] has `market` twice",
        ),
        (r#"{"items":[],"total_count":1,"items":[]}"#.to_owned(), "the response has `items` twice"),
        (
            r#"{"next_page_cursor":"sesame","next_page_cursor":""}"#.to_owned(),
            "the response has `next_page_cursor` twice",
        ),
    ] {
        let error = executions(json(200, body.clone())).await.expect_err(&body);

        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert_eq!(error.to_string(), format!("listQuoteExecutions: {expected}: 200 OK"));
        assert!(!printed(&error).contains("sesame"), "{error}");
    }
    let member = twice(&MEMBERS.replace(['\n'], ""), r#""members":[]"#);
    let error = added(json(200, member)).await.expect_err("members twice");
    assert!(error.to_string().contains("the response has `members` twice"), "{error}");
}

#[tokio::test]
async fn an_error_says_which_encoding_or_byte_the_client_cant_read() {
    let page = |price: &[u8]| {
        let text = items(&[&with(QUOTE_EXECUTION, "price", "\"?\"")], "");
        let (before, behind) = text.split_once('?').unwrap();
        [before.as_bytes(), price, behind.as_bytes()].concat()
    };
    let packed = b"\x0b\x02\x80sesame\x03".to_vec();
    for (answer, words) in [
        (json(200, page(b"1\xff2")), "items[0].price is not UTF-8"),
        (json(200, b"{\"items\":[],\"unknown\":\"\xff\"}".to_vec()), "is not UTF-8"),
        (json(200, packed.clone()).header("content-encoding", "br"), "the content encoding `br`"),
        (json(200, packed.clone()).header("content-encoding", "gzip, zstd"), "`zstd`"),
        (json(200, "sesame").header("content-encoding", "sesame"), "a content encoding, which"),
        (json(200, "sesame").header("content-encoding", "identity"), "is not valid JSON"),
    ] {
        let error = executions(answer).await.expect_err(words);

        assert!(error.to_string().contains(words), "{words}: {error}");
        assert!(!printed(&error).contains("sesame"), "{error}");
    }
}

// An error keeps only the first 64 KiB of a response body.
#[tokio::test]
async fn a_problem_is_read_as_far_as_its_body_is_kept() {
    let trace = "sesame ".repeat(20_000);
    for (body, title, detail) in [
        (format!(r#"{{"title":"No","detail":"Why","trace":"{trace}"}}"#), Some("No"), Some("Why")),
        (format!(r#"{{"title":"No","detail":"{trace}"}}"#), Some("No"), None),
        (format!(r#"{{"trace":[["{trace}"]],"title":"No"}}"#), None, None),
        (format!(r#"["title","{trace}"]"#), None, None),
    ] {
        let error = executions(json(500, body)).await.expect_err("a 500");

        let problem = error.problem();
        assert_eq!(problem.and_then(|it| it.title.as_deref()), title);
        assert_eq!(problem.and_then(|it| it.detail.as_deref()), detail);
    }
}

// RFC 8259, section 8.1: a parser may ignore a byte order mark.
#[tokio::test]
async fn a_byte_order_mark_before_json_is_passed_over() -> Result<(), Error> {
    let page = format!("\u{feff}{}", items(&[QUOTE_EXECUTION], "next"));
    assert_eq!(executions(json(200, page)).await?.items.len(), 1);
    let error = executions(json(400, "\u{feff}{\"title\":\"No\"}")).await.expect_err("a 400");
    assert_eq!(error.problem().and_then(|it| it.title.as_deref()), Some("No"));
    Ok(())
}

#[tokio::test]
async fn the_cause_of_an_answer_that_cant_be_read_is_where_reading_stopped() {
    let error = executions(json(200, "{\"items\":\n 7}")).await.expect_err("a number");

    let cause = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(cause.as_deref(), Some("line 2, column 2 of the body"));
}

#[tokio::test]
async fn the_array_of_every_listing_is_named_in_its_errors() {
    let record = with(MONITORING_ADDRESS, "created_at", "1748779200");
    let error = monitored(json(200, addresses(&[MONITORING_ADDRESS, &record], ""))).await;
    let error = error.expect_err("a number for a time");
    assert!(error.to_string().contains("addresses[1].created_at"), "{error}");

    let record = with(DEPOSIT_ADDRESS, "compatible_crypto_networks", r#"["BASE",[]]"#);
    let error = deposits(json(200, items(&[&record], ""))).await.expect_err("an array in an array");
    let path = "items[0].compatible_crypto_networks[1]";
    assert!(error.to_string().contains(path), "{error}");

    let members = r#"{"institution_id":"b6d8f0a2-4c6e-4180-92b4-d6f8a0c2e409","members":[[]]}"#;
    let error = added(json(200, members)).await.expect_err("an array for a member");
    assert!(error.to_string().contains("members[0]"), "{error}");
}

#[tokio::test]
async fn nesting_without_end_is_an_error_and_no_crash() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", r#"{"sesame":"#.repeat(100_000), "}".repeat(100_000));
    for deep in [deep, objects, "[".repeat(100_000)] {
        let metadata = QUOTE_EXECUTION.replace(r#"{"order": "A-1001"}"#, &deep);
        let value_in_metadata = QUOTE_EXECUTION.replace(r#""A-1001""#, &deep);
        for record in [&deep, &metadata, &value_in_metadata] {
            let error = executions(json(200, items(&[record], ""))).await.expect_err("too deep");
            assert_eq!(error.kind(), ErrorKind::Decode);
            assert!(!printed(&error).contains("sesame"));
            if *record == value_in_metadata && !deep.ends_with('[') {
                assert!(error.to_string().contains("nested more than 127 levels deep"), "{error}");
            }
        }

        let problem = executions(json(500, format!(r#"{{"meta":{deep}}}"#))).await;
        assert_eq!(problem.expect_err("a failure").kind(), ErrorKind::Status);
        // A field that isn't in the OpenAPI description may be skipped.
        let unknown = executions(json(200, format!(r#"{{"items":[],"unknown":{deep}}}"#))).await;
        assert!(unknown.is_ok_and(|page| page.items.is_empty()) || !deep.ends_with([']', '}']));
    }
}

// RFC 7807, section 3.1. The content type doesn't matter, because section 7 of the specification
// doesn't state it.
#[tokio::test]
async fn a_problem_is_read_whatever_its_content_type() {
    let body = r#"{"type":"https://example.com/probs/funds","title":"Not enough funds",
        "status":422,"detail":"Account 12345 holds 30","meta":{"balance":[30]}}"#;
    let answer = status(422).body(body);
    for answer in [
        answer.clone(),
        answer.clone().header("content-type", "application/json"),
        answer.clone().header("content-type", "application/problem+json; charset=utf-8"),
        answer.clone().header("content-type", "text/html"),
    ] {
        let error = executions(answer).await.expect_err("a problem");

        assert_eq!(error.kind(), ErrorKind::Status);
        assert_eq!(error.body(), Some(body.as_bytes()));
        let problem = error.problem().expect("a problem");
        assert_eq!(problem.type_uri.as_deref(), Some("https://example.com/probs/funds"));
        assert_eq!(problem.title.as_deref(), Some("Not enough funds"));
        assert_eq!(problem.status, Some(422));
        assert_eq!(problem.detail.as_deref(), Some("Account 12345 holds 30"));
        assert_eq!(problem.meta, Some(serde_json::json!({ "balance": [30] })));
        assert!(error.to_string().contains("422"), "{error}");
        assert!(!printed(&error).contains("12345"), "{error:?}");
    }
}

#[tokio::test]
async fn a_problem_may_lack_any_of_its_fields() {
    for body in [
        r#"{"title":"Gone"}"#,
        r#"{"title":"Gone","status":null,"detail":null,"type":null,"meta":null}"#,
        r#"{"title":"Gone","status":"410","detail":["a"],"type":7}"#,
        r#"{"title":"Gone","status":70000}"#,
        r#"{"title":"Gone","status":1e999,"other":"\ud800"}"#,
    ] {
        let error = executions(json(410, body)).await.expect_err(body);

        let problem = error.problem().expect(body);
        assert_eq!(problem.title.as_deref(), Some("Gone"), "{body}");
        assert_eq!((&problem.type_uri, problem.status, &problem.detail), (&None, None, &None));
        assert_eq!(problem.meta, None, "{body}");
    }
}

#[tokio::test]
async fn a_status_is_never_lost_behind_a_body() {
    for body in ["", "<html>502</html>", "[]", "null", "{", "7", r#""title""#, "\u{feff}{}"] {
        let error = executions(status(502).body(body)).await.expect_err(body);

        assert_eq!(error.kind(), ErrorKind::Status, "{body}");
        assert_eq!(code(&error), Some(502), "{body}");
        assert_eq!(error.body(), Some(body.as_bytes()));
        assert_eq!(error.problem(), None, "{body}");
    }
    let error = executions(status(502).body("half").truncated()).await.expect_err("half a body");
    assert_eq!(code(&error), Some(502));
    assert_eq!(error.body(), Some(&b"half"[..]));
}

#[tokio::test]
async fn of_a_failed_answer_64_kib_are_kept() {
    let body = "x".repeat(300_000);

    let error = executions(status(500).body(body)).await.expect_err("a failure");

    assert_eq!(error.body().map(<[u8]>::len), Some(65_536));
}

// Section 4 of the specification: every successful response has status 200.
#[tokio::test]
async fn a_success_of_another_status_is_no_success() {
    for success in [201, 202, 204, 206] {
        let answer = if success == 204 { status(204) } else { json(success, MEMBERS) };

        let error = added(answer).await.expect_err("not 200");

        assert_eq!(error.kind(), ErrorKind::Status, "{success}");
        assert_eq!(code(&error), Some(success));
        assert!(error.may_have_been_applied(), "{success}");
    }
}
