//! Tests of metadata, whose values can be any JSON.

use serde_json::{Map, Value, json as value};

use super::{execution, executions};
use crate::{
    prelude::*,
    specification::{QUOTE_EXECUTION, fields, items, with},
};

// Section 2.1 of the specification doesn't state the types of metadata values.
#[tokio::test]
async fn metadata_takes_any_value() -> Result<(), Error> {
    let values = r#"{"":"","n":1.50,"big":18446744073709551615,"no":null,"in":{"a":[1,"2"]}}"#;

    let record = execution(&with(QUOTE_EXECUTION, "metadata", values)).await?;

    assert_eq!(record.metadata, fields(values));
    Ok(())
}

/// Returns the metadata that the client reads from this JSON.
async fn read(metadata: &str) -> Result<Map<String, Value>, Error> {
    let record = QUOTE_EXECUTION.replace(r#"{"order": "A-1001"}"#, metadata);
    let body = items(&[QUOTE_EXECUTION, &record], "next");
    let page = executions(json(200, body)).await?.into_inner();
    assert_eq!((page.items.len(), page.next_page_cursor.as_deref()), (2, Some("next")));
    Ok(page.items.into_iter().nth(1).expect("two").metadata)
}

#[tokio::test]
async fn a_float_keeps_its_last_digit() -> Result<(), Error> {
    for text in ["0.38120423768821243", "0.9452706955539223"] {
        let json = format!(r#"{{"rate":{text}}}"#);

        assert_eq!(Value::Object(read(&json).await?).to_string(), json);
    }
    Ok(())
}

#[tokio::test]
async fn a_number_beyond_a_float_is_kept_as_its_text() -> Result<(), Error> {
    for text in ["1e999", "-1E+999", "123.456e400", "99999999999e9999999999"] {
        let metadata = read(&format!(r#"{{"a":1,"n":{text},"in":[{{"n":[{text}]}}]}}"#)).await?;

        assert_eq!(Value::Object(metadata), value!({ "a": 1, "n": text, "in": [{ "n": [text] }] }));
    }
    Ok(())
}

#[tokio::test]
async fn half_of_a_surrogate_pair_is_kept_as_its_text() -> Result<(), Error> {
    for (json, text) in [
        (r"\ud800", r"\ud800"),
        (r"\uDFFF", r"\uDFFF"),
        (r"a\n\ud83d\ude00\ud83dz", "a\n\u{1f600}\\ud83dz"),
        (r"\ude00\ud83d", r"\ude00\ud83d"),
        (r"\ud83d\ud83d\ude00", "\\ud83d\u{1f600}"),
        (r"\ud83d\n\ude00", "\\ud83d\n\\ude00"),
        (r#"\"\\\ud800\\"#, r#""\\ud800\"#),
        (r"\\ud800\ud800", r"\ud800\ud800"),
    ] {
        let metadata = read(&format!(r#"{{"t":"{json}","{json}":["{json}"],"n":1e999}}"#)).await?;

        let expected = [("t", value!(text)), (text, value!([text])), ("n", value!("1e999"))];
        assert_eq!(metadata, Map::from_iter(expected.map(|(k, v)| (k.to_owned(), v))), "{json}");
    }
    Ok(())
}

#[tokio::test]
async fn a_number_that_a_float_would_round_is_kept_as_its_text() -> Result<(), Error> {
    for text in [
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "9007199254740993.0",
        "0.1234567890123456789",
        "-0.12345678901234567890123",
        "0.30000000000000000444",
        "1e-400",
        "-1E-324",
        "1.4e-323",
        "12.3456789e-320",
    ] {
        for json in [text.to_owned(), format!(" {text} ")] {
            let metadata =
                read(&format!(r#"{{"a":[0.1,{json}],"n":{json},"t":"{text}"}}"#)).await?;

            let expected = value!({ "a": [0.1, text], "n": text, "t": text });
            assert_eq!(Value::Object(metadata), expected);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_number_that_a_float_or_64_bits_hold_stays_a_number() -> Result<(), Error> {
    for (text, number) in [
        ("9223372036854775807", value!(i64::MAX)),
        ("-9223372036854775808", value!(i64::MIN)),
        ("18446744073709551615", value!(u64::MAX)),
        ("-0.1", value!(-0.1)),
        ("1.50", value!(1.5)),
        ("1E2", value!(100.0)),
        ("0.300000000000000040000", value!(0.300_000_000_000_000_04)),
        ("100000000000000000000000", value!(1e23)),
        ("5e-324", value!(5e-324)),
        ("0.000e-999", value!(0.0)),
        ("-0", value!(-0.0)),
    ] {
        let metadata = read(&format!(r#"{{"n":{text},"e-400":[],"a-300":"1e-400"}}"#)).await?;

        assert_eq!(metadata["n"], number, "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_beside_a_value_kept_as_text_is_still_an_error() {
    let hostile = QUOTE_EXECUTION.replace(r#""A-1001""#, "1e999");
    let late = with(QUOTE_EXECUTION, "created_at", r#""sesame""#);
    for (body, words) in [
        (items(&[&hostile, &late], ""), "items[1].created_at"),
        (items(&[&hostile.replace(r#""64250.10""#, "1e999")], ""), "items[0].price"),
        (format!(r#"{{"total_count":1e999,"items":[{hostile}]}}"#), "total_count"),
        (items(&[&hostile.replace("1e999", "1e999e")], ""), "metadata"),
        (items(&[&hostile.replace("1e999", r#""\ud800\q""#)], ""), "metadata"),
        (items(&[&hostile], "").replace(']', ""), ""),
    ] {
        let error = executions(json(200, body.clone())).await.expect_err(&body);

        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert_eq!(error.body(), Some(body.as_bytes()));
        assert!(error.to_string().contains(words), "{words}: {error}");
        assert!(!printed(&error).contains("sesame"), "{error}");
    }
}
