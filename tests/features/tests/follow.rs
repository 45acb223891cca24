//! The checkpoints of followed listings in a program in which another crate enables `serde_json`'s
//! features `arbitrary_precision` and `preserve_order`.

#![allow(missing_docs)]

use std::future::ready;

use digital_assets::{Client, Error, Follow};
use tower::service_fn;

// The hash is the one that an earlier version has stored, in a program without these features.
#[tokio::test]
async fn a_record_has_the_same_hash_with_any_features() -> Result<(), Error> {
    let page = r#"{"items":[{
        "id": "5a7c9e10-2b4d-4f68-91a3-c5e7092b4d05",
        "crypto_network": "SOLANA",
        "address": "4Nd1mYvXhT9pQeRsJ7wKcZbUaGfLxD2Ek8Hn5MtVoPq3",
        "metadata": {"z": [18446744073709551615, -7, 1.5], "a": {"y": 0.1, "x": null}},
        "created_at": "2025-06-01T12:00:00Z"
    }]}"#;
    let service = service_fn(move |_: reqwest::Request| {
        ready(http::Response::builder().body(page).map(reqwest::Response::from))
    });
    let client = Client::builder("https://api.example.com").bearer_token("word");
    let client = client.http_service(service).build()?;

    let mut following = client.list_deposit_addresses().items().follow(Follow::once());
    while let Some(change) = following.next().await {
        change?;
    }

    let checkpoint = serde_json::to_string(&following.checkpoint()).expect("JSON");
    assert!(checkpoint.contains("4f93eed6c2a7fefd"), "{checkpoint}");
    Ok(())
}
