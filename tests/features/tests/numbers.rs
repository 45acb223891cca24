//! Numbers in a program in which another crate enables `serde_json`'s feature `arbitrary_precision`.

#![allow(missing_docs)]

use std::future::ready;

use digital_assets::{Client, Error, ErrorKind};
use tower::service_fn;

/// Returns a client of a service that responds to each request with this body.
fn answered(body: &'static str) -> Client {
    let service = service_fn(move |_: reqwest::Request| {
        ready(http::Response::builder().body(body).map(reqwest::Response::from))
    });
    let client = Client::builder("https://api.example.com").bearer_token("word");
    client.http_service(service).build().expect("a client without TLS")
}

#[tokio::test]
async fn a_count_may_be_a_text_or_have_a_point() -> Result<(), Error> {
    for (body, expected) in [
        (r#"{"items":[],"total_count":3}"#, Some(3)),
        (r#"{"items":[],"total_count":-3}"#, Some(-3)),
        (r#"{"items":[],"total_count":3.0}"#, Some(3)),
        (r#"{"items":[],"total_count":3e2}"#, Some(300)),
        (r#"{"items":[],"total_count":"3.00"}"#, Some(3)),
        (r#"{"items":[],"total_count":""}"#, None),
        (r#"{"items":[],"total_count":null}"#, None),
        (r#"{"items":[]}"#, None),
    ] {
        let page = answered(body).list_quote_executions().profile_id("p").send().await?;
        assert_eq!(page.total_count, expected, "{body}");
    }
    for body in [
        r#"{"items":[],"total_count":3.5}"#,
        r#"{"items":[],"total_count":1e999}"#,
        r#"{"items":[],"total_count":2147483648}"#,
        r#"{"items":[],"total_count":[]}"#,
    ] {
        let page = answered(body).list_quote_executions().profile_id("p").send();
        let error = page.await.expect_err(body);
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().contains("total_count is not a"), "{body}: {error}");
    }
    Ok(())
}
